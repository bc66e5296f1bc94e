"""Metric functions over ranked rows: ranks are 1-based, costs are tokens, scores 0 to 1.

Every metric here follows from two things: at which rank each target was first shown, and how many
tokens had been spent by then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from bench.retrieval.cases import Target
from satchel.evaluation.intervals import Interval, interval

_SEED = 7
"""That of every interval in the results."""


@dataclass(frozen=True, slots=True)
class Row:
    """One result: lines `start` to `end` of `path`, and what was returned for it."""

    path: str
    start: int
    end: int
    text: str = ""


def same_path(one: str, other: str) -> bool:
    """Whether two paths are equal, or one is a "/"-suffix of the other."""
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


def covers(row: Row, target: Target) -> bool:
    """Whether a row shows at least one line of a target."""
    if not same_path(row.path, target.path):
        return False
    return not target.spans or any(row.start <= b and row.end >= a for a, b in target.spans)


def first_ranks(rows: Sequence[Row], targets: Sequence[Target]) -> list[int | None]:
    """For each target the rank of the first row that covers it, None if no row does."""
    return [
        next((rank for rank, row in enumerate(rows, 1) if covers(row, target)), None)
        for target in targets
    ]


def distinct_files(rows: Sequence[Row]) -> list[Row]:
    """The first row of each file, in order."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row.path, row)
    return list(first.values())


def ndcg(ranks: Sequence[int | None], k: int) -> float:
    """Gain of the targets found in the first `k` rows over that of all targets on top.

    Targets that one row covers together share its rank, so the quotient is cut at 1.
    """
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank is not None and rank <= k)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(ranks), k) + 1))
    return min(1.0, gain / ideal) if ideal else 0.0


def recall(ranks: Sequence[int | None], k: int) -> float:
    """Share of targets covered by the first `k` rows."""
    found = sum(1 for rank in ranks if rank is not None and rank <= k)
    return found / len(ranks) if ranks else 0.0


def rows_within(costs: Sequence[int], budget: int) -> int:
    """How many rows, taken in order, fit into `budget` tokens; the first too many ends the list."""
    return sum(1 for spent in accumulate(costs) if spent <= budget)


def coverage(rows: Sequence[Row], targets: Sequence[Target]) -> float:
    """Share of targets covered by any of the rows."""
    return recall(first_ranks(rows, targets), len(rows))


def bootstrap(values: Sequence[float]) -> Interval:
    """Mean with a percentile interval over resampled queries; the same values give the same one."""
    return interval(values, _SEED)
