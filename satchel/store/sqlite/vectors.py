"""Vectors kept by content, and the exact scan over them.

A file's vectors are one float16 matrix in chunk order, stored with the bytes they were made from,
so a branch switch or a second path encodes nothing again. The scan is exact, ties included; it is
the oracle for any faster index, and fast enough to be the default up to some 100,000 chunks.
"""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.store.errors import CorruptIndex
from satchel.store.postings import numbers_of
from satchel.store.sqlite import database
from satchel.store.sqlite.chunk_id_log import IdRange
from satchel.store.sqlite.database import select
from satchel.store.sqlite.rows import decode_path
from satchel.store.vectors.encoders import Encoder, Matrix, normalized

BLOCK_BITS = 12
"""Rows come in blocks of so many ids: a save copies two or three of them and no more. Where blocks
begin depends on ids alone, so that a score has the same bits however a table came to be."""
_MANY_FILES = 200
"""From here on everything is loaded again rather than file by file."""
_FILES = (
    "SELECT f.path, f.first_chunk, f.n_chunks, v.vectors, v.seal, f.digest, f.language FROM files f"
    " LEFT JOIN vectors v ON v.digest = f.digest AND v.language = f.language AND v.encoder = ?"
    " WHERE f.n_chunks > 0 "
)
_WITH_CHUNKS = "AND f.id IN (SELECT file_id FROM chunks WHERE id >= ? AND id < ?) "


class FileVectors(NamedTuple):
    """A file, its consecutive chunk ids, and their packed vectors."""

    path: bytes
    first_chunk: int
    n_chunks: int
    packed: bytes | None
    """None when the file has not been encoded yet."""


class Block(Struct, frozen=True):
    """Some chunks that have a vector: `matrix[i]` belongs to `ids[i]`, which ascend."""

    ids: npt.NDArray[np.int64]
    matrix: Matrix


class ContextShares(Struct, frozen=True):
    """How much of its context is added to a chunk's vector, as factors of 0 and more.

    `of_file` times the mean direction of the chunks of its file, `of_path` times the vector of its
    path. A dot product with a query is then the weighted sum of three cosines.
    """

    of_file: float = 0.0
    of_path: float = 0.0


NO_CONTEXT = ContextShares()


class VectorTable(Struct, frozen=True):
    """Every chunk that has a vector, in blocks by `id >> BLOCK_BITS`."""

    blocks: dict[int, Block]
    """In order; none is empty."""
    n_chunks: int
    """Chunks in the index, with a vector or without."""
    without: tuple[IdRange, ...] = ()
    """The chunk ids of files that have no vectors yet."""

    @property
    def ids(self) -> npt.NDArray[np.int64]:
        """The ids of all chunks that have a vector, ascending."""
        return np.concatenate([np.zeros(0, np.int64), *(b.ids for b in self.blocks.values())])

    @property
    def matrix(self) -> Matrix:
        """The vectors of `ids`, a row each; a copy."""
        nothing = np.zeros((0, 1), np.float32)
        return np.concatenate([b.matrix for b in self.blocks.values()] or [nothing])

    @property
    def n_vectors(self) -> int:
        """How many chunks have a vector."""
        return sum(len(block.ids) for block in self.blocks.values())

    @property
    def coverage(self) -> float:
        """Share of the chunks that have a vector, 0 to 1."""
        return self.n_vectors / self.n_chunks if self.n_chunks else 1.0


def pack(matrix: Matrix) -> bytes:
    """A matrix as little-endian float16, row by row: 0.1 % off at most, half the space."""
    return matrix.astype("<f2").tobytes()


def unpack(data: bytes, dimensions: int) -> Matrix:
    """The matrix that `pack` stored."""
    return np.frombuffer(data, dtype="<f2").reshape(-1, dimensions).astype(np.float32)


def checksum(digest: str, language: str, encoder: str, packed: bytes) -> bytes:
    """BLAKE2b-64 of packed vectors and of what they are of: bytes, language and encoder.

    It is compared whenever vectors are read: one that was damaged or swapped with another would
    rank what it is not near. On disk it is the column `seal`.
    """
    key = f"{digest} {language} {encoder} ".encode()
    return blake2b(key + packed, digest_size=8).digest()


