"""Vectors for the chunks that have none yet: the slow part, done after text and graph can answer.

What is encoded is the chunk's scope header and its text. Each batch is a transaction, so an
interruption loses one batch and the next run continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import apsw

from satchel.store import codec
from satchel.store.model import FileFacts
from satchel.store.sqlite import vectors
from satchel.store.sqlite.database import never, select, transaction
from satchel.store.sqlite.writer import Writer
from satchel.store.vectors.chroma import Mirror, vector_id
from satchel.store.vectors.encoders import Encoder, Matrix

BATCH_CHUNKS = 1_000
_PROBES = 40
MIRROR_BATCH = 5_000
_DEPTH = 50

OnEncoded = Callable[[int, int], None]
"""(chunks done, chunks to do)."""


@dataclass(frozen=True, slots=True)
class MirrorReport:
    """What bringing the mirror up to date took. `recall` is of the 50 nearest, over 40 probes."""

    added: int
    removed: int
    held: int
    recall: float


def encode(
    connection: apsw.Connection,
    encoder: Encoder,
    on_encoded: OnEncoded,
    pause: Callable[[], bool] = never,
) -> int:
    """Encode what is missing, a batch at least, until `pause` says so; returns how many chunks."""
    todo = vectors.missing(connection, encoder)
    total = sum(n_chunks for _, _, n_chunks in todo)
    done = 0
    for batch in _batches(todo):
        rows = _encoded(connection, batch, encoder)
        with transaction(connection):
            Writer(connection).put_vectors(rows)
        done += sum(n_chunks for _, _, n_chunks in batch)
        on_encoded(done, total)
        if pause():
            break
    return done


def _batches(todo: list[tuple[str, str, int]]) -> Iterator[list[tuple[str, str, int]]]:
    batch: list[tuple[str, str, int]] = []
    n_chunks = 0
    for entry in todo:
        batch.append(entry)
        n_chunks += entry[2]
        if n_chunks >= BATCH_CHUNKS:
            yield batch
            batch, n_chunks = [], 0
    if batch:
        yield batch


def _encoded(
    connection: apsw.Connection, batch: list[tuple[str, str, int]], encoder: Encoder
) -> list[tuple[str, str, str, bytes]]:
    """Rows of a batch; its texts go to the encoder together, since an endpoint pays for calls."""
    sql = "SELECT facts, source FROM contents WHERE digest = ? AND language = ?"
    texts: list[list[str]] = []
    for digest, language, _ in batch:
        facts, source = select(connection, sql, (digest, language))[0]
        texts.append(chunk_texts(codec.decode_facts(facts), codec.unpack_source(source)))
    matrix = encoder.encode([text for each in texts for text in each])
    rows: list[tuple[str, str, str, bytes]] = []
    start = 0
    for (digest, language, _), each in zip(batch, texts, strict=True):
        packed = vectors.pack(matrix[start : start + len(each)])
        rows.append((digest, language, encoder.name, packed))
        start += len(each)
    return rows


def chunk_texts(facts: FileFacts, source: bytes) -> list[str]:
    """What is encoded of a file's chunks: the scope header, then the text."""
    texts = []
    for chunk in facts.chunks:
        body = source[chunk.span.start_byte : chunk.span.end_byte].decode("utf-8", "replace")
        texts.append(f"{chunk.header}\n{body}")
    return texts


def mirror(
    connection: apsw.Connection, target: Mirror, encoder: Encoder, on_mirrored: OnEncoded
) -> MirrorReport:
    """Make a Chroma mirror hold exactly the vectors of the working tree, and check it by asking."""
    if target.encoder_name != encoder.name:
        target.reset()
    rows = select(
        connection,
        "SELECT DISTINCT v.digest, v.language, f.n_chunks, v.vectors FROM vectors v"
        " JOIN files f ON f.digest = v.digest AND f.language = v.language WHERE v.encoder = ?"
        " ORDER BY v.digest, v.language",
        (encoder.name,),
    )
    wanted = {
        vector_id(digest, language, ordinal)
        for digest, language, n_chunks, _ in rows
        for ordinal in range(n_chunks)
    }
    held = target.ids()
    target.remove(held - wanted)
    todo, done = len(wanted - held), 0
    for ids, matrix in _unmirrored(rows, held, encoder):
        target.add(ids, matrix)
        done += len(ids)
        on_mirrored(done, todo)
    return MirrorReport(todo, len(held - wanted), len(wanted), _recall(connection, target, encoder))


def _unmirrored(
    rows: list[tuple[Any, ...]], held: set[str], encoder: Encoder
) -> Iterator[tuple[list[str], Matrix]]:
    """Vectors that the mirror lacks, in large batches: Chroma pays for every call."""
    ids: list[str] = []
    packed: list[bytes] = []
    for digest, language, n_chunks, data in rows:
        names = [vector_id(digest, language, ordinal) for ordinal in range(n_chunks)]
        if not held.issuperset(names):
            ids += names
            packed.append(data)
        if len(ids) >= MIRROR_BATCH:
            yield ids, vectors.unpack(b"".join(packed), encoder.dimensions)
            ids, packed = [], []
    if ids:
        yield ids, vectors.unpack(b"".join(packed), encoder.dimensions)


def _recall(connection: apsw.Connection, target: Mirror, encoder: Encoder) -> float:
    """Mean recall of the mirror against the exact scan, over vectors spread across the table."""
    table = vectors.load(connection, encoder)
    names = _names(connection)
    step = max(1, len(table.ids) // _PROBES)
    shares = []
    for query in table.matrix[::step][:_PROBES]:
        exact = [(names[chunk], score) for chunk, score in vectors.nearest(table, query, _DEPTH)]
        found = [name for name, _ in target.nearest(query, _DEPTH)]
        shares.append(vectors.recall(found, exact, _DEPTH))
    return sum(shares) / len(shares) if shares else 1.0


def _names(connection: apsw.Connection) -> dict[int, str]:
    """Each chunk's id in the mirror."""
    rows = select(connection, "SELECT digest, language, first_chunk, n_chunks FROM files")
    return {
        first + ordinal: vector_id(digest, language, ordinal)
        for digest, language, first, n_chunks in rows
        for ordinal in range(n_chunks)
    }
