"""The most central symbols of a code base: PageRank over its call graph. Pure.

L. Page, S. Brin, R. Motwani and T. Winograd, The PageRank Citation Ranking, 1998: a symbol is as
central as the symbols that use it, each of which shares its own rank among all that it uses. A use
counts by its confidence. Power iteration over arrays: networkx uses scipy, which is not a
dependency, or plain Python, with which a test compares the ranks.
"""

from collections.abc import Sequence

import numpy as np

_PASSED_ON = 0.85
"""Share of its rank that a symbol passes on, as in the paper."""
_PRECISION = 1e-8
_MAX_ROUNDS = 100


def pagerank(uses: Sequence[tuple[int, int, float, int]]) -> dict[int, float]:
    """The rank of every end of some uses, 0..1; they add up to 1.

    They are given as `GraphReader.uses_between_files` gives them: uses within a file do not show
    how much others need a symbol.
    """
    if not uses:
        return {}
    ends = np.array([use[:2] for use in uses], dtype=np.int64)
    weights = np.array([use[2] for use in uses])
    ids, places = np.unique(ends, return_inverse=True)
    sources, targets = places.reshape(ends.shape).T
    n = len(ids)
    given = np.bincount(sources, weights, n)
    shares = weights / given[sources]
    uses_nothing = given == 0
    ranks = np.full(n, 1 / n)
    for _ in range(_MAX_ROUNDS):
        # A symbol that uses nothing shares its rank among all; otherwise the sum would shrink.
        everywhere = (1 - _PASSED_ON + _PASSED_ON * ranks[uses_nothing].sum()) / n
        following = _PASSED_ON * np.bincount(targets, shares * ranks[sources], n) + everywhere
        change = np.abs(following - ranks).sum()
        ranks = following
        if change < _PRECISION:
            break
    return dict(zip(ids.tolist(), ranks.tolist(), strict=True))
