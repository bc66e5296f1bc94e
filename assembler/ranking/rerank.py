"""The best of the weighted sum in the order of the learned model, for who wants a change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from satchel.assembler.query.read_query import Query, Topic
from satchel.assembler.ranking import graph_signals, rank, signals
from satchel.assembler.ranking.candidates import Found
from satchel.assembler.ranking.path_roles import place_of
from satchel.assembler.ranking.signals import Floats
from satchel.assembler.values import Scored
from satchel.assembler.weights import Weights
from satchel.store.reading.snapshot import Snapshot

_BASE = "prior"
_NAMES = np.array(signals.NAMES, dtype=np.object_)


def rerank(
    snapshot: Snapshot, asked: Query, found: Found, ranked: Sequence[Scored], weights: Weights
) -> list[Scored]:
    """The ranking with its best `weights.learned_pool` in the model's order.

    A score is then the square root of the probability that a fix changes the chunk. What ranks
    below keeps its order and gets scores below. A question about the code (`rank.detail` under 1)
    stays as it is: the model was not better there.
    """
    best = ranked[: weights.learned_pool]
    if not best or not found.matches.entries or rank.detail(asked, weights.penalty) < 1.0:
        return list(ranked)
    from satchel.assembler.ranking import learned  # most questions ask for no change

    model = learned.shipped()
    measured = measure(snapshot, asked, found, best, weights)
    # It learned from product code alone, so tests are lowered as they are in the sum.
    is_aside = [item.chunk.is_test and Topic.TESTS not in asked.topics for item in best]
    factors = np.where(is_aside, weights.penalty.test, 1.0)
    base, parts = model.parts(measured)
    scores = factors * np.sqrt(model.probabilities(base + parts.sum(axis=1)))
    scores = np.round(scores * rank.STEP) / rank.STEP
    # What each signal adds to each score; the parts of a margin, in proportion. Margins are counted
    # from the least there can be, so that all are positive.
    base -= model.least
    scale = scores / np.maximum(base + parts.sum(axis=1), 1e-9)
    shares = _named(parts, scale, base * scale)
    named = zip(best, scores.tolist(), shares, strict=True)
    lifted = [Scored(item.chunk, score, share) for item, score, share in named]
    return sorted(lifted, key=rank.order) + _below(ranked[len(best) :], float(scores.min()))


def _named(parts: Floats, scale: Floats, first: Floats) -> list[dict[str, float]]:
    """What each signal adds to each score, by name; most parts are 0, and those are left out."""
    rows, columns = np.nonzero(parts)
    values = (parts[rows, columns] * scale[rows]).tolist()
    names = _NAMES[columns].tolist()
    ends = np.searchsorted(rows, np.arange(len(parts)), "right").tolist()
    shares: list[dict[str, float]] = []
    for base, start, end in zip(first.tolist(), [0, *ends], ends, strict=False):
        shares.append({_BASE: base})
        shares[-1].update(zip(names[start:end], values[start:end], strict=True))
    return shares


def measure(
    snapshot: Snapshot, asked: Query, found: Found, best: Sequence[Scored], weights: Weights
) -> Floats:
    """The signals of the best candidates, in their order; see `signals.NAMES`."""
    by_id = {candidate.chunk.id: candidate for candidate in found.candidates}
    listed = [by_id[item.chunk.id] for item in best]
    places = [place_of(c.chunk.path, c.chunk.language, c.chunk.is_test) for c in listed]
    rows = rank.measure(asked, listed, places, found.idf)
    of_sum = {c.chunk.id: row for c, row in zip(listed, rows.tolist(), strict=True)}
    links = graph_signals.links(snapshot, best, signals.N_LINKED)
    layout = snapshot.chunks.layout()
    made = signals.QueryContext(asked, found.matches, layout, weights)
    return signals.measure(made, best, of_sum, links)


def _below(rest: Sequence[Scored], ceiling: float) -> list[Scored]:
    """Candidates that the model did not see, below those that it did."""
    top = rest[0].score if rest else 1.0
    factor = ceiling / top
    return [rank.scaled(item, factor) for item in rest]
