"""What a hub is asked by who wants it harm: arguments of tools, webhooks, bodies.

`SATCHEL_HOSTILE=1` tries every value with every parameter, over 6,000 calls.
"""

import hmac
import json
import os
import socket
import time
from hashlib import sha256
from itertools import cycle
from pathlib import Path

import httpx2
import psutil
import pytest
from mcp.client.client import Client

from satchel.hub import access, settings
from satchel.hub.database import Hub, rows
from satchel.hub.serving.tools import TOOLS
from tests.hostile_suite.names import RAW, VOICE
from tests.hub.conftest import serving
from tests.support.agent import PATIENCE_S, Served, over_http, said

WHOLE = os.environ.get("SATCHEL_HOSTILE") == "1"
NEEDED: dict[str, dict[str, object]] = {
    "context": {"query": "jitter"}, "search": {"query": "jitter"}, "symbols": {"name": "retry*"},
    "dependencies": {"name": "retry_with_jitter"}, "changes": {"since": "1h"}, "overview": {},
    "remember": {"kind": "note", "summary": "x"}, "recall": {"query": "x"},
    "revise": {"action": "edit", "ids": ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]}, "set_context": {},
}  # fmt: skip
VALUES = (
    "", "\0", "a\0b", "x" * 100_000, "+" * 50_000, "(" * 5_000, "[" * 20_000, "(a+)+$",
    "a{1000}{1000}{1000}", "%_%", "?*" * 300, "../../../etc/passwd", "'; DROP TABLE files; --",
    f"\x1b[2J\u202e{VOICE}", "open/own.py:999999999999999999999", "symbol:x#y", "path:..",
    "9" * 30 + "d", "\u2028x\u2029y\x85z", "\U0010fffe", 0, -1, 2**31, 2**63, -(2**63) - 1, 1e308,
    True, None, [], {}, ["\0"], [None], [[[[]]]], {"a": {"b": [1]}}, {"": ""},
)  # fmt: skip
SECRET = "a secret of the team"


def _calls() -> list[tuple[str, dict[str, object]]]:
    """Every tool with hostile values: all for each parameter, or one of them in turn."""
    turn = cycle(VALUES)
    return [
        (tool.name, {**NEEDED[tool.name], name: value})
        for tool in TOOLS
        for name in (*(param.name for param in tool.params), f"\u202e{VOICE}")
        for value in (VALUES if WHOLE else (next(turn),))
    ]


def test_no_argument_of_any_tool_breaks_a_call_or_speaks_as_satchel(address: str, hub: Hub) -> None:
    token = access.new_token(hub, "bob", 1, calls_a_minute=100_000)
    settings.put(hub, "audit.text", "yes")
    calls = _calls()
    assert len(calls) > 60

    async def everything(client: Client) -> list[str]:
        # A call that breaks is an error of the protocol, which raises here.
        return [said(await client.call_tool(name, given)) for name, given in calls]

    for (name, given), text in zip(calls, over_http(Served(address, token, None), everything),
                                   strict=True):  # fmt: skip
        assert text and RAW.search(text) is None, (name, given)
        assert VOICE not in text, (name, given)
    assert rows(hub, "SELECT count(*) FROM audit") == [(len(calls),)]
    # What somebody remembered with ends of lines in it hinders nobody who reads.
    lines = {"kind": "note", "summary": "Jitter", "detail": "one\u2028two\x85three\x1cfour"}

    async def remembers(client: Client) -> list[str]:
        return [
            said(await client.call_tool("remember", lines)),
            said(await client.call_tool("recall", {"query": "jitter"})),
            said(await client.call_tool("context", {"query": "jitter"})),
        ]

    kept, recalled, pack = over_http(Served(address, token, None), remembers)
    assert "kept" in kept and "Jitter" in recalled and "[satchel]" in pack


SOURCE = "https://git.example.org/acme/open.git"
BODY = json.dumps({"repository": {"clone_url": SOURCE}}).encode()
SEAL = "sha256=" + hmac.new(SECRET.encode(), BODY, sha256).hexdigest()
FORGED: tuple[dict[str, str], ...] = (
    {"X-Hub-Signature-256": SEAL.upper()}, {"X-Hub-Signature-256": SEAL[:-1]},
    {"X-Hub-Signature": "sha1=" + hmac.new(SECRET.encode(), BODY, "sha1").hexdigest()},
    {"X-Hub-Signature-256": "sha256=" + sha256(BODY).hexdigest()},
    {"X-Hub-Signature-256": "sha256=" + hmac.new(b"", BODY, sha256).hexdigest()},
    {"X-Hub-Signature-256": "sha256=00", "X-Gitlab-Token": SECRET},
    {"X-Gitlab-Token": SECRET[:-1]}, {"X-Gitlab-Token": SECRET + "x"},
    {"Authorization": f"Bearer {SECRET}"},
)  # fmt: skip
ADDRESSES = ("a" + "/" * 900_000 + " ", "--upload-pack=x", "ext::sh -c x", "x@" * 400_000)
BROKEN = (b"[" * 900_000, b'{"repository": [1]}', b'{"project": "x"}', b"\xff", b"")


