"""Choose items under a budget that is never exceeded. Pure.

Warnings first, up to their share of the tokens and of the places; then one convention and one need,
if they fit and that share is a place at least; then everything by score, warnings within their
share of the tokens, passing over what does not fit whole or as its summary. Whatever is left over
may hold more warnings. So a few places go to the best matches alone. The finished text is counted
as a whole; while it is too long, the least item goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from satchel.knowledge.model import Item, Kind
from satchel.knowledge.ranking.presets import WARNING_SHARE
from satchel.knowledge.ranking.score import ScoredItem

CountTokens = Callable[[str], int]
# Items in a row that do not fit, after which what is left of a budget is left.
_MAX_MISSES = 12
# Characters that a token rarely exceeds: a longer block need not be counted to be passed over.
_MAX_TOKEN_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class PackedItem:
    """An item of a pack; `short` when only its summary is given."""

    ranked: ScoredItem
    short: bool = False

    @property
    def item(self) -> Item:
        """The item itself."""
        return self.ranked.item


@dataclass(frozen=True, slots=True)
class OmittedItem:
    """An item that was considered and is not shown."""

    item: Item
    reason: str


@dataclass(frozen=True, slots=True)
class PackTotals:
    """What a reply says of itself."""

    used_tokens: int
    budget: int
    considered: int
    packed: int


class Layout(Protocol):
    """A way to write a pack."""

    def block(self, shown: PackedItem) -> str:
        """One item."""

    def whole(self, shown: Sequence[PackedItem], totals: PackTotals) -> str:
        """The whole reply."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A reply: `text` is exactly what is handed over; `shown` is best first."""

    text: str
    shown: tuple[PackedItem, ...]
    omitted: tuple[OmittedItem, ...]
    totals: PackTotals


def pack(
    ranked: Sequence[ScoredItem], layout: Layout, budget: int, limit: int, count: CountTokens
) -> Pack:
    """The best of `ranked` in at most `budget` tokens and `limit` items.

    A budget that is smaller than the frame of the layout gives that frame, empty.
    """
    if len(ranked) <= limit:
        everything = [PackedItem(one) for one in ranked]
        text, totals = _render(everything, layout, budget, len(ranked), count)
        if totals.used_tokens <= budget:
            return Pack(text, tuple(everything), (), totals)
    choice = _Selection(layout, count, _available_tokens(layout, budget, len(ranked), count), limit)
    share = int(choice.room * WARNING_SHARE)
    n_standing = int(limit * WARNING_SHARE)
    choice.take([one for one in ranked if _is_warning(one)], share, n_standing)
    for kind in (Kind.CONVENTION, Kind.NEED) if n_standing else ():
        choice.take_one([one for one in ranked if one.item.kind == kind])
    choice.take(ranked, share, limit)
    choice.take(ranked, choice.room, limit)
    return _finish(choice.shown, ranked, layout, budget, limit, count)


def _is_warning(one: ScoredItem) -> bool:
    return one.item.kind == Kind.WARNING


def _available_tokens(layout: Layout, budget: int, considered: int, count: CountTokens) -> int:
    frame = layout.whole((), PackTotals(budget, budget, considered, considered))
    return max(budget - count(frame), 0)


class _Selection:
    """The items chosen so far and what they cost."""

    def __init__(self, layout: Layout, count: CountTokens, room: int, limit: int) -> None:
        self.shown: list[PackedItem] = []
        self.room = room
        self._layout = layout
        self._count = count
        self._limit = limit
        self._used = self._warned = 0
        self._taken: set[str] = set()

    def take(self, ranked: Sequence[ScoredItem], share: int, most: int) -> None:
        """Take what fits, in order, until there are `most`; warnings while all of them together
        need no more than `share` tokens.
        """
        misses = {True: 0, False: 0}
        for one in ranked:
            if len(self.shown) >= min(most, self._limit):
                return
            warns = _is_warning(one)
            if one.item.id in self._taken or misses[warns] == _MAX_MISSES:
                continue
            room = self.room - self._used
            left = min(room, share - self._warned) if warns else room
            misses[warns] = 0 if self._try(one, left) else misses[warns] + 1

    def take_one(self, ranked: Sequence[ScoredItem]) -> None:
        """Take the first that fits."""
        if len(self.shown) < self._limit:
            any(self._try(one, self.room - self._used) for one in ranked)

    def _try(self, one: ScoredItem, left: int) -> bool:
        if one.item.id in self._taken:
            return False
        for shown in (PackedItem(one), PackedItem(one, short=True)):
            block = self._layout.block(shown)
            if len(block) > left * _MAX_TOKEN_CHARACTERS:
                continue
            cost = self._count(block)
            if cost <= left:
                self._used += cost
                self._warned += cost if _is_warning(one) else 0
                self._taken.add(one.item.id)
                self.shown.append(shown)
                return True
        return False


def _finish(
    chosen: Sequence[PackedItem],
    ranked: Sequence[ScoredItem],
    layout: Layout,
    budget: int,
    limit: int,
    count: CountTokens,
) -> Pack:
    place = {one.item.id: n for n, one in enumerate(ranked)}
    shown = sorted(chosen, key=lambda one: place[one.item.id])
    while True:
        text, totals = _render(shown, layout, budget, len(ranked), count)
        if totals.used_tokens <= budget or not shown:
            break
        shown = shown[:-1]
    ids = {one.item.id for one in shown}
    reason = "limit" if len(shown) >= limit else "budget"
    omitted = tuple(OmittedItem(one.item, reason) for one in ranked if one.item.id not in ids)
    return Pack(text, tuple(shown), omitted, totals)


def _render(
    shown: Sequence[PackedItem], layout: Layout, budget: int, considered: int, count: CountTokens
) -> tuple[str, PackTotals]:
    """The text that states its own size; at least that size, when stating it moves it."""
    totals = PackTotals(0, budget, considered, len(shown))
    for _ in range(5):
        text = layout.whole(shown, totals)
        used = count(text)
        if used == totals.used_tokens:
            break
        totals = PackTotals(used, budget, considered, len(shown))
    return text, PackTotals(count(text), budget, considered, len(shown))
