"""Choose what to show, and how much of it, under a limit: a multiple-choice knapsack. Pure.

Every unit has forms (`assembler.forms`), each worth something and costing tokens. Steps from one
form to a fuller one are taken by worth per token, best first, which for steps of falling density
is the optimum of the relaxed problem up to the last step (Sinha & Zoltners 1979, "The
multiple-choice knapsack problem"). The first excerpt of a file pays for naming the file, the first
signature for the outline. `bench/packing.py` holds the choice against the true optimum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from assembler import forms, render
from assembler.costs import Costs
from assembler.forms import Form, Interest
from assembler.pieces import Piece, line_range, whole
from assembler.twins import Twins
from assembler.units import Unit
from assembler.weights import Packing
from store.model import RepoPath

_SURE = 0.7
"""An estimate that is this much of what is left may still be too high by so much."""

Key = tuple[RepoPath, int]


@dataclass(frozen=True, slots=True)
class Step:
    """Showing a unit in a fuller form: the worth it adds, and tokens, estimated or counted."""

    unit: Unit
    form: Form
    gain: float
    cost: float

    @property
    def density(self) -> float:
        """Worth per token."""
        return self.gain / max(1.0, self.cost)


class Choice:
    """The pieces chosen so far and what they cost."""

    def __init__(self, costs: Costs, interest: Interest, weights: Packing) -> None:
        self.costs = costs
        self._interest = interest
        self._weights = weights
        self._shown: dict[Key, tuple[Form, tuple[Piece, ...]]] = {}
        self._files: set[RepoPath] = set()
        self._outlined: set[RepoPath] = set()
        self._twins: Twins[Key] = Twins()
        self._copies: set[Key] = set()
        self.used = 0

    @property
    def pieces(self) -> list[Piece]:
        """Everything chosen, in the order it was."""
        return [piece for _, held in self._shown.values() for piece in held]

    def settle(self, room: int) -> None:
        """Count again what is chosen together, and drop what was taken last while it is too much.

        Pieces that adjoin mostly cost less than they did one by one.
        """
        self.used = self.costs.used(self.pieces)
        while self.used > room:
            self._shown.popitem()
            self.used = self.costs.used(self.pieces)
        self._files = {piece.unit.chunk.path for piece in self.pieces}
        self._outlined = {p.unit.chunk.path for p in self.pieces if p.symbol is not None}

    def shows_whole(self, unit: Unit) -> bool:
        """Whether all of a unit is shown, or a copy of it."""
        return unit.key in self._copies or self.form(unit) == Form.WHOLE

    def take(self, units: Sequence[Unit], limit: float) -> None:
        """Take the best steps that fit below `limit` tokens in all."""
        steps = (self._next(unit) for unit in units if unit.key not in self._copies)
        waiting = [(-s.density, n, s) for n, s in enumerate(steps) if s is not None]
        heapify(waiting)
        order = len(waiting)
        while waiting:
            _, n, step = heappop(waiting)
            if _SURE * step.cost > limit - self.used or step.form <= self.form(step.unit):
                continue
            step = self._counted(step)
            if waiting and step.density < -waiting[0][0]:
                heappush(waiting, (-step.density, n, step))
                continue
            if step.form >= Form.ELIDED and self._is_copy(step.unit, limit):
                continue
            if self.used + step.cost <= limit:
                self._show(step)
            more = self._next(step.unit, above=step.form)
            if more is not None:
                order += 1
                heappush(waiting, (-more.density, order, more))

    def form(self, unit: Unit) -> Form:
        """How much of a unit is shown."""
        shown = self._shown.get(unit.key)
        return shown[0] if shown else Form.NOTHING

    def _next(self, unit: Unit, above: Form = Form.NOTHING) -> Step | None:
        """The step to a fuller form that adds most per token; None where there is none."""
        above = max(above, self.form(unit))
        return max(self._fuller(unit, above), key=lambda step: step.density, default=None)

    def _fuller(self, unit: Unit, above: Form) -> Iterator[Step]:
        shown = self.form(unit)
        spent = forms.estimate(unit, shown, self._weights) if shown else 0.0
        for form in Form:
            cost = forms.estimate(unit, form, self._weights) if form > above else 0.0
            gain = self._gain(unit, form) if cost else 0.0
            if gain > 0:
                yield Step(unit, form, gain, max(1.0, cost - spent))

    def _gain(self, unit: Unit, form: Form) -> float:
        """What a form adds to what is shown, and that its file is shown at all if it is not yet."""
        opening = 0.0 if unit.chunk.path in self._files else self._weights.breadth * unit.worth
        shown = forms.worth(unit, self.form(unit), self._weights)
        return forms.worth(unit, form, self._weights) - shown + opening

    def _counted(self, step: Step) -> Step:
        """The step with what it truly adds to what is shown by now."""
        unit, path = step.unit, step.unit.chunk.path
        cost = self._cost(self.shape(unit, step.form))
        if path not in self._files:
            cost += self.costs.head(path)
        if step.form == Form.NAMED and path not in self._outlined:
            cost += self.costs.outline_head
        shown = self._shown.get(unit.key)
        cost -= self._cost(shown[1]) if shown else 0
        return Step(unit, step.form, self._gain(unit, step.form), max(1, cost))

    def _cost(self, pieces: Iterable[Piece]) -> int:
        return sum(self.costs.of([piece]) for piece in pieces)

    def shape(self, unit: Unit, form: Form) -> tuple[Piece, ...]:
        """What is shown of a unit in a form."""
        data = self.costs.read(unit.chunk)
        return forms.pieces(unit, form, data, self._interest, self._weights)

    def _is_copy(self, unit: Unit, limit: float) -> bool:
        """Whether what is shown is a copy of the unit, which is then said there if it fits."""
        text = self.costs.read(unit.chunk)[unit.start : unit.end]
        key = None if unit.held else self._twins.of(text)
        shown = self._shown.get(key) if key else None
        if key is None or key == unit.key or shown is None:
            return False
        form, (original, *others) = shown
        place = render.location(unit.chunk.path, *line_range(whole(unit), self.costs.read))
        named = replace(original, also=(*original.also, place))
        cost = self._cost([named]) - self._cost([original])
        if self.used + cost <= limit:
            self._shown[key] = (form, (named, *others))
            self.used += cost
        self._copies.add(unit.key)
        return True

    def _show(self, step: Step) -> None:
        path = step.unit.chunk.path
        if step.form >= Form.ELIDED and not step.unit.held:
            text = self.costs.read(step.unit.chunk)[step.unit.start : step.unit.end]
            self._twins.add(step.unit.key, text)
        self._shown[step.unit.key] = (step.form, self.shape(step.unit, step.form))
        self._files.add(path)
        if step.form == Form.NAMED:
            self._outlined.add(path)
        self.used += int(step.cost)