def test_webhooks_that_are_forged_slow_or_large_do_nothing(address: str, hub: Hub) -> None:
    base = httpx2.URL(address.removesuffix("/mcp"))
    hub.execute("UPDATE sources SET source = %s WHERE repository_id = 1", (SOURCE,))
    settings.put(hub, "webhook.secret", SECRET)
    hub.execute("UPDATE repositories SET wanted_at = NULL")
    n_before = rows(hub, "SELECT count(*) FROM repositories")
    # More than the strangers that are let wait; they say nothing more after their heads.
    slow = [socket.create_connection((base.host, base.port), PATIENCE_S) for _ in range(80)]
    for each in slow:
        each.sendall(b"POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{")
    with httpx2.Client(base_url=base, timeout=PATIENCE_S) as client:
        refused = [client.post("/hook", content=BODY, headers=each) for each in FORGED]
        assert {reply.status_code for reply in refused} == {401}
        signed = {"X-Hub-Signature-256": SEAL}
        for path in ("/hook/", "//hook", "/HOOK", "/hook%2f"):
            assert client.post(path, content=BODY, headers=signed).status_code >= 400, path
        assert rows(hub, "SELECT count(*) FROM repositories WHERE wanted_at IS NOT NULL") == [(0,)]
        # One that was recorded and sent again makes wanted what is there, and nothing else.
        again = [client.post("/hook", content=BODY, headers=signed) for _ in range(3)]
        assert {reply.status_code for reply in again} == {202}
        assert rows(hub, "SELECT id FROM repositories WHERE wanted_at IS NOT NULL") == [(1,)]
        lab = {"X-Gitlab-Token": SECRET}
        pushed = [{"project": {"git_http_url": each}} for each in ADDRESSES]
        taken = [client.post("/hook", json=each, headers=lab) for each in pushed]
        assert {reply.status_code for reply in taken} == {202}
        wrong = [client.post("/hook", content=each, headers=lab) for each in BROKEN]
        assert {reply.status_code for reply in wrong} == {400}
    assert rows(hub, "SELECT count(*) FROM repositories") == n_before
    assert not any(b" 202 " in _last_words(each) for each in slow)


def _last_words(connection: socket.socket) -> bytes:
    """What comes of a connection that says nothing, until it is closed."""
    with connection:
        connection.settimeout(PATIENCE_S)
        try:
            return connection.recv(4_096)
        except ConnectionError:
            return b""


def test_processes_that_answer_together_run_nothing_of_a_checkout_and_replace_each_other(
    hub: Hub, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sprung = tmp_path / "sprung"
    for name in ("multiprocessing/__init__.py", "uvicorn.py", "satchel/__init__.py", "socket.py",
                 "sitecustomize.py", "psycopg.py", "json.py"):  # fmt: skip
        (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "clone" / name).write_text(f"open({str(sprung)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path / "clone")
    access.grant(hub, "ann", "*")
    token = access.new_token(hub, "ann", 1)

    with serving(server, hub.info.dbname, "--workers", "2") as address:
        port = str(httpx2.URL(address).port)
        assert _status(address, token) != 401
        [parent] = [
            each for each in psutil.process_iter(["cmdline"])
            if {"serve", "--workers", port} <= set(each.info["cmdline"] or ())
        ]  # fmt: skip
        children = parent.children(recursive=True)
        assert not [each for each in children if Path(each.cwd()) == Path.cwd()]
        for each in children:
            each.kill()
        psutil.wait_procs(children, PATIENCE_S)
        assert _status(address, token) != 401
        access.revoke(hub, "ann")
        assert {_status(address, token) for _ in range(8)} == {401}
    assert not sprung.exists()


def _status(address: str, bearer: str) -> int:
    """Of an answer of whichever process, as soon as there is one."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            headers = {"Authorization": f"Bearer {bearer}"}
            return httpx2.post(address, headers=headers, json={}, timeout=5).status_code
        except httpx2.HTTPError:
            assert time.monotonic() < deadline
