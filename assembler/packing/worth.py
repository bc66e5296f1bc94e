"""How likely a unit is to be what was asked for, up to a common factor. Pure.

The worth is a product of powers of the place in the ranking, the place of the file, the size, and
the question's words in the text and in the name. For a change, places count and scores do not,
because the same score means different things in two repositories. For a question in words, which
wants many files, scores count. The exponents were fitted by logistic regression on 462 fixes of 42
repositories and, for comparison, on the 287 development fixes. Each fit beat the earlier exponents
on the fixes of the other set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.units import Unit
from satchel.assembler.query.qualified import qualifier
from satchel.assembler.query.read_query import means
from satchel.assembler.values import Scored
from satchel.assembler.weights import Packing
from satchel.store.model import SymbolKind

_TIGHT, _ROOMY = 1_500, 3_500
"""Tokens of excerpts up to which `Packing.linked_one` holds for all, and from which `linked`."""
_ENOUGH, _AMPLE = 4_000, 8_000
"""The same where one place is meant, for `linked_one` and `linked_one_ample`."""


class RankPosition(Struct, frozen=True):
    """Where the chunk of a unit ranks: its `place` among chunks, and that of its file among files
    by their best chunks, both from 0.

    `share` is its score over the best of all, in 0..1. `detail` says how far one place is meant and
    all of it (1), or many files (0): then scores count, and not in which file a chunk is.
    """

    place: int
    file_place: int
    share: float
    detail: float


def best_in_words(items: Sequence[Scored]) -> float:
    """The best score (0..1) of some matches without what quotations add; 0 of none.

    A quotation outweighs all that words say, so the score of what it boosts is no measure for the
    other matches.
    """
    plain = (item.score - item.shares.get("quoted", 0.0) for item in items)
    return max(plain, default=0.0) or max((item.score for item in items), default=0.0)


def worth(
    unit: Unit, text: bytes, at: RankPosition, idf: Mapping[str, float], weights: Packing
) -> float:
    """The worth of a unit with this text."""
    value = (
        (1 + at.place) ** -weights.by_place
        * (1 + at.file_place) ** -(weights.by_file * at.detail)
        * (at.share + weights.least_share) ** (weights.by_score * (1 - at.detail))
        # The lines that bring in a file and end a block say too little to be chosen for being few.
        * max(3, unit.n_lines) ** -weights.by_size
    )
    total = sum(idf.values())
    if not total:
        return float(value)
    lowered = text.decode("utf-8", "replace").lower()
    matched = sum(r for term, r in idf.items() if term in lowered)
    name = unit.name.name.lower() if unit.name else ""
    named = sum(r for term, r in idf.items() if term in name)
    # The small constants keep a unit without any of the words from being worth nothing.
    value *= (matched / total + weights.least_words) ** weights.by_words * math.exp(
        weights.by_name * named / total
    )
    return float(value)


def of_addition(weights: Packing) -> Packing:
    """The weights for a task that adds something, which touches more files than a fix, and types
    and tables as often as functions."""
    return replace(weights, by_file=weights.by_file_added, between=weights.between_added)


def of_kind(unit: Unit, *, detail: float, wants_tests: bool, weights: Packing) -> float:
    """The factor, in 0..1, that lowers code between functions where one place is meant, and tests
    that were not asked for.
    """
    factor = 1.0 if unit.symbol else 1 - detail * (1 - weights.between)
    is_aside = unit.chunk.is_test and not wants_tests
    return factor * (weights.test if is_aside else 1.0)


def named(unit: Unit, names: Sequence[str], weights: Packing) -> Unit:
    """The unit, worth more if the question writes its name.

    A constructor counts as named only where its class is written before it.
    """
    name = unit.name
    if name is not None and name.kind == SymbolKind.CONSTRUCTOR:
        names = [written for written in names if qualifier(written)]
    if name is None or not any(means(n, name.name, name.qualified_name) for n in names):
        return unit
    return replace(unit, worth=unit.worth * weights.named)


def strictness(budget: int, weights: Packing) -> float:
    """The factor on the least relevance of a match, 1 (large packs) to `most_relevance` (small).

    A larger budget asks for lesser matches as well.
    """
    return min(weights.most_relevance, max(1.0, weights.relevance_budget / budget))


def min_share(budget: int, inputs: PackInputs, weights: Packing) -> float:
    """The share of the best worth below which a pack of `budget` tokens shows nothing."""
    small_pack_factor = inputs.weighed(1.0, weights.small_pack_factor)
    return weights.min_worth_share * float(small_pack_factor ** (strictness(budget, weights) - 1))


def linked_factor(available: float, inputs: PackInputs, weights: Packing) -> float:
    """The factor for a match that is also a neighbour in the call graph (1 or more).

    It grows with the pack. For a question about many files a small pack says which files answer,
    and a larger one shows how their functions work together. Where one place is meant, the best
    matches come first; what is linked to them comes in the room beyond.
    """
    many = _between(available, _TIGHT, weights.linked_one, _ROOMY, weights.linked)
    one = _between(available, _ENOUGH, weights.linked_one, _AMPLE, weights.linked_one_ample)
    return inputs.weighed(many, one)


def _between(at: float, low: float, value_low: float, high: float, value_high: float) -> float:
    """`value_low` up to `low`, `value_high` from `high` on, and on the line from one to the other
    between them."""
    share = min(1.0, max(0.0, (at - low) / (high - low)))
    return value_low + share * (value_high - value_low)
