"""How likely a unit is to be what was asked for, up to a common factor. Pure.

A product of powers, fitted by logistic regression on the development cases (49,673 units of 287
fixes, repositories held out): place in the ranking, score, score of the best in the same file,
size, and words of the question in the text and in the name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from satchel.assembler.packing.units import Unit
from satchel.assembler.query.read_query import means
from satchel.assembler.weights import Packing


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the chunk of a unit stands: its `place` from 0, its score and that of the best chunk of
    its file, both over the best of all, in 0..1."""

    place: int
    share: float
    file_share: float


def worth(
    unit: Unit, text: bytes, at: Standing, rarity: Mapping[str, float], weights: Packing
) -> float:
    """Of a unit with this text."""
    value = (
        # The small constants keep a zero in one factor from erasing what the other factors say.
        (1 + at.place) ** -weights.by_place
        * (at.share + weights.least_share) ** weights.by_score
        * (at.file_share + weights.least_share) ** weights.by_file
        * max(3, unit.n_lines) ** weights.by_size
    )
    total = sum(rarity.values())
    if not total:
        return float(value)
    lowered = text.decode("utf-8", "replace").lower()
    matched = sum(r for term, r in rarity.items() if term in lowered)
    name = unit.name.name.lower() if unit.name else ""
    named = sum(r for term, r in rarity.items() if term in name)
    value *= (matched / total + weights.least_words) ** weights.by_words * math.exp(
        weights.by_name * named / total
    )
    return float(value)


def of_kind(unit: Unit, *, detail: float, wants_tests: bool, weights: Packing) -> float:
    """The factor for what a unit is: not a callable, where one place is meant; a test."""
    factor = 1.0 if unit.symbol else 1 - detail * (1 - weights.between)
    is_aside = unit.chunk.is_test and not wants_tests
    return factor * (weights.test if is_aside else 1.0)


def named(unit: Unit, names: Sequence[str], weights: Packing) -> Unit:
    """The unit, worth more if the question writes its name."""
    name = unit.name
    if name is None or not any(means(n, name.name, name.qualified_name) for n in names):
        return unit
    return replace(unit, worth=unit.worth * weights.named)
