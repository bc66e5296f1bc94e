"""Mounted tools as agents meet them: which a focus lists, found, called, learned from."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult

from satchel.knowledge.model import Session
from satchel.knowledge.operations import learn, stats
from satchel.knowledge.operations.focus import record_listed_tools
from satchel.knowledge.ranking.fitting_items import ItemTotals
from satchel.knowledge.ranking.tool_ranking import ToolDescription, rank_tools, tools_for_focus
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import read, write
from satchel.mcp_server.gateway.upstreams import SEPARATOR, Gateway, Mounted
from satchel.mcp_server.serving import Serving
from satchel.mcp_server.tool import Answer, Call, Tool
from satchel.questions.params import Kind, Param
from satchel.store.counted import counted
from satchel.store.errors import SatchelError, UsageError
from satchel.store.sqlite.database import transaction
from satchel.workspace import knowledge

_RECENT = 3
_NOTHING = "no upstream servers are configured; `recall` finds what is known, `search` code\n"


def is_mounted(name: str) -> bool:
    """Whether a name is one of an upstream server's."""
    return SEPARATOR in name


def visible(serving: Serving, session: str) -> list[Mounted]:
    """What `tools/list` holds of the mounted tools: what fits the focus, else everything."""
    gateway: Gateway | None = serving.gateway
    mounted = gateway.tools() if gateway else []
    # Without a session nobody's focus is meant, and another caller's must not hide tools.
    if not mounted or not session:
        return mounted
    try:
        with knowledge.open_context(serving.project, session) as context:
            stored = read.find_session(context.db, context.caller.session)
            # No tool is hidden until somebody has said what they are about to do.
            if stored is None or not stored.focus:
                return mounted
            fits = rank_tools(
                _offered(mounted), stored.focus, learn.associations(context.db), context.caller.now
            )
            # Tools that were called lately stay in the list, whatever the focus says: an agent
            # would miss one in the middle of its work.
            recent = list(dict.fromkeys(reversed(stored.calls[-_RECENT:])))
            names = tools_for_focus(fits, recent)
            if names is None:
                return mounted
            # What was shown is kept, so that a later call can be counted as shown or as found some
            # other way.
            record_listed_tools(context, names)
            by_name = {each.name: each for each in mounted}
            return [by_name[name] for name in names]
    except SatchelError:  # what is known cannot be read: then nothing is hidden
        return mounted


def _offered(mounted: list[Mounted]) -> list[ToolDescription]:
    return [ToolDescription(m.name, m.about, m.params) for m in mounted]


def call(serving: Serving, session: str, name: str, given: Mapping[str, Any]) -> CallToolResult:
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
        result = serving.gateway.call(name, given)
        outcome = "error" if result.is_error else "ok"
    # A failed call is counted as well, or an upstream that always fails would not appear in the
    # figures.
    finally:
        ms = (time.perf_counter() - begun) * 1_000
        with knowledge.open_context(serving.project, session) as context:
            _count(context, serving, name, ms, outcome)
    return result


def _count(context: RequestContext, serving: Serving, name: str, ms: float, outcome: str) -> None:
    stored: Session | None = read.find_session(context.db, context.caller.session)
    mounted = serving.gateway.tools() if serving.gateway else []
    shown = stored.shown if stored and stored.focus else ()
    # Figures about the list make sense only where a focus had narrowed it.
    totals = ItemTotals(0, 0, len(mounted), len(shown)) if shown else None
    done = stats.Operation(
        op=stats.TOOL, ms=ms, outcome=outcome, target=name, totals=totals,
        shown=name in shown if shown else None,
    )  # fmt: skip
    stats.record_operation(context.db, context.caller, done)
    # Only a call that succeeded teaches which tool fits a focus: a failed one was perhaps the wrong
    # tool.
    if outcome == "ok":
        learn.record_tool_success(context, name)


def _find(call_: Call) -> Answer:
    serving, query = call_.serving, call_.arguments.text("query")
    mounted = serving.gateway.tools() if serving.gateway else []
    if not mounted:
        return Answer(_NOTHING)

    def work(context: RequestContext) -> list[str]:
        fits = rank_tools(
            _offered(mounted), query, learn.associations(context.db), context.caller.now
        )
        # A score of 0 says that nothing of the query fits, and such tools would only fill the
        # answer.
        names = [fit.name for fit in fits if fit.score > 0][: call_.arguments.whole("limit", 10)]
        stored = read.find_session(context.db, context.caller.session)
        if stored is not None:
            # The names are kept with the session, so that a call of one of them can be learned from
            # as an answer to this query.
            with transaction(context.db):
                write.save_session(context.db, learn.with_search_results(stored, names))
        return names

    found = knowledge.run_counted(serving.project, work, "find_tools", session=call_.session)
    by_name = {each.name: each for each in mounted}
    lines = [f"{name}  {by_name[name].tool.description}\n" for name in found]
    lines = lines or [f"none of {counted(len(mounted), 'tool')} fits\n"]
    return Answer("".join((*lines, hidden_line(serving, call_.session))))


def hidden_line(serving: Serving, session: str) -> str:
    """How many mounted tools a session's focus keeps from its list, "" for none."""
    n_all = len(serving.gateway.tools()) if serving.gateway else 0
    n_hidden = n_all - len(visible(serving, session))
    if not n_hidden:
        return ""
    tools = counted(n_all, "tool")
    return f"{n_hidden} of {tools} are not listed, and can be called all the same\n"


FIND_TOOLS = Tool(
    "find_tools",
    "Tools of other servers that fit a task; call them by the names it gives.",
    (
        Param("query", about="what you want to do", required=True, low=1, high=10_000),
        Param("limit", Kind.WHOLE, "how many", low=1, high=50, default=10),
        Param("session", about="a name for this conversation", high=200),
    ),
    _find,
    listed=False,
)
