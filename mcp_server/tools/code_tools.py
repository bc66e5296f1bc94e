"""The four questions about code: `context`, `search`, `symbols` and `dependencies`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from satchel.assembler import assemble
from satchel.assembler.assemble import MAX_QUERY, MAX_RESULTS, Question
from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.assembler.exact import search
from satchel.assembler.exact.patterns import How
from satchel.assembler.exact.search import MAX_COUNTED, Wanted
from satchel.assembler.graph.paths import paths
from satchel.assembler.lookup import absence
from satchel.assembler.lookup.dependencies import MAX_DEPTH, Direction, Filter, dependencies
from satchel.assembler.lookup.symbols import at_place_or_name, lookup
from satchel.assembler.output import drawings, listings
from satchel.assembler.output.graph_lines import paths_lines
from satchel.assembler.values import Scope
from satchel.mcp_server.arguments import Kind, Param
from satchel.mcp_server.tool import Answer, Call, Tool, lines
from satchel.store.errors import UsageError
from satchel.store.model import ReferenceKind
from satchel.workspace import knowledge, packs
from satchel.workspace.index_paths import inside, symbol_inside
from satchel.workspace.packs import IndexView, PackRequest

_LISTED = 50
"""Definitions that `symbols` lists; more are counted."""
_NAME = 1_000
_WAYS = 3
_PATH = 4_096
_REVISION = 200

_QUERY = Param("query", required=True, low=1, high=MAX_QUERY)
SCOPE = Param("scope", choices=tuple(Scope), default=str(Scope.IMPL), quiet=True)
SESSION = Param("session", high=200, quiet=True)
"""Whose focus counts, where the transport does not tell or an agent has several; and of whose
replies `only_new` speaks."""
PATH_PREFIX = Param("path", about="path prefix", high=_PATH, default="", quiet=True)


def _context(call: Call) -> Answer:
    """A pack of files as they are now; without what its session was sent, if that is asked for."""
    serving, said = call.serving, call.said
    # A call without a query follows the focus, so an agent that has said what it does need not
    # repeat it.
    query = said.text("query") or knowledge.focus(serving.project, call.session)
    if not query and not said.has("diff"):
        hint = "say what you are about to do, or set_context first (with session: name it here too)"
        raise UsageError("query is missing", hint)
    held = serving.sent_to(_reader(call))
    sent = held if said.flag("only_new") else held.forgotten()
    made = packs.compose(
        PackRequest(
            query,
            said.whole("budget_tokens") if said.has("budget_tokens") else None,
            Scope(said.text("scope")) if said.has("scope") else None,
            said.text("path"), said.text("diff"), call.session, sent,
        ),
        partial(call.code, ranked=True),
    )  # fmt: skip
    # Replies are remembered even where `only_new` is not asked for, since a later call may ask for
    # it.
    if made.pack.sent is not None:
        serving.remember_sent(_reader(call), held.joined(made.pack.sent))
    return Answer(made.pack.text, made.whole_tokens)


def _reader(call: Call) -> str:
    """Whose replies are remembered, "" for nobody's: the session that the call itself names.

    A transport cannot tell who reads: agents share a server, and one forgets what it has read.

    Raises:
        UsageError: only what is new is asked for, and nobody says to whom.
    """
    if call.said.has("session"):
        return f"{call.caller}\n{call.said.text('session')}"
    if call.said.flag("only_new"):
        hint = "name a session that no other agent uses, and a new one once you forgot replies"
        raise UsageError("only_new needs a session", hint)
    return ""


def _search(call: Call) -> Answer:
    said = call.said
    mode = said.text("mode")
    # Exact text is not ranked, so it does not wait for vectors to be read.
    if mode in tuple(How):
        return _exact(call, How(mode))
    if said.flag("ignore_case") or said.whole("offset"):
        raise UsageError(
            "ignore_case and offset belong to mode exact and regex", "leave them out, or name one"
        )
    with call.code(ranked=True) as code:
        settings = code.project.settings.search
        reply = assemble.search(
            code.snapshot,
            Question(
                said.text("query"),
                Scope(said.text("scope", str(Scope.IMPL))),
                inside(code.project.root, said.text("path")),
            ),
            said.whole("max_results", settings.max_results),
            min_score=said.number("min_score"),
            vectors=code.vectors,
        )
        # The project's settings say what a call without a mode means; the schema can name no
        # default for it.
        full = said.text("mode", settings.mode) == "full"
        text_of = partial(assemble.text_of, code.snapshot) if full else None
        found = list(listings.search_lines(reply, text_of, explain=said.flag("explain")))
        first = head(code, f"{len(reply.results)} results in {reply.n_searched:,} files")
        quoted = {item.chunk.path for item in reply.results} if full else ()
        whole = code.snapshot.chunks.tokens_of(sorted(quoted))
        return Answer(lines(first, code.notices, found), whole)


def _exact(call: Call, how: How) -> Answer:
    said = call.said
    if said.flag("explain") or said.number("min_score"):
        hint = "leave out explain and min_score, or ask with mode locate"
        raise UsageError(f"mode {how} ranks nothing", hint)
    with call.code() as code:
        wanted = Wanted(
            said.text("query"), how, said.flag("ignore_case"),
            # Who looks for exact text wants every line, so tests are searched unless they are left
            # out by name.
            Scope(said.text("scope", str(Scope.ALL))),
            inside(code.project.root, said.text("path")),
        )  # fmt: skip
        n_rows = said.whole("max_results", code.project.settings.search.max_results)
        reply = search.find(code.snapshot, wanted, n_rows, said.whole("offset"))
        first = head(code, listings.exact_head(reply))
        found = (*listings.exact_lines(reply), *listings.exact_tail(reply))
        return Answer(lines(first, code.notices, found))


def _symbols(call: Call) -> Answer:
    said = call.said
    with call.code() as code:
        name = symbol_inside(code.project.root, said.text("name"))
        scope, offset = Scope(said.text("scope")), said.whole("offset")
        found = lookup(code.snapshot, name, said.text("kind"), scope, _LISTED, offset)
        listed = list(listings.symbols_lines(found, name, code.snapshot.files.count()))
        following = offset + len(found.definitions)
        if found.n_found > following:
            listed.append(f"{found.n_found - following} more; offset {following} shows them")
        first = head(code, f"{found.n_found} definitions")
        return Answer(lines(first, code.notices, listed))


def _dependencies(call: Call) -> Answer:
    said = call.said
    if said.has("until"):
        return _ways(call)
    with call.code() as code:
        tests, offset, kind = said.flag("tests"), said.whole("offset"), said.text("kind")
        found = dependencies(
            code.snapshot,
            symbol_inside(code.project.root, said.text("symbol")),
            # Tests that reach a symbol are among its callers, and any code may lie between, so both
            # are fixed here.
            Direction.CALLERS if tests else Direction(said.text("direction")),
            said.whole("depth"),
            Scope.ALL if tests else Scope(said.text("scope")),
            said.whole("limit"),
            Filter(frozenset({kind} - {""}), tests=tests, offset=offset),
        )
        drawn = drawings.DRAWINGS.get(said.text("format"), listings.dependencies_lines)
        listed = list(drawn(found))
        following = offset + len(found.edges)
        if found.n_found > following:
            listed.append(f"{found.n_found - following} more; offset {following} shows them")
        first = head(code, f"{found.n_found} edges")
        # Edges by names are committed first and better ones follow, so an answer that shows edges
        # says while they are behind.
        notices = (*code.notices, *absence.behind(code.snapshot))
        return Answer(lines(first, notices, listed))


def _ways(call: Call) -> Answer:
    """How the symbol reaches another; why a test reaches a change."""
    with call.code() as code:
        source, target = (
            at_place_or_name(code.snapshot, symbol_inside(code.project.root, call.said.text(name)))
            for name in ("symbol", "until")
        )
        found = paths(code.snapshot, source, target, _WAYS)
        notices = (*code.notices, *absence.behind(code.snapshot))
        return Answer(
            lines(head(code, f"{len(found.paths)} ways"), notices, list(paths_lines(found)))
        )


def head(code: IndexView, what: str) -> str:
    """The first line of an answer: what it holds, and of which generation."""
    building = "" if code.snapshot.complete else ", index still building"
    return f"[satchel] {what}, generation {code.snapshot.generation}{building}"


# The list of all tools may cost 1,500 tokens at most, so bounds and defaults are quiet where an
# error can tell them.
TOOLS = (
    Tool(
        "context",
        "Ranked source for a task, with callers, callees and what the team knows, within"
        " budget_tokens. Ask it first in words and names; paste errors or diffs.",
        (
            replace(_QUERY, required=False),
            Param("budget_tokens", Kind.WHOLE, low=MIN_BUDGET, high=MAX_BUDGET),
            replace(SCOPE, default=None),
            PATH_PREFIX,
            Param("diff", about="review since this revision", low=1, high=_REVISION),
            Param("only_new", Kind.FLAG, default=False, quiet=True),
            SESSION,
        ),
        _context,
        meta=(("anthropic/alwaysLoad", True), ("anthropic/maxResultSizeChars", 200_000)),
    ),
    Tool(
        "search",
        "Where something is: ranked path:lines; full adds source, exact and regex find text.",
        (
            _QUERY,
            Param("mode", choices=("locate", "full", *How)),
            Param("max_results", Kind.WHOLE, low=1, high=MAX_RESULTS),
            Param("min_score", Kind.NUMBER, low=0.0, high=1.0, default=0.0, quiet=True),
            Param("explain", Kind.FLAG, default=False, quiet=True),
            PATH_PREFIX,
            replace(SCOPE, default=None),
            Param("ignore_case", Kind.FLAG, default=False, quiet=True),
            Param("offset", Kind.WHOLE, low=0, high=MAX_COUNTED - 1, default=0, quiet=True),
        ),
        _search,
    ),
    Tool(
        "symbols",
        "Definitions of a name, with signatures; its uses when nothing defines it.",
        (
            Param("name", about="name, Class.method or prefix*", required=True, low=1, high=_NAME),
            Param("kind", about="function, class, method, …", high=_NAME, default="", quiet=True),
            SCOPE,
            Param("offset", Kind.WHOLE, low=0, high=1_000_000, default=0, quiet=True),
        ),
        _symbols,
    ),
    Tool(
        "dependencies",
        "Call graph around a symbol, or how it reaches until; rule, confidence, unresolved calls.",
        (
            Param("symbol", required=True, low=1, high=_NAME),
            Param("until", low=1, high=_NAME),
            Param(
                "direction", choices=tuple(Direction), default=str(Direction.BOTH), quiet=True,
                also=(("incoming", "callers"), ("outgoing", "callees")),
            ),
            Param("depth", Kind.WHOLE, low=1, high=MAX_DEPTH, default=2),
            SCOPE,
            Param("limit", Kind.WHOLE, low=1, high=1_000, default=100, quiet=True),
            Param("offset", Kind.WHOLE, low=0, high=1_000_000, default=0, quiet=True),
            Param("tests", Kind.FLAG, default=False, quiet=True),
            Param("kind", choices=tuple(ReferenceKind), terse=True),
            Param("format", choices=("text", *drawings.DRAWINGS), default="text", quiet=True,
                  terse=True),
        ),
        _dependencies,
    ),
)  # fmt: skip
