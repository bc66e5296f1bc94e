"""Searches over vectors that need more than a snapshot: Chroma's, and those that may fail."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.weights import DEFAULT
from satchel.store.errors import EncoderUnavailable
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite.vectors import ContextShares, VectorTable, nearest
from satchel.store.vectors.chroma import Mirror
from satchel.store.vectors.encoders import Encoder
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.lock import writer_lock


def shares_of(encoder: Encoder) -> ContextShares:
    """How much of its context is added to a chunk's vector of this encoder."""
    signal = DEFAULT.signal
    # Paths are encoded whenever a table is loaded: not over a wire.
    of_path = signal.vector_of_path if isinstance(encoder, TableEncoder) else 0.0
    return ContextShares(signal.vector_of_file, of_path)


def table_search(table: VectorTable, encoder: Encoder) -> VectorSearch:
    """The exact scan of a table; it finds nothing where the encoder fails on the question."""

    def search(text: str, limit: int) -> Sequence[tuple[int, float]]:
        return nearest(table, encoder.encode([text])[0], limit)

    return quiet(search)


def mirror_search(directory: Path, encoder: Encoder, snapshot: Snapshot) -> VectorSearch:
    """Ask Chroma, which knows chunks alone: not their files, not their paths.

    Raises:
        Locked: another process is writing, and has Chroma open.
    """
    # The lock is tried right away, so that the caller can fall back on the scan before it ranks
    # anything.
    with writer_lock(directory):
        pass
    chunks_of = snapshot.chunks_by_content()

    def search(text: str, limit: int) -> Sequence[tuple[int, float]]:
        wanted = encoder.encode([text])[0]
        # A text of unknown words has a vector of zeros, which is near nothing.
        if not wanted.any():
            return ()
        with writer_lock(directory):
            # Opened for each question and closed again: another process may ask next, and what one
            # process adds another that has it open never sees.
            mirror = Mirror(directory, encoder)
            try:
                found = mirror.nearest(wanted, limit)
            finally:
                mirror.close()
        return [(chunk, score) for name, score in found for chunk in chunks_of.get(name, ())]

    return search


def quiet(search: VectorSearch) -> VectorSearch:
    """A search that finds nothing where the encoder fails on the question itself."""

    def find(text: str, limit: int) -> Sequence[tuple[int, float]]:
        with suppress(EncoderUnavailable):
            return search(text, limit)
        return ()

    return find
