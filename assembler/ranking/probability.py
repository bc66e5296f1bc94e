"""How likely each chunk of a ranking is changed by who asked for it, 0..1. Pure.

What a score is worth depends on the question: 0.3 on top of a list of 0.05 is as good as certain,
and 0.3 among two hundred of 0.29 says nothing. So a score counts against the sum of all of them.
The numbers are logistic regressions on fixes of repositories that the ranking had not seen; how
well they hold is a table in `training/ranking/README.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from satchel.assembler.values import Scored
from satchel.assembler.weights import Calibration, Weights

_LEAST, _MOST = 1e-9, 0.99
_STEP = 1 << 20
N_SUMMED = 300
"""Best chunks whose evidence is summed; the numbers are fitted on as many."""


def probabilities(ranked: Sequence[Scored], detail: float, weights: Weights) -> list[float]:
    """Of each chunk of a ranking, best first, that a fix changes a line of it.

    `detail` is what `rank.detail` says of the question: from 1 on scores are those of the learned
    ranking, below they are weighted sums. The sum of all is the number of chunks that are expected
    to be changed, 1 to 2 for most questions.
    """
    numbers = weights.changed_if_learned if detail >= 1.0 else weights.changed_if_summed
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
