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
from satchel.store.sqlite.unencoded import Unencoded, unencoded
from satchel.store.sqlite.writer import Writer
from satchel.store.vectors.chroma import Mirror, vector_id
from satchel.store.vectors.encoders import Encoder, Matrix

# A transaction each: what is encoded is kept when the process is stopped.
BATCH_CHUNKS = 1_000
MIRROR_BATCH = 5_000
"""Vectors written to Chroma at once: it pays for every call."""
_PROBES = 40
_DEPTH = 50
"""How many vectors the mirror is tried with, and how many neighbours of each are compared."""

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
    """Encode chunks without a vector until `pause` says so, a batch at least; returns how many."""
    todo = unencoded(connection, encoder.name)
    total = sum(content.n_chunks for content in todo)
    done = 0
    batch: list[Unencoded] = []
    n_chunks = 0
    for place, content in enumerate(todo, 1):
        batch.append(content)
        n_chunks += content.n_chunks
        if n_chunks < BATCH_CHUNKS and place < len(todo):
            continue
        # Encoded before the transaction begins: an endpoint may take seconds to answer.
        rows = _encoded(connection, batch, encoder)
        with transaction(connection):
            Writer(connection).put_vectors(rows)
        done += n_chunks
        on_encoded(done, total)
        if pause():
            break
        batch, n_chunks = [], 0
    return done


def _encoded(
    connection: apsw.Connection, batch: list[Unencoded], encoder: Encoder
) -> list[tuple[str, str, str, bytes]]:
    """(digest, language, encoder, packed vectors) of a batch."""
    sql = "SELECT facts, source FROM contents WHERE digest = ? AND language = ?"
    texts: list[list[str]] = []
    for content in batch:
        facts, source = select(connection, sql, (content.digest, content.language))[0]
        texts.append(chunk_texts(codec.decode_facts(facts), codec.decompress(source)))
    # The texts of all files go to the encoder together: an endpoint is paid by the call.
    matrix = encoder.encode([text for each in texts for text in each])
    rows: list[tuple[str, str, str, bytes]] = []
    start = 0
    for content, each in zip(batch, texts, strict=True):
        packed = vectors.pack(matrix[start : start + len(each)])
        rows.append((content.digest, content.language, encoder.name, packed))
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
    """Make a Chroma mirror hold exactly the vectors of the working tree, and measure its recall."""
    # Vectors of two encoders cannot be compared, so a mirror holds those of one.
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
    mirrored = target.ids()
    target.remove(mirrored - wanted)
    todo, done = len(wanted - mirrored), 0
    for ids, matrix in _unmirrored(rows, mirrored, encoder):
        target.add(ids, matrix)
        done += len(ids)
        on_mirrored(done, todo)
    return MirrorReport(
        todo, len(mirrored - wanted), len(wanted), _recall(connection, target, encoder)
    )


def _unmirrored(
    rows: list[tuple[Any, ...]], mirrored: set[str], encoder: Encoder
) -> Iterator[tuple[list[str], Matrix]]:
    """The ids and vectors that the mirror lacks, in batches.

    A file of which one vector is missing is given whole: writing the others again changes nothing.
    """
    ids: list[str] = []
    packed: list[bytes] = []
    for digest, language, n_chunks, data in rows:
        names = [vector_id(digest, language, ordinal) for ordinal in range(n_chunks)]
        if not mirrored.issuperset(names):
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
    rows = select(connection, "SELECT digest, language, first_chunk, n_chunks FROM files")
    names = {
        first + ordinal: vector_id(digest, language, ordinal)
        for digest, language, first, n_chunks in rows
        for ordinal in range(n_chunks)
    }
    # Evenly spread and not drawn at random, so that two runs measure the same.
    step = max(1, len(table.ids) // _PROBES)
    shares = []
    for query in table.matrix[::step][:_PROBES]:
        exact = [(names[chunk], score) for chunk, score in vectors.nearest(table, query, _DEPTH)]
        found = [name for name, _ in target.nearest(query, _DEPTH)]
        shares.append(vectors.recall(found, exact, _DEPTH))
    return sum(shares) / len(shares) if shares else 1.0
