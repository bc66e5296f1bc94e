"""The two surveys: `changes` and `overview`, with the names other systems gave them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from msgspec import structs

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.assembler.kinds import PROJECT, Scope
from satchel.assembler.lookup.absence import stale_graph
from satchel.mcp_server.tool import Answer, Call, Tool, lines
from satchel.questions.params import Kind, Param
from satchel.store.counted import counted
from satchel.workspace.checkout_view import CheckoutView
from satchel.workspace.configuration.load import notes
from satchel.workspace.index_paths import path_in

_SINCE = 200
_PATH = 4_096
BUDGET = Param(
    "budget_tokens", Kind.WHOLE, "size of the reply", low=MIN_BUDGET, high=MAX_BUDGET,
    setting="context.budget_tokens", other_names=("max_tokens", "budget"),
)  # fmt: skip
SCOPE = Param(
    "scope", about="product code, tests, or both", choices=tuple(Scope), default=str(Scope.IMPL),
    listed=False,
)  # fmt: skip
PATH_PREFIX = Param("path", about="path prefix", high=_PATH, default="")


def head(code: CheckoutView, what: str) -> str:
    """The first line of an answer: what it holds, and of which generation."""
    return f"[satchel] {what}, {code.state}"


def _changes(call: Call) -> Answer:
    from satchel.assembler.output.reports import changes_lines, hunks_lines, tests_lines
    from satchel.assembler.survey.changes import changes
    from satchel.assembler.survey.impact import tests_to_run
    from satchel.assembler.survey.review import hunks
    from satchel.store import tokens
    from satchel.workspace.multi_root.known import surveyed

    arguments = call.arguments
    with call.code() as code:
        history = code.project.history(code.snapshot, arguments.text("since"))
        # A client may give an absolute path; it is cut to the root before it is compared with the
        # index.
        path = path_in(code.snapshot, code.project.root, arguments.text("path"))
        scope = Scope(arguments.text("scope"))
        # Tests are looked for from all that changed, however little of it is listed.
        every = changes(code.snapshot, history, scope, path, limit=None)
        limit = arguments.whole("limit")
        found = structs.replace(every, changes=every.changes[:limit], impacts=every.impacts[:limit])
        first = head(code, counted(found.n_changes, "change"))
        listed = [*changes_lines(found), *tests_lines(tests_to_run(code.snapshot, every))]
        if arguments.flag("hunks"):
            count = partial(tokens.count, name=code.project.settings.context.tokenizer)
            budget = arguments.whole("budget_tokens")
            listed += hunks_lines(hunks(code.snapshot, history, scope, path, budget, count))
        known = surveyed(code.project, code.snapshot, path, arguments.text("since"))
        notices = (*code.notices, *stale_graph(code.snapshot))
        return Answer(lines(first, notices, [*listed, *known.lines]))


def _overview(call: Call) -> Answer:
    from satchel.assembler.output.reports import overview_lines
    from satchel.assembler.survey.overview import overview
    from satchel.workspace.multi_root.known import surveyed

    with call.code() as code:
        scope = path_in(code.snapshot, code.project.root, call.arguments.text("path")) or PROJECT
        found = overview(code.snapshot, scope)
        known = surveyed(code.project, code.snapshot, scope)
        listed = [*overview_lines(found), *known.lines]
        waiting = code.project.chunks_without_vectors()
        if waiting:
            listed.append(f"enrichment: {counted(waiting, 'chunk')} without a vector yet")
        left_out = notes(code.project.left_out)
        notices = (*code.notices, *stale_graph(code.snapshot), *left_out)
        return Answer(lines(head(code, "overview"), notices, listed))


def _progress(call: Call) -> Answer:
    with call.code() as code:
        counts = code.snapshot.files.counts()
        waiting = code.project.chunks_without_vectors()
        # An index without chunks lacks no vector, and the division would fail.
        share = 1.0 - waiting / counts.chunks if counts.chunks else 1.0
        n_broken = len({path for path, *_ in code.snapshot.files.problems()})
        found = (
            f"{counted(counts.files, 'file')}, {counted(counts.chunks, 'chunk')},"
            f" {counted(counts.symbols, 'symbol')}",
            f"{counted(counts.chunks - waiting, 'chunk')} with vectors ({share:.0%}),"
            f" {waiting:,} pending",
            f"{counted(n_broken, 'file')} failed to parse as a whole; satchel validate names them",
        )
        return Answer(lines(head(code, "enrichment"), code.notices, found))


_LIMIT = Param("limit", Kind.WHOLE, "rows of each list", low=1, high=500, default=50,
               other_names=("max_results",), listed=False)  # fmt: skip
_TIME = Param("since", about="24h, 7d, ISO time or git revision", low=1, high=_SINCE)
_HUNKS = Param("hunks", Kind.FLAG, "with the diff", default=False)
_DIFF_BUDGET = replace(BUDGET, about="size of the hunks", listed=False)
_PLACE = replace(PATH_PREFIX, about="a path, or project", default=PROJECT, other_names=("scope",))

TOOLS = (
    Tool(
        "changes",
        "Symbols that changed, users that did not change with them, and tests to run.",
        (
            replace(_TIME, required=True), _HUNKS, SCOPE, replace(PATH_PREFIX, listed=False),
            _LIMIT, _DIFF_BUDGET,
        ),
        _changes,
        is_slow=True,
    ),
    Tool(
        "overview",
        "Size, languages, entry points, central symbols, state of the index.",
        (_PLACE,),
        _overview,
        is_slow=True,
    ),
    Tool(
        "diff",
        "Another name of changes.",
        (replace(_TIME, default="24h"), _HUNKS, SCOPE, _LIMIT, _DIFF_BUDGET),
        _changes,
        is_slow=True,
        listed=False,
    ),
    Tool("summary", "Another name of overview.", (), _overview, is_slow=True, listed=False),
    Tool(
        "enrichment_status",
        "How much of the index has vectors, what is pending, what failed to parse.",
        (),
        _progress,
        listed=False,
    ),
)  # fmt: skip
