"""Selects items under a token budget that is never exceeded. Pure.

A greedy selection in passes over the ranked items:

1. warnings, up to `WARNING_SHARE` of the tokens and of the number of items;
2. one warning where that share held none, one need and one convention, if they fit, unless that
   share is less than one item;
3. everything by score, where warnings keep to their share of the tokens;
4. everything again, so that tokens that are left over may go to more warnings.

An item is taken whole, else by its summary, else passed over. The finished text is counted as a
whole; while it is too long, the item that was taken last is dropped.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from satchel.knowledge.model import Item, Kind
from satchel.knowledge.ranking.presets import WARNING_SHARE
from satchel.knowledge.ranking.score import ScoredItem

CountTokens = Callable[[str], int]
# After this many items in a row that do not fit, the rest of the budget stays unused: looking
# further costs a rendering and a count for each item and seldom finds one that is short enough.
_MAX_MISSES = 12
# Tokens are rarely longer than this, so a block with more characters than the tokens left could
# hold is passed over without counting it.
_MAX_TOKEN_CHARACTERS = 12


class FittingItem(Struct, frozen=True):
    """An item of a pack; `short` when only its summary is given."""

    ranked: ScoredItem
    short: bool = False

    @property
    def item(self) -> Item:
        """The item itself."""
        return self.ranked.item


class OmittedItem(Struct, frozen=True):
    """An item that was considered and is not shown."""

    item: Item
    reason: str


class ItemTotals(Struct, frozen=True):
    """The counts that a reply states about itself."""

    used_tokens: int
    budget: int
    considered: int
    packed: int


class Layout(Protocol):
    """A format of replies."""

    def block(self, shown: FittingItem) -> str:
        """The text of one item, with what separates it from the next."""

    def whole(self, shown: Sequence[FittingItem], totals: ItemTotals) -> str:
        """The whole reply."""


class FittingItems(Struct, frozen=True):
    """A reply: `text` is exactly what the caller gets; `shown` is best first."""

    text: str
    shown: tuple[FittingItem, ...]
    omitted: tuple[OmittedItem, ...]
    totals: ItemTotals


def fit_items(
    ranked: Sequence[ScoredItem], layout: Layout, budget: int, limit: int, count: CountTokens
) -> FittingItems:
    """The best of `ranked` in at most `budget` tokens and `limit` items.

    A budget that is smaller than the frame of the layout gives that frame, empty.
    """
    if len(ranked) <= limit:
        # Mostly everything fits: one count of the whole then replaces a count of every item.
        everything = [FittingItem(one) for one in ranked]
        text, totals = _render(everything, layout, budget, len(ranked), count)
        if totals.used_tokens <= budget:
            return FittingItems(text, tuple(everything), (), totals)
    # The frame is counted with the largest numbers that it could state of itself.
    frame = layout.whole((), ItemTotals(budget, budget, len(ranked), len(ranked)))
    available = max(budget - count(frame), 0)
    selection = _Selection(layout, count, available, limit)
    warning_tokens = int(available * WARNING_SHARE)
    n_warnings = int(limit * WARNING_SHARE)
    selection.take([one for one in ranked if _is_warning(one)], warning_tokens, n_warnings)
    # A reply of a few items belongs to the best matches: then no kind is favoured.
    for kind in (Kind.WARNING, Kind.NEED, Kind.CONVENTION) if n_warnings else ():
        if not selection.has(kind):
            selection.reserve_best([one for one in ranked if one.item.kind == kind])
    selection.take(ranked, warning_tokens, limit)
    selection.take(ranked, available, limit)
    return _finish(selection.shown, ranked, layout, budget, limit, count)


def _is_warning(one: ScoredItem) -> bool:
    return one.item.kind == Kind.WARNING


class _Selection:
    """The items selected so far and the tokens that they take."""

    def __init__(self, layout: Layout, count: CountTokens, available: int, limit: int) -> None:
        self.shown: list[FittingItem] = []
        self._available = available
        self._layout = layout
        self._count = count
        self._limit = limit
        self._used = self._warning_tokens = 0
        self._taken: set[str] = set()

    def take(self, ranked: Sequence[ScoredItem], warning_tokens: int, most: int) -> None:
        """Take what fits, in order, until there are `most` items; warnings only while all of them
        together take no more than `warning_tokens`.
        """
        # Misses of warnings and of others are counted apart: that the warnings' share is full says
        # nothing about the rest of the budget.
        misses = {True: 0, False: 0}
        for one in ranked:
            if len(self.shown) >= min(most, self._limit):
                return
            warns = _is_warning(one)
            if one.item.id in self._taken or misses[warns] == _MAX_MISSES:
                continue
            left = self._available - self._used
            if warns:
                left = min(left, warning_tokens - self._warning_tokens)
            misses[warns] = 0 if self._try(one, left) else misses[warns] + 1

    def has(self, kind: Kind) -> bool:
        """Whether an item of a kind is selected."""
        return any(shown.item.kind == kind for shown in self.shown)

    def reserve_best(self, ranked: Sequence[ScoredItem]) -> None:
        """Take the first that fits."""
        if len(self.shown) < self._limit:
            any(self._try(one, self._available - self._used) for one in ranked)

    def _try(self, one: ScoredItem, left: int) -> bool:
        if one.item.id in self._taken:
            return False
        for shown in (FittingItem(one), FittingItem(one, short=True)):
            block = self._layout.block(shown)
            if len(block) > left * _MAX_TOKEN_CHARACTERS:
                continue
            cost = self._count(block)
            if cost <= left:
                self._used += cost
                self._warning_tokens += cost if _is_warning(one) else 0
                self._taken.add(one.item.id)
                self.shown.append(shown)
                return True
        return False


def _finish(
    chosen: Sequence[FittingItem],
    ranked: Sequence[ScoredItem],
    layout: Layout,
    budget: int,
    limit: int,
    count: CountTokens,
) -> FittingItems:
    place = {one.item.id: n for n, one in enumerate(ranked)}
    kept = list(chosen)
    while True:
        shown = sorted(kept, key=lambda one: place[one.item.id])
        text, totals = _render(shown, layout, budget, len(ranked), count)
        if totals.used_tokens <= budget or not kept:
            break
        kept.pop()  # blocks joined may count for more tokens than each by itself
    ids = {one.item.id for one in shown}
    reason = "limit" if len(shown) >= limit else "budget"
    omitted = tuple(OmittedItem(one.item, reason) for one in ranked if one.item.id not in ids)
    return FittingItems(text, tuple(shown), omitted, totals)


def _render(
    shown: Sequence[FittingItem], layout: Layout, budget: int, considered: int, count: CountTokens
) -> tuple[str, ItemTotals]:
    """The text of some items, which states its own number of tokens, and its totals.

    Stating the number may change it, so the text is written until the number is stable; where it
    never is, the totals have the count of the last text.
    """
    totals = ItemTotals(0, budget, considered, len(shown))
    for _ in range(5):
        text = layout.whole(shown, totals)
        used = count(text)
        if used == totals.used_tokens:
            break
        totals = ItemTotals(used, budget, considered, len(shown))
    return text, ItemTotals(count(text), budget, considered, len(shown))
