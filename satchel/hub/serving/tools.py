"""The tools of a hub: those that ask about code, with `repositories` as one parameter more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from satchel.assembler import assemble
from satchel.assembler.assemble import MAX_QUERY, MAX_RESULTS, Question
from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.assembler.exact import search as exact
from satchel.assembler.exact.patterns import How
from satchel.assembler.exact.search import Wanted
from satchel.assembler.lookup.dependencies import MAX_DEPTH, Direction, dependencies
from satchel.assembler.lookup.symbols import lookup
from satchel.assembler.output import definition_lines, listings
from satchel.assembler.values import Scope
from satchel.hub import asking
from satchel.hub.asking import HubView
from satchel.hub.database import Hub
from satchel.mcp_server.arguments import Arguments
from satchel.mcp_server.params import Kind, Param
from satchel.store.vectors.table_encoder import TableEncoder

_LISTED, _NAME, _PATH, _GLOB = 50, 1_000, 4_096, 200
_QUERY = Param("query", required=True, low=1, high=MAX_QUERY)
_SCOPE = Param("scope", choices=tuple(Scope), default=str(Scope.IMPL))
_PREFIX = Param("path", about="path prefix, repository first", high=_PATH, default="")
_REPOSITORIES = Param(
    "repositories", about="glob over their names; left out, the question chooses", low=1,
    high=_GLOB, default="*",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool says, and the repositories it was taken from."""

    text: str
    repositories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HubTool:
    """Something an agent can call: `run` reads the hub in the given role."""

    name: str
    about: str
    params: tuple[Param, ...]
    run: Callable[[Hub, str, Arguments], ToolAnswer]


def _context(hub: Hub, role: str, arguments: Arguments) -> ToolAnswer:
    query = arguments.text("query")
    with asking.view(hub, arguments.text("repositories"), query, TableEncoder(), role) as view:
        # The pack of a checkout, computed by the same code.
        pack = assemble.context(
            view.snapshot,
            Question(query, Scope(arguments.text("scope")), arguments.text("path")),
            arguments.whole("budget_tokens"),
            notices=view.notices,
            vectors=view.vectors,
        )
        return ToolAnswer(pack.text, tuple(part.build.repository for part in view.snapshot.parts))


def _search(hub: Hub, role: str, arguments: Arguments) -> ToolAnswer:
    query, mode = arguments.text("query"), arguments.text("mode")
    # Exact text is looked for everywhere unless a scope is given; ranked answers leave tests out.
    is_exact = mode in tuple(How)
    encoder = None if is_exact else TableEncoder()
    n_rows, path = arguments.whole("max_results"), arguments.text("path")
    scope = Scope(arguments.text("scope", str(Scope.ALL if is_exact else Scope.IMPL)))
    with asking.view(hub, arguments.text("repositories"), query, encoder, role) as view:
        if is_exact:
            wanted = Wanted(query, How(mode), arguments.flag("ignore_case"), scope, path)
            lines = exact.find(view.snapshot, wanted, n_rows)
            found = (*listings.exact_lines(lines), *listings.exact_tail(lines))
            return _said(view, listings.exact_head(lines), found)
        question = Question(query, scope, path)
        reply = assemble.search(view.snapshot, question, n_rows, vectors=view.vectors)
        text_of = partial(assemble.text_of, view.snapshot) if mode == "full" else None
        head = f"{len(reply.results)} results in {reply.n_searched:,} files"
        return _said(view, head, listings.search_lines(reply, text_of))


def _symbols(hub: Hub, role: str, arguments: Arguments) -> ToolAnswer:
    name = arguments.text("name")
    with asking.view_of_name(hub, arguments.text("repositories"), name, role) as view:
        scope = Scope(arguments.text("scope"))
        found = lookup(view.snapshot, name, arguments.text("kind"), scope, _LISTED)
        lines = definition_lines.symbols_lines(found, name, view.snapshot.files.count())
        return _said(view, f"{found.n_found} definitions", lines)


def _dependencies(hub: Hub, role: str, arguments: Arguments) -> ToolAnswer:
    symbol = arguments.text("symbol")
    with asking.view_of_name(hub, arguments.text("repositories"), symbol, role) as view:
        found = dependencies(
            view.snapshot,
            symbol,
            Direction(arguments.text("direction")),
            arguments.whole("depth"),
            Scope(arguments.text("scope")),
            arguments.whole("limit"),
        )
        return _said(view, listings.dependencies_head(found), listings.dependencies_lines(found))


def _said(view: HubView, head: str, lines: Iterable[str]) -> ToolAnswer:
    notes = (f"note: {notice}" for notice in view.notices)
    return ToolAnswer(
        "\n".join((f"[satchel] {head}", *notes, *lines)) + "\n",
        tuple(part.build.repository for part in view.snapshot.parts),
    )


TOOLS = (
    HubTool(
        "context",
        "Ranked source for a task from the team's repositories, with callers and callees, within"
        " budget_tokens. Ask it first in words and names; paste errors.",
        (
            _QUERY,
            Param("budget_tokens", Kind.WHOLE, low=MIN_BUDGET, high=MAX_BUDGET, default=4096),
            *(_SCOPE, _PREFIX, _REPOSITORIES),
        ),
        _context,
    ),
    HubTool(
        "search",
        "Where something is: ranked path:lines; full adds source, exact and regex find text.",
        (
            _QUERY,
            Param("mode", choices=("locate", "full", *How), default="locate"),
            Param("max_results", Kind.WHOLE, low=1, high=MAX_RESULTS, default=10),
            Param("scope", choices=tuple(Scope)),
            Param("ignore_case", Kind.FLAG, default=False),
            *(_PREFIX, _REPOSITORIES),
        ),
        _search,
    ),
    HubTool(
        "symbols",
        "Definitions of a name: exact, Class.method or prefix*.",
        (
            Param("name", required=True, low=1, high=_NAME),
            Param("kind", high=40, default=""),
            *(_SCOPE, _REPOSITORIES),
        ),
        _symbols,
    ),
    HubTool(
        "dependencies",
        "The call graph around a symbol, with the rule and confidence of each edge.",
        (
            Param("symbol", required=True, low=1, high=_NAME),
            Param("direction", choices=tuple(Direction), default=str(Direction.BOTH)),
            Param("depth", Kind.WHOLE, low=1, high=MAX_DEPTH, default=2),
            Param("limit", Kind.WHOLE, low=1, high=500, default=100),
            *(_SCOPE, _REPOSITORIES),
        ),
        _dependencies,
    ),
)
