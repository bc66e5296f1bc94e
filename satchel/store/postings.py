"""The lexical index: how often a term occurs in which chunk and field. Pure codecs.

An entry is 64 bits while it is built, chunk << 20 | field << 16 | count << 8 | length, and 32 bits
on disk, where the chunk is relative to its block of 4,096 chunk ids:
(chunk & 4095) << 20 | field << 16 | count << 8 | length. `count` saturates at 255; `length` is the
field's length in terms, coded logarithmically to within 2.2 % (`length_code`).

Nothing corpus-wide is stored, so removing a chunk removes exactly what adding it added, and scores
after any sequence of edits equal those of a fresh index (invariant 2).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import chain, count, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satchel.store.model import Value
from satchel.store.terms import split, term_counts, words

BLOCK_BITS = 12
_CHUNK_SHIFT = 20
_LENGTH_STEPS = 16

Entries = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]


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


HEADER = len(Field)
"""The place of a chunk's header among its texts: it is part of its vector and of no posting."""
N_TEXTS = len(Field) + 1


class FilePostings(Value, frozen=True):
    """The entries of one file, chunks numbered from 0; `terms` ascend.

    `counts[i]` of the flat `entries` (little-endian uint64) belong to `terms[i]`.
    `lengths[f]` is the total length in terms of field `f` over all chunks.
    """

    terms: tuple[str, ...]
    counts: tuple[int, ...]
    entries: bytes
    lengths: tuple[int, ...]


Row = tuple[str, int, bytes]
"""One stored row: a term, a block of chunk ids, and the entries of the term within it."""


def length_code(length: int) -> int:
    """A field length in one byte, exact to within 2.2 %."""
    # 16 steps for each doubling: half a step is 2^(1/32), and 255 stand for some 62,000 terms.
    return min(255, round(_LENGTH_STEPS * math.log2(1 + length)))


def length_table() -> npt.NDArray[np.float64]:
    """The length that each of the 256 codes stands for."""
    return np.exp2(np.arange(256) / _LENGTH_STEPS) - 1


class FieldTerms(NamedTuple):
    """Which terms the texts of some files have, and how often: rows by file, term and slot.

    A slot is one text of one chunk, `chunk * N_TEXTS + text`, where the chunks of all files are
    numbered in a row; `term` is a place in `terms`, which ascend.
    """

    terms: list[str]
    file: Integers
    term: Integers
    slot: Integers
    times: Integers
    n_chunks: list[int]
    """Of each file."""