def read_file(encoder: Encoder, row: Sequence[Any]) -> FileVectors:
    """The vectors of a file from its row: path, first chunk, chunks, vectors, seal, digest and
    language.

    Raises:
        CorruptIndex: they are not those that were made of its text.
    """
    path, first_chunk, n_chunks, packed, stored, digest, language = row
    file = FileVectors(path, first_chunk, n_chunks, packed)
    if packed is not None and checksum(digest, language, encoder.name, packed) != stored:
        raise _corrupt(file, "are not those that were made of its text")
    return file


def update(
    connection: apsw.Connection,
    encoder: Encoder,
    before: VectorTable,
    ranges: Sequence[IdRange],
    shares: ContextShares = NO_CONTEXT,
) -> VectorTable | None:
    """What `reading.vector_blocks.load` gives, from a table of before the chunks in `ranges`
    changed.

    Only these are read, and files that had no vectors then; None where they are too many.
    """
    if len(ranges) + len(before.without) > _MANY_FILES:
        return None
    files: dict[int, FileVectors] = {}
    blocks = dict(before.blocks)
    for first, n_ids in {*ranges, *before.without}:
        end = first + n_ids
        for row in select(connection, _FILES + _WITH_CHUNKS, (encoder.name, first, end)):
            file = read_file(encoder, row)
            files[file.first_chunk] = file
        for number in range(first >> BLOCK_BITS, (end >> BLOCK_BITS) + 1):
            block = blocks.get(number)
            if block is None:
                continue
            # Other threads may be reading the table of before, so no array of it is changed in
            # place.
            begin, stop = np.searchsorted(block.ids, (first, end))
            if stop - begin == len(block.ids):
                del blocks[number]
            elif begin < stop:
                gone = slice(begin, stop)
                ids = np.delete(block.ids, gone)
                blocks[number] = Block(ids, np.delete(block.matrix, gone, axis=0))
    # Sorted, because the set above has no order and sums of floats depend on theirs.
    in_order = [files[first] for first in sorted(files)]
    return table_of(blocks, in_order, database.n_chunks(connection), encoder, shares)


def part(
    connection: apsw.Connection,
    encoder: Encoder,
    ranges: Sequence[IdRange],
    shares: ContextShares = NO_CONTEXT,
) -> VectorTable:
    """The rows of the whole table for the files that have chunks in `ranges`, whole files alone.

    `n_chunks` counts the chunks of these files.
    """
    files: dict[int, FileVectors] = {}
    for first, n_ids in ranges:
        rows = select(connection, _FILES + _WITH_CHUNKS, (encoder.name, first, first + n_ids))
        files.update((row[1], read_file(encoder, row)) for row in rows)
    # Sorted, because sums of floats depend on their order.
    in_order = [files[first] for first in sorted(files)]
    n_chunks = sum(file.n_chunks for file in in_order)
    return table_of({}, in_order, n_chunks, encoder, shares)


def n_vectors(connection: apsw.Connection, encoder: Encoder) -> int:
    """How many chunks have a vector of this encoder."""
    sql = (
        "SELECT coalesce(sum(f.n_chunks), 0) FROM files f JOIN vectors v"
        " ON v.digest = f.digest AND v.language = f.language AND v.encoder = ?"
    )
    return int(select(connection, sql, (encoder.name,))[0][0])


def table_of(
    blocks: dict[int, Block],
    files: Sequence[FileVectors],
    n_chunks: int,
    encoder: Encoder,
    shares: ContextShares,
) -> VectorTable:
    """The table of `blocks` and of some files, no chunk of which is in `blocks`.

    The files come in the order of their chunk ids; `n_chunks` counts all chunks of the index.

    Raises:
        CorruptIndex: the vectors of a file do not fit its chunks.
    """
    encoded = [file for file in files if file.packed is not None]
    without = [IdRange(file.first_chunk, file.n_chunks) for file in files if file.packed is None]
    if encoded:
        firsts = np.array([file.first_chunk for file in encoded])
        sizes = np.array([file.n_chunks for file in encoded])
        matrix = with_context(encoded, encoder, shares)
        ids = numbers_of(firsts, sizes)
        numbers, cuts = np.unique(ids >> BLOCK_BITS, return_index=True)
        ends = (*cuts[1:].tolist(), len(ids))
        for number, start, end in zip(numbers.tolist(), cuts.tolist(), ends, strict=True):
            pieces = [Block(ids[start:end], matrix[start:end])]
            stored = blocks.get(number)
            blocks[number] = _merged([*pieces, stored] if stored else pieces)
    return VectorTable(dict(sorted(blocks.items())), n_chunks, tuple(without))


