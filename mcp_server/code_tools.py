"""The four questions about code: `context`, `search`, `symbols` and `dependencies`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from assembler import assemble, listings
from assembler.assemble import MAX_BUDGET, MAX_QUERY, MAX_RESULTS, MIN_BUDGET, Question
from assembler.dependencies import MAX_DEPTH, Direction, dependencies
from assembler.symbols import lookup
from assembler.values import Scope
from mcp_server.arguments import Kind, Param
from mcp_server.serving import Code
from mcp_server.tool import Answer, Call, Tool, lines
from store.errors import UsageError
from workspace import knowledge

_LISTED = 50
"""Definitions that `symbols` lists; more are counted."""
_NAME = 1_000
_PATH = 4_096

_QUERY = Param("query", required=True, low=1, high=MAX_QUERY)
SCOPE = Param("scope", choices=tuple(Scope), default=str(Scope.IMPL), quiet=True)
PATH_PREFIX = Param("path", about="path prefix", high=_PATH, default="", quiet=True)


def _context(call: Call) -> Answer:
    said = call.said
    query = said.text("query") or knowledge.focus(call.serving.project, call.session)
    if not query:
        raise UsageError("query is missing", "say what you are about to do, or set_context first")
    with call.code() as code:
        settings = code.project.settings.context
        pack = assemble.context(
            code.snapshot,
            _question(call, query),
            said.whole("budget_tokens", settings.budget_tokens),
            encoding=settings.tokenizer,
            notices=code.notices,
            vectors=code.vectors,
            known=knowledge.beside(code.project, code.snapshot, call.session),
        )
        quoted = {excerpt.path for excerpt in pack.excerpts}
        return Answer(pack.text, code.snapshot.chunks.tokens_of(sorted(quoted)))


def _search(call: Call) -> Answer:
    said = call.said
    with call.code() as code:
        settings = code.project.settings.search
        reply = assemble.search(
            code.snapshot,
            _question(call, said.text("query")),
            said.whole("max_results", settings.max_results),
            min_score=said.number("min_score"),
            vectors=code.vectors,
        )
        full = said.text("mode", settings.mode) == "full"
        text_of = partial(assemble.text_of, code.snapshot) if full else None
        found = list(listings.search_lines(reply, text_of, explain=said.flag("explain")))
        first = head(code, f"{len(reply.results)} results in {reply.n_searched:,} files")
        quoted = {item.chunk.path for item in reply.results} if full else ()
        whole = code.snapshot.chunks.tokens_of(sorted(quoted))
        return Answer(lines(first, code.notices, found), whole)


def _symbols(call: Call) -> Answer:
    said = call.said
    with call.code() as code:
        name = said.text("name")
        found = lookup(code.snapshot, name, said.text("kind"), Scope(said.text("scope")), _LISTED)
        listed = list(listings.symbols_lines(found, name, code.snapshot.files.count()))
        if found.n_found > len(found.definitions):
            listed.append(f"{found.n_found - len(found.definitions)} more; narrow the name or kind")
        first = head(code, f"{found.n_found} definitions")
        return Answer(lines(first, code.notices, listed))


def _dependencies(call: Call) -> Answer:
    said = call.said
    with call.code() as code:
        found = dependencies(
            code.snapshot,
            said.text("symbol"),
            Direction(said.text("direction")),
            said.whole("depth"),
            Scope(said.text("scope")),
            said.whole("limit"),
        )
        listed = list(listings.dependencies_lines(found))
        if found.n_found > len(found.edges):
            listed.append(f"{found.n_found - len(found.edges)} more; raise limit to see them")
        first = head(code, f"{found.n_found} edges")
        return Answer(lines(first, code.notices, listed))


def _question(call: Call, query: str) -> Question:
    said = call.said
    path = said.text("path").removeprefix("./")
    return Question(query, Scope(said.text("scope")), path)


def head(code: Code, what: str) -> str:
    """The first line of an answer: what it holds, and of which generation."""
    building = "" if code.snapshot.complete else ", index still building"
    return f"[satchel] {what}, generation {code.snapshot.generation}{building}"


TOOLS = (
    Tool(
        "context",
        "Ranked source for a task, with callers, callees and what the team knows, in one reply of"
        " at most budget_tokens. Ask it first, in words and names; paste errors or diffs as is.",
        (
            replace(_QUERY, required=False),
            Param("budget_tokens", Kind.WHOLE, low=MIN_BUDGET, high=MAX_BUDGET),
            SCOPE,
            PATH_PREFIX,
        ),
        _context,
        meta=(("anthropic/alwaysLoad", True), ("anthropic/maxResultSizeChars", 200_000)),
    ),
    Tool(
        "search",
        "Where something is: ranked path:lines of about 12 tokens each, or source with mode full.",
        (
            _QUERY,
            Param("mode", choices=("locate", "full")),
            Param("max_results", Kind.WHOLE, low=1, high=MAX_RESULTS),
            Param("min_score", Kind.NUMBER, low=0.0, high=1.0, default=0.0, quiet=True),
            Param("explain", Kind.FLAG, default=False, quiet=True),
            PATH_PREFIX,
            SCOPE,
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
        ),
        _symbols,
    ),
    Tool(
        "dependencies",
        "The call graph around a symbol: each edge with its rule and confidence; unresolved calls"
        " too.",
        (
            Param("symbol", required=True, low=1, high=_NAME),
            Param(
                "direction", choices=tuple(Direction), default=str(Direction.BOTH), quiet=True,
                also=(("incoming", "callers"), ("outgoing", "callees")),
            ),
            Param("depth", Kind.WHOLE, low=1, high=MAX_DEPTH, default=2),
            SCOPE,
            Param("limit", Kind.WHOLE, low=1, high=1_000, default=100, quiet=True),
        ),
        _dependencies,
    ),
)  # fmt: skip
