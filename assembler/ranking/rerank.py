"""Orders the best of the weighted sum by the learned model, for questions that ask for a change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from satchel.assembler.query.read_query import Query, Topic
from satchel.assembler.ranking import graph_signals, rank, signals
from satchel.assembler.ranking.candidates import Found
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.ranking.signals import Floats
from satchel.assembler.values import Scored, Shares
from satchel.assembler.weights import N_LINKED, POOL, Weights
from satchel.store.reading.snapshot import Snapshot

if TYPE_CHECKING:
    from satchel.assembler.ranking.learned import Model

_BASE = "prior"


def rerank(
    snapshot: Snapshot, asked: Query, found: Found, ranked: Sequence[Scored], weights: Weights
) -> list[Scored]:
    """The ranking with its best `POOL` in the model's order.

    A score is then the square root of the probability that a fix changes the chunk. What ranks
    below keeps its order and gets scores below. A question about the code (`rank.detail` under 1)
    stays as it is: the model was not better there.
    """
    best = ranked[:POOL] if weights.is_learned else ()
    if not best or not found.matches.entries or rank.detail(asked, weights.penalty) < 1.0:
        return list(ranked)
    from satchel.assembler.ranking import learned  # most questions ask for no change

    model = learned.shipped()
    measured = measure(snapshot, asked, found, best, weights)
    # It learned from product code alone, so tests get their penalty here as well.
    is_aside = [item.chunk.is_test and Topic.TESTS not in asked.topics for item in best]
    factors = np.where(is_aside, weights.penalty.aside, 1.0)
    scores = factors * np.sqrt(model.probabilities(model.margins(measured)))
    scores = np.round(scores * rank.STEP) / rank.STEP
    explained = _Explained(model, measured, scores)
    reordered = [
        Scored(item.chunk, score, Shares(partial(explained.shares, row)))
        for row, (item, score) in enumerate(zip(best, scores.tolist(), strict=True))
    ]
    # Candidates that the model did not see come below those that it did.
    rest = ranked[len(best) :]
    factor = float(scores.min()) / rest[0].score if rest else 1.0
    return sorted(reordered, key=rank.order) + [rank.scaled(item, factor) for item in rest]


class _Explained:
    """What each signal adds to each score: the parts of a margin, in proportion.

    Margins are counted from the least there can be, so that all are positive.
    """

    def __init__(self, model: Model, measured: Floats, scores: Floats) -> None:
        self._model, self._measured, self._scores = model, measured, scores

    @cached_property
    def _shares_of_margin(self) -> tuple[Floats, Floats]:
        """Each score's share of the base, and of each signal."""
        base, parts = self._model.parts(self._measured)
        base -= self._model.least
        scale = self._scores / np.maximum(base + parts.sum(axis=1), 1e-9)
        return base * scale, parts * scale[:, None]

    def shares(self, row: int) -> dict[str, float]:
        """The shares of one score by name; most signals add nothing, and those are left out."""
        first, parts = self._shares_of_margin
        named = np.flatnonzero(parts[row]).tolist()
        values = parts[row, named].tolist()
        shares = {signals.NAMES[place]: value for place, value in zip(named, values, strict=True)}
        return {_BASE: float(first[row]), **shares}


def measure(
    snapshot: Snapshot, asked: Query, found: Found, best: Sequence[Scored], weights: Weights
) -> Floats:
    """The signals of the best candidates, in their order; see `signals.NAMES`."""
    by_id = {candidate.chunk.id: candidate for candidate in found.candidates}
    listed = [by_id[item.chunk.id] for item in best]
    roles = [role_of(c.chunk.path, c.chunk.language, c.chunk.is_test) for c in listed]
    of_sum = rank.measure(asked, listed, roles, found.idf)
    links = graph_signals.links(snapshot, best, N_LINKED)
    layout = snapshot.chunks.layout()
    made = signals.QueryContext(asked, found.matches, layout, weights)
    return signals.measure(made, best, of_sum, links)
