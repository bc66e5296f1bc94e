"""The tools about code, asked of a hub: over the repositories that a question is about."""

from __future__ import annotations

import time

from satchel.assembler.kinds import PROJECT, Scope
from satchel.assembler.output.reports import changes_lines, overview_lines, tests_lines
from satchel.assembler.survey.changes import changes
from satchel.assembler.survey.impact import tests_to_run
from satchel.assembler.survey.overview import overview
from satchel.hub import asking, past
from satchel.hub.serving.tool import HubCall, ToolAnswer, code_answer, of_hub
from satchel.knowledge.model import Timestamp
from satchel.mcp_server.tools import code_tools, survey_tools
from satchel.store.counted import counted


def _overview(call: HubCall) -> ToolAnswer:
    scope = call.arguments.text("path") or PROJECT
    path = "" if scope == PROJECT else scope
    with asking.view_of_all(call.hub, call.pattern, path, call.role) as view:
        found = overview(view.snapshot, scope)
        return code_answer(view, "overview", overview_lines(found))


def _changes(call: HubCall) -> ToolAnswer:
    arguments, path = call.arguments, call.arguments.text("path")
    now = Timestamp(time.time_ns() // 1_000_000)
    since = past.moment(arguments.text("since"), now)
    with asking.view_of_all(call.hub, call.pattern, path, call.role) as view:
        history = past.history(call.hub, view.snapshot, arguments.text("since"), since)
        scope = Scope(arguments.text("scope"))
        found = changes(view.snapshot, history, scope, path, arguments.whole("limit"))
        tests = tests_to_run(view.snapshot, found)
        return code_answer(
            view, counted(found.n_changes, "change"), [*changes_lines(found), *tests_lines(tests)]
        )


_RUNS = {
    "changes": _changes,
    "overview": _overview,
}
TOOLS = of_hub((*code_tools.TOOLS, *survey_tools.TOOLS), _RUNS)
