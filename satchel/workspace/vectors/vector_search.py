"""Searches over vectors that need more than a snapshot: Chroma's, and those that may fail."""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.ranking.candidates import VectorSearch
from satchel.store.counted import counted
from satchel.store.errors import EncoderUnavailable, Locked, Unwritable
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite.vectors import VectorTable, nearest
from satchel.store.vectors.chroma import FOLDER, Mirror, is_installed, state_in
from satchel.store.vectors.encoders import Encoder, of_question
from satchel.workspace.lock import writer_lock
from satchel.workspace.vectors.mirror_answers import (
    MirrorOwner,
    NearestQuery,
    NearestReply,
    identity,
)


def chroma_search(
    owner: MirrorOwner, encoder: Encoder, query: NearestQuery, scan: Callable[[], VectorTable]
) -> tuple[VectorSearch | None, tuple[str, ...]]:
    """The search in the mirror that `owner` has open, and what to say of it.

    It is the scan of what `scan` gives where the mirror cannot answer; None without vectors.
    """
    reply = owner.nearest(query)
    if not reply.why:
        return mirror_search(owner, encoder, query, scan), ()
    search, notices = scanning_search(scan(), encoder)
    return search, (f"vectors are compared one by one: {reply.why}", *notices)


def scanning_search(
    table: VectorTable, encoder: Encoder
) -> tuple[VectorSearch | None, tuple[str, ...]]:
    """The exact scan of a table, None where it is empty, and what to say of it."""
    notices: tuple[str, ...] = ()
    if table.coverage < 1.0:
        share = f"{table.n_vectors:,} of {counted(table.n_chunks, 'chunk')}"
        notices = (f"vectors cover {share}; the others are found by their words",)
    return (table_search(table, encoder) if table.blocks else None), notices


def table_search(table: VectorTable, encoder: Encoder) -> VectorSearch:
    """The exact scan of a table; it finds nothing where the encoder fails on the question."""

    def search(text: str, limit: int) -> Sequence[tuple[int, float]]:
        return nearest(table, of_question(encoder, text), limit)

    return without_encoder_errors(search)


def mirror_search(
    owner: MirrorOwner, encoder: Encoder, query: NearestQuery, scan: Callable[[], VectorTable]
) -> VectorSearch:
    """Ask Chroma; the table that `scan` gives is searched where that fails after all."""

    def search(text: str, limit: int) -> Sequence[tuple[int, float]]:
        wanted = of_question(encoder, text)
        # A text of unknown words has a vector of zeros, which is near nothing.
        if not wanted.any():
            return ()
        vector = tuple(wanted.tolist())
        reply = owner.nearest(replace(query, limit=limit, vector=vector))
        if not reply.why:
            return reply.pairs
        # Whoever was asked may have ended between the first question and this one.
        import logging

        logger = logging.getLogger("satchel.vectors")
        logger.warning("%s; vectors are compared one by one", reply.why)
        return nearest(scan(), wanted, limit)

    return without_encoder_errors(search)


def mirror_query(directory: Path, snapshot: Snapshot) -> NearestQuery:
    """The question whether a mirror can answer for a snapshot."""
    return NearestQuery(identity(directory, snapshot), snapshot.content_generation)


class OpenedHere(Struct, frozen=True):
    """The mirror, opened for one question and closed again: another process may ask next."""

    directory: Path
    encoder: Encoder

    def nearest(self, query: NearestQuery) -> NearestReply:
        """What is nearest, where the mirror is of the asked generation and nobody has it open."""
        if not is_installed():
            return NearestReply(why="chromadb is not installed")
        state = state_in(self.directory / FOLDER)
        if (state.index, state.generation) != (query.index, query.generation):
            return NearestReply(
                why="the Chroma mirror is behind the index, until `satchel reindex`"
            )
        try:
            with writer_lock(self.directory):
                if not query.limit:
                    return NearestReply()
                with closing(Mirror(self.directory, self.encoder)) as mirror:
                    found = mirror.nearest(np.array(query.vector, np.float32), query.limit)
        except (Locked, Unwritable) as error:
            return NearestReply(why=error.message)
        return NearestReply(tuple((int(name), score) for name, score in found))


def without_encoder_errors(search: VectorSearch) -> VectorSearch:
    """A search that finds nothing where the encoder fails on the question itself."""

    def find(text: str, limit: int) -> Sequence[tuple[int, float]]:
        with suppress(EncoderUnavailable):
            return search(text, limit)
        return ()

    return find
