"""The lexical index: which chunk holds which term, in which field, how often. Pure codecs.

An entry is 64 bits while it is built, chunk << 20 | field << 16 | count << 8 | length, and 32 bits
on disk, where the chunk is relative to its block of 4,096 chunk ids:
(chunk & 4095) << 20 | field << 16 | count << 8 | length. `count` saturates at 255; `length` is the
field's length in terms, coded logarithmically to within 2.2 % (`length_code`).

Nothing corpus-wide is stored, so removing a chunk removes exactly what adding it added, and scores
after any sequence of edits equal those of a fresh index (invariant 2).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from store.model import Value
from store.terms import term_counts

BLOCK_BITS = 12
_CHUNK_SHIFT = 20
_ENTRY_MASK = (1 << _CHUNK_SHIFT) - 1
_LENGTH_STEPS = 16

Entries = npt.NDArray[np.uint64]


class Field(IntEnum):
    """Where in a chunk a term stands; the order is part of the format."""

    NAME = 0
    """Names of the symbols defined in the chunk, or of the one it is a part of."""
    SCOPE = 1
    """Names of the enclosing symbols."""
    PATH = 2
    SIGNATURE = 3
    DOC = 4
    BODY = 5
    """The chunk's whole text, which repeats the four above."""


class FilePostings(Value, frozen=True):
    """The entries of one file, chunks numbered from 0; `terms` ascend.

    `counts[i]` of the flat `entries` (little-endian uint64) belong to `terms[i]`.
    `lengths[f]` is the total length in terms of field `f` over all chunks.
    """

    terms: tuple[str, ...]
    counts: tuple[int, ...]
    entries: bytes
    lengths: tuple[int, ...]


class Row(NamedTuple):
    """One stored row: the entries of a term within a block of chunk ids."""

    term: str
    block: int
    entries: bytes


def length_code(length: int) -> int:
    """A field length in one byte, exact to within 2.2 %."""
    return min(255, round(_LENGTH_STEPS * math.log2(1 + length)))


def length_table() -> npt.NDArray[np.float64]:
    """The length that each of the 256 codes stands for."""
    return np.exp2(np.arange(256) / _LENGTH_STEPS) - 1


def index_chunks(chunks: Sequence[Sequence[str]]) -> FilePostings:
    """Index the field texts of a file's chunks; `chunks[i][f]` is field `f` of chunk `i`."""
    found: dict[str, list[int]] = {}
    lengths = [0] * len(Field)
    for ordinal, fields in enumerate(chunks):
        for field, text in enumerate(fields):
            counts = term_counts(text) if text else {}
            length = sum(counts.values())
            lengths[field] += length
            low = ordinal << _CHUNK_SHIFT | field << 16 | length_code(length)
            for term, n in counts.items():
                entry = low | (n if n < 255 else 255) << 8
                known = found.get(term)
                if known is None:
                    found[term] = [entry]
                else:
                    known.append(entry)
    terms = sorted(found)
    flat = [entry for term in terms for entry in found[term]]
    return FilePostings(
        tuple(terms),
        tuple(len(found[term]) for term in terms),
        np.array(flat, dtype="<u8").tobytes(),
        tuple(lengths),
    )


def index_path(path: str, n_chunks: int) -> FilePostings:
    """Index the path of a file, which every one of its chunks shares."""
    counts = term_counts(path)
    length = sum(counts.values())
    chunks = np.arange(n_chunks, dtype=np.uint64) << _CHUNK_SHIFT
    terms = sorted(counts) if n_chunks else []
    low = Field.PATH << 16 | length_code(length)
    columns = [chunks | np.uint64(low | min(255, counts[term]) << 8) for term in terms]
    flat = np.concatenate(columns) if columns else np.zeros(0, dtype="<u8")
    lengths = [0] * len(Field)
    lengths[Field.PATH] = length * n_chunks
    return FilePostings(
        tuple(terms), (n_chunks,) * len(terms), flat.astype("<u8").tobytes(), tuple(lengths)
    )


def rows(files: Iterable[tuple[int, FilePostings]]) -> Iterator[Row]:
    """Stored rows, ascending by term and block, for files whose first chunk ids are given."""
    terms: list[str] = []
    counts: list[int] = []
    pieces: list[Entries] = []
    for first_chunk, postings in files:
        terms.extend(postings.terms)
        counts.extend(postings.counts)
        entries = np.frombuffer(postings.entries, dtype="<u8")
        pieces.append(entries + np.uint64(first_chunk << _CHUNK_SHIFT))
    if not terms:
        return
    vocabulary = sorted(set(terms))
    number = {term: index for index, term in enumerate(vocabulary)}
    term_ids = np.repeat(np.array([number[term] for term in terms]), counts)
    yield from _grouped(vocabulary, term_ids, np.concatenate(pieces))


def _grouped(
    vocabulary: list[str], term_ids: npt.NDArray[np.int64], entries: Entries
) -> Iterator[Row]:
    order = np.lexsort((entries, term_ids))
    term_ids, entries = term_ids[order], entries[order]
    blocks = (entries >> np.uint64(_CHUNK_SHIFT + BLOCK_BITS)).astype(np.int64)
    cuts = np.flatnonzero((np.diff(term_ids) != 0) | (np.diff(blocks) != 0)) + 1
    starts = np.concatenate(([0], cuts))
    ends = np.concatenate((cuts, [len(entries)])) * 4
    packed = pack(entries)
    heads = zip(term_ids[starts].tolist(), blocks[starts].tolist(), strict=True)
    ranges = zip((starts * 4).tolist(), ends.tolist(), strict=True)
    for (term_id, block), (start, end) in zip(heads, ranges, strict=True):
        yield Row(vocabulary[term_id], block, packed[start:end])


def pack(entries: Entries) -> bytes:
    """Disk form of entries that lie in one block (or are cut by block afterwards)."""
    local = entries & np.uint64((1 << (_CHUNK_SHIFT + BLOCK_BITS)) - 1)
    return local.astype("<u4").tobytes()


def unpack(block: int, packed: bytes) -> Entries:
    """Entries with absolute chunk ids, ascending, from a stored row."""
    base = np.uint64(block << (_CHUNK_SHIFT + BLOCK_BITS))
    return np.frombuffer(packed, dtype="<u4").astype(np.uint64) + base


def without(block: int, packed: bytes, first_chunk: int, n_chunks: int) -> bytes:
    """A stored row with the chunks `first_chunk` … `first_chunk + n_chunks - 1` taken out."""
    entries = unpack(block, packed)
    chunks = entries >> np.uint64(_CHUNK_SHIFT)
    keep = (chunks < first_chunk) | (chunks >= first_chunk + n_chunks)
    return pack(entries[keep])


class Columns(NamedTuple):
    """Entries taken apart, one row each, ascending by chunk id."""

    chunks: npt.NDArray[np.int64]
    fields: npt.NDArray[np.int64]
    counts: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]
    """Length codes; see `length_table`."""


def columns(entries: Entries) -> Columns:
    """Take entries apart."""
    return Columns(
        (entries >> np.uint64(_CHUNK_SHIFT)).astype(np.int64),
        ((entries >> np.uint64(16)) & np.uint64(15)).astype(np.int64),
        ((entries >> np.uint64(8)) & np.uint64(255)).astype(np.float64),
        (entries & np.uint64(255)).astype(np.int64),
    )
