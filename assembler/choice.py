"""Choose what to show, and how much of it, under a limit: a multiple-choice knapsack. Pure.

Every unit can be shown whole or by its signature; each is worth something and costs tokens. Steps
(nothing → signature → whole) are taken by worth per token, best first, which for steps of falling
density is the optimum of the relaxed problem up to the last step (Sinha & Zoltners 1979, "The
multiple-choice knapsack problem"). The first excerpt of a file pays for naming the file, the first
signature for the outline. `bench/packing.py` holds the choice against the true optimum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from assembler import render
from assembler.costs import Costs
from assembler.pieces import Piece, line_range, outline, signature, whole
from assembler.twins import Twins
from assembler.units import Unit
from assembler.weights import Packing
from store.model import RepoPath

_SEGMENT = 9
"""Tokens of the line above a segment, about."""
_LETTERS_A_TOKEN = 4.5
"""Of a signature, at most; a low estimate is corrected when the step is counted."""

Key = tuple[RepoPath, int]


@dataclass(frozen=True, slots=True)
class Step:
    """Showing a unit (more fully): what it adds to worth, and tokens as estimated or counted."""

    unit: Unit
    is_whole: bool
    gain: float
    cost: float

    @property
    def density(self) -> float:
        """Worth per token."""
        return self.gain / max(1.0, self.cost)


class Choice:
    """The pieces chosen so far and what they cost."""

    def __init__(self, costs: Costs, weights: Packing) -> None:
        self.costs = costs
        self._weights = weights
        self._shown: dict[Key, Piece] = {}
        self._files: set[RepoPath] = set()
        self._outlined: set[RepoPath] = set()
        self._twins: Twins[Key] = Twins()
        self._copies: set[Key] = set()
        self.used = 0

    @property
    def pieces(self) -> list[Piece]:
        """Everything chosen, in the order it was."""
        return list(self._shown.values())

    def settle(self, room: int) -> None:
        """Count again what is chosen together, and drop what was taken last while it is too much.

        Pieces that adjoin mostly cost less than they did one by one.
        """
        self.used = self.costs.used(self._shown.values())
        while self.used > room:
            self._shown.popitem()
            self.used = self.costs.used(self._shown.values())

    def shows_whole(self, unit: Unit) -> bool:
        """Whether all of a unit is shown, or a copy of it."""
        piece = self._shown.get(unit.key)
        return unit.key in self._copies or (piece is not None and piece.symbol is None)

    def take(self, units: Sequence[Unit], limit: float) -> None:
        """Take the best steps that fit below `limit` tokens in all."""
        waiting = [(-s.density, n, s) for n, s in enumerate(self._steps(units))]
        heapify(waiting)
        order = len(waiting)
        while waiting:
            _, n, step = heappop(waiting)
            if 0.7 * step.cost > limit - self.used or self.shows_whole(step.unit):
                continue
            step = self._counted(step)
            if waiting and step.density < -waiting[0][0]:
                heappush(waiting, (-step.density, n, step))
            elif step.is_whole and self._is_copy(step.unit, limit):
                continue
            elif self.used + step.cost <= limit:
                self._show(step)
                if not step.is_whole:
                    order += 1
                    more = self._completion(step.unit)
                    heappush(waiting, (-more.density, order, more))

    def _steps(self, units: Iterable[Unit]) -> Iterable[Step]:
        for unit in units:
            if self.shows_whole(unit):
                continue
            if unit.key in self._shown:
                yield self._completion(unit)
                continue
            if unit.held:
                yield Step(unit, True, unit.worth + self._opening(unit), _SEGMENT)
                continue
            full = Step(unit, True, unit.worth + self._opening(unit), unit.tokens + _SEGMENT)
            named = self._named(unit)
            yield named if named and named.density > full.density else full

    def _named(self, unit: Unit) -> Step | None:
        """Showing a unit by its signature, where that says less than all of it."""
        if unit.name is None or not unit.name.signature or unit.tokens < 3 * _SEGMENT:
            return None
        cost = len(outline(unit.name)) / _LETTERS_A_TOKEN + 2
        gain = self._weights.signature * unit.worth + self._opening(unit)
        return Step(unit, False, gain, cost)

    def _opening(self, unit: Unit) -> float:
        """What it adds that a file is shown at all: nothing once it is."""
        return 0.0 if unit.chunk.path in self._files else self._weights.breadth * unit.worth

    def _completion(self, unit: Unit) -> Step:
        return Step(unit, True, (1 - self._weights.signature) * unit.worth, unit.tokens + _SEGMENT)

    def _counted(self, step: Step) -> Step:
        """The step with what it truly adds to what is shown by now."""
        unit, path = step.unit, step.unit.chunk.path
        cost = self.costs.of([self._piece(step)])
        if path not in self._files:
            cost += self.costs.head(path)
        if not step.is_whole and path not in self._outlined:
            cost += self.costs.outline_head
        named = self._shown.get(unit.key)
        if named is not None:
            cost -= self.costs.of([named])
        worth = self._weights.signature * unit.worth
        gain = worth if not step.is_whole else unit.worth - (worth if named else 0.0)
        return Step(unit, step.is_whole, gain + self._opening(unit), max(1, cost))

    def _piece(self, step: Step) -> Piece:
        if step.is_whole or step.unit.name is None:
            return whole(step.unit)
        return signature(step.unit, step.unit.name)

    def _is_copy(self, unit: Unit, limit: float) -> bool:
        """Whether what is shown is a copy of the unit, which is then said there if it fits."""
        text = self.costs.read(unit.chunk)[unit.start : unit.end]
        key = None if unit.held else self._twins.of(text)
        original = self._shown.get(key) if key else None
        if original is None:
            return False
        place = render.location(unit.chunk.path, *line_range(whole(unit), self.costs.read))
        named = replace(original, also=(*original.also, place))
        cost = self.costs.of([named]) - self.costs.of([original])
        if self.used + cost <= limit:
            self._shown[original.unit.key] = named
            self.used += cost
        self._copies.add(unit.key)
        return True

    def _show(self, step: Step) -> None:
        path = step.unit.chunk.path
        if step.is_whole and not step.unit.held:
            text = self.costs.read(step.unit.chunk)[step.unit.start : step.unit.end]
            self._twins.add(step.unit.key, text)
        self._shown[step.unit.key] = self._piece(step)
        self._files.add(path)
        if not step.is_whole:
            self._outlined.add(path)
        self.used += int(step.cost)