def count_terms(files: Sequence[Sequence[Sequence[str]]]) -> FieldTerms:
    """Count the terms of some files; `files[n][i][f]` is text `f` of chunk `i` of file `n`.

    A chunk has a text for each `Field`, and its header (`HEADER`).
    """
    # Words are counted per slot, then spread over their terms. Whole arrays at a time and many
    # files together: a file has some hundred words, and each of the thirty steps of NumPy costs as
    # much as those.
    found = [words(text) if text else [] for chunks in files for texts in chunks for text in texts]
    # Each distinct word gets a number when it first comes.
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    spelled = np.fromiter(map(numbers.__getitem__, chain.from_iterable(found)), np.int64)
    slots = np.repeat(np.arange(len(found)), [len(each) for each in found])
    slot, word, n_times = count_pairs(slots, spelled, len(numbers), np.ones_like(spelled))
    # A row (slot, word) becomes a row (slot, term) for each term of the word.
    split_words = list(map(split, numbers))
    flat = list(chain.from_iterable(split_words))
    # A set has no order, and `FilePostings` promises ascending terms.
    terms = sorted(set(flat))
    members = _numbers(flat, terms)
    sizes = np.fromiter(map(len, split_words), np.int64, len(split_words))
    at, n_terms = spread(word, sizes)
    slot = np.repeat(slot, n_terms)
    n_chunks = list(map(len, files))
    file = np.repeat(np.arange(len(files)), n_chunks)[slot // N_TEXTS]
    # Two words of a slot may share a term, so that rows are counted together once more.
    file_term, slot, n_times = count_pairs(
        file * len(terms) + members[at], slot, len(found), np.repeat(n_times, n_terms)
    )
    file, term = np.divmod(file_term, max(1, len(terms)))
    return FieldTerms(terms, file, term, slot, n_times, n_chunks)


def index_terms(found: FieldTerms) -> list[FilePostings]:
    """The entries of each file whose terms are counted."""
    n_chunks = np.array(found.n_chunks, dtype=np.int64)
    lengths = np.bincount(found.slot, found.times, n_chunks.sum() * N_TEXTS).astype(np.int64)
    codes = np.minimum(255, np.rint(_LENGTH_STEPS * np.log2(1 + lengths))).astype(np.int64)
    chunk, field = np.divmod(found.slot, N_TEXTS)
    rows = field != HEADER
    chunk, field, file, term = chunk[rows], field[rows], found.file[rows], found.term[rows]
    n_times, length = np.minimum(255, found.times[rows]), codes[found.slot[rows]]
    firsts = np.cumsum(n_chunks) - n_chunks
    entries = chunk - firsts[file] << _CHUNK_SHIFT | field << 16 | n_times << 8 | length
    # Little-endian on every machine, because the bytes go to the disk and travel with a shared
    # index.
    packed = entries.astype("<u8").tobytes()
    # Where the file or the term changes, a term of a file begins.
    begins = np.ones(len(term), dtype=np.bool_)
    begins[1:] = (term[1:] != term[:-1]) | (file[1:] != file[:-1])
    first = np.flatnonzero(begins)
    spelled = list(map(found.terms.__getitem__, term[first].tolist()))
    n_entries = np.diff(first, append=len(term)).tolist()
    ends = np.arange(len(n_chunks) + 1)
    term_ranges = pairwise(np.searchsorted(file[first], ends).tolist())
    byte_ranges = pairwise((np.searchsorted(file, ends) * 8).tolist())
    by_field = np.zeros((len(lengths) // N_TEXTS + 1, len(Field)), dtype=np.int64)
    np.cumsum(lengths.reshape(-1, N_TEXTS)[:, : len(Field)], axis=0, out=by_field[1:])
    totals = (by_field[firsts + n_chunks] - by_field[firsts]).tolist()
    return [
        FilePostings(tuple(spelled[a:b]), tuple(n_entries[a:b]), packed[c:d], tuple(total))
        for (a, b), (c, d), total in zip(term_ranges, byte_ranges, totals, strict=True)
    ]


def spread(words: Integers, sizes: Integers) -> tuple[Integers, Integers]:
    """Rows of words as rows of their members: the place of each member, and how many a row becomes.

    Word w has `sizes[w]` members; those of all words lie one after the other, from place 0 on.
    """
    starts = np.cumsum(sizes) - sizes
    n_members = sizes[words]
    return numbers_of(starts[words], n_members), n_members


def numbers_of(firsts: Integers, sizes: Integers) -> Integers:
    """The numbers of some ranges in a row: `sizes[i]` of them from `firsts[i]` on."""
    # Counted through, and moved by what lies between the ranges.
    between = firsts - (np.cumsum(sizes) - sizes)
    numbers: Integers = np.arange(sizes.sum(), dtype=np.int64) + np.repeat(between, sizes)
    return numbers


def _numbers(items: list[str], vocabulary: list[str]) -> Integers:
    """The place of each item in the vocabulary."""
    number = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
    return np.fromiter(map(number.__getitem__, items), np.int64, len(items))


def count_pairs(
    major: Integers, minor: Integers, n_minor: int, times: Integers
) -> tuple[Integers, Integers, Integers]:
    """Distinct pairs in order, with how often each occurs; entry i counts `times[i]`-fold."""
    # A pair as one number, so that one array is sorted and not two by each other.
    keys = major * max(1, n_minor) + minor
    order = np.argsort(keys)
    keys = keys[order]
    is_first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    n_times = np.add.reduceat(times[order], first) if len(first) else times
    major, minor = np.divmod(keys[first], max(1, n_minor))
    return major, minor, n_times


def index_paths(files: Iterable[tuple[str, int, int]]) -> FilePostings:
    """Index the paths of files as those of one, which every chunk of a file shares.

    A file is its path, its first chunk and how many it has. `terms` ascend within each file.
    """
    terms: list[str] = []
    entries: list[int] = []
    firsts: list[int] = []
    sizes: list[int] = []
    total = 0
    for path, first_chunk, n_chunks in files:
        counts = term_counts(path)
        length = sum(counts.values())
        total += length * n_chunks
        low = Field.PATH << 16 | length_code(length)
        for term in sorted(counts) if n_chunks else ():
            terms.append(term)
            entries.append(low | min(255, counts[term]) << 8)
            firsts.append(first_chunk)
            sizes.append(n_chunks)
    repeated = np.array(sizes, dtype=np.int64)
    chunks = numbers_of(np.array(firsts, dtype=np.int64), repeated)
    flat = chunks << _CHUNK_SHIFT | np.repeat(np.array(entries, dtype=np.int64), repeated)
    lengths = [0] * len(Field)
    lengths[Field.PATH] = total
    return FilePostings(tuple(terms), tuple(sizes), flat.astype("<u8").tobytes(), tuple(lengths))


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
    term_ids, entries = np.repeat(_numbers(terms, vocabulary), counts), np.concatenate(pieces)
    # Term, chunk and field as one number to sort by, of which a term has one entry each. The least
    # is subtracted first, or the number would not fit into 64 bits.
    chunk_fields = (entries >> np.uint64(16)).astype(np.int64)
    chunk_fields -= chunk_fields.min()
    order = np.argsort(term_ids * (int(chunk_fields.max()) + 1) + chunk_fields)
    term_ids, entries = term_ids[order], entries[order]
    blocks = (entries >> np.uint64(_CHUNK_SHIFT + BLOCK_BITS)).astype(np.int64)
    # A row ends where the term or the block changes; packed entries take 4 bytes each.
    cuts = np.flatnonzero((np.diff(term_ids) != 0) | (np.diff(blocks) != 0)) + 1
    starts = np.concatenate(([0], cuts))
    ends = np.concatenate((cuts, [len(entries)])) * 4
    packed = pack(entries)
    row_terms = map(vocabulary.__getitem__, term_ids[starts].tolist())
    slices = map(slice, (starts * 4).tolist(), ends.tolist())
    yield from zip(row_terms, blocks[starts].tolist(), map(packed.__getitem__, slices), strict=True)


def pack(entries: Entries) -> bytes:
    """Disk form of entries that lie in one block (or are cut by block afterwards)."""
    # Chunk ids are cut to the lowest 12 bits: the others are the block's number.
    local = entries & np.uint64((1 << (_CHUNK_SHIFT + BLOCK_BITS)) - 1)
    return local.astype("<u4").tobytes()


def unpack(block: int, packed: bytes) -> Entries:
    """Entries with absolute chunk ids, ascending, from a stored row."""
    base = np.uint64(block << (_CHUNK_SHIFT + BLOCK_BITS))
    return np.frombuffer(packed, dtype="<u4").astype(np.uint64) + base


def n_chunks_in(packed: bytes) -> int:
    """How many chunks the entries of a stored row name; they ascend."""
    # Most terms are in one chunk of a block, and need no array.
    if len(packed) == 4:
        return 1
    # A chunk has an entry for each field that holds the term: one more chunk wherever it changes.
    chunks = np.frombuffer(packed, dtype="<u4") >> np.uint32(_CHUNK_SHIFT)
    return 1 + int(np.count_nonzero(np.diff(chunks)))


def without_chunks(
    rows: Sequence[tuple[int, bytes]], ranges: Sequence[tuple[int, int]]
) -> Iterator[bytes]:
    """The entries of stored rows without some ranges of chunks.

    A row is (block, entries), a range (first chunk, how many); ranges do not overlap.
    """
    # All rows at once: most have few entries, and each step of NumPy costs more than those.
    sizes = [len(packed) // 4 for _, packed in rows]
    entries = np.frombuffer(b"".join(packed for _, packed in rows), dtype="<u4")
    blocks = np.repeat(np.array([block for block, _ in rows], dtype=np.int64), sizes)
    chunks = (blocks << BLOCK_BITS) + (entries >> np.uint32(_CHUNK_SHIFT))
    starts, lengths = np.array(sorted(ranges), dtype=np.int64).T
    # The last range that begins at or before a chunk is the only one that may hold it.
    last = np.searchsorted(starts, chunks, side="right") - 1
    keep = (last < 0) | (chunks >= (starts + lengths)[last])
    kept = np.concatenate(([0], np.cumsum(keep)))
    ends = np.cumsum([0, *sizes])
    packed = entries[keep].tobytes()
    cuts = (kept[ends] * 4).tolist()
    yield from (packed[start:end] for start, end in pairwise(cuts))


def merged(packed: bytes, more: bytes) -> bytes:
    """Two stored rows of a term and block as one, ascending; they have no entry in common."""
    # Entries are little-endian: reversed, they compare as bytes like numbers. New chunks mostly
    # have the largest ids, so that there is nothing to sort.
    if packed[-4:][::-1] < more[:4][::-1]:
        return packed + more
    return np.sort(np.frombuffer(packed + more, dtype="<u4")).tobytes()


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
