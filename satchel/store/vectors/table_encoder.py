"""Vectors from a table of terms that ships with the package: no model code, no download.

A text's vector is the sum of its terms' rows, each times 1 + ln(count), scaled to length 1. A row
carries its term's weight in its length; a term that the table lacks counts for nothing. How the
table came to be is told in `training/README.md`, under what licences in
`satchel/store/vectors/table/NOTICE`.

The file: `MAGIC`, a 16-byte digest of all that follows it, then three little-endian uint32 (terms,
dimensions, bytes of vocabulary), the terms joined by newlines and zlib-compressed, one float32
scale a term, and the int8 rows.
"""

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain, count, repeat
from mmap import ACCESS_READ, mmap
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.store import terms
from satchel.store.postings import (
    HEADER,
    N_TEXTS,
    Field,
    FieldTerms,
    Integers,
    count_pairs,
    spread,
)
from satchel.store.vectors.encoders import Matrix, normalized
from satchel.store.vectors.shipped_table import (
    DIGEST_BYTES,
    HEAD_BYTES,
    MAGIC,
    shipped_name,
    table_file,
)

DIMENSIONS = 256
ROW_BYTES = 2 * DIMENSIONS
"""Of a vector as it is kept, in float16."""
_SIZES_BYTES = 12
_NOT_WHOLE = "not a whole table of terms"
_PLACE_BITS = 24
"""A table has fewer rows than two to so many."""


class Table(Struct, frozen=True):
    """`rows([places[term]])` is the weighted vector of a term.

    Rows stay packed until they are asked for: a question has a dozen terms of 80,000, a thousand
    chunks have some thousands.
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
        return _sums(_rows_of_texts(texts), len(texts))


def encode_chunks(found: FieldTerms) -> Matrix:
    """What `encode` gives for the header and the body of each chunk, whose terms are counted."""
    places = shipped().places
    known = map(places.get, found.terms, repeat(-1))
    place_of = np.fromiter(known, np.int64, len(found.terms))
    place = place_of[found.term]
    chunk, text = np.divmod(found.slot, N_TEXTS)
    kept = ((text == Field.BODY) | (text == HEADER)) & (place >= 0)
    return _sums(_Placed(chunk[kept], place[kept], found.times[kept]), sum(found.n_chunks))


class _Placed(NamedTuple):
    """Which rows of the table some texts have, and how often; one may be there several times."""

    text: Integers
    place: Integers
    times: Integers


def _sums(placed: _Placed, n_texts: int) -> Matrix:
    """The vectors of some texts."""
    # By text and place, and so in an order that the text alone decides: sums of floats depend on
    # it. Two words of a text may share a term.
    text, place, times = count_pairs(placed.text, placed.place, 1 << _PLACE_BITS, placed.times)
    # Each row of the table that is asked for is unpacked once, for all texts.
    distinct, at = np.unique(place, return_inverse=True)
    rows = shipped().rows(distinct)
    numbers, number = np.unique(times, return_inverse=True)
    weights = np.array([1.0 + math.log(n) for n in numbers.tolist()], np.float32)[number]
    matrix = np.zeros((n_texts, DIMENSIONS), dtype=np.float32)
    sizes = np.bincount(text, minlength=n_texts)
    buffer = np.empty((sizes.max(initial=0), DIMENSIONS), dtype=np.float32)
    start = 0
    for row, end in zip(matrix, np.cumsum(sizes).tolist(), strict=True):
        if start < end:
            own = buffer[: end - start]
            # No place is out of range; looking for one would copy everything once more.
            rows.take(at[start:end], 0, own, "clip")
            np.dot(weights[start:end], own, out=row)
        start = end
    return normalized(matrix)


def _rows_of_texts(texts: Sequence[str]) -> _Placed:
    """The rows of some texts, by their words."""
    # Words first, terms after: a text repeats its words, and a word's places are cached.
    times_of = [Counter(terms.words(text)) for text in texts]
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    word = np.fromiter(map(numbers.__getitem__, chain.from_iterable(times_of)), np.int64)
    times = np.fromiter(chain.from_iterable(map(Counter.values, times_of)), np.int64, len(word))
    text = np.repeat(np.arange(len(texts)), list(map(len, times_of)))
    places_of = list(map(_rows_of_word, numbers))
    members = np.fromiter(chain.from_iterable(places_of), np.int64)
    sizes = np.fromiter(map(len, places_of), np.int64, len(places_of))
    at, n_places = spread(word, sizes)
    return _Placed(np.repeat(text, n_places), members[at], np.repeat(times, n_places))


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


def table_in(data: bytes | mmap) -> Table:
    """The table that some bytes are by their head and their length. Raises: ValueError."""
    if data[: len(MAGIC)] != MAGIC or len(data) < HEAD_BYTES + _SIZES_BYTES:
        raise ValueError(_NOT_WHOLE)
    n_terms, dimensions, n_packed = np.frombuffer(data, "<u4", 3, HEAD_BYTES).tolist()
    position = HEAD_BYTES + _SIZES_BYTES
    if len(data) != position + n_packed + n_terms * (4 + dimensions):
        raise ValueError(_NOT_WHOLE)
    vocabulary = zlib.decompress(data[position : position + n_packed]).decode().split("\n")
    position += n_packed
    scales = np.frombuffer(data, "<f4", n_terms, position)
    steps = np.frombuffer(data, np.int8, n_terms * dimensions, position + scales.nbytes)
    places = {term: place for place, term in enumerate(vocabulary)}
    return Table(places, steps.reshape(n_terms, dimensions), scales)


@cache
def shipped() -> Table:
    """The table in the package, opened once a process, in about 10 ms.

    Raises: OSError, ValueError: it is missing, or not all of it is there.
    """
    # Its digest is not compared: installers do that, and it would take longer than a search. Of the
    # rows, only those are read that are asked for.
    with table_file().open("rb") as file:
        return table_in(mmap(file.fileno(), 0, access=ACCESS_READ))


@lru_cache(maxsize=1 << 17)
def _rows_of_word(word: str) -> tuple[int, ...]:
    """The rows of the table that a word's terms have."""
    places = map(shipped().places.get, terms.split(word))
    return tuple([place for place in places if place is not None])
