"""Encoders, from text to vectors: a name, a width and a pure function.

The name is stored beside every vector; when it changes, all vectors are made again. Vectors have
length 1, so that a dot product is a cosine; a text without words gives the zero vector, which is
near nothing.
"""

from collections.abc import Sequence
from hashlib import blake2b
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


class PrefixedEncoder:
    """An encoder whose model was trained to read another text before questions and documents."""

    def __init__(self, encoder: Encoder, question: str, document: str) -> None:
        self._encoder, self._question, self._document = encoder, question, document

    @property
    def name(self) -> str:
        """Identifies the model and what stands before documents: their vectors depend on both."""
        if not self._document:
            return self._encoder.name
        return f"{self._encoder.name}/{blake2b(self._document.encode(), digest_size=4).hexdigest()}"

    @property
    def dimensions(self) -> int:
        """The width of a vector."""
        return self._encoder.dimensions

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Documents as vectors; one without words stays so."""
        return self._encoder.encode([text and f"{self._document}{text}" for text in texts])

    def of_question(self, text: str) -> Matrix:
        """A question as one vector."""
        return np.asarray(self._encoder.encode([text and f"{self._question}{text}"])[0])


def of_question(encoder: Encoder, text: str) -> Matrix:
    """The vector of a question, which some models tell from a document."""
    if isinstance(encoder, PrefixedEncoder):
        return encoder.of_question(text)
    return np.asarray(encoder.encode([text])[0])


def normalized(matrix: Matrix) -> Matrix:
    """Rows scaled to length 1; zero rows stay zero."""
    # `einsum` without BLAS: the same bits on every machine with any number of threads.
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None]
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)
