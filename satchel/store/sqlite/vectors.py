"""Vectors kept by content, and the exact scan over them.

A file's vectors are one float16 matrix in chunk order, stored with the bytes they were made from,
so a branch switch or a second path encodes nothing again. The scan is exact, ties included; it is
the oracle for any faster index, and fast enough to be the default up to some 100,000 chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, pairwise

import apsw
import numpy as np
import numpy.typing as npt

from satchel.store.errors import CorruptIndex
from satchel.store.sqlite.database import select
from satchel.store.sqlite.reused_ids import Range
from satchel.store.sqlite.rows import decode_path
from satchel.store.vectors.encoders import Encoder, Matrix, normalized

BLOCK_BITS = 12
"""Rows come in blocks of so many ids: a save copies two or three of them and no more. Where blocks
begin depends on ids alone, so that a score has the same bits however a table came to be."""
_Listed = tuple[bytes, str, str, int, int, bytes | None]
"""A file's path, digest, language, first chunk, how many there are, and their vectors."""
_MANY_FILES = 200
"""From here on everything is loaded again rather than file by file."""
_ALL = (
    "SELECT f.path, f.digest, f.language, f.first_chunk, f.n_chunks, v.vectors FROM files f"
    " LEFT JOIN vectors v ON v.digest = f.digest AND v.language = f.language AND v.encoder = ?"
    " WHERE f.n_chunks > 0 "
)
_SOME = "AND f.id IN (SELECT file_id FROM chunks WHERE id >= ? AND id < ?) "
_IN_ORDER = "ORDER BY f.first_chunk"


