"""All lines on which a user uses something; an edge of the call graph has the first alone. Pure."""

from collections.abc import Sequence

from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import Edge, ReferenceRecord


def use_lines(snapshot: Snapshot, edges: Sequence[tuple[Edge, str]]) -> list[tuple[int, ...]]:
    """For each edge, with the name of its target, the lines of its uses, ascending, its own among
    them.

    They are those uses of the same kind in the same user that are written alike: with the same name
    and receiver.
    """
    written: dict[tuple[int, str], list[ReferenceRecord]] = {}
    for use in snapshot.symbols.references_from(sorted({edge.source for edge, _ in edges})):
        written.setdefault((use.scope, use.kind), []).append(use)
    return [_alike(edge, name, written.get((edge.source, edge.kind), ())) for edge, name in edges]


def _alike(edge: Edge, name: str, uses: Sequence[ReferenceRecord]) -> tuple[int, ...]:
    here = [use for use in uses if use.line == edge.line]
    # A class is called by its own name and not by that of its constructor, an alias by another.
    named = [use for use in here if use.name == name]
    if not named and len({use.name for use in here}) == 1:
        named = here
    texts = {(use.name, use.receiver) for use in named}
    lines = {use.line for use in uses if (use.name, use.receiver) in texts}
    return tuple(sorted(lines | {edge.line}))
