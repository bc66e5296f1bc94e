"""Packs that can be made again: each is remembered when it is made, by the id in its receipt."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.assembler import assemble
from satchel.assembler.assemble import Question
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.values import ContextPack
from satchel.store.errors import UsageError
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace import knowledge, pack_log, span_check
from satchel.workspace.project import Project


def make(
    project: Project,
    snapshot: Snapshot,
    question: Question,
    budget: int,
    notices: Sequence[str] = (),
    vectors: VectorSearch | None = None,
) -> ContextPack:
    """A pack of files as they are now, remembered for `replay`.

    Raises:
        UsageError: the budget is out of bounds.
    """
    encoding = project.settings.context.tokenizer
    pack = assemble.context(
        snapshot, question, budget, encoding=encoding, notices=notices, vectors=vectors,
        # Files may change between the refresh and the reply, so what is quoted is compared with
        # them once more.
        is_current=span_check.checker(project),
        known=knowledge.pack_knowledge(project, snapshot, query=question.text),
    )  # fmt: skip
    made = pack_log.Asked(
        question, budget, encoding, snapshot.generation, tuple(notices),
        vectors is not None, pack_log.digest_of(pack.text), known=pack.receipt.known,
    )  # fmt: skip
    pack_log.remember(project.directory, pack, made)
    return pack


def replay(project: Project, pack_id: str) -> ContextPack:
    """A pack that was made before, byte for byte.

    Raises:
        UsageError: it is not kept, or the index is not what it was made from.
    """
    asked = pack_log.recall(project.directory, pack_id)
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
        pack = assemble.context(
            snapshot, asked.question, asked.budget, encoding=asked.encoding, notices=asked.notices,
            vectors=vectors if asked.had_vectors else None, sent=asked.sent,
            known=lambda _paths, _room: asked.known,
        )  # fmt: skip
    # Vectors and settings are no part of the generation, so only the digest shows that they have
    # changed.
    if pack_log.digest_of(pack.text) != asked.digest:
        raise UsageError(
            f"pack {pack_id} cannot be made again: vectors or settings have changed since",
            "ask the question again",
        )
    return pack
