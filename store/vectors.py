"""Vectors kept by content, and the exact scan over them.

A file's vectors are one float16 matrix in chunk order, stored with the bytes they were made from,
so a branch switch or a second path encodes nothing again. The scan is exact, ties included; it is
the oracle for any faster index, and fast enough to be the default up to some 100,000 chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import apsw
import numpy as np
import numpy.typing as npt

from store.database import select
from store.encoders import Encoder, Matrix, normalized
from store.rows import decode_path


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Every chunk that has a vector. `ids` ascend; `matrix[i]` belongs to `ids[i]`."""

    ids: npt.NDArray[np.int64]
    matrix: Matrix
    n_chunks: int
    """Chunks in the index, with a vector or without."""

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
        "SELECT f.path, f.first_chunk, f.n_chunks, v.vectors FROM files f JOIN vectors v"
        " ON v.digest = f.digest AND v.language = f.language AND v.encoder = ?"
        " WHERE f.n_chunks > 0 ORDER BY f.first_chunk",
        (encoder.name,),
    )
    n_chunks = select(connection, "SELECT count(*) FROM chunks")[0][0]
    if not rows:
        return VectorTable(np.zeros(0, np.int64), np.zeros((0, encoder.dimensions), "f4"), n_chunks)
    ids = [np.arange(first, first + n, dtype=np.int64) for _, first, n, _ in rows]
    matrix = unpack(b"".join(row[3] for row in rows), encoder.dimensions)
    sizes = np.array([n for _, _, n, _ in rows])
    context = np.zeros((len(rows), encoder.dimensions), dtype=np.float32)
    if of_file:
        starts = np.cumsum(sizes) - sizes
        context += np.float32(of_file) * normalized(np.add.reduceat(matrix, starts, axis=0))
    if of_path:
        paths = [decode_path(path).replace("/", " ") for path, *_ in rows]
        context += np.float32(of_path) * encoder.encode(paths)
    matrix += np.repeat(context, sizes, axis=0)
    return VectorTable(np.concatenate(ids), matrix, n_chunks)


def nearest(
    table: VectorTable, query: npt.NDArray[np.float32], limit: int
) -> list[tuple[int, float]]:
    """The `limit` chunks nearest to `query` and all that tie with the last: (id, score) pairs."""
    if not len(table.ids):
        return []
    scores = table.matrix @ query
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
        "SELECT DISTINCT f.digest, f.language, f.n_chunks FROM files f WHERE f.n_chunks > 0"
        " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.digest = f.digest"
        " AND v.language = f.language AND v.encoder = ?) ORDER BY f.digest, f.language",
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
