"""Signatures of the trigrams of files, which tell the files that may contain a text. Pure.

A signature is a Bloom filter with one hash function (Bloom 1970) over every three bytes in a row of
the folded text. It has a power of two of bits, a fifth to two fifths of them set. A file whose
signature lacks a bit of a text's trigrams cannot hold the text; one that has them all may.

Folding makes case and line ends equal, so that one signature serves every way to search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

WIDTH = 3
"""Bytes of a trigram."""
_MAX_BITS = 20
"""A signature has at most 2 ** 20 bits, 128 KiB."""
_MIN_BITS = 3
_SPARSE = 0.2
"""A signature with a smaller share of bits set than this is halved."""
_FACTOR = np.uint32(2_654_435_761)
"""Multiplicative hashing (Knuth, TAOCP 3, §6.4): 2 ** 32 divided by the golden ratio, odd."""
_LOWER = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))
# The only two characters outside ASCII that are the other case of an ASCII letter.
_KELVIN, _LONG_S = "\u212a".encode(), "\u017f".encode()

Hashes = npt.NDArray[np.uint32]


def with_plain_ends(data: bytes) -> bytes:
    """The text with every "\\r\\n" as "\\n"."""
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def fold(data: bytes) -> bytes:
    """The text as it is indexed: ASCII letters in lower case, lines ended by "\\n" alone."""
    folded = with_plain_ends(data).translate(_LOWER)
    if not folded.isascii():
        folded = folded.replace(_KELVIN, b"k").replace(_LONG_S, b"s")
    return folded


def hashes(data: bytes) -> Hashes:
    """The hash of each trigram of the folded text, in 0 … 2 ** 20 - 1."""
    codes = np.frombuffer(fold(data), dtype=np.uint8).astype(np.uint32)
    if len(codes) < WIDTH:
        return np.zeros(0, dtype=np.uint32)
    grams = codes[:-2] << np.uint32(16) | codes[1:-1] << np.uint32(8) | codes[2:]
    return grams * _FACTOR >> np.uint32(32 - _MAX_BITS)


def signature(data: bytes) -> bytes:
    """The signature of a file's bytes; empty for one without a trigram."""
    found = hashes(data)
    if not len(found):
        return b""
    bits = max(_MIN_BITS, min(_MAX_BITS, len(found).bit_length()))
    table = np.zeros(1 << bits, dtype=np.bool_)
    table[found >> np.uint32(_MAX_BITS - bits)] = True
    while len(table) > 1 << _MIN_BITS and np.count_nonzero(table) < _SPARSE * len(table):
        # The place of a hash is its upper bits, so a table of half the size has it at half the
        # place.
        table = table[0::2] | table[1::2]
    return np.packbits(table).tobytes()


class Signatures(Struct, frozen=True):
    """The signatures of many files, side by side: that of file `i` begins at byte `starts[i]`.

    `hash >> shifts[i]` is the number of the bit of a hash. What has no signature may hold anything.
    """

    starts: npt.NDArray[np.int64]
    shifts: npt.NDArray[np.int64]
    data: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, packed: Sequence[bytes]) -> Signatures:
        """Put signatures side by side."""
        # All bits set rule nothing out: a file without a signature is always looked at.
        whole = [signed or b"\xff" for signed in packed]
        sizes = np.array([len(signed) for signed in whole], dtype=np.int64)
        shifts = _MAX_BITS - _MIN_BITS - np.log2(np.maximum(sizes, 1)).astype(np.int64)
        data = np.frombuffer(b"".join(whole), dtype=np.uint8)
        return cls(np.cumsum(sizes) - sizes, shifts, data)

    def holding(self, any_of: Iterable[Sequence[bytes]]) -> npt.NDArray[np.int64]:
        """The files, ascending, that may hold all the texts of one of the sequences.

        A sequence without a text of three bytes rules nothing out.
        """
        possible = np.zeros(len(self.starts), dtype=np.bool_)
        for texts in any_of:
            left = np.arange(len(self.starts), dtype=np.int64)
            wanted = np.unique(np.concatenate([hashes(text) for text in texts] or [hashes(b"")]))
            # Each trigram looks only at the files that have all of those before it.
            for each in wanted.astype(np.int64):
                place = each >> self.shifts[left]
                byte = self.data[self.starts[left] + (place >> 3)]
                bit = byte >> (7 - (place & 7)).astype(np.uint8)
                left = left[(bit & 1).astype(np.bool_)]
            possible[left] = True
        return np.flatnonzero(possible)
