"""Streamable HTTP against a real server process: who is let in, and what is turned away."""

import json
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from satchel.mcp_server.transport.http import BODY_SECONDS, MAX_BODY_BYTES, read_token
from satchel.store.errors import ConfigError
from tests.support.agent import PATIENCE_S, Served, asked, http_server, over_http
from tests.support.satchel import index_folder, satchel

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("http")
    (folder / "a.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def served(root: Path) -> Iterator[Served]:
    with http_server(root) as running:
        yield running


def _post(served: Served, headers: dict[str, str], body: bytes | None = None) -> httpx2.Response:
    content = json.dumps(PING).encode() if body is None else body
    said = {"Content-Type": "application/json", **ACCEPT, **headers}
    with httpx2.Client(timeout=PATIENCE_S) as client:
        return client.post(served.url, content=content, headers=said)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_both_eras_are_served(served: Served, mode: str):
    async def session(client):
        return client.protocol_version, await asked(client, "symbols", name="wake")

    version, text = over_http(served, session, mode=mode)
    assert version == ("2026-07-28" if mode == "auto" else "2025-11-25")
    assert "a.py:1-2  function wake  def wake(dog)" in text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic {token}"}, 401),
        ({"Authorization": "Bearer {token} "}, 401),
        ({"Authorization": "Bearer {token}", "Host": "evil.example:{port}"}, 421),
        ({"Authorization": "Bearer {token}", "Host": "127.0.0.1.evil.example:{port}"}, 421),
        ({"Authorization": "Bearer {token}", "Host": "127.0.0.1:1"}, 421),
        ({"Authorization": "Bearer {token}", "Origin": "https://evil.example"}, 403),
        ({"Authorization": "Bearer {token}", "Origin": "null"}, 403),
        ({"Authorization": "Bearer {token}", "Origin": "http://127.0.0.1:1"}, 403),
        ({"Authorization": "Bearer {token}", "Content-Type": "text/plain"}, 400),
    ],
)
def test_who_is_not_let_in(served: Served, headers: dict[str, str], status: int):
    port = served.url.rpartition(":")[2].partition("/")[0]
    said = {
        key: v.replace("{token}", served.token).replace("{port}", port)
        for key, v in headers.items()
    }
    if said.get("Authorization", "").endswith(" "):
        said["Authorization"] = said["Authorization"].strip() + "x"
    assert _post(served, said).status_code == status


def test_a_body_that_is_too_large_is_turned_away(served: Served):
    body = b" " * (MAX_BODY_BYTES + 1)
    assert _post(served, served.headers, body).status_code == 413
    assert _post(served, served.headers, b"{").status_code == 400


@pytest.fixture(scope="module", autouse=True)
def stalled(served: Served) -> Iterator[socket.socket]:
    """A request without its body, sent before the other tests: the last one sees how it ended."""
    port = int(served.url.rpartition(":")[2].partition("/")[0])
    with socket.create_connection(("127.0.0.1", port), BODY_SECONDS + 30) as connection:
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {served.token}"
            "\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
        )
        connection.sendall(head.encode())
        yield connection


def test_the_token_is_made_once_and_only_its_owner_can_read_it(served: Served, root: Path):
    path = index_folder(root) / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(served.token) >= 43  # 256 bits
    assert read_token(path.parent) == served.token


@pytest.mark.parametrize("kind", ["readable", "link", "empty", "fifo"])
def test_a_token_file_that_is_not_ours_alone_is_refused(tmp_path: Path, kind: str):

    path = tmp_path / "token"
    if kind == "link":
        (tmp_path / "other").write_text("secret", encoding="ascii")
        path.symlink_to("other")
    elif kind == "fifo":
        os.mkfifo(path, 0o600)
    else:
        path.write_text("" if kind == "empty" else "secret", encoding="ascii")
        path.chmod(0o600 if kind == "empty" else 0o640)
    said = {"fifo": "is not a regular file", "readable": "can be read by others"}.get(kind, "token")
    with pytest.raises(ConfigError, match=said):
        read_token(tmp_path)


def test_a_port_that_is_none_is_refused(tmp_path: Path):
    reply = satchel("serve", "--http", "70000", "--root", tmp_path, cwd=tmp_path)
    assert (reply.returncode, reply.stdout) == (2, b"")
    assert b"port is 70000" in reply.stderr


def test_a_port_that_is_taken_is_said_in_a_line(served: Served, root: Path):
    port = str(httpx2.URL(served.url).port)
    refused = satchel("serve", "--http", port, cwd=root)
    assert refused.returncode == 2
    assert f"satchel: port {port} cannot be used".encode() in refused.stderr
    assert b"Traceback" not in refused.stderr
    # Nothing is told before, neither where it serves nor what the library logs.
    assert b"serving" not in refused.stderr and b"ERROR" not in refused.stderr


def test_a_body_that_does_not_come_ends_the_connection(stalled: socket.socket):
    while stalled.recv(4096):  # a refusal
        pass
    assert stalled.recv(1) == b""  # the other end is closed
