"""The pieces of a pack while it is filled: whole units in order while they fit. Pure.

A piece is never given up for another one. A unit inside one that is shown adds nothing; a unit
around others takes their place. `bench/RESULTS.md` says what each rule is worth
against the plainest pack, which is this loop over ranked chunks and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler import render
from satchel.assembler.kinds import Detail
from satchel.assembler.packing import forms, shown
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.forms import Interest
from satchel.assembler.packing.near_duplicates import NearDuplicates
from satchel.assembler.packing.shown import Piece
from satchel.assembler.packing.units import Key, Unit
from satchel.store import token_estimate
from satchel.store.model import RepoPath

_LEAST_PART = 100
"""Tokens that a part of a function takes to be worth its heading."""
_LEAST = 40
"""Tokens in which nothing more is shown."""
_PART_MARGINS = (0.9, 0.7)
"""Shares of the room that a part is made for: estimates are off by a tenth and more, so one that
comes out too long is made again."""
_SURE = 0.7
"""A unit is refused by its estimate if this part of it is too much: estimates may be too high."""
_MAX_COPIES_NAMED = 4
"""Places of copies that are named with a piece; further ones are only counted, in the receipt."""


class Limits(Struct, frozen=True):
    """Tokens for everything, for one unit, for a part of one, and for neighbours together."""

    total: float
    unit: float
    part: float
    structure: float = 0.0


class Selection:
    """What is shown so far, and what it costs: `used` tokens, never less than it will be."""

    def __init__(self, costs: Costs, interest: Interest, alike: float) -> None:
        """`alike` is the share of lines from which one unit is a copy of another (0..1)."""
        self.costs = costs
        self.interest = interest
        self._shown: dict[Key, Piece] = {}
        self._opened: dict[RepoPath, int] = {}
        self._near_duplicates: NearDuplicates[Key] = NearDuplicates(alike)
        # Units are offered in several rounds, so estimates and trimmed forms are kept between
        # them.
        self._estimates: dict[Key, float] = {}
        self._known: dict[Key, Piece] = {}
        self._comments_kept: dict[Key, float] = {}
        self._structure = 0
        self.used = 0

    @property
    def pieces(self) -> list[Piece]:
        """What is shown, in the order in which it was chosen."""
        return list(self._shown.values())

    def shows(self, unit: Unit) -> bool:
        """Whether a unit is shown, by itself or within another."""
        # A hunk shows its lines as they are now, among those that it removed.
        return unit.key in self._shown or any(
            first <= unit.first and unit.last <= last
            for piece in self._shown.values()
            if piece.unit.chunk.path == unit.chunk.path
            for first, last in piece.reach
        )

    def _of_file(self, path: RepoPath) -> list[Piece]:
        if path not in self._opened:
            return []
        return [p for p in self._shown.values() if p.unit.chunk.path == path and not p.quoted]

    def fill(
        self, units: Iterable[Unit], limits: Limits, *, until: float = math.inf, n_parts: int = 0
    ) -> None:
        """Show units in order, whole while they fit, until so many tokens are used.

        The parts that match are shown of one that is longer than its share, and of the first
        `n_parts` of those that do not fit.
        """
        for unit in units:
            if limits.total - self.used < _LEAST or self.used >= until:
                return
            if self.take_whole(unit, limits):
                continue
            if not unit.is_neighbour and (n_parts or self.estimate(unit) > limits.unit):
                n_parts -= self.take_part(unit, limits)

    def take_whole(self, unit: Unit, limits: Limits) -> bool:
        """Show all of a unit if it fits the limits; whether it is shown now, perhaps as a copy."""
        if self.shows(unit):
            return True
        if unit.sent_in:
            return self.show(Piece(unit), limits.total)
        most = self._most(unit, limits)
        # Exact counts are expensive, so what clearly does not fit is refused by its estimate.
        if self.estimate(unit) * _SURE > most:
            return False
        # A copy is asked for after the estimate, since it compares the lines of everything that is
        # shown.
        if self._is_copy(unit, limits.total):
            return True
        piece = self._trimmed(unit)
        cost = self.costs.of(piece)
        if cost > most:
            return False
        spare = min(self._comments_kept.get(unit.key, 0.0), most - cost)
        full = forms.whole(unit)
        if spare > 0 and self.costs.of(full) - cost <= spare and self.show(full, limits.total):
            return True
        return self.show(piece, limits.total)

    def _most(self, unit: Unit, limits: Limits) -> float:
        """Tokens that a unit may take."""
        left = min(limits.total - self.used, limits.unit)
        return min(left, limits.structure - self._structure) if unit.is_neighbour else left

    def estimate(self, unit: Unit) -> float:
        """About how many tokens a unit takes without its long comments, to about 13 %."""
        known = self._estimates.get(unit.key)
        if known is None:
            text = b"\n".join(
                line
                for first, last in self._trimmed(unit).ranges
                for line in self.costs.read(unit.chunk).between(first, last)
            )
            # The estimate is for the trimmed unit, since that is what would be shown.
            known = self._estimates[unit.key] = float(token_estimate.cumulative_tokens(text)[-1])
        return known

    def _trimmed(self, unit: Unit) -> Piece:
        if unit.key not in self._known:
            piece = forms.trimmed(unit, self.costs.read, self.interest)
            self._known[unit.key] = piece
        # The lines are the same each time, but worth and reason of a unit may have changed between
        # rounds.
        return replace(self._known[unit.key], unit=unit)

    def keep_comments(self, units: Iterable[Unit], limit: float) -> None:
        """Show some functions with their long comments, each at most `limit` tokens of these."""
        self._comments_kept |= {unit.key: limit for unit in units if unit.symbol}

    def take_part(self, unit: Unit, limits: Limits) -> bool:
        """Show the signature of a unit and what matters in it; whether that fits the limits."""
        if self.shows(unit) or unit.sent_in:
            return False
        head = 0 if unit.chunk.path in self._opened else self.costs.head(unit.chunk.path)
        available = min(self._most(unit, limits), limits.part) - head
        for share in _PART_MARGINS:
            if available * share < _LEAST_PART:
                return False
            piece = forms.part(unit, self.costs.read, self.interest, available * share)
            if piece is not None and self.show(piece, limits.total):
                return True
        return False

    def restore_comments(self, limit: float) -> None:
        """Show cut comments while they fit into `limit` tokens, in the order of the pieces."""
        # Comments come back last, because code is worth more than what is said about it.
        for key, piece in list(self._shown.items()):
            full = replace(piece, ranges=forms.whole(piece.unit).ranges)
            if piece.detail != Detail.PART or piece.is_cut:
                continue
            more = self.costs.of(full) - self.costs.of(piece)
            if self.used + more <= limit:
                self._shown[key] = full
                self.used += more

    def show(self, piece: Piece, limit: float) -> bool:
        """Show a piece in place of those that it covers; whether it fits into `limit` tokens."""
        path = piece.unit.chunk.path
        covered = [
            p
            for p in self._of_file(path)
            if not piece.quoted
            and p.is_text
            and all(
                any(a <= first and last <= b for a, b in piece.reach) for first, last in p.ranges
            )
        ]
        # Taking smaller pieces away pays for a part of the larger one, so its cost is the
        # difference.
        cost = self.costs.of(piece) - sum(self.costs.of(p) for p in covered)
        cost += 0 if path in self._opened else self.costs.head(path)
        if self.used + cost > limit:
            return False
        for other in covered:
            del self._shown[other.unit.key]
        self._shown[piece.unit.key] = piece
        self._opened[path] = self._opened.get(path, 0) + 1
        self.used += cost
        # A caller that a diff requires does not use up the share of neighbours.
        self._structure += cost if piece.unit.is_neighbour and piece.rank is None else 0
        if piece.is_text:
            self._near_duplicates.add(piece.unit.key, self.costs.text_of(piece.unit))
        return True

    def _is_copy(self, unit: Unit, limit: float) -> bool:
        """Whether a shown unit is a copy of this one; it then names this place, if that fits."""
        key = self._near_duplicates.of(self.costs.text_of(unit))
        original = self._shown.get(key) if key else None
        if key is None or original is None or key == unit.key:
            return False
        place = render.location(unit.chunk.path, unit.first, unit.last)
        named = shown.also(original, place)
        cost = self.costs.of(named) - self.costs.of(original)
        # A unit is offered in several rounds, and its place is named in the first. A copy that
        # cannot even be named is left out all the same: to show it again would cost more.
        is_new = place not in original.also
        if is_new and len(original.also) < _MAX_COPIES_NAMED and self.used + cost <= limit:
            self._shown[key] = named
            self.used += cost
        return True
