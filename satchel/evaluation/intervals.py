"""Means with 95 % confidence intervals by the bootstrap (Efron 1979). Pure.

The same values and seed give the same interval.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

_SEED = 19
_DRAWS = 2_000


class Interval(Struct, frozen=True):
    """A mean, and between which values it lies in 95 % of the draws, to four places."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float], seed: int = _SEED) -> Interval:
    """The mean of some cases; of differences, where cases are asked in two ways."""
    found = np.asarray(values, dtype=np.float64)
    if not len(found):
        return Interval(0.0, 0.0, 0.0)
    # Cases are drawn, not systems, so that systems are compared on the same cases.
    drawn = np.random.default_rng(seed).integers(0, len(found), (_DRAWS, len(found)))
    low, high = np.percentile(found[drawn].mean(axis=1), [2.5, 97.5])
    return Interval(*(round(float(each), 4) for each in (found.mean(), low, high)))
