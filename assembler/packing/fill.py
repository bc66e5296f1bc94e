"""Use up what is left of a budget when no whole chunk fits any more. Pure.

In order, until the gap is too small to matter: the beginnings of further matches; more lines of
what is shown already, below and then above it. Beginnings end with a line that says something by
itself: what a decorator, a comment or a `class` without a body promises is not there. Where that
leaves a pack too empty, `ragged` may end within a line, and the least piece makes room for a longer
beginning of something else.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from satchel.assembler.packing.pieces import Piece, ReadSource, ending_at, whole
from satchel.assembler.packing.units import Unit

Used = Callable[[Sequence[Piece]], int]
"""Tokens that some pieces take once they are excerpts."""

_GAP, _RAGGED_GAP = 0.02, 0.01
"""A gap below this share of the room is left as it is."""
_DANGLING = re.compile(
    rb"\s*(?:$|@|#|//|/\*|\*|--|;|\"\"\")|.*(?:[:{(\[,=\\|]|->|=>|\bdo|\bthen)\s*$"
)
"""A last line that says nothing without the next."""
_OPENING = re.compile(rb"[ \t]*(?:[\w@#/<]|\"\"\"\w)")
"""A first line that closes nothing."""
WORTH_STARTING = 48
"""A beginning that leaves room for fewer tokens than this, metadata included, explains little."""
_TRIED = 40
_SWAPPED = 3


def fill(
    pieces: list[Piece], rest: Sequence[Unit], room: int, used: Used, read: ReadSource
) -> list[Piece]:
    """The pieces and as much more, of `rest` above all, as fits into `room` tokens."""
    waiting = [whole(unit) for unit in rest[:_TRIED]]
    return _Filler(room, used, read, is_ragged=False).fill(pieces, waiting)


def ragged(
    pieces: list[Piece], rest: Sequence[Unit], room: int, used: Used, read: ReadSource
) -> list[Piece]:
    """The same, to the last few tokens."""
    filler = _Filler(room, used, read, is_ragged=True)
    waiting = [whole(unit) for unit in rest[:_TRIED]]
    filled = filler.fill(pieces, waiting)
    if not waiting or not filler.is_short(filled):
        return filled
    attempts = [filled]
    # What was chosen first is what the pack is for.
    for n in range(1, min(_SWAPPED, len(pieces) - 1) + 1):
        kept, dropped = pieces[:-n], pieces[-n:]
        again = [piece for piece in dropped if piece.is_text and not piece.unit.reason]
        for order in ([*waiting, *again], [*again, *waiting]):
            attempts += [filler.fill(kept, order), filler.share(kept, order)]
    return max(attempts, key=used)


class _Filler:
    """A room in tokens and the ways to fill it."""

    def __init__(self, room: int, used: Used, read: ReadSource, *, is_ragged: bool) -> None:
        self._room = room
        self._used = used
        self._read = read
        self._is_ragged = is_ragged
        self._slack = max(4, int((_RAGGED_GAP if is_ragged else _GAP) * room))

    def gap(self, pieces: Sequence[Piece]) -> int:
        return self._room - self._used(pieces)

    def is_short(self, pieces: Sequence[Piece]) -> bool:
        return self.gap(pieces) > self._slack

    def fill(self, pieces: list[Piece], waiting: Sequence[Piece]) -> list[Piece]:
        pieces = self._started(pieces, waiting, WORTH_STARTING)
        pieces = self._stretched(pieces)
        return self._started(pieces, waiting, 0)

    def share(self, pieces: list[Piece], waiting: Sequence[Piece]) -> list[Piece]:
        """Filled by two beginnings at least, where one whole chunk would leave a gap for none."""
        room = self._room - self.gap(pieces) // 2
        half = _Filler(room, self._used, self._read, is_ragged=True)
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
        starts = [_top(p, data) for p in _same_file(piece, others) if p.start >= piece.end]
        return self._longest(piece, piece.end, min(starts, default=len(data)), others)

    def _higher(self, piece: Piece, others: list[Piece]) -> Piece | None:
        """The piece with whole lines from above it, from one on that starts a paragraph."""
        data = self._read(piece.unit.chunk)
        depth = _depth(data, piece.start)
        above = (p for p in _same_file(piece, others) if p.end <= piece.start)
        top = max((p.end if p.symbol is None else _top(p, data) for p in above), default=0)
        best, start = None, piece.start
        while start > top and data[start - 1 : start] == b"\n":
            start = max(data.rfind(b"\n", top, start - 1) + 1, top)
            higher = replace(piece, start=start)
            if self.gap([*others, higher]) < 0:
                break
            is_paragraph = start == top or data.endswith((b"\n\n", b"\n\r\n"), 0, start)
            starts = _depth(data, start) <= depth and _OPENING.match(data, start)
            if self._is_ragged or (starts and is_paragraph):
                best = higher
        return best

    def _longest(self, piece: Piece, low: int, high: int, others: list[Piece]) -> Piece | None:
        """The piece ended as late after byte `low` and up to `high` as the room allows."""
        data = self._read(piece.unit.chunk)
        if not self._is_ragged:
            return self._longest_said(piece, low, high, others)
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

    def _longest_said(self, piece: Piece, low: int, high: int, others: list[Piece]) -> Piece | None:
        """The piece ended as late as the room allows, after a line that says something."""
        data = self._read(piece.unit.chunk)
        ends = _ends(data, low, high)
        n_fitting = bisect_left(ends, True, key=lambda end: not self._fits(piece, end, others))
        if n_fitting < len(ends):
            n_fitting = _n_said(data, low, ends[:n_fitting])
        return ending_at(piece, ends[n_fitting - 1], data) if n_fitting else None

    def _fits(self, piece: Piece, end: int, others: list[Piece]) -> bool:
        ended = ending_at(piece, end, self._read(piece.unit.chunk))
        return self.gap([*others, ended]) >= 0


def _top(piece: Piece, data: bytes) -> int:
    """Where the line starts that a piece starts in: a signature does so after its indentation."""
    return data.rfind(b"\n", 0, piece.start) + 1


def _depth(data: bytes, start: int) -> int:
    """How far the line is indented that starts at a byte; a blank one further than any."""
    line = data[start : data.find(b"\n", start) + 1 or len(data)]
    return len(line) - len(line.lstrip()) if line.strip() else len(data)


def _ends(data: bytes, low: int, high: int) -> list[int]:
    """Where lines end after byte `low`, up to `high`, where the last one is taken to end."""
    ends = [match.end() for match in re.finditer(b"\n", data[low:high])]
    ends = [low + end for end in ends]
    return ends if ends and ends[-1] == high else [*ends, high] if high > low else ends


def _n_said(data: bytes, start: int, ends: Sequence[int]) -> int:
    """How many of the lines that have these ends are left without those that promise more."""
    n = len(ends)
    while n and _DANGLING.match(data, ends[n - 2] if n > 1 else start, ends[n - 1]):
        n -= 1
    return n


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
