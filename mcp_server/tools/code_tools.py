"""The four questions about code: `context`, `search`, `symbols` and `dependencies`.

What only one of them needs is imported where it runs: a server lists its tools, and looks names up,
before ranking and packing are loaded.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from satchel.assembler.budget import MAX_BUDGET, MAX_INPUT, MIN_BUDGET
from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import absence
from satchel.assembler.lookup.dependencies import (
    MAX_DEPTH,
    Direction,
    Filter,
    dependencies,
    usual_depth,
)
from satchel.assembler.lookup.symbols import at_place_or_name
from satchel.assembler.output import drawings, listings
from satchel.mcp_server.tool import DEPENDENCIES, Answer, Call, Tool, lines, tool_of
from satchel.questions.params import Kind, Param
from satchel.questions.search import SEARCH
from satchel.questions.symbols import SYMBOLS
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.model import ReferenceKind
from satchel.workspace.checkout_view import CheckoutView
from satchel.workspace.index_paths import symbol_inside

_MAX_NAME = 1_000
_WAYS = 3
_IMPACT = "impact"
_PATH = 4_096
_REVISION = 200

_QUERY = Param(
    "query", required=True, low=1, high=MAX_INPUT,
    other_names=("task", "question", "prompt", "text", "pattern", "q"),
)  # fmt: skip
_NAME = Param(
    "name", required=True, low=1, high=_MAX_NAME, other_names=("symbol", "query", "function")
)
BUDGET = Param(
    "budget_tokens", Kind.WHOLE, "size of the reply", low=MIN_BUDGET, high=MAX_BUDGET,
    setting="context.budget_tokens", other_names=("max_tokens", "budget"),
)  # fmt: skip
SCOPE = Param(
    "scope", about="product code, tests, or both", choices=tuple(Scope), default=str(Scope.IMPL),
    listed=False,
)  # fmt: skip
SESSION = Param("session", about="a name for this conversation", high=200, listed=False)
"""Whose focus counts, where the transport does not tell or an agent has several; and of whose
replies `only_new` speaks."""
PATH_PREFIX = Param("path", about="path prefix", high=_PATH, default="")
_LIMIT = Param("limit", Kind.WHOLE, "rows", low=1, other_names=("max_results",), listed=False)
_OFFSET = Param("offset", Kind.WHOLE, "rows to skip", low=0, high=1_000_000, default=0,
                listed=False)  # fmt: skip


def _context(call: Call) -> Answer:
    """A pack of files as they are now; without what its session was sent, if that is asked for."""
    from satchel.workspace import packs

    serving, arguments = call.serving, call.arguments
    # A call without a query follows the focus, so an agent that has said what it does need not
    # repeat it.
    query = arguments.text("query") or _focus(call)
    if not query and not arguments.has("diff"):
        hint = "say what you are about to do, or set_context first (with session: name it here too)"
        raise UsageError("query is missing", hint)
    held = serving.sent_to(_reader(call))
    sent = held if arguments.flag("only_new") else held.forgotten()
    made = packs.compose(
        packs.PackRequest(
            query,
            budget=arguments.whole("budget_tokens"),
            scope=Scope(arguments.text("scope")) if arguments.has("scope") else None,
            path=arguments.text("path"),
            diff=arguments.text("diff"),
            session=call.session,
            sent=sent,
        ),
        partial(call.code, ranked=True),
    )
    # Replies are remembered even where `only_new` is not asked for, since a later call may ask for
    # it.
    if made.pack.sent is not None:
        serving.remember_sent(_reader(call), held.joined(made.pack.sent))
    return Answer(made.pack.text, made.whole_tokens)


def _focus(call: Call) -> str:
    """What the session of a call said it is about, "" for nothing."""
    from satchel.workspace import knowledge

    return knowledge.focus(call.serving.project, call.session)


def _reader(call: Call) -> str:
    """Whose replies are remembered, "" for nobody's: the session that the call itself names.

    A transport cannot tell who reads: agents share a server, and one forgets what it has read.

    Raises:
        UsageError: only what is new is asked for, and nobody says to whom.
    """
    if call.arguments.has("session"):
        return f"{call.caller}\n{call.arguments.text('session')}"
    if call.arguments.flag("only_new"):
        hint = "name a session that no other agent uses, and a new one once you forgot replies"
        raise UsageError("only_new needs a session", hint)
    return ""


def _dependencies(call: Call) -> Answer:
    arguments = call.arguments
    if arguments.has("until"):
        return _ways(call)
    if arguments.text("direction") == _IMPACT:
        return _impact(call)
    with call.code() as code:
        tests, offset, kind = (
            arguments.flag("tests"),
            arguments.whole("offset"),
            arguments.text("kind"),
        )
        found = dependencies(
            code.snapshot,
            symbol_inside(code.project.root, arguments.text("name")),
            # Tests that reach a symbol are among its callers, and any code may lie between, so both
            # are fixed here.
            Direction.CALLERS if tests else Direction(arguments.text("direction")),
            _depth(call),
            Scope.ALL if tests else Scope(arguments.text("scope")),
            arguments.whole("limit"),
            Filter(frozenset({kind} - {""}), tests=tests, offset=offset),
        )
        in_words = partial(listings.dependencies_lines, tests=tests)
        drawn = drawings.DRAWINGS.get(arguments.text("format"), in_words)
        listed = list(drawn(found))
        listed += listings.more_rows(found.n_found, offset + len(found.edges))
        first = head(code, listings.dependencies_head(found))
        # Edges by names are committed first and better ones follow, so an answer that shows edges
        # says while they are behind.
        notices = (*code.notices, *absence.stale_graph(code.snapshot))
        return Answer(lines(first, notices, listed))


def _depth(call: Call) -> int:
    """The depth that a call names, else the usual one, which is another where tests are wanted."""
    given = call.arguments.has("depth")
    tests = call.arguments.flag("tests")
    return call.arguments.whole("depth") if given else usual_depth(tests=tests)


def _impact(call: Call) -> Answer:
    """What a change of the symbol may break."""
    from satchel.assembler.output.reports import tests_lines
    from satchel.assembler.survey.impact import symbol_impact

    arguments = call.arguments
    if arguments.has("kind") or arguments.flag("tests") or arguments.text("format") != "text":
        hint = "leave out kind, tests and format, or ask for callers"
        raise UsageError("impact takes no kind, tests or format", hint)
    offset = arguments.whole("offset")
    with call.code() as code:
        found = symbol_impact(
            code.snapshot, symbol_inside(code.project.root, arguments.text("name")),
            _depth(call), arguments.whole("limit"), offset, Scope(arguments.text("scope")),
        )  # fmt: skip
        listed = list(listings.dependencies_lines(found.users))
        listed += listings.more_rows(found.users.n_found, offset + len(found.users.edges))
        listed += tests_lines(found.tests)
        first = head(code, listings.dependencies_head(found.users))
        notices = (*code.notices, *absence.stale_graph(code.snapshot))
        return Answer(lines(first, notices, listed))


def _ways(call: Call) -> Answer:
    """The paths by which the symbol reaches another: why a test reaches a change, for one."""
    from satchel.assembler.graph.paths import paths
    from satchel.assembler.output.graph_lines import paths_lines

    with call.code() as code:
        source, target = (
            at_place_or_name(
                code.snapshot, symbol_inside(code.project.root, call.arguments.text(name))
            )
            for name in ("name", "until")
        )
        found = paths(code.snapshot, source, target, _WAYS)
        notices = (*code.notices, *absence.stale_graph(code.snapshot))
        return Answer(
            lines(head(code, counted(len(found.paths), "way")), notices, list(paths_lines(found)))
        )


def head(code: CheckoutView, what: str) -> str:
    """The first line of an answer: what it holds, and of which generation."""
    return f"[satchel] {what}, {code.state}"


# The compact list of all tools may cost 1,100 tokens at most, so what few calls need is not listed.
TOOLS = (
    Tool(
        "context",
        "The source a task needs, whole functions, with callers, callees and decisions. Ask first.",
        (
            replace(_QUERY, about="terms and names, an error, a diff", required=False),
            BUDGET,
            replace(SCOPE, about="default impl; all with diff", default=None, listed=True),
            replace(PATH_PREFIX, about="prefix, or package:NAME"),
            Param("diff", about="review since this revision", low=1, high=_REVISION),
            Param("only_new", Kind.FLAG, "leave out what this session was sent and is unchanged",
                  default=False, listed=False),
            SESSION,
            DEPENDENCIES,
        ),
        _context,
        is_slow=True,
        meta=(("anthropic/alwaysLoad", True), ("anthropic/maxResultSizeChars", 200_000)),
    ),
    tool_of(
        SEARCH, "search", "Where something is: path:lines, symbol and score.", DEPENDENCIES,
        is_slow=True,
    ),
    tool_of(
        SYMBOLS, "symbols", "Definitions of a name with signature and lines, else its uses.",
        DEPENDENCIES,
    ),
    Tool(
        "dependencies",
        "Callers and callees of a symbol, or ways to `until`; rules, confidence.",
        (
            replace(_NAME, about="as in symbols"),
            Param(
                "direction", about="impact: with tests",
                choices=(*Direction, _IMPACT),
                default=str(Direction.BOTH),
                other_choices=(("incoming", "callers"), ("outgoing", "callees")),
            ),
            Param("depth", Kind.WHOLE, "steps", low=1, high=MAX_DEPTH),
            SCOPE,
            replace(_LIMIT, high=1_000, default=100),
            _OFFSET,
            Param("until", about="another symbol: how it is reached", low=1, high=_MAX_NAME,
                  listed=False),
            Param("tests", Kind.FLAG, "the tests that reach it", default=False, listed=False),
            Param("kind", about="edges of one kind", choices=tuple(ReferenceKind), listed=False),
            Param("format", about="how edges are written", choices=("text", *drawings.DRAWINGS),
                  default="text", listed=False),
        ),
        _dependencies,
        is_slow=True,
    ),
)  # fmt: skip