def _merged(pieces: Sequence[Block]) -> Block:
    """One block, ids ascending, of pieces that have no id in common."""
    # Copied, so that a block does not keep the matrix in memory that it was cut from.
    ids = np.concatenate([piece.ids for piece in pieces])
    matrix = np.concatenate([piece.matrix for piece in pieces])
    if len(pieces) == 1:
        return Block(ids, matrix)
    order = np.argsort(ids)
    return Block(ids[order], matrix[order])


def with_context(files: Sequence[FileVectors], encoder: Encoder, shares: ContextShares) -> Matrix:
    """The vectors of some files' chunks, file by file, with their context added.

    None of the files lacks its vectors.

    Raises:
        CorruptIndex: a file has more or fewer numbers than its chunks need, so that all files
            behind it would get the vectors of others, or what it has are no numbers.
    """
    packed = [file.packed or b"" for file in files]
    for file, data in zip(files, packed, strict=True):
        # Each number is a float16 of two bytes.
        if len(data) != 2 * file.n_chunks * encoder.dimensions:
            raise _corrupt(file, "do not fit its chunks")
    matrix = unpack(b"".join(packed), encoder.dimensions)
    ends = list(accumulate(file.n_chunks for file in files))
    by_file = [matrix[start:end] for start, end in pairwise((0, *ends))]
    context = np.zeros((len(files), encoder.dimensions), dtype=np.float32)
    with np.errstate(invalid="ignore"):  # inf - inf, which is told below
        for rows, total in zip(by_file, context, strict=True):
            np.add.reduce(rows, axis=0, out=total)  # a tenth of the time of `reduceat`
    # Whatever is no number in a chunk makes the sum of its file none.
    strange = np.argwhere(~np.isfinite(context))
    if len(strange):
        raise _corrupt(files[int(strange[0, 0])], "are no numbers")
    context = np.float32(shares.of_file) * normalized(context)
    if shares.of_path:
        paths = [decode_path(file.path).replace("/", " ") for file in files]
        context += np.float32(shares.of_path) * encoder.encode(paths)
    for rows, added in zip(by_file, context, strict=True):
        rows += added
    return matrix


def _corrupt(file: FileVectors, why: str) -> CorruptIndex:
    hint = "run `satchel repair`, or `satchel reindex --full`"
    return CorruptIndex(f"the vectors of {decode_path(file.path)} {why}", hint)


def nearest(
    table: VectorTable, query: npt.NDArray[np.float32], limit: int
) -> list[tuple[int, float]]:
    """The `limit` chunks nearest to `query` and all that tie with the last: (id, score) pairs.

    Best first, ties by id. A query of zeros, none of whose words is known, is near nothing.
    """
    if not table.blocks or not query.any():
        return []
    # `einsum` instead of a matrix product: the threads of BLAS wait by spinning, and the order of
    # its sums, and so their last bits, depends on how many threads there are.
    scores = np.concatenate([np.einsum("ij,j", b.matrix, query) for b in table.blocks.values()])
    ids = table.ids
    if len(scores) > limit:
        # A partition finds the least score that is wanted; only what reaches it has to be sorted.
        floor = np.partition(scores, -limit)[-limit]
        keep = np.flatnonzero(scores >= floor)
    else:
        keep = np.arange(len(scores))
    keep = keep[np.lexsort((ids[keep], -scores[keep]))]
    return list(zip(ids[keep].tolist(), scores[keep].tolist(), strict=True))


def recall(found: Sequence[str], exact: Sequence[tuple[str, float]], limit: int) -> float:
    """Share of the `limit` truly nearest that were found, 0 to 1; any of those that tie will do.

    Two chunks of equal content share a name, and finding the name finds both.
    """
    if not exact:
        return 1.0
    floor = exact[min(limit, len(exact)) - 1][1]
    right = {name for name, score in exact if score >= floor}
    wanted = len(dict.fromkeys(name for name, _ in exact[:limit]))
    return min(1.0, len(right.intersection(found[:limit])) / wanted)