@dataclass(frozen=True, slots=True)
class Block:
    """Some chunks that have a vector: `matrix[i]` belongs to `ids[i]`, which ascend."""

    ids: npt.NDArray[np.int64]
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Shares:
    """What is added to a chunk's vector: so many times the mean direction of its file, and so many
    times the vector of its path. A dot product with a query then sums the three cosines.
    """

    of_file: float = 0.0
    of_path: float = 0.0


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Every chunk that has a vector, in blocks by `id >> BLOCK_BITS`."""

    blocks: dict[int, Block]
    """In order; none is empty."""
    n_chunks: int
    """Chunks in the index, with a vector or without."""
    without: tuple[Range, ...] = ()
    """The chunks of files that have no vectors yet."""

    @property
    def ids(self) -> npt.NDArray[np.int64]:
        """All that have one, ascending."""
        return np.concatenate([np.zeros(0, np.int64), *(b.ids for b in self.blocks.values())])

    @property
    def matrix(self) -> Matrix:
        """Their rows, copied."""
        nothing = np.zeros((0, 1), np.float32)
        return np.concatenate([b.matrix for b in self.blocks.values()] or [nothing])

    @property
    def n_vectors(self) -> int:
        """How many have one."""
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


def seal(digest: str, language: str, encoder: str, packed: bytes) -> bytes:
    """Proof that `packed` is what the encoder made of these bytes: BLAKE2b-64 of all four.

    Validation compares it, so that a vector that was damaged or swapped with another is found
    without encoding everything again.
    """
    key = f"{digest} {language} {encoder} ".encode()
    return blake2b(key + packed, digest_size=8).digest()


def load(connection: apsw.Connection, encoder: Encoder, shares: Shares = Shares()) -> VectorTable:
    """All vectors of one encoder, for the files of the working tree, and what is added to them."""
    listed: list[_Listed] = select(connection, _ALL + _IN_ORDER, (encoder.name,))
    return _table(connection, {}, listed, encoder, shares)


def follow(
    connection: apsw.Connection,
    encoder: Encoder,
    before: VectorTable,
    ranges: Sequence[Range],
    shares: Shares = Shares(),
) -> VectorTable:
    """What `load` gives, from a table it gave before the chunks in `ranges` were rewritten.

    Nothing is read but these, and what had no vectors then.
    """
    if len(ranges) + len(before.without) > _MANY_FILES:
        return load(connection, encoder, shares)
    listed: dict[int, _Listed] = {}
    blocks = dict(before.blocks)
    for first, n in {*ranges, *before.without}:
        rows = select(connection, _ALL + _SOME, (encoder.name, first, first + n))
        listed.update((row[3], row) for row in rows)
        for number in range(first >> BLOCK_BITS, (first + n >> BLOCK_BITS) + 1):
            _forget(blocks, number, first, n)
    return _table(connection, blocks, [listed[first] for first in sorted(listed)], encoder, shares)


def _forget(blocks: dict[int, Block], number: int, first: int, n: int) -> None:
    """Take a range of ids out of a block."""
    block = blocks.get(number)
    if block is None:
        return
    start, end = np.searchsorted(block.ids, (first, first + n))
    if end - start == len(block.ids):
        del blocks[number]
    elif start < end:
        gone = slice(start, end)
        kept = np.delete(block.ids, gone), np.delete(block.matrix, gone, axis=0)
        blocks[number] = Block(*kept)


def _table(
    connection: apsw.Connection,
    blocks: dict[int, Block],
    listed: Sequence[_Listed],
    encoder: Encoder,
    shares: Shares,
) -> VectorTable:
    """The table of `blocks` and the files `listed`, of which no chunk is in there."""
    have = [file for file in listed if file[5] is not None]
    without = tuple((file[3], file[4]) for file in listed if file[5] is None)
    pieces: dict[int, list[Block]] = {}
    if have:
        firsts = np.array([file[3] for file in have])
        sizes = np.array([file[4] for file in have])
        matrix = _in_context(have, encoder, shares)
        starts = np.cumsum(sizes) - sizes
        ids = np.arange(len(matrix), dtype=np.int64) + np.repeat(firsts - starts, sizes)
        numbers, cuts = np.unique(ids >> BLOCK_BITS, return_index=True)
        ends = (*cuts[1:].tolist(), len(ids))
        for number, start, end in zip(numbers.tolist(), cuts.tolist(), ends, strict=True):
            pieces[number] = [Block(ids[start:end], matrix[start:end])]
    for number in pieces:
        held = blocks.get(number)
        blocks[number] = _joined([*pieces[number], *([held] if held else [])])
    n_chunks = select(connection, "SELECT count(*) FROM chunks")[0][0]
    return VectorTable(dict(sorted(blocks.items())), n_chunks, without)


def _joined(pieces: Sequence[Block]) -> Block:
    """One block, with memory of its own."""
    ids = np.concatenate([piece.ids for piece in pieces])
    matrix = np.concatenate([piece.matrix for piece in pieces])
    if len(pieces) == 1:
        return Block(ids, matrix)
    order = np.argsort(ids)
    return Block(ids[order], matrix[order])


def _in_context(listed: Sequence[_Listed], encoder: Encoder, shares: Shares) -> Matrix:
    """The vectors of some files' chunks, with what is added to them.

    Raises:
        CorruptIndex: a file has more or fewer numbers than its chunks need; none may slip.
    """
    packed = [file[5] or b"" for file in listed]
    for file, data in zip(listed, packed, strict=True):
        if len(data) != 2 * file[4] * encoder.dimensions:
            raise CorruptIndex(
                f"the vectors of {decode_path(file[0])} do not fit its chunks",
                "run `satchel repair`, or `satchel reindex --full`",
            )
    matrix = unpack(b"".join(packed), encoder.dimensions)
    ends = list(accumulate(file[4] for file in listed))
    files = [matrix[start:end] for start, end in pairwise((0, *ends))]
    context = np.zeros((len(listed), encoder.dimensions), dtype=np.float32)
    if shares.of_file:
        for rows, total in zip(files, context, strict=True):
            np.add.reduce(rows, axis=0, out=total)  # a tenth of the time of `reduceat`
        context = np.float32(shares.of_file) * normalized(context)
    if shares.of_path:
        paths = [decode_path(file[0]).replace("/", " ") for file in listed]
        context += np.float32(shares.of_path) * encoder.encode(paths)
    for rows, added in zip(files, context, strict=True):
        rows += added
    return matrix


def nearest(
    table: VectorTable, query: npt.NDArray[np.float32], limit: int
) -> list[tuple[int, float]]:
    """The `limit` chunks nearest to `query` and all that tie with the last: (id, score) pairs.

    A question without a direction, none of whose words is known, is near to nothing.
    """
    if not table.blocks or not query.any():
        return []
    # No matrix product: BLAS's threads wait by spinning, and its sums depend on how many there are.
    scores = np.concatenate([np.einsum("ij,j", b.matrix, query) for b in table.blocks.values()])
    ids = table.ids
    if len(scores) > limit:
        floor = np.partition(scores, -limit)[-limit]
        keep = np.flatnonzero(scores >= floor)
    else:
        keep = np.arange(len(scores))
    keep = keep[np.lexsort((ids[keep], -scores[keep]))]
    return list(zip(ids[keep].tolist(), scores[keep].tolist(), strict=True))


def missing(connection: apsw.Connection, encoder: Encoder) -> list[tuple[str, str, int]]:
    """(digest, language, chunks) of the contents in use that this encoder has not encoded yet."""
    rows = select(
        connection,
        "SELECT DISTINCT digest, language, n_chunks FROM files WHERE n_chunks > 0"
        " AND (digest, language) NOT IN (SELECT digest, language FROM vectors WHERE encoder = ?)"
        " ORDER BY digest, language",
        (encoder.name,),
    )
    return [(digest, language, n_chunks) for digest, language, n_chunks in rows]


def recall(found: Sequence[str], exact: Sequence[tuple[str, float]], limit: int) -> float:
    """Share of the `limit` truly nearest that were found; any of those that tie will do.

    Two chunks of equal content share a name, and finding the name finds both.
    """
    if not exact:
        return 1.0
    floor = exact[min(limit, len(exact)) - 1][1]
    right = {name for name, score in exact if score >= floor}
    wanted = len(dict.fromkeys(name for name, _ in exact[:limit]))
    return min(1.0, len(right.intersection(found[:limit])) / wanted)
