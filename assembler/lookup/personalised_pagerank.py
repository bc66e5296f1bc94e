"""How close symbols are to some others in the call graph: personalised PageRank. Pure.

The "push" of Andersen, Chung and Lang (Local graph partitioning using PageRank vectors, 2006): mass
walks from the seeds to neighbours until less than `_LEAST` of it waits anywhere. Only the part of
the graph that mass reaches is read, whatever the size of the whole. An edge counts by its kind,
its direction and its confidence; the mass of a symbol is shared among its edges, so that a
utility that everything uses passes little on.
"""

from collections.abc import Sequence

from satchel.assembler.ranking.expand import edge_weights
from satchel.assembler.weights import EdgeWeights
from satchel.store.model import ReferenceKind
from satchel.store.reading.snapshot import Snapshot

_STAYS = 0.2
"""Share of the mass that stays where it arrives; the usual 0.15 walks further than readers do."""
_LEAST = 0.002
"""Mass that is not passed on; of 1 in all."""
_MAX_ROUNDS = 12
_MAX_AT_ONCE = 60
"""Symbols that pass mass on in one round, those with the most."""

_Edges = list[tuple[int, float]]


def personalised_pagerank(snapshot: Snapshot, seeds: Sequence[int]) -> dict[int, float]:
    """The rank of every symbol that mass from the seeds reaches, 0..1, their sum at most 1."""
    ranks: dict[int, float] = {}
    waiting = dict.fromkeys(sorted(set(seeds)), 1 / max(1, len(set(seeds))))
    known: dict[int, _Edges] = {}
    for _ in range(_MAX_ROUNDS):
        # Mass is a sum of floats, so symbols are walked in one order; ids break ties.
        active = sorted((i for i in waiting if waiting[i] > _LEAST), key=lambda i: (-waiting[i], i))
        if not active:
            break
        active = active[:_MAX_AT_ONCE]
        # Mass comes back to a symbol in later rounds, and its edges are read only once.
        known |= _neighbour_edges(snapshot, [i for i in active if i not in known])
        for symbol in active:
            mass = waiting.pop(symbol)
            ranks[symbol] = ranks.get(symbol, 0.0) + _STAYS * mass
            # A symbol without edges keeps only its share and passes nothing on, so ranks add up to
            # at most 1.
            total = sum(worth for _, worth in known[symbol])
            for other, worth in known[symbol]:
                passed = (1 - _STAYS) * mass * worth / total
                waiting[other] = waiting.get(other, 0.0) + passed
    # What still waits when the rounds are over is counted as if it had arrived and stopped.
    for symbol, mass in waiting.items():
        ranks[symbol] = ranks.get(symbol, 0.0) + _STAYS * mass
    return ranks


def _neighbour_edges(snapshot: Snapshot, ids: Sequence[int]) -> dict[int, _Edges]:
    """The neighbours of some symbols and what the way to each is worth."""
    found: dict[int, _Edges] = {i: [] for i in ids}
    weights = edge_weights(EdgeWeights())
    for edge in snapshot.symbols.edges_from(ids):
        worth = weights[ReferenceKind(edge.kind)] * edge.confidence
        found[edge.source].append((edge.target, worth))
    for edge in snapshot.symbols.edges_to(ids):
        worth = weights[ReferenceKind(edge.kind)] * edge.confidence
        found[edge.target].append((edge.source, worth))
    return found
