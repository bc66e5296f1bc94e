"""The data of the Graph page: callers and callees of a symbol, reasons of edges, and paths."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from satchel.assembler.lookup.dependencies import Dependencies
from satchel.assembler.output.drawings import drawing
from satchel.store.records import SymbolRecord
from satchel.ui.api_calls import answer, reply, request_body

_EDGES = 1_200
"""More than that around one symbol is grouped beyond recognition."""
_CONTEXT = 1
"""Lines shown around the one that makes an edge."""
_FIRST = 24


class _Around(Struct, frozen=True):
    """A symbol and how far to look."""

    symbol: str
    depth: int = 1
    form: str = ""


class _Edge(Struct, frozen=True):
    """`source` and `target` are indices of nodes; `reached` says from which side it was found."""

    source: int
    target: int
    depth: int
    reached: str
    kind: str
    line: int
    rule: str
    confidence: float
    is_cycle: bool


class _Graph(Struct, frozen=True):
    """A neighbourhood: every symbol once, edges by their indices; the first nodes are the roots."""

    nodes: list[SymbolRecord]
    n_roots: int
    edges: list[_Edge]
    n_found: int
    n_unresolved: int
    absent: list[str]


class _Between(Struct, frozen=True):
    """Two symbols."""

    source: str
    target: str


class _Line(Struct, frozen=True):
    """A line of a file."""

    path: str
    line: int


async def _graph(request: Request) -> Response:
    asked = await request_body(request, _Around)
    return reply(
        _drawn(
            await answer(
                request,
                lambda c: c.dependencies(asked.symbol, depth=asked.depth, limit=_EDGES),
            )
        )
    )


def _drawn(found: Dependencies) -> _Graph:
    # Symbols are named by number, since in a hub of edges each stands many times.
    ends = (end for edge in found.edges for end in (edge.source, edge.target))
    numbers = {record: n for n, record in enumerate(dict.fromkeys([*found.roots, *ends]))}
    edges = [
        _Edge(
            numbers[e.source], numbers[e.target], e.depth, e.direction, e.kind, e.line, e.rule,
            e.confidence, e.is_cycle,
        )
        for e in found.edges
    ]  # fmt: skip
    return _Graph(
        list(numbers), len(found.roots), edges, found.n_found,
        len(found.unresolved) + found.n_maybe_uses + found.n_unresolved,
        [str(each) for each in found.absent],
    )  # fmt: skip


async def _exported(request: Request) -> Response:
    asked = await request_body(request, _Around)
    found = await answer(
        request, lambda c: c.dependencies(asked.symbol, depth=asked.depth, limit=_EDGES)
    )
    return reply({"text": drawing(found, asked.form)})


async def _why(request: Request) -> Response:
    """The source around the line that makes an edge."""
    at = await request_body(request, _Line)
    first = max(1, at.line - _CONTEXT)
    text = await answer(request, lambda code: code.lines(at.path, first, at.line + _CONTEXT))
    return reply({"first": first, "text": text})


async def _paths(request: Request) -> Response:
    asked = await request_body(request, _Between)

    source, target = asked.source, asked.target
    # Who asks whether A reaches B has often forgotten which of them is the caller.
    found = await answer(
        request, lambda c: (c.paths(source, target), c.paths(target, source, ways=1))
    )
    return reply({"there": found[0], "back": found[1]})


async def _starting_points(request: Request) -> Response:
    """Symbols to begin with: those that much else uses, and where a run begins."""
    found = await answer(request, lambda code: code.overview())
    return reply({"central": found.central[:_FIRST], "entry_points": found.entry_points[:_FIRST]})


ROUTES = (
    ("POST", "/api/graph", _graph),
    ("POST", "/api/graph/export", _exported),
    ("POST", "/api/graph/why", _why),
    ("POST", "/api/graph/way", _paths),
    ("GET", "/api/graph/begin", _starting_points),
)
