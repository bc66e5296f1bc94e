"""The few lines that are left out between two pieces of a file. Pure.

A heading costs as much as two lines, and what stands between two functions is what both use:
fields, constants, types. A function that stands between two others is a place of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.shown import Piece, ReadLines
from satchel.assembler.packing.units import Unit
from satchel.assembler.values import Scored
from satchel.store.model import FUNCTIONS, RepoPath

_MOST = 20
"""Lines of a gap that is closed, at most."""
_SHORT = 4
"""Lines of a gap that is closed whatever it holds: its marks and a heading would cost as much."""
_BELOW = 0.5
"""What a gap counts for against the lesser of what is around it: it names no excerpt."""


def closing(pieces: Iterable[Piece], inputs: PackInputs, read: ReadLines) -> list[Piece]:
    """Pieces that close the gaps, the best first."""
    by_file: dict[RepoPath, list[Piece]] = {}
    for piece in pieces:
        if piece.ranges and not piece.quoted:
            by_file.setdefault(piece.unit.chunk.path, []).append(piece)
    found = [
        gap
        for listed in by_file.values()
        for gap in _of_file(listed, read)
        if gap.unit.n_lines <= _SHORT or not _has_function(gap.unit, inputs)
    ]
    return sorted(found, key=lambda piece: (-piece.unit.worth, piece.unit.key))


def _of_file(listed: Iterable[Piece], read: ReadLines) -> Iterator[Piece]:
    above: Piece | None = None
    for piece in sorted(listed, key=lambda p: (p.first, p.unit.key)):
        if above is not None:
            first, last = above.ranges[-1][1] + 1, piece.first - 1
            lines = read(piece.unit.chunk)
            if first <= last < first + _MOST and lines.says_something(first, last):
                worth = _BELOW * min(above.unit.worth, piece.unit.worth)
                unit = Unit(
                    above.unit.chunk, first, last, None, above.unit.name, above.unit.score,
                    worth, reason=above.unit.reason,
                )  # fmt: skip
                yield Piece(unit, ((first, last),), rank=above.rank)
        if above is None or piece.ranges[-1][1] > above.ranges[-1][1]:
            above = piece


def _has_function(gap: Unit, inputs: PackInputs) -> bool:
    """Whether a function of several lines begins in a gap: that is a place of its own."""
    items = [
        Scored(chunk, 0.0)
        for chunk in inputs.chunks_of(gap.chunk.path)
        if chunk.span.start_line <= gap.last and chunk.span.end_line >= gap.first
    ]
    around = inputs.around(items)
    return any(
        symbol.kind in FUNCTIONS
        and gap.first <= symbol.line <= gap.last
        and symbol.span.end_line > symbol.span.start_line
        for item in items
        for symbol in around[item.chunk.id].inside
    )
