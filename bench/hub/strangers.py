"""Can anybody read of a hub what was not granted, by any tool, any parameter, or any token?

python -m bench.hub.strangers [--payloads N] [--servers N]

Starts a hub of two repositories and a server, and asks as somebody who may read one and as somebody
who may read none: every tool about every repository, then every parameter of every tool, as the
tools' schemas name them, with texts that are SQL, JSON, paths and names of others, and with values
of other types. No reply may hold a word of the other repository or an error of PostgreSQL, and no
row of the hub may differ afterwards. Then tokens that must not be taken. Prints counts; exit 1 if
anything leaked.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2

from bench.hub.team import CANARY, PATIENCE_S, call, hub_of_two, message, result_of, served
from bench.nothing import require
from satchel.hub import access
from satchel.hub.checks import fingerprint
from satchel.hub.database import Hub
from satchel.hub.serving.tool import HubTool
from satchel.hub.serving.tools import TOOLS
from satchel.questions.params import schema
from satchel.workspace.configuration.settings import Settings

_GIVEN: Mapping[str, object] = {
    "query": "retry_with_jitter", "name": "retry_with_jitter", "since": "1h", "kind": "note",
    "summary": "tried from outside", "ids": ["X"], "action": "archive",
}  # fmt: skip
_NEEDED = {
    "context": ("query",), "search": ("query",), "symbols": ("name",), "dependencies": ("name",),
    "changes": ("since",), "overview": (), "remember": ("kind", "summary"),
    "revise": ("ids", "action"), "recall": (), "set_context": ("query",),
}  # fmt: skip
TEXTS = (
    "' OR 1=1 --", "closed", "'; DROP TABLE satchel.files; --", "closed/own.py",
    "') UNION SELECT id, source FROM satchel.contents --", "*", "%' OR name LIKE '%", "cl?sed",
    '"; SET ROLE postgres; RESET ROLE; --', "symbol:closed/own.py#*", "../closed/own.py", "\\'",
    "%s %(person)s {} $1", "a\0b", "\ud800", "\u202e\U0010fffe", '{"$gt": ""}', "bob",
    "satchel_reader_bob", "[a-z]*", "(((((a+)+)+)+)+)$", "x" * 4_000, "", "-1", "open/../closed",
)  # fmt: skip
"""What is put into every parameter: as it is, in a list, and in an object."""
OTHERS: tuple[object, ...] = (
    None, True, -1, 10**30, 0.1, [], {}, [["closed"]], {"repository": "closed"},
    {"a": {"b": {"c": ["closed"]}}},
)  # fmt: skip
"""Values of other types than a parameter has."""
_MOVES = frozenset({"audit", "calls", "knowledge", "focus", "tokens"})
"""Tables in which a caller leaves rows of its own."""


@dataclass
class Found:
    """What was asked, and what should not have been answered so."""

    asked: int = 0
    refused: int = 0
    leaks: list[str] = field(default_factory=list)


def injections(payloads: int) -> Iterator[tuple[str, dict[str, object]]]:
    """Calls with each parameter of each tool given `payloads` hostile values, all kinds in turn."""
    turn = itertools.cycle((*TEXTS, *OTHERS))
    for tool in TOOLS:
        for name, said in _properties(tool).items():
            for _ in range(payloads):
                value = next(turn)
                yield tool.name, {**given(tool.name), name: _shaped(value, str(said.get("type")))}
        yield tool.name, {**given(tool.name), "role": "satchel_reader_bob", "person": "bob"}


def given(tool: str) -> dict[str, object]:
    """The least arguments that a tool takes."""
    return {name: _GIVEN[name] for name in _NEEDED[tool]}


def _properties(tool: HubTool) -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = schema(tool.params, Settings(), full=True)["properties"]
    return properties


def _shaped(value: object, kind: str) -> object:
    """A text in the shape that a parameter has, so that it is not refused for that alone."""
    if isinstance(value, str) and kind == "array":
        return [value]
    if isinstance(value, str) and kind == "object":
        return {"summary": value, value: value}
    return value


def matrix() -> Iterator[tuple[str, dict[str, object]]]:
    """Every tool about every repository."""
    for tool in TOOLS:
        for pattern in ("open", "closed", "c*", "*"):
            yield tool.name, {**given(tool.name), "repositories": pattern}


def ask_all(
    address: str, token: str, calls: Iterator[tuple[str, dict[str, object]]], hidden: Sequence[str]
) -> Found:
    """Ask, and look for words that this caller may not see."""
    found = Found()
    with httpx2.Client(timeout=PATIENCE_S) as http:
        for tool, arguments in calls:
            found.asked += 1
            reply = call(http, address, token, message(tool, arguments))
            what = f"{tool} {json.dumps(arguments)[:200]}"
            if reply.status_code == 400:  # what is no JSON-RPC at all
                found.refused += 1
                continue
            try:
                text, is_error = result_of(reply.text)
            except (ValueError, KeyError):
                found.leaks.append(f"{what}: {reply.status_code} {reply.text[:200]}")
                continue
            found.refused += is_error
            if any(word in text for word in hidden) or "PostgreSQL" in text:
                found.leaks.append(f"{what}: {text[:300]}")
    return found


def bad_tokens(hub: Hub, session: str) -> dict[str, str]:
    """Tokens that stand for nobody, by why; `session` is one of the page."""
    for person in ("gone", "late", "kept"):
        access.grant(hub, person, "*")
    revoked, expired, good = (access.new_token(hub, p, 1) for p in ("gone", "late", "kept"))
    hub.execute("UPDATE tokens SET expires_at = now() WHERE person = 'late'")
    access.revoke(hub, "gone")
    return {
        "revoked": revoked, "expired": expired, "cut": good[:-1], "longer": good + "a",
        "other case": good.swapcase(), "of no hub": "satchel-" + "a" * 43,
        "SQL": "' OR '1'='1", "a role": "satchel_reader_bob", "a name": "bob", "NUL": "a%00b",
        "a page's session": session, "no signature": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJib2IifQ.",
        "very long": "a" * 20_000,
    }  # fmt: skip


def refused_tokens(address: str, hub: Hub) -> tuple[int, list[str]]:
    """How many bad tokens were tried, and which of them were taken."""
    body, taken = message("overview", {}), []
    with httpx2.Client(timeout=PATIENCE_S) as http:
        base = address.removesuffix("/mcp")
        bob = access.new_token(hub, "bob", 1)
        opened = http.post(f"{base}/session", json={"token": bob})
        tokens = bad_tokens(hub, opened.json()["session"])
        for why, token in tokens.items():
            if call(http, address, token, body).status_code != 401:
                taken.append(why)
        # A good one of before, replayed after it was taken back.
        access.revoke(hub, "bob")
        if call(http, address, bob, body).status_code != 401:
            taken.append("replayed")
    return len(tokens) + 1, taken


def hidden_changes(before: Mapping[str, object], hub: Hub) -> list[str]:
    """The tables that no caller may have changed and that differ."""
    after = fingerprint(hub)
    return sorted(t for t in after if t not in _MOVES and after[t] != before[t])


def prepare(hub: Hub) -> tuple[str, str]:
    """Tokens of ann, who may read `open`, and of zoe, who may read what is not there."""
    access.grant(hub, "zoe", "nothing-*")
    n = 100_000
    return (access.new_token(hub, "ann", 1, calls_a_minute=n),
            access.new_token(hub, "zoe", 1, calls_a_minute=n))  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask everything and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--payloads", type=int, default=len(TEXTS) + len(OTHERS))
    parser.add_argument("--servers", type=int, default=2)
    options = parser.parse_args(arguments)
    bad: list[str] = []
    with hub_of_two() as (url, hub), served(url, "--workers", str(options.servers)) as (address, _):
        ann, zoe = prepare(hub)
        before = fingerprint(hub)
        for who, token, hidden in (("ann", ann, (CANARY,)), ("zoe", zoe, (CANARY, "only_in_open"))):
            for what, calls in (("matrix", matrix()), ("injections", injections(options.payloads))):
                found = ask_all(address, token, calls, hidden)
                require(found.asked, "call")
                print(f"{who}, {what}: {found.asked} calls, {found.refused} refused,"
                      f" {len(found.leaks)} leaks", flush=True)  # fmt: skip
                bad += found.leaks
        changed = hidden_changes(before, hub)
        n_tokens, taken = refused_tokens(address, hub)
        print(f"tables changed: {changed}; {n_tokens} bad tokens, taken: {taken}")
    for leak in bad:
        print("LEAK", leak)
    return int(bool(bad or changed or taken))


if __name__ == "__main__":
    raise SystemExit(main())
