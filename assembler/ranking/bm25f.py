"""BM25F over the chunks of a snapshot. Pure: postings in, scores out."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.query.read_query import Term
from satchel.assembler.weights import TermWeights
from satchel.store.postings import Columns, length_table
from satchel.store.reading.chunk_layout import Layout
from satchel.store.reading.snapshot import Snapshot

# Postings hold a code for a field's length, not the length; this table gives the length back.
_LENGTHS = length_table()
_Frequencies = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]


class Matches(Struct, frozen=True):
    """Chunks that hold a query term, ascending by id, and how well they and their files match.

    `scores[i]` is the BM25F score of `chunks[i]`, `file_scores[i]` that of its whole file;
    `idf` maps each term of the query to its inverse document frequency, other spellings
    included, 0 when no chunk has any. `coverage[i]` is what the terms in `chunks[i]` are worth,
    however often they stand there. `entries` are what was read: of each term in order, its own
    and those of its other spellings, `allowed` or not.
    """

    chunks: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    file_scores: npt.NDArray[np.float64]
    idf: dict[str, float]
    coverage: npt.NDArray[np.float64]
    entries: tuple[tuple[Columns, ...], ...] = ()


class _TermHits(Struct, frozen=True):
    """One term: the chunks that hold it, its weighted frequency in each, what it is worth."""

    chunks: npt.NDArray[np.int64]
    frequency: npt.NDArray[np.float64]
    weight: float


def search(
    snapshot: Snapshot,
    terms: Sequence[Term],
    allowed: npt.NDArray[np.bool_] | None,
    weights: TermWeights,
) -> Matches:
    """Score every chunk (of those `allowed` by id) that holds any of the terms."""
    n_chunks = snapshot.terms.n_chunks()
    # 1 / (1 - b + b * length / mean length), for each field and length code.
    relative = _LENGTHS[None, :] / snapshot.terms.mean_lengths()[:, None]
    norms = 1.0 / (1.0 - weights.b + weights.b * relative)
    boosts = np.array(weights.boost)
    hits: list[_TermHits] = []
    idf: dict[str, float] = {}
    entries: list[tuple[Columns, ...]] = []
    for term in terms:
        texts = (term.text, *(term.spellings if weights.spelling else ()))
        entries.append(tuple(snapshot.terms.postings(text) for text in texts))
        found = [_weighted_frequency(columns, boosts, norms) for columns in entries[-1]]
        chunks, frequency = _together(found, weights.spelling)
        # Rarity is counted over all chunks, allowed or not, so that a term tells as much in a
        # narrow scope as in the whole tree.
        # ln(1 + (N - n + 0.5) / (n + 0.5)), never negative (Lucene's form of BM25's).
        n = len(chunks)
        idf[term.text] = float(np.log1p((n_chunks - n + 0.5) / (n + 0.5))) if n else 0.0
        if allowed is not None:
            keep = allowed[chunks]
            chunks, frequency = chunks[keep], frequency[keep]
        hits.append(_TermHits(chunks, frequency, term.weight * idf[term.text]))
    if not any(len(hit.chunks) for hit in hits):
        return Matches(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), idf, np.zeros(0))
    return replace(
        _sum_of_terms(hits, snapshot.chunks.layout(), weights, idf), entries=tuple(entries)
    )


def _sum_of_terms(
    hits: list[_TermHits], layout: Layout, weights: TermWeights, idf: dict[str, float]
) -> Matches:
    """Scores, added up in an array of all chunk ids: faster than merging what the terms have."""
    found = np.zeros(len(layout.file_of), dtype=np.bool_)
    scores = np.zeros(len(layout.file_of))
    coverage = np.zeros(len(layout.file_of))
    for hit in hits:
        found[hit.chunks] = True
        # The chunks of one hit are distinct, so adding by index loses nothing; with repeated ids
        # numpy would count only one of them.
        coverage[hit.chunks] += hit.weight
        scores[hit.chunks] += hit.weight * hit.frequency / (weights.k1 + hit.frequency)
    chunks = np.flatnonzero(found)
    scores = scores[chunks]
    files = layout.file_of[chunks]
    by_file = np.bincount(files, scores**weights.file_power, len(layout.sizes))
    norm = np.maximum(layout.sizes, 1.0) ** weights.file_b
    return Matches(chunks, scores, (by_file / norm)[files], idf, coverage[chunks])


def _weighted_frequency(
    columns: Columns, boosts: npt.NDArray[np.float64], norms: npt.NDArray[np.float64]
) -> _Frequencies:
    """Distinct chunks and the boosted, length-normalised frequency of one term in each."""
    fields = columns.fields
    frequency = columns.counts * boosts[fields] * norms[fields, columns.lengths]
    if not len(frequency):
        return columns.chunks, frequency
    # A chunk has an entry for each field that holds the term; entries are ordered by chunk, so a
    # run of equal ids is one chunk. Ids are never negative, so -1 starts the first run.
    starts = np.flatnonzero(np.diff(columns.chunks, prepend=-1))
    return columns.chunks[starts], np.add.reduceat(frequency, starts)


def _together(found: Sequence[_Frequencies], spelling: float) -> _Frequencies:
    """A term's own chunks and frequencies, and those of its other spellings for `spelling` each.

    They count as one word: their frequencies add up before they saturate, and how rare they are
    is how rare any of them is.
    """
    own, others = found[0], [each for each in found[1:] if len(each[0])]
    if not others:
        return own
    every = np.sort(np.concatenate([own[0], *(each[0] for each in others)]))
    chunks = every[np.flatnonzero(np.diff(every, prepend=-1))]
    frequency = np.zeros(len(chunks))
    # Frequencies add up in the order in which spellings are listed, so that floating-point sums
    # come out the same each time.
    for each, weight in ((own, 1.0), *((other, spelling) for other in others)):
        frequency[np.searchsorted(chunks, each[0])] += weight * each[1]
    return chunks, frequency
