"""What units are worth: how likely somebody needs them, against what showing them costs. Pure.

The likelihood is a probability in 0..1, from a logistic curve.

What a score is worth depends on the question: 0.3 on top of a list of 0.05 is as good as certain,
and 0.3 among two hundred of 0.29 says nothing. So the evidence for a chunk counts against the sum
of that for all.

`training.ranking.worth` fits the numbers; docs/decisions/packs.md says on which questions, and how
well they hold.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, structs
from msgspec.structs import replace

from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.units import Unit, words_held
from satchel.assembler.values import Scored
from satchel.assembler.weights import POOL, Packing
from satchel.store.model import RepoPath

_LEAST, MOST = 1e-6, 0.99
"""Shares and probabilities between which log-odds are taken."""
_FEWEST_LINES = 3
"""Lines that a shorter unit counts for: accessors are needed as well."""
_LEAST_WORDS = 0.02
"""Keeps a unit without any word of the question from being impossible."""
_STEP = 1 << 20
"""Parts of 1 to which probabilities are rounded: logarithms differ in their last bits between
processors."""
_BYTES_A_TOKEN = 3.6
"""Of code, about: a cost decides an order, and what is shown is counted."""
_HEADING = 20
"""Tokens of the heading of an excerpt."""


class Curve(Struct, frozen=True):
    """The log-odds of a unit are a sum; each number multiplies what it is named after.

    Evidence is the square of a score; `evidence` and `file` multiply its log-odds, that of the
    chunk and that of the best chunk of its file, and `total` the logarithm of its sum over the
    ranking.
    `size` multiplies ln(lines), `words` ln(share of the question's words in the text, by rarity),
    `name` the share of them in the name. `function` is added for one, against what lies between,
    `linked` for a match that an edge leads to, `neighbour` for what an edge alone leads to, with
    `strength` times the logarithm of the edge's.
    """

    base: float
    evidence: float
    file: float
    total: float
    size: float
    words: float
    name: float
    function: float
    linked: float
    neighbour: float
    strength: float


CURVE = Curve(-2.97, 0.79, 0.2, -0.96, 0.28, 0.3, 1.06, 2.3, 0.52, -0.16, 1.72)
_IN_WORDS = 0.5
"""Added for a question in words: it needs more functions than a fix, and what is found is less sure
(docs/decisions/packs.md, "One curve")."""


class Evidence(Struct, frozen=True):
    """What a ranking says of each chunk and file, as log-odds, and the logarithm of its sum."""

    curve: Curve
    of_chunk: Mapping[int, float]
    of_file: Mapping[RepoPath, float]
    total: float
    words: Mapping[str, float]
    """The rarity of each of the question's terms that are somewhere in the code."""
    rarity: float
    """That of all of them together, 0 for no term."""


def evidence(ranked: Sequence[Scored], inputs: PackInputs) -> Evidence:
    """The evidence of a ranking, best first."""
    curve = CURVE
    if inputs.detail < 1:
        curve = replace(curve, base=curve.base + _IN_WORDS)
    if inputs.is_addition:
        # What is added touches more files than a fix, and types and tables as often as functions.
        curve = replace(curve, base=curve.base + curve.function, function=0.0, file=0.0)
    shares = {i.chunk.id: max(i.score, i.unboosted) ** 2 for i in ranked}
    best: dict[RepoPath, float] = {}
    for item in ranked:
        best[item.chunk.path] = max(best.get(item.chunk.path, 0.0), shares[item.chunk.id])
    plain = sorted((item.unboosted for item in ranked), reverse=True)
    total = math.fsum(score * score for score in plain[:POOL])
    return Evidence(
        curve,
        {chunk: _log_odds(share) for chunk, share in shares.items()},
        {path: _log_odds(share) for path, share in best.items()},
        math.log(total or 1.0),
        {term: rarity for term, rarity in inputs.idf.items() if rarity},
        math.fsum(inputs.idf.values()),
    )


def log_odds(unit: Unit, text: bytes, known: Evidence, *, strength: float = 0.0) -> float:
    """The log-odds that a unit with this text is needed.

    `strength` is that of the edge that leads to it, 0 for none.
    """
    found = features(unit, text, known, strength)
    return math.fsum(map(operator.mul, structs.astuple(known.curve), found))


def features(unit: Unit, text: bytes, known: Evidence, strength: float) -> tuple[float, ...]:
    """What the numbers of a curve multiply, in their order."""
    found = known.of_chunk.get(unit.chunk.id)
    is_match = found is not None
    total = known.rarity
    matched = words_held(text.decode("utf-8", "replace"), known.words)
    named = words_held(unit.name.name, known.words) if unit.name else 0.0
    # A chunk was found by its words: each of its units has as much of the evidence as of these.
    least = _LEAST_WORDS * total
    share = (matched + least) / (unit.chunk_words + least) if total else 1.0
    return (
        1.0,
        found + math.log(share) if found is not None else 0.0,
        known.of_file.get(unit.chunk.path, _NO_EVIDENCE),
        known.total if is_match else 0.0,
        math.log(max(_FEWEST_LINES, unit.n_lines)),
        math.log(matched / total + _LEAST_WORDS) if total else 0.0,
        named / total if total else 0.0,
        float(unit.symbol is not None),
        float(is_match and strength > 0),
        float(not is_match),
        0.0 if is_match else math.log(max(_LEAST, strength)),
    )


def probability(log_odds: float) -> float:
    """The probability (0..1) of some log-odds."""
    return round(_STEP / (1 + math.exp(-log_odds))) / _STEP


def with_odds_times(probability: float, factor: float) -> float:
    """The probability (0..1) whose odds are `factor` times those of another one."""
    odds = factor * probability / (1 - min(probability, MOST))
    return odds / (1 + odds)


def _log_odds(share: float) -> float:
    share = min(MOST, max(_LEAST, share))
    return math.log(share / (1 - share))


_NO_EVIDENCE = _log_odds(0.0)


def weighed(
    unit: Unit,
    text: bytes,
    known: Evidence,
    inputs: PackInputs,
    weights: Packing,
    strength: float = 0.0,
) -> Unit:
    """The unit with its worth and about what it costs."""
    odds = log_odds(unit, text, known, strength=strength)
    if unit.chunk.is_test and not inputs.wants_tests:
        odds += math.log(weights.test)
    cost = len(text) / _BYTES_A_TOKEN + _HEADING
    return replace(unit, worth=probability(odds), tokens=cost)


def in_order(units: Iterable[Unit], weights: Packing) -> list[Unit]:
    """Units by what they are worth for each token they cost, best first.

    A unit that is needed and not shown costs a turn and its own tokens later. Matches that are
    next to impossible are left out; neighbours are few, and say how code hangs together.
    """

    def key(unit: Unit) -> tuple[float, tuple[str, int, int]]:
        return -density(unit, weights.order_turn), unit.key

    likely = (unit for unit in units if unit.is_neighbour or unit.worth >= weights.noise)
    return sorted(likely, key=key)


def density(unit: Unit, turn: float) -> float:
    """What showing a unit saves later, over what it costs now: above 1 it pays."""
    return unit.worth * (turn + unit.tokens) / unit.tokens
