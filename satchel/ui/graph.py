"""The data of the Graph page: callers and callees of a symbol, reasons of edges, and paths."""

from msgspec import Struct

from satchel.assembler.graph.paths import Paths
from satchel.assembler.lookup.dependencies import Dependencies
from satchel.assembler.output.drawings import drawing
from satchel.questions.answers import Answers
from satchel.store.records import SymbolRecord
from satchel.ui.api_calls import Nothing, asking

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


def _graph_page(found: Dependencies) -> _Graph:
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


def _around(code: Answers, asked: _Around) -> Dependencies:
    return code.dependencies(asked.symbol, depth=asked.depth, limit=_EDGES, scope="all")


def _why(code: Answers, at: _Line) -> dict[str, object]:
    """The source around the line that makes an edge."""
    first = max(1, at.line - _CONTEXT)
    lines = code.lines(at.path, first).split("\n")
    return {"first": first, "text": "\n".join(lines[: at.line + _CONTEXT + 1 - first])}


def _paths(code: Answers, asked: _Between) -> dict[str, Paths]:
    # Who asks whether A reaches B has often forgotten which of them is the caller.
    back = code.dependencies(asked.target, until=asked.source, ways=1)
    return {"there": code.dependencies(asked.source, until=asked.target), "back": back}


def _starting_points(code: Answers, _asked: Nothing) -> dict[str, object]:
    """Symbols to begin with: those that much else uses, and where a run begins."""
    found = code.overview()
    return {"central": found.central[:_FIRST], "entry_points": found.entry_points[:_FIRST]}


ROUTES = (
    ("POST", "/api/graph", asking(_Around, lambda code, asked: _graph_page(_around(code, asked)))),
    (
        "POST",
        "/api/graph/export",
        asking(_Around, lambda code, asked: {"text": drawing(_around(code, asked), asked.form)}),
    ),
    ("POST", "/api/graph/why", asking(_Line, _why)),
    ("POST", "/api/graph/way", asking(_Between, _paths)),
    ("GET", "/api/graph/begin", asking(Nothing, _starting_points)),
)
