"""How likely each chunk of a ranking is changed by who asked for it, 0..1. Pure.

What a score is worth depends on the question: 0.3 on top of a list of 0.05 is as good as certain,
and 0.3 among two hundred of 0.29 says nothing. So a score counts against the sum of all of them.
The numbers are logistic regressions on fixes of repositories that the ranking had not seen; how
well they hold is a table in `training/ranking/README.md`. Nothing that is shipped asks for them:
packs are filled by places in the ranking.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from satchel.assembler.values import Scored

_LEAST, _MOST = 1e-9, 0.99
_STEP = 1 << 20
N_SUMMED = 300
"""Best chunks whose evidence is summed; the numbers are fitted on as many."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """From a score to the probability that a fix changes the chunk: a logistic curve.

    The evidence of a chunk is its score to a `power`. The log-odds of its probability are `base`,
    `by_score` times the log-odds of the evidence, `by_place` times ln(1 + place in the ranking)
    and `by_total` times ln(sum of all evidence). Fitted by `training.ranking.calibrate`.
    """

    power: float
    base: float
    by_score: float
    by_place: float
    by_total: float


IF_LEARNED = Calibration(2.0, 0.593, 1.048, 0.0, -0.886)
"""Of scores of the learned ranking."""
IF_SUMMED = Calibration(4.0, -0.569, 0.415, -0.572, -0.27)
"""Of weighted sums."""


def probabilities(ranked: Sequence[Scored], detail: float) -> list[float]:
    """Of each chunk of a ranking, best first, that a fix changes a line of it.

    `detail` is what `rank.detail` says of the question: from 1 on scores are those of the learned
    ranking, below they are weighted sums. The sum of all is the number of chunks that are expected
    to be changed, 1 to 2 for most questions.
    """
    numbers = IF_LEARNED if detail >= 1.0 else IF_SUMMED
    return probability([item.score for item in ranked], numbers)


def probability(scores: Sequence[float], numbers: Calibration) -> list[float]:
    """The same of bare scores, best first."""
    evidence = [min(_MOST, max(_LEAST, score**numbers.power)) for score in scores]
    total = numbers.by_total * math.log(math.fsum(evidence[:N_SUMMED]) or 1.0)
    found = []
    for place, share in enumerate(evidence):
        margin = numbers.base + numbers.by_score * math.log(share / (1 - share)) + total
        margin += numbers.by_place * math.log1p(place)
        # Exponentials and logarithms differ in their last bits between processors.
        found.append(round(_STEP / (1 + math.exp(-margin))) / _STEP)
    return found
