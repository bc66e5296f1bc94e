"""The pieces of a pack while it grows, and what they cost. Pure.

A piece is never given up for another one. A unit inside one that is shown adds nothing; a unit
around others takes their place.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from satchel.assembler import render
from satchel.assembler.kinds import Detail
from satchel.assembler.packing import forms, shown
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.forms import Interest
from satchel.assembler.packing.shown import Piece
from satchel.assembler.packing.units import Key, Unit
from satchel.assembler.values import LineRange
from satchel.assembler.weights import HALF, NEARLY
from satchel.store.model import RepoPath

_LEAST_PART = 100
"""Tokens that a part of a function takes to be worth its heading."""
_PART_MARGINS = (NEARLY, HALF)
"""Shares of the room that a part is made for: estimates are off by a tenth and more, so one that
comes out too long is made again."""
_MOST_BYTES = 8
"""A token of code has fewer: what has more for each token of its room is not counted."""
_MAX_COPIES_NAMED = 4
"""Places of copies that are named with a piece; further ones are only counted, in the receipt."""

_LEAST_LINES = 4
"""Shorter pieces are alike by chance."""
_PieceKey = tuple[Key, bool]


class Selection:
    """What is shown so far, in `spent` tokens or less: excerpts that adjoin share a heading."""

    def __init__(self, costs: Costs, interest: Interest, alike: float) -> None:
        """`alike` is the share of lines from which one unit is a copy of another (0..1)."""
        self.costs = costs
        self.interest = interest
        self._shown: dict[_PieceKey, Piece] = {}
        # What is shown of each file that was opened, in the order in which it was chosen.
        self._opened: dict[RepoPath, dict[_PieceKey, Piece]] = {}
        self._steps: list[tuple[Piece, dict[_PieceKey, Piece]]] = []
        self._near_duplicates: _NearDuplicates = _NearDuplicates(alike)
        # Units are offered several times, so trimmed forms are kept.
        self._trimmed: dict[Key, Piece] = {}
        self.spent = 0

    @property
    def pieces(self) -> list[Piece]:
        """What is shown, in the order in which it was chosen."""
        return list(self._shown.values())

    def of_file(self, path: RepoPath) -> list[Piece]:
        """What is shown of a file, quotations aside."""
        return [p for p in self._opened.get(path, {}).values() if not p.quoted]

    def shows(self, unit: Unit) -> bool:
        """Whether all of a unit is shown, by itself or within another."""
        # A hunk shows its lines as they are now, among those that it removed.
        return any(
            first <= unit.first and unit.last <= last
            for piece in self._opened.get(unit.chunk.path, {}).values()
            for first, last in piece.reach
        )

    def cost(self, piece: Piece) -> int:
        """Tokens that a piece adds at most."""
        covered = self._covered(piece)
        # Taking smaller pieces away pays for a part of the larger one.
        cost = self.costs.of(piece) - sum(map(self.costs.of, covered.values()))
        is_open = piece.unit.chunk.path in self._opened
        return cost + (0 if is_open else self.costs.head(piece.unit.chunk.path))

    def with_piece(self, piece: Piece) -> list[Piece]:
        """All that is shown once a piece is."""
        covered = self._covered(piece)
        return [*(p for key, p in self._shown.items() if key not in covered), piece]

    def grows(self, part: Piece, beside: Sequence[Piece]) -> bool:
        """Whether a part shows all that is shown of its unit and not `beside` it."""
        gone = [p for p in self._shown.values() if p.key == part.key or p not in beside]
        return all(_hold(part.ranges, piece.ranges) for piece in gone)

    def _covered(self, piece: Piece) -> dict[_PieceKey, Piece]:
        if piece.unit.chunk.path not in self._opened:
            return {}
        if piece.quoted:
            return {key: p for key, p in self._shown.items() if key == piece.key}
        return {
            p.key: p
            for p in self.of_file(piece.unit.chunk.path)
            if p.key == piece.key or (p.is_text and _hold(piece.reach, p.ranges))
        }

    def show(self, piece: Piece) -> None:
        """Show a piece in place of those that it covers."""
        cost, covered = self.cost(piece), self._covered(piece)
        for listed in (self._shown, self._opened.setdefault(piece.unit.chunk.path, {})):
            for key in covered:
                del listed[key]
            listed[piece.key] = piece
        self._steps.append((piece, covered))
        self.spent += max(0, cost)
        if piece.is_text:
            self._near_duplicates.add(piece.key, self.costs.text_of(piece.unit))

    def take_back(self) -> None:
        """Show what was shown before the last piece was; nothing further may be shown after it."""
        piece, covered = self._steps.pop()
        for listed in (self._shown, self._opened[piece.unit.chunk.path]):
            del listed[piece.key]
            listed |= covered

    def fits(self, unit: Unit, room: float) -> bool:
        """Whether a unit without its long comments takes at most so many tokens."""
        piece = self.trimmed(unit)
        lines = self.costs.read(unit.chunk)
        n_bytes = sum(len(line) for a, b in piece.ranges for line in lines.between(a, b))
        # Exact counts are expensive, so what clearly does not fit is refused by its length.
        return n_bytes <= room * _MOST_BYTES and self.costs.of(piece) <= room

    def trimmed(self, unit: Unit) -> Piece:
        """A unit without its long comments; with them where a line of these is shown by itself."""
        if unit.key not in self._trimmed:
            self._trimmed[unit.key] = forms.trimmed(unit, self.costs.read, self.interest)
        # The place that a failing test names may stand in a comment, and would be lost in the unit.
        inside = [
            lines
            for piece in self.of_file(unit.chunk.path)
            if piece.key != (unit.key, False)
            for lines in piece.ranges
            if unit.first <= lines[0] and lines[1] <= unit.last
        ]
        if not _hold(self._trimmed[unit.key].ranges, inside):
            return forms.whole(unit)
        # Worth and reason of a unit may have changed since.
        return replace(self._trimmed[unit.key], unit=unit)

    def part(self, unit: Unit, room: float, interest: Interest | None = None) -> Piece | None:
        """The signature of a unit and what matters in it, in at most so many tokens."""
        is_open = unit.chunk.path in self._opened
        room -= 0 if is_open else self.costs.head(unit.chunk.path)
        for share in _PART_MARGINS:
            if room * share < _LEAST_PART:
                return None
            piece = forms.part(unit, self.costs.read, interest or self.interest, room * share)
            if piece is not None and self.costs.of(piece) <= room:
                return piece
        return None

    def full(self, piece: Piece) -> Piece:
        """A piece with all lines of its unit, its long comments too."""
        now = self._shown.get(piece.key, piece)
        return replace(now, ranges=forms.whole(piece.unit).ranges, is_cut=False)

    def with_comments(self) -> Iterator[Piece]:
        """The pieces of which comments are cut, with these, in the order they were shown in."""
        for piece in self.pieces:
            if piece.detail == Detail.PART and not piece.is_cut and not piece.told:
                yield self.full(piece)

    def original(self, unit: Unit) -> Piece | None:
        """The shown piece that a unit is a copy of, naming its place as far as there is room.

        In the same file lines name it; a name is told where it is another one.
        """
        key = self._near_duplicates.of(self.costs.text_of(unit))
        original = self._shown.get(key) if key else None
        if original is None or original.unit.key == unit.key or original.is_cut:
            return None
        place = render.location(unit.chunk.path, unit.first, unit.last)
        place = place.removeprefix(f"{original.unit.chunk.path}:")
        ours, theirs = unit.name, original.unit.name
        if ours and theirs and ours.name != theirs.name:
            place += f" ({ours.name})"
        if place in original.also or len(original.also) >= _MAX_COPIES_NAMED:
            return original
        return shown.also(original, place)


def _hold(outer: Sequence[LineRange], inner: Iterable[LineRange]) -> bool:
    """Whether each inner range lies in one of the outer ones."""
    return all(any(a <= first and last <= b for a, b in outer) for first, last in inner)


class _NearDuplicates:
    """The lines of what is shown, in the order it was.

    Two units are near duplicates when at least `alike` of their distinct lines are the same, blanks
    at both ends aside (Jaccard's measure).
    """

    def __init__(self, alike: float) -> None:
        """`alike` is the least share of lines (0..1) that near duplicates have in common."""
        self._alike = alike
        self._lines: dict[_PieceKey, frozenset[bytes]] = {}

    def of(self, text: bytes) -> _PieceKey | None:
        """What was added first of all that is nearly the same as `text`, None for nothing."""
        lines = _telling_lines(text)
        if len(lines) < _LEAST_LINES:
            return None
        for key, known in self._lines.items():
            low, high = sorted((len(lines), len(known)))
            # Sets whose sizes differ by more than that cannot be alike, which spares most
            # intersections.
            if low < self._alike * high:
                continue
            # Jaccard's measure is what both have over what either has; the product avoids a
            # division.
            common = len(lines & known)
            if common >= self._alike * (len(lines) + len(known) - common):
                return key
        return None

    def add(self, key: _PieceKey, text: bytes) -> None:
        """Remember what is shown."""
        self._lines[key] = _telling_lines(text)


def _telling_lines(text: bytes) -> frozenset[bytes]:
    stripped = (line.strip() for line in text.split(b"\n"))
    return frozenset(line for line in stripped if line)
