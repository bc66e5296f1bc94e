"""Signals from the call graph: callers and callees of a good match are likelier to be meant.

One step from the best matches, in both directions: a function that a match calls, or that calls it.
How good that match is, against the best of all, is the signal. Pure.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from satchel.assembler.query.read_query import Query
from satchel.assembler.ranking import rank
from satchel.assembler.ranking.signals import Links
from satchel.assembler.values import Scored
from satchel.assembler.weights import Linking, Weights
from satchel.store.model import FUNCTIONS, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord


def boost_linked(snapshot: Snapshot, ranked: Sequence[Scored], weights: Linking) -> list[Scored]:
    """The ranking with one more signal, "linked": the best score of a caller or callee, 0..1.

    No chunk is added: what the question has no word for is for expansion to find.
    """
    # The list is ordered best first, so its first score is the scale for all others.
    top = ranked[0].score if ranked else 0.0
    if not top:
        return list(ranked)
    scores = {item.chunk.id: item.score / top for item in ranked}
    linked: dict[int, float] = {}
    for one, other in _pairs(snapshot, ranked, weights.sources):
        # The best link counts and not their sum: a function with many callers would come up by
        # that alone.
        linked[one] = max(scores[other], linked.get(one, 0.0))
        linked[other] = max(scores[one], linked.get(other, 0.0))
    if not linked:
        return list(ranked)
    boosted = (
        rank.with_signal(item, "linked", linked.get(item.chunk.id, 0.0), weights.weight)
        for item in ranked
    )
    return sorted(boosted, key=rank.order)


def boost_used(
    snapshot: Snapshot, asked: Query, ranked: Sequence[Scored], weights: Weights
) -> list[Scored]:
    """The ranking with one more signal, "used": that other files with matches use the file.

    A question about the code means what carries the subject, and words alone find its variants and
    users as well. A score grows by `used` times ln(1 + the scores of those files, against the
    best); all scores are scaled alike, so that they stay within 0..1.
    """
    worth = weights.link.used * (1.0 - rank.detail(asked, weights.penalty))
    # Who asks for one name wants where it is defined, not what carries most.
    if asked.symbol or not worth or not ranked:
        return list(ranked)
    best: dict[RepoPath, float] = {}
    for item in ranked:
        best.setdefault(item.chunk.path, item.score / (ranked[0].score or 1.0))
    votes: dict[RepoPath, float] = {}
    for user, used in snapshot.symbols.files_used(list(best)[: weights.link.sources]):
        votes[used] = votes.get(used, 0.0) + best[user]
    gains = {
        path: round(worth * math.log1p(votes[path]) * rank.STEP) / rank.STEP
        for path in best
        if path in votes
    }
    if not gains:
        return list(ranked)
    scale = 1 / (1 + max(gains.values()))
    boosted = (
        rank.scaled(
            rank.with_signal(item, "used", item.score, gain) if gain else item, (1 + gain) * scale
        )
        for item in ranked
        for gain in (gains.get(item.chunk.path, 0.0),)
    )
    return sorted(boosted, key=rank.order)


def links(snapshot: Snapshot, ranked: Sequence[Scored], n_best: int) -> Links:
    """How many sure edges reach and leave ranked chunks; those to the best ones apart."""
    row = {item.chunk.id: number for number, item in enumerate(ranked)}
    # Symbols by the places of their chunks in the ranking.
    row_of = {
        symbol: row[chunk]
        for chunk, symbols in snapshot.chunks.symbols_in(row).items()
        for symbol in symbols
    }
    callers, tests, callees, others, functions = ([0] * len(ranked) for _ in range(5))
    for symbol, is_test, n_users in snapshot.symbols.edge_counts(row_of):
        (tests if is_test else callers)[row_of[symbol]] += n_users
    for record in snapshot.symbols.by_id(row_of):
        functions[row_of[record.id]] += record.kind in FUNCTIONS
    ends = Counter(
        (row_of[user], row_of.get(used)) for user, used in snapshot.symbols.uses_of(row_of)
    )
    top = ranked[0].score or 1.0
    scores = [item.score / top for item in ranked]
    best_caller, best_callee = ([0.0] * len(ranked) for _ in range(2))
    # Most edges leave the ranking, and many tie the same two chunks.
    for (one, other), n_edges in ends.items():
        callees[one] += n_edges
        if other is None or other == one:
            continue
        others[one] += n_edges * (other < n_best)
        others[other] += n_edges * (one < n_best)
        best_caller[other] = max(scores[one], best_caller[other])
        best_callee[one] = max(scores[other], best_callee[one])
    counted = (callers, tests, callees, others, best_caller, best_callee, functions)
    return Links(*(np.array(counts, dtype=np.float64) for counts in counted))


def _pairs(
    snapshot: Snapshot, ranked: Sequence[Scored], n_sources: int
) -> Iterable[tuple[int, int]]:
    """Ids of two chunks of the ranking that an edge ties, one of them among its best."""
    best = [item.chunk.id for item in ranked[:n_sources]]
    chunk_of = {s: c for c, symbols in snapshot.chunks.symbols_in(best).items() for s in symbols}
    sources = list(chunk_of)
    edges = (*snapshot.symbols.edges_from(sources), *snapshot.symbols.edges_to(sources))
    # For each symbol whose name stands in a chunk of the ranking, the last such chunk.
    chunks: dict[RepoPath, list[ChunkRecord]] = {}
    # Where a definition line lies in two chunks the later one wins, so they are walked by id and
    # not by rank: the outcome must not depend on scores.
    for item in sorted(ranked, key=lambda item: item.chunk.id):
        chunks.setdefault(item.chunk.path, []).append(item.chunk)
    ends = sorted({end for edge in edges for end in (edge.source, edge.target)})
    chunk_of |= {
        symbol.id: chunk.id
        for symbol in snapshot.symbols.by_id(ends)
        # The name of a module, which lies in nothing, stands nowhere.
        if symbol.parent_id
        for chunk in chunks.get(symbol.path, ())
        if chunk.span.start_line <= symbol.line <= chunk.span.end_line
    }
    for edge in edges:
        one, other = chunk_of.get(edge.source), chunk_of.get(edge.target)
        # Functions of one chunk that call each other say nothing of whether the chunk is meant.
        if one is not None and other is not None and one != other:
            yield one, other
