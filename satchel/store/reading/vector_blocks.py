"""The blocks of an index's vectors: which there are, and whether files have them already.

A table of vectors is loaded and stored here. `store.sqlite.vectors` makes its rows and compares
them, `store.vectors.block_files` maps what was stored.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

from satchel.store.postings import numbers_of
from satchel.store.sqlite import database, vectors
from satchel.store.sqlite.chunk_id_log import IdRange
from satchel.store.sqlite.database import never, select
from satchel.store.sqlite.vectors import (
    NO_CONTEXT,
    Block,
    ContextShares,
    VectorTable,
    table_of,
)
from satchel.store.vectors.block_files import BlockFiles, block_name
from satchel.store.vectors.encoders import Encoder, Matrix

STORED_FROM = 10_000
"""Vectors from which blocks are stored; fewer are made in a tenth of a second."""
_FILES = (
    # Joined in this order: SQLite would read every vector of the index and look for its file.
    "SELECT f.path, f.first_chunk, f.n_chunks, v.vectors, v.seal, f.digest, f.language FROM files f"
    " CROSS JOIN vectors v ON v.digest = f.digest AND v.language = f.language AND v.encoder = ?"
    " WHERE f.id IN (SELECT value FROM json_each(?)) ORDER BY f.first_chunk"
)
_LISTED = (
    "SELECT id, path, first_chunk, n_chunks, digest, language,"
    " EXISTS (SELECT 1 FROM vectors INDEXED BY vectors_encoder"
    " WHERE encoder = ? AND digest = f.digest AND language = f.language)"
    " FROM files f WHERE n_chunks > 0 ORDER BY first_chunk"
)


class ListedFile(NamedTuple):
    """A file with chunks, as its row says, and whether it has vectors; without reading them."""

    id: int
    path: bytes
    first_chunk: int
    n_chunks: int
    digest: str
    language: str
    is_encoded: bool


def load(
    connection: apsw.Connection,
    encoder: Encoder,
    shares: ContextShares = NO_CONTEXT,
    files: BlockFiles | None = None,
) -> VectorTable:
    """All vectors of one encoder, for the files of the working tree, with their context added.

    Blocks that `files` has undamaged are mapped from there, with the same bits.

    Raises:
        CorruptIndex: as `read_file` and `table_of`.
    """
    listed = _list_files(connection, encoder)
    blocks: dict[int, Block] = {}
    for number, members in _members(listed).items():
        ids = _ids(number, members)
        matrix = None
        if files is not None:
            name = _name(members, encoder, shares)
            matrix = files.mapped(name, len(ids), encoder.dimensions)
        if matrix is None:
            matrix = _make_block(connection, number, members, encoder, shares)
        blocks[number] = Block(ids, matrix)
    without = tuple(IdRange(f.first_chunk, f.n_chunks) for f in listed if not f.is_encoded)
    return VectorTable(blocks, database.n_chunks(connection), without)


def store_missing(
    connection: apsw.Connection,
    encoder: Encoder,
    shares: ContextShares,
    files: BlockFiles,
    pause: Callable[[], bool] = never,
) -> bool:
    """Store the blocks that `files` lacks and remove those of earlier texts, until `pause` says so.

    One block is in memory at a time. Of an index with few vectors nothing is stored. Returns
    whether all are there that can be: not while some chunks have no vector.

    Raises:
        OSError: a file cannot be written.
        CorruptIndex: as `table_of`.
    """
    listed = _list_files(connection, encoder)
    n_encoded = sum(file.n_chunks for file in listed if file.is_encoded)
    stored = files.names()
    names: list[str] = []
    for number, members in _members(listed).items() if n_encoded >= STORED_FROM else ():
        name = _name(members, encoder, shares)
        names.append(name)
        if name not in stored:
            if pause():
                return False
            files.put(name, _make_block(connection, number, members, encoder, shares))
    files.remove_others(names)
    return all(file.is_encoded for file in listed)


def damaged(
    connection: apsw.Connection,
    encoder: Encoder,
    shares: ContextShares,
    files: BlockFiles,
    tolerance: float,
) -> list[str]:
    """The names of stored blocks that are damaged, or not what making them again gives.

    `tolerance` is how far apart two of them may be: sums of floats differ between processors.
    """
    found: list[str] = []
    names = files.names()
    for number, members in _members(_list_files(connection, encoder)).items():
        name = _name(members, encoder, shares)
        if name not in names:
            continue
        stored = files.mapped(name, len(_ids(number, members)), encoder.dimensions)
        made = _make_block(connection, number, members, encoder, shares)
        # What is no number is near nothing.
        if stored is None or not np.allclose(stored, made, rtol=0, atol=tolerance):
            found.append(name)
    return found


def _list_files(connection: apsw.Connection, encoder: Encoder) -> list[ListedFile]:
    """The files that have chunks, in the order of their chunk ids."""
    # Calling the class for each row takes three times as long.
    return list(map(ListedFile._make, select(connection, _LISTED, (encoder.name,))))


def _members(listed: Sequence[ListedFile]) -> dict[int, list[ListedFile]]:
    """The files that each block with a vector has chunks of, in order."""
    members: dict[int, list[ListedFile]] = {}
    for file in listed:
        if file.is_encoded:
            last = file.first_chunk + file.n_chunks - 1
            for number in range(
                file.first_chunk >> vectors.BLOCK_BITS, (last >> vectors.BLOCK_BITS) + 1
            ):
                members.setdefault(number, []).append(file)
    return members


def _name(members: Sequence[ListedFile], encoder: Encoder, shares: ContextShares) -> str:
    """What tells a block from every other one."""
    of_files = [file[1:] for file in members]  # an index made anew has other ids for them
    return block_name(encoder.name, shares, vectors.BLOCK_BITS, of_files)


def _ids(number: int, members: Sequence[ListedFile]) -> npt.NDArray[np.int64]:
    """The chunk ids of a block."""
    firsts = np.array([file.first_chunk for file in members])
    sizes = np.array([file.n_chunks for file in members])
    ids = numbers_of(firsts, sizes)
    inside: npt.NDArray[np.int64] = ids[ids >> vectors.BLOCK_BITS == number]
    return inside


def _make_block(
    connection: apsw.Connection,
    number: int,
    members: Sequence[ListedFile],
    encoder: Encoder,
    shares: ContextShares,
) -> Matrix:
    """The rows of a block, from the vectors of its files."""
    wanted = f"[{','.join(str(file.id) for file in members)}]"
    rows = select(connection, _FILES, (encoder.name, wanted))
    files = [vectors.read_file(encoder, row) for row in rows]
    return table_of({}, files, 0, encoder, shares).blocks[number].matrix
