"""How one symbol reaches another over the call graph: a shortest way, the surest of these. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.assembler.lookup.dependencies import MAX_DEPTH, Dependency, Direction, dependencies
from satchel.assembler.lookup.symbols import matching, unknown
from satchel.assembler.values import Scope
from satchel.store.reading.snapshot import Snapshot

_EDGES = 50_000
"""Edges that are looked at; a way of five steps through the middle of a large program has more."""


def way(snapshot: Snapshot, source: str, target: str) -> tuple[Dependency, ...]:
    """The edges from `source` to `target`, at most five, in their order; nothing for no way.

    Raises:
        UsageError: nothing has one of these names.
    """
    ends = {record.id for record in matching(snapshot, target)}
    if not ends:
        raise unknown(snapshot, target)
    found = dependencies(snapshot, source, Direction.CALLEES, MAX_DEPTH, Scope.ALL, _EDGES)
    starts = {record.id for record in found.roots}
    return _back(found.edges, starts, ends)


def _back(edges: Sequence[Dependency], starts: set[int], ends: set[int]) -> tuple[Dependency, ...]:
    # Of several edges that reach a symbol first, the surest; edges come in a total order.
    reached: dict[int, Dependency] = {}
    for edge in edges:
        known = reached.get(edge.target.id)
        nearer = known is None or edge.depth < known.depth
        surer = known is not None and edge.depth == known.depth
        if nearer or (surer and edge.confidence > known.confidence):  # type: ignore[union-attr]
            reached[edge.target.id] = edge
    arrived = [reached[end] for end in ends if end in reached]
    if not arrived:
        return ()
    last = min(arrived, key=lambda e: (e.depth, -e.confidence, e.target.path, e.target.line))
    steps = [last]
    while steps[-1].source.id not in starts:
        steps.append(reached[steps[-1].source.id])
    return tuple(reversed(steps))
