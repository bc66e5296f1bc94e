"""Encoders, from text to vectors: a name, a width and a pure function.

The name is stored beside every vector: another name, another model, and what it wrote before is
encoded again. Vectors have length 1, so that a dot product is a cosine; a text without words gives
the zero vector, which is near nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Protocol

import numpy as np
import numpy.typing as npt

from satchel.store.terms import term_counts

Matrix = npt.NDArray[np.float32]
_PROBES = 4
"""Places a term is added to. With one, two terms that share it could not be told apart at all."""


class Encoder(Protocol):
    """Turns texts into vectors; the same text gives the same vector, in any batch."""

    @property
    def name(self) -> str:
        """Identifies the model and its version."""

    @property
    def dimensions(self) -> int:
        """The width of a vector."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        """One row a text, float32, of length 1 or 0."""


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


def normalized(matrix: Matrix) -> Matrix:
    """Rows scaled to length 1; zero rows stay zero."""
    # `einsum` without BLAS: the same bits on every machine with any number of threads.
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None]
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


@lru_cache(maxsize=1 << 16)
def _probes(term: str, dimensions: int) -> tuple[tuple[int, float], ...]:
    digest = blake2b(term.encode(), digest_size=4 * _PROBES).digest()
    values = (int.from_bytes(digest[i : i + 4], "big") for i in range(0, 4 * _PROBES, 4))
    return tuple((value // 2 % dimensions, 1.0 if value % 2 else -1.0) for value in values)
