"""The tools about code, asked of a hub: over the repositories that a question is about."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from satchel.assembler import assemble
from satchel.assembler.graph.paths import paths
from satchel.assembler.kinds import PROJECT, Scope
from satchel.assembler.lookup.dependencies import Direction, Filter, dependencies, usual_depth
from satchel.assembler.lookup.symbols import at_place_or_name
from satchel.assembler.output import drawings, listings
from satchel.assembler.output.graph_lines import paths_lines
from satchel.assembler.output.reports import changes_lines, overview_lines, tests_lines
from satchel.assembler.query.long_input import within_bounds
from satchel.assembler.query.question import Question
from satchel.assembler.survey.changes import changes
from satchel.assembler.survey.impact import symbol_impact, tests_to_run
from satchel.assembler.survey.overview import overview
from satchel.assembler.survey.packages import resolved
from satchel.hub import across, asking, past
from satchel.hub.knowledge.ask import Asking, pack_knowledge
from satchel.hub.serving.tool import HubCall, ToolAnswer, code_answer, names_of, of_hub
from satchel.knowledge.model import Timestamp
from satchel.mcp_server.tools import code_tools, survey_tools
from satchel.questions.params import Kind, Param
from satchel.store.counted import counted
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.configuration.settings import ContextSettings, SearchSettings

_WAYS = 3
_IMPACT = "impact"
_BUDGET = ContextSettings().budget_tokens
_SEARCH = SearchSettings()


def _context(call: HubCall) -> ToolAnswer:
    arguments, path = call.arguments, call.arguments.text("path")
    query, notes = within_bounds(arguments.text("query"))
    with asking.view(
        call.hub, call.pattern, query, TableEncoder(), call.role, named=True, path=path
    ) as view:
        scope = Scope(arguments.text("scope", str(Scope.IMPL)))
        # What is known is read in the same transaction, so that it is of the same moment.
        asker = Asking(call.person, call.pattern)
        # The pack of a checkout, computed by the same code.
        pack = assemble.context(
            view.snapshot,
            Question(view.question, scope, resolved(view.snapshot, path), likely=view.likely),
            arguments.whole("budget_tokens", _BUDGET),
            notices=(*view.notices, *notes),
            vectors=view.vectors,
            known=pack_knowledge(call.hub, asker, query),
        )
        return ToolAnswer(pack.text, names_of(view))


def _dependencies(call: HubCall) -> ToolAnswer:
    arguments, name = call.arguments, call.arguments.text("name")
    with asking.view_of_name(call.hub, call.pattern, name, call.role, named=True) as view:
        snapshot = view.snapshot
        if arguments.has("until"):
            start, end = (at_place_or_name(snapshot, n) for n in (name, arguments.text("until")))
            ways = paths(snapshot, start, end, _WAYS)
            return code_answer(view, counted(len(ways.paths), "way"), paths_lines(ways))
        limit, offset = arguments.whole("limit"), arguments.whole("offset")
        tests = arguments.flag("tests")
        usual = usual_depth(tests=tests)
        depth = arguments.whole("depth") if arguments.has("depth") else usual
        if arguments.text("direction") == _IMPACT:
            scope = Scope(arguments.text("scope"))
            broken = symbol_impact(snapshot, name, depth, limit, offset, scope)
            lines = [*listings.dependencies_lines(broken.users), *tests_lines(broken.tests)]
            return code_answer(view, listings.dependencies_head(broken.users), lines)
        found = dependencies(
            snapshot, name,
            # Tests that reach a symbol are among its callers, through any code.
            Direction.CALLERS if tests else Direction(arguments.text("direction")), depth,
            Scope.ALL if tests else Scope(arguments.text("scope")), limit,
            Filter(frozenset({arguments.text("kind")} - {""}), tests=tests, offset=offset),
        )  # fmt: skip
        in_words = partial(listings.dependencies_lines, tests=tests)
        drawn = drawings.DRAWINGS.get(arguments.text("format"), in_words)
        listed = [*drawn(found), *_rest_line(found.n_found, offset + len(found.edges))]
        head = listings.dependencies_head(found)
        if arguments.flag("across"):
            uses = across.uses(call.hub, snapshot, name, limit)
            head = f"{head}, {counted(uses.n_found, 'use')} in other repositories"
            listed += across.lines(uses)
        return code_answer(view, head, listed)


def _rest_line(n_found: int, shown: int) -> list[str]:
    return [f"{n_found - shown} more; offset {shown} shows them"] if n_found > shown else []


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


_ACROSS = Param("across", Kind.FLAG, "its uses in repositories that need its package",
                default=False)  # fmt: skip
_NO_CHECKOUT = frozenset({"diff", "only_new", "session", "hunks", "with_dependencies"})
"""Parameters that take a working tree, or a server that remembers."""
_RUNS = {
    "context": _context,
    "dependencies": _dependencies,
    "changes": _changes,
    "overview": _overview,
}
TOOLS = tuple(
    # Only a hub has other repositories.
    replace(tool, params=(*tool.params, _ACROSS)) if tool.name == "dependencies" else tool
    for tool in of_hub((*code_tools.TOOLS, *survey_tools.TOOLS), _RUNS, _NO_CHECKOUT)
)
