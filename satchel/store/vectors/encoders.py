"""Encoders, from text to vectors: a name, a width and a pure function.

The name is stored beside every vector; when it changes, all vectors are made again. Vectors have
length 1, so that a dot product is a cosine; a text without words gives the zero vector, which is
near nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


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


def normalized(matrix: Matrix) -> Matrix:
    """Rows scaled to length 1; zero rows stay zero."""
    # `einsum` without BLAS: the same bits on every machine with any number of threads.
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None]
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)
