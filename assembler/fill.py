"""Use up what is left of a budget when no whole chunk fits any more. Pure.

In order, until the gap is too small to matter: the beginnings of further matches; more lines of
what is shown already, below and then above it; at last the least piece makes room for a longer
beginning of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from assembler.pieces import Piece, ReadSource, ending_at, whole
from assembler.units import Unit

Used = Callable[[Sequence[Piece]], int]
"""Tokens that some pieces take once they are excerpts."""

GAP = 0.01
"""A gap below this share of the room is left as it is."""
_WORTH_STARTING = 48
"""A beginning that leaves room for fewer tokens than this, metadata included, explains little."""
_TRIED = 40
_SWAPPED = 3


def fill(
    pieces: list[Piece], rest: Sequence[Unit], room: int, used: Used, read: ReadSource
) -> list[Piece]:
    """The pieces and as much more, of `rest` above all, as fits into `room` tokens."""
    filler = _Filler(room, used, read)
    waiting = [whole(unit) for unit in rest[:_TRIED]]
    filled = filler.fill(pieces, waiting)
    if not waiting or not filler.is_short(filled):
        return filled
    attempts = [filled]
    for n in range(1, min(_SWAPPED, len(pieces)) + 1):
        kept, dropped = pieces[:-n], pieces[-n:]
        again = [piece for piece in dropped if piece.is_text and not piece.unit.reason]
        for order in ([*waiting, *again], [*again, *waiting]):
            attempts += [filler.fill(kept, order), filler.share(kept, order)]
    return max(attempts, key=used)


class _Filler:
    """A room in tokens and the ways to fill it."""

    def __init__(self, room: int, used: Used, read: ReadSource) -> None:
        self._room = room
        self._used = used
        self._read = read
        self._slack = max(4, int(GAP * room))

    def gap(self, pieces: Sequence[Piece]) -> int:
        return self._room - self._used(pieces)

    def is_short(self, pieces: Sequence[Piece]) -> bool:
        return self.gap(pieces) > self._slack

    def fill(self, pieces: list[Piece], waiting: Sequence[Piece]) -> list[Piece]:
        pieces = self._started(pieces, waiting, _WORTH_STARTING)
        pieces = self._stretched(pieces)
        return self._started(pieces, waiting, 0)

    def share(self, pieces: list[Piece], waiting: Sequence[Piece]) -> list[Piece]:
        """Filled by two beginnings at least, where one whole chunk would leave a gap for none."""
        half = _Filler(self._room - self.gap(pieces) // 2, self._used, self._read)
        return self._stretched(self._started(half._started(pieces, waiting, 0), waiting, 0))

    def _started(self, pieces: list[Piece], waiting: Sequence[Piece], floor: int) -> list[Piece]:
        """With the beginnings of more matches, as long as the gap is at least `floor`."""
        for piece in waiting:
            if not self.is_short(pieces) or self.gap(pieces) < floor:
                break
            if _overlaps(piece, pieces):
                continue
            begun = self._longest(piece, piece.start, piece.end, pieces)
            if begun is not None:
                pieces = [*pieces, begun]
        return pieces

    def _stretched(self, pieces: list[Piece]) -> list[Piece]:
        for stretch in (self._lower, self._higher):
            for index in _by_score(pieces):
                if not self.is_short(pieces):
                    return pieces
                longer = stretch(pieces[index], [*pieces[:index], *pieces[index + 1 :]])
                if longer is not None:
                    pieces = [*pieces[:index], longer, *pieces[index + 1 :]]
        return pieces

    def _lower(self, piece: Piece, others: list[Piece]) -> Piece | None:
        """The piece with lines from below it, down to what else is shown of its file."""
        data = self._read(piece.unit.chunk)
        starts = [p.start for p in _same_file(piece, others) if p.start >= piece.end]
        return self._longest(piece, piece.end, min(starts, default=len(data)), others)

    def _higher(self, piece: Piece, others: list[Piece]) -> Piece | None:
        """The piece with whole lines from above it."""
        data = self._read(piece.unit.chunk)
        top = max((p.end for p in _same_file(piece, others) if p.end <= piece.start), default=0)
        best, start = None, piece.start
        while start > top and data[start - 1 : start] == b"\n":
            start = max(data.rfind(b"\n", top, start - 1) + 1, top)
            higher = replace(piece, start=start)
            if self.gap([*others, higher]) < 0:
                break
            best = higher
        return best

    def _longest(self, piece: Piece, low: int, high: int, others: list[Piece]) -> Piece | None:
        """The piece ended as late after byte `low` and up to `high` as the room allows."""
        data = self._read(piece.unit.chunk)
        least = low
        if self._fits(piece, high, others):
            low = high
        while low < high:
            middle = (low + high + 1) // 2
            if self._fits(piece, middle, others):
                low = middle
            else:
                high = middle - 1
        line_end = data.rfind(b"\n", least, low) + 1
        ends = (line_end, low, low - 4, low - 16)
        fitting = [
            ending_at(piece, end, data)
            for end in ends
            if end > least and data[piece.start : end].strip() and self._fits(piece, end, others)
        ]
        full = [longer for longer in fitting if not self.is_short([*others, longer])]
        return next(iter(full or fitting), None)

    def _fits(self, piece: Piece, end: int, others: list[Piece]) -> bool:
        ended = ending_at(piece, end, self._read(piece.unit.chunk))
        return self.gap([*others, ended]) >= 0


def _same_file(piece: Piece, others: Sequence[Piece]) -> Iterator[Piece]:
    return (other for other in others if other.unit.chunk.path == piece.unit.chunk.path)


def _overlaps(piece: Piece, pieces: Sequence[Piece]) -> bool:
    return any(
        (other.start < piece.end and piece.start < other.end) or other.start == piece.start
        for other in _same_file(piece, pieces)
    )


def _by_score(pieces: Sequence[Piece]) -> list[int]:
    """Positions of the pieces that can grow: those begun first, then best first."""

    def key(index: int) -> tuple[bool, float, int]:
        piece = pieces[index]
        return piece.end >= piece.unit.end, -piece.unit.worth, index

    return sorted((i for i, piece in enumerate(pieces) if piece.is_text), key=key)
