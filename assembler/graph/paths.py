"""How one symbol reaches another: the most certain simple paths of the call graph. Pure.

Only the part of the graph between the two is read: breadth first from both ends until they meet,
and two steps more. Within it, J. Y. Yen's k shortest simple paths (1971), as networkx has them,
where an edge is as long as it is unsure.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import Edge, SymbolRecord

if TYPE_CHECKING:
    import networkx as nx

MAX_STEPS = 12
"""A way over more symbols than this explains nothing."""
_FURTHER = 2
"""Steps beyond the shortest way: a longer one may be surer."""
_MAX_EDGES = 60_000
"""Edges that are read; hubs would bring in the whole graph."""
_STEP = 0.05
"""What a step costs beside its doubt: of equally sure ways the shorter one is shown first."""
_START, _END = -1, -2


class Step(Struct, frozen=True):
    """`source` uses `target`."""

    source: SymbolRecord
    target: SymbolRecord
    kind: str
    line: int
    rule: str
    confidence: float


class Path(Struct, frozen=True):
    """Steps from the first symbol to the last; `confidence` is the product of theirs, 0..1."""

    steps: tuple[Step, ...]
    confidence: float


class Paths(Struct, frozen=True):
    """The surest paths, best first. `is_whole` is false where hubs kept part of the graph out."""

    paths: tuple[Path, ...]
    is_whole: bool = True


def paths(
    snapshot: Snapshot, sources: Sequence[SymbolRecord], targets: Sequence[SymbolRecord], k: int
) -> Paths:
    """At most `k` simple paths from any source to any target, surest first.

    None where no path of up to 12 steps leads there. A symbol does not reach itself.
    """
    import networkx as nx

    starts = {symbol.id for symbol in sources}
    ends = {symbol.id for symbol in targets} - starts
    edges, is_whole = _between(snapshot, starts, ends)
    if not edges:
        return Paths((), is_whole)
    known = {end for edge in edges for end in (edge.source, edge.target)}
    records = {record.id: record for record in snapshot.symbols.by_id(sorted(known))}
    graph = _weighted_graph(edges, records, starts, ends)
    if not (graph.has_node(_START) and graph.has_node(_END) and nx.has_path(graph, _START, _END)):
        return Paths((), is_whole)
    ways = nx.shortest_simple_paths(graph, _START, _END, weight="length")
    found = [_path(graph, way[1:-1], records) for way in islice(ways, k)]
    # Yen's order is by length; of equal ones the first in the code comes first.
    found.sort(
        key=lambda path: (
            -round(path.confidence, 9),
            len(path.steps),
            [(s.target.path, s.target.line, s.target.qualified_name) for s in path.steps],
        )
    )
    return Paths(tuple(found), is_whole)


def _between(
    snapshot: Snapshot, starts: Collection[int], ends: Collection[int]
) -> tuple[list[Edge], bool]:
    """Edges of every path from start to end that is short enough; whether all could be read."""
    symbols = snapshot.symbols
    reached_ahead, reached_back = set(starts), set(ends)
    front, back = set(starts), set(ends)
    found: dict[tuple[int, int, str], Edge] = {}
    met: int | None = 0 if reached_ahead & reached_back else None
    n_steps = 0
    while n_steps < MAX_STEPS and (met is None or n_steps < met + _FURTHER):
        # From the side with fewer symbols, as long as it has any: the other meets it half-way.
        forward = bool(front) and (len(front) <= len(back) or not back)
        active = front if forward else back
        if not active:
            break
        edges = symbols.edges_from(sorted(active)) if forward else symbols.edges_to(sorted(active))
        found |= {(edge.source, edge.target, edge.kind): edge for edge in edges}
        n_steps += 1
        if forward:
            front = {edge.target for edge in edges} - reached_ahead
            reached_ahead |= front
        else:
            back = {edge.source for edge in edges} - reached_back
            reached_back |= back
        if met is None and reached_ahead & reached_back:
            met = n_steps
        if len(found) > _MAX_EDGES:
            return list(found.values()), False
    return list(found.values()), True


def _weighted_graph(
    edges: Sequence[Edge],
    records: dict[int, SymbolRecord],
    starts: Collection[int],
    ends: Collection[int],
) -> nx.DiGraph[int]:
    """A graph with one edge between two symbols, the surest; between virtual ends.

    Edges are added by place and not by id, which is another in each index: of paths of equal length
    networkx finds first what was added first.
    """
    import networkx as nx

    def place(symbol: int) -> tuple[str, int, str]:
        record = records[symbol]
        return record.path, record.span.start_byte, record.qualified_name

    graph: nx.DiGraph[int] = nx.DiGraph()
    order = sorted(
        edges, key=lambda e: (place(e.source), place(e.target), -e.confidence, e.line, e.kind)
    )
    for edge in order:
        if not graph.has_edge(edge.source, edge.target):
            doubt = -math.log(max(edge.confidence, 1e-3))
            graph.add_edge(edge.source, edge.target, length=doubt + _STEP, edge=edge)
    for symbol in sorted(graph, key=place):
        if symbol in starts:
            graph.add_edge(_START, symbol, length=0.0)
        if symbol in ends:
            graph.add_edge(symbol, _END, length=0.0)
    return graph


def _path(graph: nx.DiGraph[int], way: Sequence[int], records: dict[int, SymbolRecord]) -> Path:
    edges: list[Edge] = [graph.edges[pair]["edge"] for pair in pairwise(way)]
    steps = tuple(
        Step(records[e.source], records[e.target], e.kind, e.line, e.rule, e.confidence)
        for e in edges
    )
    return Path(steps, math.prod(step.confidence for step in steps))
