"""What the call graph says about a ranking: code next to a good match is likelier to be meant.

One step from the best matches, in both directions: a function that a match calls, or that calls it.
How good that match is, against the best of all, is the signal. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assembler import rank
from assembler.values import Scored
from assembler.weights import Linking
from store.snapshot import Snapshot


def lift(snapshot: Snapshot, ranked: Sequence[Scored], weights: Linking) -> list[Scored]:
    """The ranking with being linked as a further signal; no link at all changes nothing.

    Only matches are lifted: what the question has no word for is for expansion to find.
    """
    top = ranked[0].score if ranked else 0.0
    if not top:
        return list(ranked)
    scores = {item.chunk.id: item.score / top for item in ranked}
    linked: dict[int, float] = {}
    for one, other in _pairs(snapshot, ranked, weights.sources):
        linked[one] = max(scores[other], linked.get(one, 0.0))
        linked[other] = max(scores[one], linked.get(other, 0.0))
    if not linked:
        return list(ranked)
    lifted = (
        rank.with_signal(item, "linked", linked.get(item.chunk.id, 0.0), weights.weight)
        for item in ranked
    )
    return sorted(lifted, key=rank.order)


def _pairs(
    snapshot: Snapshot, ranked: Sequence[Scored], n_sources: int
) -> Iterable[tuple[int, int]]:
    """Ids of two chunks of the ranking that an edge ties, one of them among its best."""
    defined = snapshot.chunks.symbols_in(item.chunk.id for item in ranked)
    chunk_of = {symbol: chunk for chunk, symbols in defined.items() for symbol in symbols}
    sources = [s for item in ranked[:n_sources] for s in defined.get(item.chunk.id, ())]
    for edge in (*snapshot.symbols.edges_from(sources), *snapshot.symbols.edges_to(sources)):
        one, other = chunk_of.get(edge.source), chunk_of.get(edge.target)
        if one is not None and other is not None and one != other:
            yield one, other
