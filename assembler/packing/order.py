"""The one order of a pack: what is shown first, second, and so on, whatever the budget. Pure.

A pack is the beginning of this order that fits, so what a smaller pack shows whole a larger one
shows whole. Nothing here knows a budget: how long a piece may be, and when neighbours are looked
up, depends on how many tokens stand before it. What is too long for its place is shown in part
there, and whole where the order has grown to hold it.
"""

from collections.abc import Iterator, Sequence

from satchel.assembler.packing import neighbours, required, sent_before, worth
from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.selection import Selection
from satchel.assembler.packing.shown import Piece
from satchel.assembler.packing.units import Key, Unit
from satchel.assembler.packing.worth import Evidence
from satchel.assembler.values import Neighbour
from satchel.assembler.weights import Packing


class Order:
    """The pieces of a pack in their order; each counts as shown once the next one is asked for."""

    def __init__(
        self,
        selection: Selection,
        batches: Iterator[Sequence[Unit]],
        known: Evidence,
        inputs: PackInputs,
        weights: Packing,
    ) -> None:
        """`batches` are of matches, each best first; one is read when those before it are shown."""
        self._selection = selection
        self._batches = batches
        self.matches = [*next(batches, ())]
        self._known = known
        self._inputs = inputs
        self._weights = weights
        self._queue = [*self.matches]
        best = self.matches[: weights.n_commented]
        self._commented = {unit.key for unit in best if unit.symbol}
        self._cut: set[Key] = set()
        self._growing: list[tuple[Piece, float]] = []
        self._waiting: list[int] = []
        self._nearby: dict[tuple[int, float, str], Unit] = {}
        self._next_waits_for = 0.0

    def pieces(self) -> Iterator[Piece]:
        """What is required, then matches and neighbours by worth, then comments that were cut."""
        for place, wanted in enumerate(self._inputs.required):
            if wanted.waits:
                self._waiting.append(place)
            else:
                yield from self._required(place)
        if any(wanted.text for wanted in self._inputs.required):
            # A review is of its hunks; all that it requires comes before other code of their files.
            yield from self._grown(is_all=True)
            yield from self._due(is_all=True)
        yield from self._by_worth()
        yield from self._due(is_all=True)
        yield from self._grown(is_all=True)
        for piece in self._selection.with_comments():
            yield from self._shown(piece)

    def _required(self, place: int) -> Iterator[Piece]:
        """A required place, and what has room beside it."""
        wanted = self._inputs.required[place]
        parts = required.pieces(wanted, place, self._inputs, self._selection, self._room())
        for piece, full in parts:
            yield from self._shown(piece)
            if full != piece:
                self._growing.append((full, 1.0))
            yield from self._grown()
        if not wanted.waits:
            yield from self._due()

    def _due(self, *, is_all: bool = False) -> Iterator[Piece]:
        """What waits and has room by now: the first place at once, then one for so many tokens."""
        while self._waiting and (is_all or self._selection.spent >= self._next_waits_for):
            each = self._weights.interval
            self._next_waits_for = max(self._next_waits_for, each) + each
            yield from self._required(self._waiting.pop(0))

    def pays(self, piece: Piece, turn: float) -> bool:
        """Whether a piece is likely to save what it costs, where another turn costs so much."""
        # What is required is asked for; what stands between two shown pieces has no heading.
        if piece.rank is not None or piece.is_gap:
            return True
        return worth.density(piece.unit, turn) >= 1

    def part(self, piece: Piece, room: float) -> Piece | None:
        """What is shown in so many tokens of a piece that is too long; None for nothing."""
        if piece.rank is not None:
            wanted = self._inputs.required[piece.rank]
            return required.part(piece, wanted, self._selection, room)
        is_match = piece.is_text and not piece.unit.is_neighbour
        return self._selection.part(piece.unit, room) if is_match else None

    def _shown(self, piece: Piece) -> Iterator[Piece]:
        yield piece
        self._selection.show(piece)

    def _room(self) -> float:
        """Tokens that one piece may take."""
        return max(self._weights.room, self._selection.spent)

    def _grown(self, *, is_all: bool = False) -> Iterator[Piece]:
        """What was shown without something, and is short by now against all that is shown."""
        for entry in list(self._growing):
            piece, share = entry
            cost = self._selection.cost(piece)
            if is_all or cost <= share * self._selection.spent:
                self._growing.remove(entry)
                yield from self._shown(piece)

    def _by_worth(self) -> Iterator[Piece]:
        """Matches, and what the code shown so far calls and is called by.

        Neighbours are looked up whenever the pack has doubled.
        """
        selection, looked_at = self._selection, -1
        look_up = self._weights.interval
        while True:
            piece = self._next() if selection.spent < look_up else None
            if piece is not None:
                yield from self._shown(piece)
                yield from self._beside(piece)
                yield from self._grown()
                yield from self._due()
            elif looked_at == selection.spent:
                batch = next(self._batches, None)
                if batch is None:
                    break
                self.matches += batch
                self._queue += batch
            else:
                looked_at = selection.spent
                self._look_up()
                while look_up <= selection.spent:
                    look_up *= 2
        # What is longer than its place was to the end.
        for unit in self._queue:
            if not selection.shows(unit):
                yield from self._shown(selection.trimmed(unit))

    def _next(self) -> Piece | None:
        """The next piece by worth; None where all that is left is too long here."""
        left: list[Unit] = []
        found: Piece | None = None
        queue = iter(self._queue)
        for unit in queue:
            if self._selection.shows(unit):
                continue
            if unit.sent_in or self._selection.fits(unit, self._room()):
                found = self._whole(unit)
                if found is None:
                    continue
            else:
                left.append(unit)
                if not unit.is_neighbour and unit.key not in self._cut:
                    self._cut.add(unit.key)
                    found = self._selection.part(unit, self._room())
            if found is not None:
                break
        self._queue = [*left, *queue]
        return found

    def _whole(self, unit: Unit) -> Piece | None:
        """A unit, or the naming of its place beside what it is a copy of; None for neither."""
        selection = self._selection
        if unit.sent_in:
            return Piece(unit)
        original = selection.original(unit)
        if original is not None:
            return None if original in selection.pieces else original
        piece = selection.trimmed(unit)
        full = selection.full(piece)
        if unit.key in self._commented and full != piece:
            self._growing.append((full, self._weights.comments_share))
        return piece

    def _beside(self, piece: Piece) -> Iterator[Piece]:
        """What closes gaps in the file of a piece."""
        same = self._selection.of_file(piece.unit.chunk.path)
        for gap in neighbours.closing(same, self._inputs, self._selection.costs.read):
            if self._selection.cost(gap) <= self._room():
                yield from self._shown(gap)

    def _look_up(self) -> None:
        """Looks up neighbours of what is shown; they compete with the matches from then on."""
        inputs, weights, selection = self._inputs, self._weights, self._selection
        found = inputs.index.expand(neighbours.origins(selection.pieces, inputs.unshown))
        # Most were found in an earlier round as well, and are worth what they were then.
        new = [each for each in found if _place(each) not in self._nearby]
        made = neighbours.units(new, self._known, inputs, selection.costs, weights)
        self._nearby |= {_place(each): unit for each, unit in made}
        nearby = [unit for each in found if (unit := self._nearby.get(_place(each)))]
        # Matches are marked with what the client was sent when they are made, and without what was
        # taken out by hand; neighbours are made while a pack is filled.
        marked = sent_before.with_reply_numbers(nearby, selection.costs.text_of, inputs.sent)
        nearby = inputs.not_taken_out(marked)
        together = neighbours.together(nearby, self.matches, self._known.curve.linked)
        self._queue = worth.in_order(together, weights)


def _place(neighbour: Neighbour) -> tuple[int, float, str]:
    """What the unit of a neighbour follows from, within one pack."""
    return neighbour.symbol.id, neighbour.score, neighbour.reason
