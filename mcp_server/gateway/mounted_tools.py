"""Mounted tools as agents meet them: which a focus lists, found, called, learned from."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult

from satchel.knowledge.context import Desk
from satchel.knowledge.model import Session
from satchel.knowledge.operations import learn, stats
from satchel.knowledge.operations.focus import shown_to
from satchel.knowledge.ranking.pack import Totals
from satchel.knowledge.ranking.tool_affinity import Offered, brought_up, ranked
from satchel.knowledge.storage import read, write
from satchel.mcp_server.arguments import Kind, Param
from satchel.mcp_server.gateway.upstreams import SEPARATOR, Gateway, Mounted
from satchel.mcp_server.serving import Serving
from satchel.mcp_server.tool import Answer, Call, Tool
from satchel.store.errors import SatchelError, UsageError
from satchel.store.sqlite.database import transaction
from satchel.workspace import knowledge

_RECENT = 3
_MOST_RECENT = 5
_NOTHING = "no upstream servers are configured; `recall` finds what is known, `search` code\n"


def is_mounted(name: str) -> bool:
    """Whether a name is one of an upstream server's."""
    return SEPARATOR in name


def visible(serving: Serving, session: str) -> list[Mounted]:
    """What `tools/list` holds of the mounted tools: what fits the focus, else everything."""
    gateway: Gateway | None = serving.gateway
    mounted = gateway.tools() if gateway else []
    if not mounted or not session:
        return mounted
    try:
        with knowledge.desk_of(serving.project, session) as desk:
            return _visible(desk, mounted)
    except SatchelError:  # what is known cannot be read: then nothing is hidden
        return mounted


def _visible(desk: Desk, mounted: list[Mounted]) -> list[Mounted]:
    held = read.session(desk.db, desk.caller.session)
    if held is None or not held.focus:
        return mounted
    fits = ranked(_offered(mounted), held.focus, learn.pairs(desk.db), desk.caller.now)
    recent = list(dict.fromkeys(reversed(held.calls[-_RECENT:])))[:_MOST_RECENT]
    names = brought_up(fits, recent)
    if names is None:
        return mounted
    shown_to(desk, names)
    by_name = {each.name: each for each in mounted}
    return [by_name[name] for name in names]


def _offered(mounted: list[Mounted]) -> list[Offered]:
    return [Offered(m.name, m.about, m.params) for m in mounted]


def call(serving: Serving, session: str, name: str, said: Mapping[str, Any]) -> CallToolResult:
    """Call a mounted tool, shown or not, and learn from it when it did what was wanted.

    Raises:
        UsageError: there is no such tool.
        Interrupted: its server did not answer, or went away.
    """
    begun = time.perf_counter()
    outcome = "failed"
    try:
        if serving.gateway is None:
            raise UsageError(f"unknown tool {name!r}", "no upstream servers are configured")
        result = serving.gateway.call(name, said)
        outcome = "error" if result.is_error else "ok"
    finally:
        ms = (time.perf_counter() - begun) * 1_000
        with knowledge.desk_of(serving.project, session) as desk:
            _count(desk, serving, name, ms, outcome)
    return result


def _count(desk: Desk, serving: Serving, name: str, ms: float, outcome: str) -> None:
    held: Session | None = read.session(desk.db, desk.caller.session)
    mounted = serving.gateway.tools() if serving.gateway else []
    shown = held.shown if held and held.focus else ()
    totals = Totals(0, 0, len(mounted), len(shown)) if shown else None
    done = stats.Operation(
        op=stats.TOOL, ms=ms, outcome=outcome, target=name, totals=totals,
        shown=name in shown if shown else None,
    )  # fmt: skip
    stats.record(desk.db, desk.caller, done)
    if outcome == "ok":
        learn.used(desk, name)


def _find(call_: Call) -> Answer:
    serving, query = call_.serving, call_.said.text("query")
    mounted = serving.gateway.tools() if serving.gateway else []
    if not mounted:
        return Answer(_NOTHING)

    def work(desk: Desk) -> list[str]:
        fits = ranked(_offered(mounted), query, learn.pairs(desk.db), desk.caller.now)
        names = [fit.name for fit in fits if fit.score > 0][: call_.said.whole("limit", 10)]
        held = read.session(desk.db, desk.caller.session)
        if held is not None:
            with transaction(desk.db):
                write.put_session(desk.db, learn.searched(held, names))
        return names

    found = knowledge.within(serving.project, work, "find_tools", session=call_.session)
    by_name = {each.name: each for each in mounted}
    lines = [f"{name}  {by_name[name].tool.description}\n" for name in found]
    return Answer("".join(lines) or f"none of {len(mounted)} tools fits\n")


FIND_TOOLS = Tool(
    "find_tools",
    "Tools of other servers that fit a task; call them by the names it gives.",
    (
        Param("query", required=True, low=1, high=10_000),
        Param("limit", Kind.WHOLE, low=1, high=50, default=10, quiet=True),
        Param("session", high=200, quiet=True),
    ),
    _find,
    listed=False,
)
