"""Scores of folders: the terms in names, paths and comments of everything in a folder.

A question about how something is organised names a module more often than a function of it. Counts
are whole numbers until they are weighed, so that no sum depends on the order of ids. Pure.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from satchel.assembler.query.read_query import Term
from satchel.assembler.weights import TermWeights
from satchel.store.postings import Columns, Field
from satchel.store.reading.chunk_layout import Layout

_SAYING = np.isin(np.arange(len(Field)), (Field.NAME, Field.PATH, Field.DOC))
"""Per field, whether it is of a folder's document; bodies would drown the rest."""

Floats = npt.NDArray[np.float64]


def scores(
    terms: Sequence[Term],
    entries: Sequence[Sequence[Columns]],
    layout: Layout,
    allowed: npt.NDArray[np.bool_] | None,
    weights: TermWeights,
) -> Floats:
    """How well each folder of `layout` matches, in 0..1: 1 for the best, 0 for the worst.

    `entries` are those of each term, then those of its other spellings. A term counts by how few
    folders have it and, BM25 without lengths, n / (n + 1) for n occurrences.
    """
    total = np.zeros(layout.n_folders)
    for term, (own, *others) in zip(terms, entries, strict=True):
        counts = _counts(own, layout, allowed)
        for columns in others:
            counts = counts + weights.spelling * _counts(columns, layout, allowed)
        n_holding = np.count_nonzero(counts)
        idf = np.log1p((layout.n_folders - n_holding + 0.5) / (n_holding + 0.5))
        total += term.weight * idf * counts / (counts + 1.0)
    # The worst folder gets 0, so that a term which all folders hold boosts none of them.
    total -= total.min(initial=np.inf)
    return total / (total.max(initial=0.0) or 1.0)


def _counts(columns: Columns, layout: Layout, allowed: npt.NDArray[np.bool_] | None) -> Floats:
    keep = _SAYING[columns.fields]
    if allowed is not None:
        keep &= allowed[columns.chunks]
    folders = layout.folder_of[columns.chunks[keep]]
    # Numpy adds weights as floats; sums of whole numbers are exact in them, whatever the order.
    counts = np.bincount(folders, weights=columns.counts[keep], minlength=layout.n_folders)
    return counts.astype(np.float64)
