"""An encoder that needs no model, for tests of what holds for every encoder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from satchel.store.terms import term_counts
from satchel.store.vectors.encoders import Matrix, normalized

_PROBES = 4
"""Places a term is added to. With one, two terms that share it could not be told apart at all."""


class HashingEncoder:
    """Signed feature hashing of terms (Weinberger et al. 2009), four probes a term.

    It knows no synonyms, but needs no model: it keeps a bag of terms comparable in a fixed width.
    Counts are damped as 1 + ln(n).
    """

    def __init__(self, dimensions: int = 256) -> None:
        self.dimensions = dimensions
        self.name = f"hashing-{dimensions}-1"

    def encode(self, texts: Sequence[str]) -> Matrix:
        """One row a text, float32, of length 1 or 0."""
        matrix = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(matrix, texts, strict=True):
            for term, n in term_counts(text).items():
                weight = 1.0 + math.log(n)
                # Signs make collisions cancel out on average instead of adding up.
                for place, sign in _probes(term, self.dimensions):
                    row[place] += sign * weight
        return normalized(matrix)


@lru_cache(maxsize=1 << 16)
def _probes(term: str, dimensions: int) -> tuple[tuple[int, float], ...]:
    digest = blake2b(term.encode(), digest_size=4 * _PROBES).digest()
    values = (int.from_bytes(digest[i : i + 4], "big") for i in range(0, 4 * _PROBES, 4))
    return tuple((value // 2 % dimensions, 1.0 if value % 2 else -1.0) for value in values)
