"""Makes vectors for the chunks that got none with their facts.

What is encoded is the chunk's scope header and its text. Each batch is a transaction, so an
interruption loses one batch and the next run continues.
"""

from collections.abc import Callable

import apsw

from satchel.indexer import free_memory
from satchel.store import codec
from satchel.store.model import FileFacts
from satchel.store.sqlite import vectors
from satchel.store.sqlite.database import never, select, transaction
from satchel.store.sqlite.unencoded import Unencoded, unencoded
from satchel.store.sqlite.writer import Writer
from satchel.store.vectors.encoders import Encoder

# A transaction each: what is encoded is kept when the process is stopped.
BATCH_CHUNKS = 1_000

OnEncoded = Callable[[int, int], None]
"""(chunks done, chunks to do)."""


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
        if done < total:  # more than one save needs
            free_memory.give_back(connection)
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
