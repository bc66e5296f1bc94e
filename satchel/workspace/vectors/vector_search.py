"""Searches over vectors that need more than a snapshot: Chroma's, and those that may fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from msgspec import Struct

from satchel.assembler.ranking.candidates import VectorSearch
from satchel.store.errors import EncoderUnavailable, Locked, Unwritable
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite.vectors import VectorTable, nearest
from satchel.store.vectors.chroma import FOLDER, Mirror, is_installed, state_in
from satchel.store.vectors.encoders import Encoder
from satchel.workspace.lock import writer_lock
from satchel.workspace.vectors.mirror_answers import MirrorOwner, Near, Nearby, identity


def table_search(table: VectorTable, encoder: Encoder) -> VectorSearch:
    """The exact scan of a table; it finds nothing where the encoder fails on the question."""

    def search(text: str, limit: int) -> Sequence[tuple[int, float]]:
        return nearest(table, encoder.encode([text])[0], limit)

    return quiet(search)


def mirror_search(
    owner: MirrorOwner, encoder: Encoder, asked: Nearby, scan: Callable[[], VectorTable]
) -> VectorSearch:
    """Ask Chroma; the table that `scan` gives is searched where that fails after all."""

    def search(text: str, limit: int) -> Sequence[tuple[int, float]]:
        wanted = encoder.encode([text])[0]
        # A text of unknown words has a vector of zeros, which is near nothing.
        if not wanted.any():
            return ()
        vector = tuple(wanted.tolist())
        near = owner.nearest(Nearby(asked.index, asked.generation, limit, vector))
        if not near.why:
            return near.pairs
        # Whoever was asked may have ended between the first question and this one.
        import logging

        logger = logging.getLogger("satchel.vectors")
        logger.warning("%s; vectors are compared one by one", near.why)
        return nearest(scan(), wanted, limit)

    return quiet(search)


def nearby(directory: Path, snapshot: Snapshot) -> Nearby:
    """The question whether a mirror can answer for a snapshot."""
    return Nearby(identity(directory, snapshot), snapshot.content_generation)


class OpenedHere(Struct, frozen=True):
    """The mirror, opened for one question and closed again: another process may ask next."""

    directory: Path
    encoder: Encoder

    def nearest(self, asked: Nearby) -> Near:
        """What is nearest, where the mirror is of the asked generation and nobody has it open."""
        if not is_installed():
            return Near(why="chromadb is not installed")
        state = state_in(self.directory / FOLDER)
        if (state.index, state.generation) != (asked.index, asked.generation):
            return Near(why="the Chroma mirror is behind the index, until `satchel reindex`")
        try:
            with writer_lock(self.directory):
                if not asked.limit:
                    return Near()
                mirror = Mirror(self.directory, self.encoder)
                try:
                    found = mirror.nearest(np.array(asked.vector, np.float32), asked.limit)
                finally:
                    mirror.close()
        except (Locked, Unwritable) as error:
            return Near(why=error.message)
        return Near(tuple((int(name), score) for name, score in found))


def quiet(search: VectorSearch) -> VectorSearch:
    """A search that finds nothing where the encoder fails on the question itself."""

    def find(text: str, limit: int) -> Sequence[tuple[int, float]]:
        with suppress(EncoderUnavailable):
            return search(text, limit)
        return ()

    return find
