"""Choose what to show, and how much of it, under a limit: a multiple-choice knapsack. Pure.

Every unit has forms (`assembler.packing.forms`), each worth something and costing tokens. Steps
from one form to a fuller one are taken by worth per token, best first, which for steps of falling
density is the optimum of the relaxed problem up to the last step (Sinha & Zoltners 1979, "The
multiple-choice knapsack problem"). The first excerpt of a file pays for naming the file, the first
signature for the outline, the first method for the header of its class. `bench/packs/packing.py`
holds the choice against the true optimum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from math import inf
from typing import NamedTuple

from satchel.assembler.packing import forms, render
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.forms import Form, Interest, Option
from satchel.assembler.packing.near_duplicates import Twins
from satchel.assembler.packing.pieces import Piece, header, line_range, whole
from satchel.assembler.packing.units import Unit
from satchel.assembler.weights import Packing
from satchel.store.model import RepoPath

_SURE = 0.7
"""An estimate that is this much of what is left may still be too high by so much."""

_SMALL = 2000
"""Tokens. Above, what is lost at the end is a hundredth at most."""
_TRIED = 6
"""Of what was taken last, in a small pack; more found nothing."""

Key = tuple[RepoPath, int]
_Shown = dict[Key, tuple[Form, tuple[Piece, ...]]]
_State = tuple[_Shown, set[Key], Twins[Key]]


class Step(NamedTuple):
    """Showing a unit in a fuller form: the worth per token it adds, and the tokens that takes.

    These are estimated or counted, 1 at least.
    """

    unit: Unit
    form: Form
    density: float
    cost: float


class Choice:
    """The pieces chosen so far and what they cost."""

    def __init__(self, costs: Costs, interest: Interest, weights: Packing) -> None:
        self.costs = costs
        self._interest = interest
        self._weights = weights
        self._shown: _Shown = {}
        self._options: dict[Key, tuple[Option, ...]] = {}
        self._opened: dict[RepoPath, float] = {}
        self._outlined: set[RepoPath] = set()
        self._headed: set[tuple[RepoPath, int]] = set()
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
        self._recall()
        while self.used > room:
            self._shown.popitem()
            self._recall()

    def shows_whole(self, unit: Unit) -> bool:
        """Whether all of a unit is shown, or a copy of it."""
        return unit.key in self._copies or self.form(unit) == Form.WHOLE

    def take(self, units: Sequence[Unit], limit: float) -> None:
        """Take the best steps that fit below `limit` tokens in all.

        The last step that fits can cost a small pack a tenth of its worth: there each of the last
        is tried without.
        """
        self._take(units, limit)
        if limit > _SMALL:
            return
        wanted = {unit.key for unit in units}
        for key in [key for key in self._shown if key in wanted][: -_TRIED - 1 : -1]:
            before, worth = self._state(), self._worth()
            if any(piece.also for piece in self._shown[key][1]):
                continue
            del self._shown[key]
            self._recall()
            self._take([unit for unit in units if unit.key != key], limit)
            if self._worth() <= worth:
                self._restore(before)

    def _take(self, units: Sequence[Unit], limit: float) -> None:
        steps = (self._next(unit) for unit in units if unit.key not in self._copies)
        waiting = [(-s.density, n, s) for n, s in enumerate(steps) if s is not None]
        heapify(waiting)
        order = len(units)  # numbers tell steps of equal density apart: no two may be the same
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
        shown = self.form(unit)
        least = above if above > shown else shown
        best: Step | None = None
        options = self._options_of(unit)
        spent = next((cost for form, cost, _ in options if form == shown), 0.0)
        for form, cost, worth in options:
            if form > least and not (form == Form.NAMED and self._is_named(unit)):
                more = cost - spent if cost - spent > 1 else 1.0
                density = self._gain(unit, worth, shown) / more
                if density > 0 and (best is None or density > best.density):
                    best = Step(unit, form, density, more)
        return best

    def _is_named(self, unit: Unit) -> bool:
        """Whether the name of a unit is there: parts of one function have the same."""
        return unit.name is not None and (unit.chunk.path, unit.name.id) in self._headed

    def _options_of(self, unit: Unit) -> tuple[Option, ...]:
        known = self._options.get(unit.key)
        if known is None:
            known = self._options[unit.key] = forms.options(unit, self._weights)
        return known

    def _gain(self, unit: Unit, worth: float, shown: Form) -> float:
        """What a form of some worth adds to what is shown, and to the best of its file."""
        opened = self._opened.get(unit.chunk.path, 0.0)
        gain = worth - forms.worth(unit, shown, self._weights) if shown else worth
        return gain + self._weights.breadth * (unit.worth - opened if unit.worth > opened else 0.0)

    def _counted(self, step: Step) -> Step:
        """The step with what it truly adds to what is shown by now; the next one for a name."""
        unit, path = step.unit, step.unit.chunk.path
        if step.form == Form.NAMED and self._is_named(unit):
            other = self._next(unit)
            return self._counted(other) if other else step._replace(density=0.0, cost=inf)
        shown = self._shown.get(unit.key)
        cost = self._cost(self.shape(unit, step.form))
        cost += self._header_cost(unit) if step.form > Form.NAMED else 0
        if path not in self._opened:
            cost += self.costs.head(path)
        if step.form == Form.NAMED and path not in self._outlined:
            cost += self.costs.outline_head
        cost -= self._cost(shown[1]) if shown else 0
        worth = forms.worth(unit, step.form, self._weights)
        gain = self._gain(unit, worth, shown[0] if shown else Form.NOTHING)
        cost = max(1, cost)
        return Step(unit, step.form, gain / cost, cost)

    def _header_cost(self, unit: Unit) -> int:
        """What it takes to say what a unit stands in."""
        if unit.held or not unit.context:
            return 0
        path = unit.chunk.path
        missing = [s for s in unit.context if (path, s.id) not in self._headed]
        cost = self._cost(header(unit, symbol) for symbol in missing)
        return cost + (self.costs.outline_head if missing and path not in self._outlined else 0)

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
        if step.form >= Form.ELIDED and not step.unit.held:
            text = self.costs.read(step.unit.chunk)[step.unit.start : step.unit.end]
            self._twins.add(step.unit.key, text)
        self._shown[step.unit.key] = (step.form, self.shape(step.unit, step.form))
        self._note(step.unit, step.form)
        self.used += int(step.cost)

    def _recall(self) -> None:
        """Find out anew what is paid for, and what all of it costs."""
        self._opened.clear()
        self._outlined.clear()
        self._headed.clear()
        for form, held in self._shown.values():
            self._note(held[0].unit, form)
        self.used = self.costs.used(self.pieces)

    def _worth(self) -> float:
        """What all that is shown counts for."""
        shown = (
            forms.worth(held[0].unit, form, self._weights) for form, held in self._shown.values()
        )
        return sum(shown) + self._weights.breadth * sum(self._opened.values())

    def _state(self) -> _State:
        return dict(self._shown), set(self._copies), self._twins.copy()

    def _restore(self, state: _State) -> None:
        self._shown, self._copies, self._twins = state
        self._recall()

    def _note(self, unit: Unit, form: Form) -> None:
        """Remember what need not be paid for again."""
        path = unit.chunk.path
        self._opened[path] = max(self._opened.get(path, 0.0), unit.worth)
        if unit.held:
            return
        shown = {(path, i) for i in forms.defined(unit, form)}
        above = {(path, symbol.id) for symbol in unit.context} if form > Form.NAMED else set()
        if form == Form.NAMED or above - self._headed:
            self._outlined.add(path)
        self._headed |= shown | above
