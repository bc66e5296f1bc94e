"""Vectors kept by content, and the exact scan over them.

A file's vectors are one float16 matrix in chunk order, stored with the bytes they were made from,
so a branch switch or a second path encodes nothing again. The scan is exact, ties included; it is
the oracle for any faster index, and fast enough to be the default up to some 100,000 chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import accumulate, pairwise

import apsw
import numpy as np
import numpy.typing as npt

from store.database import select
from store.encoders import Encoder, Matrix, normalized
from store.errors import CorruptIndex
from store.rows import decode_path

FileKey = tuple[bytes, str, str]
"""(path, digest, language): what the rows of a file are made from."""
_Listed = tuple[bytes, str, str, int, int]  # a file's key, its first chunk, how many there are
_MANY_FILES = 200
"""From here on everything is loaded again rather than file by file."""


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Every chunk that has a vector. `ids` ascend; `matrix[i]` belongs to `ids[i]`."""

    ids: npt.NDArray[np.int64]
    matrix: Matrix
    n_chunks: int
    """Chunks in the index, with a vector or without."""
    places: dict[FileKey, int] = field(default_factory=dict)
    """Where the rows of each file begin."""

    @property
    def coverage(self) -> float:
        """Share of the chunks that have a vector, 0 to 1."""
        return len(self.ids) / self.n_chunks if self.n_chunks else 1.0


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


def load(
    connection: apsw.Connection, encoder: Encoder, of_file: float = 0.0, of_path: float = 0.0
) -> VectorTable:
    """All vectors of one encoder, for the files of the working tree.

    To each chunk's vector are added `of_file` times the mean direction of its file and `of_path`
    times the vector of its path, so that a dot product with a query sums the three cosines.
    """
    rows = select(
        connection,
        "SELECT f.path, f.digest, f.language, f.first_chunk, f.n_chunks, v.vectors FROM files f"
        " JOIN vectors v ON v.digest = f.digest AND v.language = f.language AND v.encoder = ?"
        " WHERE f.n_chunks > 0 ORDER BY f.first_chunk",
        (encoder.name,),
    )
    listed: list[_Listed] = [row[:5] for row in rows]
    matrix = _in_context(listed, [row[5] for row in rows], encoder, of_file, of_path)
    return _table(connection, listed, matrix)


def follow(
    connection: apsw.Connection,
    encoder: Encoder,
    before: VectorTable,
    of_file: float = 0.0,
    of_path: float = 0.0,
) -> VectorTable:
    """What `load` gives, made from a table it gave before: only files that are new are read."""
    sql = "SELECT path, digest, language, first_chunk, n_chunks FROM files WHERE n_chunks > 0"
    files: list[_Listed] = select(connection, f"{sql} ORDER BY first_chunk")
    new = [file for file in files if file[:3] not in before.places]
    if len(new) > _MANY_FILES:
        return load(connection, encoder, of_file, of_path)
    packed: dict[FileKey, bytes] = {}
    sql = "SELECT vectors FROM vectors WHERE digest = ? AND language = ? AND encoder = ?"
    for file in new:
        for (data,) in select(connection, sql, (*file[1:3], encoder.name)):
            packed[file[:3]] = data
    read = [file for file in new if file[:3] in packed]
    added = _in_context(read, [packed[file[:3]] for file in read], encoder, of_file, of_path)
    listed = [file for file in files if file[:3] in before.places or file[:3] in packed]
    return _table(connection, listed, _joined(listed, before, read, added, encoder.dimensions))


def _in_context(
    listed: Sequence[_Listed],
    packed: Sequence[bytes],
    encoder: Encoder,
    of_file: float,
    of_path: float,
) -> Matrix:
    """The vectors of some files' chunks, with what is added to them.

    Raises:
        CorruptIndex: a file has more or fewer numbers than its chunks need; none may slip.
    """
    for file, data in zip(listed, packed, strict=True):
        if len(data) != 2 * file[4] * encoder.dimensions:
            raise CorruptIndex(
                f"the vectors of {decode_path(file[0])} do not fit its chunks",
                "run `satchel repair`, or `satchel reindex --full`",
            )
    matrix = unpack(b"".join(packed), encoder.dimensions)
    if not listed:
        return matrix
    ends = list(accumulate(file[4] for file in listed))
    blocks = [matrix[start:end] for start, end in pairwise((0, *ends))]
    context = np.zeros((len(listed), encoder.dimensions), dtype=np.float32)
    if of_file:
        for block, total in zip(blocks, context, strict=True):
            np.add.reduce(block, axis=0, out=total)  # a tenth of the time of `reduceat`
        context = np.float32(of_file) * normalized(context)
    if of_path:
        paths = [decode_path(file[0]).replace("/", " ") for file in listed]
        context += np.float32(of_path) * encoder.encode(paths)
    for block, added in zip(blocks, context, strict=True):
        block += added
    return matrix


def _joined(
    listed: Sequence[_Listed],
    before: VectorTable,
    read: Sequence[_Listed],
    added: Matrix,
    dimensions: int,
) -> Matrix:
    """Rows of the table before and rows just read, in the order of `listed`; copied in runs."""
    ends = np.cumsum([0, *(file[4] for file in read)]).tolist()
    sources = {file[:3]: (added, start) for file, start in zip(read, ends, strict=False)}
    matrix = np.empty((sum(file[4] for file in listed), dimensions), dtype=np.float32)
    run_from, run_start, run_end, done = before.matrix, 0, 0, 0
    for file in listed:
        source, start = sources.get(file[:3]) or (before.matrix, before.places[file[:3]])
        if source is not run_from or start != run_end:
            n_rows = run_end - run_start
            matrix[done : done + n_rows] = run_from[run_start:run_end]
            run_from, run_start, done = source, start, done + n_rows
        run_end = start + file[4]
    matrix[done:] = run_from[run_start:run_end]
    return matrix


def _table(connection: apsw.Connection, listed: Sequence[_Listed], matrix: Matrix) -> VectorTable:
    n_chunks = select(connection, "SELECT count(*) FROM chunks")[0][0]
    first = np.array([file[3] for file in listed], dtype=np.int64)
    sizes = np.array([file[4] for file in listed], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    ids = np.arange(len(matrix), dtype=np.int64) + np.repeat(first - starts, sizes)
    places = {file[:3]: start for file, start in zip(listed, starts.tolist(), strict=True)}
    return VectorTable(ids, matrix, n_chunks, places)


def nearest(
    table: VectorTable, query: npt.NDArray[np.float32], limit: int
) -> list[tuple[int, float]]:
    """The `limit` chunks nearest to `query` and all that tie with the last: (id, score) pairs."""
    if not len(table.ids):
        return []
    # No matrix product: BLAS's threads wait by spinning, and its sums depend on how many there are.
    scores = np.einsum("ij,j->i", table.matrix, query)
    if len(scores) > limit:
        floor = np.partition(scores, -limit)[-limit]
        keep = np.flatnonzero(scores >= floor)
    else:
        keep = np.arange(len(scores))
    keep = keep[np.lexsort((table.ids[keep], -scores[keep]))]
    return list(zip(table.ids[keep].tolist(), scores[keep].tolist(), strict=True))


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
