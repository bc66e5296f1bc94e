"""Vectors from a table of terms that ships with the package: no model code, no download.

A text's vector is the sum of its terms' rows, each times 1 + ln(count), scaled to length 1. A row
carries its term's weight in its length; a term that the table lacks counts for nothing. How the
table came to be is told in `training/README.md`, under what licences in
`satchel/store/vectors/table/NOTICE`.

The file: `MAGIC`, a 16-byte digest of all that follows it, then three little-endian uint32 (terms,
dimensions, bytes of vocabulary), the terms joined by newlines and zlib-compressed, one float32
scale a term, and the int8 rows.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.store import terms
from satchel.store.vectors.encoders import Matrix, normalized
from satchel.store.vectors.shipped_table import (
    DIGEST_BYTES,
    HEAD_BYTES,
    MAGIC,
    shipped_name,
    table_file,
)

DIMENSIONS = 256
_MANY_TEXTS = 1_000


class Table(Struct, frozen=True):
    """`rows([places[term]])` is the weighted vector of a term.

    Rows stay packed until they are asked for: a question has a dozen terms of 80,000.
    """

    places: dict[str, int]
    steps: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]

    def rows(self, places: npt.NDArray[np.intp]) -> Matrix:
        """The vectors at some places, a row each, in the order asked for."""
        return np.multiply(self.steps[places], self.scales[places, None], dtype=np.float32)


class TableEncoder:
    """Adds up the rows of a text's terms. The table is read when the first text comes."""

    dimensions = DIMENSIONS

    @property
    def name(self) -> str:
        """Tells this table from any other."""
        return shipped_name()

    def encode(self, texts: Sequence[str]) -> Matrix:
        """One row a text, float32, of length 1 or 0."""
        table = shipped()
        # All rows unpacked at once cost 7 ms and 31 MB, and save 8 µs a text.
        rows = all_rows() if len(texts) >= _MANY_TEXTS else None
        matrix = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(matrix, texts, strict=True):
            # Words first, terms after: a text repeats its words, and a word's places are cached.
            counts: dict[int, int] = {}
            for word, n in Counter(terms.words(text)).items():
                for place in _places(word):
                    counts[place] = counts.get(place, 0) + n
            if counts:
                places = np.fromiter(counts.keys(), np.intp, len(counts))
                weights = np.fromiter(map(_weight, counts.values()), np.float32, len(counts))
                # In order of first mention, which the text alone decides: sums of floats depend on
                # their order.
                chosen = table.rows(places) if rows is None else rows[places]
                np.dot(weights, chosen, out=row)
        return normalized(matrix)


def pack_table(vocabulary: Sequence[str], rows: npt.NDArray[np.float32]) -> bytes:
    """A table as a file's bytes; each row keeps 127 steps to either side of zero."""
    n_terms, dimensions = rows.shape
    # The least positive float stands for the scale of a row of zeros, which would divide by zero.
    scales = np.maximum(np.abs(rows).max(axis=1), np.finfo(np.float32).tiny) / 127
    steps = np.rint(rows / scales[:, None]).astype(np.int8)
    packed = zlib.compress("\n".join(vocabulary).encode(), 9)
    sizes = np.array([n_terms, dimensions, len(packed)], dtype="<u4").tobytes()
    body = b"".join((sizes, packed, scales.astype("<f4").tobytes(), steps.tobytes()))
    return MAGIC + blake2b(body, digest_size=DIGEST_BYTES).digest() + body


def unpack_table(data: bytes) -> Table:
    """The table that `pack_table` wrote.

    Raises:
        ValueError: the bytes are no such table, or not all of it.
    """
    # The digest is the encoder's name: a table that is cut off or changed must not pass for it.
    digest = blake2b(data[HEAD_BYTES:], digest_size=DIGEST_BYTES).digest()
    if data[:HEAD_BYTES] != MAGIC + digest:
        raise ValueError("not a whole table of terms")
    n_terms, dimensions, n_packed = np.frombuffer(data, "<u4", 3, HEAD_BYTES).tolist()
    position = HEAD_BYTES + 12
    vocabulary = zlib.decompress(data[position : position + n_packed]).decode().split("\n")
    position += n_packed
    scales = np.frombuffer(data, "<f4", n_terms, position)
    steps = np.frombuffer(data, np.int8, n_terms * dimensions, position + scales.nbytes)
    places = {term: place for place, term in enumerate(vocabulary)}
    return Table(places, steps.reshape(n_terms, dimensions), scales)


@cache
def shipped() -> Table:
    """The table in the package; read once a process, in about 50 ms."""
    return unpack_table(table_file().read_bytes())


@cache
def all_rows() -> Matrix:
    """Every row of the shipped table, unpacked: 31 MB."""
    table = shipped()
    return table.rows(np.arange(len(table.places)))


@lru_cache(maxsize=1 << 17)
def _places(word: str) -> tuple[int, ...]:
    """The rows of the table that a word's terms have."""
    places = shipped().places
    return tuple(places[term] for term in terms.split(word) if term in places)


@lru_cache(maxsize=1 << 12)
def _weight(count: int) -> float:
    return 1.0 + math.log(count)
