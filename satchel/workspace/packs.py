"""Packs that were made, made again byte for byte."""

from __future__ import annotations

from satchel.assembler import assemble
from satchel.assembler.values import ContextPack
from satchel.store.errors import UsageError
from satchel.workspace import pack_log
from satchel.workspace.configuration import tuned
from satchel.workspace.project import Project


def replay(project: Project, pack_id: str) -> ContextPack:
    """A pack that was made before, byte for byte.

    Raises:
        UsageError: it is not kept, or the index is not what it was made from.
    """
    asked = pack_log.read(project.directory, pack_id)
    with project.snapshot() as snapshot:
        # Another generation would give another pack, and a replay that is not the same to the byte
        # proves nothing.
        if snapshot.generation != asked.generation:
            raise UsageError(
                f"pack {pack_id} was made from generation {asked.generation} of the index,"
                f" which is gone: it is at {snapshot.generation}",
                "ask the question again",
            )
        vectors, _ = project.vector_search(snapshot)
        options = assemble.PackOptions(
            encoding=asked.encoding,
            notices=asked.notices,
            vectors=vectors if asked.had_vectors else None,
            sent=asked.sent,
            known=lambda _paths, _limit: asked.known,
            weights=tuned.weights(project.directory),
        )
        pack = assemble.context(snapshot, asked.question, asked.spending, options)
    # Vectors and settings are no part of the generation, so only the digest shows that they have
    # changed.
    if pack_log.digest_of(pack.text) != asked.digest:
        raise UsageError(
            f"pack {pack_id} cannot be made again: vectors or settings have changed since",
            "ask the question again",
        )
    return pack
