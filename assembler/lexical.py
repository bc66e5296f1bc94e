"""BM25F over the chunks of a snapshot. Pure: postings in, scores out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assembler.weights import TermWeights
from store.postings import Columns, length_table
from store.snapshot import Snapshot

_LENGTHS = length_table()


@dataclass(frozen=True, slots=True)
class Matches:
    """Chunks that hold a query term, ascending by id, with what each term gave to each.

    `scores[i]` belongs to `chunks[i]`; `idf[j]` to query term j. `found[i]` is the share of the
    query's idf mass that chunk i matches at all, in 0..1.
    """

    chunks: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    found: npt.NDArray[np.float64]
    idf: dict[str, float]


def search(
    snapshot: Snapshot,
    terms: tuple[tuple[str, float], ...],
    allowed: npt.NDArray[np.int64] | None,
    weights: TermWeights,
) -> Matches:
    """Score every chunk (of `allowed`, if given) that holds any of the (term, weight) pairs."""
    n_chunks = snapshot.terms.n_chunks()
    norms = _norms(weights, snapshot.terms.mean_lengths())
    boosts = weights.boosts()
    parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], float]] = []
    idf: dict[str, float] = {}
    for term, weight in terms:
        columns = snapshot.terms.postings(term)
        if not len(columns.chunks):
            idf[term] = 0.0
            continue
        chunks, frequency = _weighted_frequency(columns, boosts, norms)
        rarity = _idf(n_chunks, len(chunks))
        idf[term] = rarity
        if allowed is not None:
            keep = np.isin(chunks, allowed, assume_unique=True)
            chunks, frequency = chunks[keep], frequency[keep]
        gain = weight * rarity * frequency / (weights.k1 + frequency)
        parts.append((chunks, gain, weight * rarity))
    return _summed(parts, idf)


def _summed(
    parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], float]],
    idf: dict[str, float],
) -> Matches:
    if not parts:
        return Matches(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), idf)
    chunks = np.unique(np.concatenate([part[0] for part in parts]))
    scores, found = np.zeros(len(chunks)), np.zeros(len(chunks))
    total = sum(part[2] for part in parts)
    for ids, gain, mass in parts:
        at = np.searchsorted(chunks, ids)
        scores[at] += gain
        found[at] += mass / total if total else 0.0
    return Matches(chunks, scores, found, idf)


def _norms(weights: TermWeights, means: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """1 / (1 - b + b * length / mean length), for each field and length code."""
    b = weights.bs()[:, None]
    return 1.0 / (1.0 - b + b * _LENGTHS[None, :] / means[:, None])


def _weighted_frequency(
    columns: Columns, boosts: npt.NDArray[np.float64], norms: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Distinct chunks and the boosted, length-normalised frequency of one term in each."""
    fields = columns.fields
    frequency = columns.counts * boosts[fields] * norms[fields, columns.lengths]
    starts = np.flatnonzero(np.diff(columns.chunks, prepend=-1))
    return columns.chunks[starts], np.add.reduceat(frequency, starts)


def _idf(n_chunks: int, n_holding: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), never negative (Lucene's form of BM25's)."""
    return float(np.log1p((n_chunks - n_holding + 0.5) / (n_holding + 0.5)))
