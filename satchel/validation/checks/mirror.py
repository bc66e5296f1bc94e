"""Checks the Chroma mirror by asking it: its counts are right even when vectors are lost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from satchel.store.errors import ConfigError
from satchel.store.sqlite.vectors import unpack
from satchel.store.vectors.chroma import FOLDER, Mirror, vector_id
from satchel.store.vectors.encoders import Matrix
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, Severity, error
from satchel.workspace.lock import writer_lock

_PROBES = 40
_TOLERANCE = 1e-3


def mirrored(context: CheckContext) -> Iterator[Finding]:
    """The mirror has every vector of the index and no other, and finds them.

    Raises:
        Locked: another process is writing, and has Chroma open.
    """
    if context.settings.vectors.engine != "chroma":
        return
    if not (context.directory / FOLDER).is_dir():
        yield Finding("V026", Severity.INFO, "", 0, "there is no mirror yet", "`satchel reindex`")
        return
    ids, matrix = _expected_vectors(context)
    with writer_lock(context.directory):  # only the writer may open Chroma
        try:
            mirror = Mirror(context.directory, context.encoder)
        except ConfigError as error:
            yield Finding("V026", Severity.WARNING, "", 0, error.message, error.hint)
            return
        try:
            yield from _compare(mirror, context.encoder.name, ids, matrix)
        finally:
            mirror.close()


def _expected_vectors(context: CheckContext) -> tuple[list[str], Matrix]:
    """The ids that the mirror must have, and the vector of each."""
    chunks_of = {(row.digest, row.language): row.n_chunks for row in context.file_rows()}
    ids: list[str] = []
    packed: list[bytes] = []
    for digest, language, encoder, vectors, _ in context.audit.vectors():
        n_chunks = chunks_of.get((digest, language), 0)
        if encoder == context.encoder.name and n_chunks:
            ids += [vector_id(digest, language, ordinal) for ordinal in range(n_chunks)]
            packed.append(vectors)
    return ids, unpack(b"".join(packed), context.encoder.dimensions)


def _compare(mirror: Mirror, encoder: str, ids: list[str], matrix: Matrix) -> Iterator[Finding]:
    if mirror.encoder_name != encoder:
        yield error("V026", f"the mirror: it is of another encoder, {mirror.encoder_name!r}")
        return
    stored = mirror.ids()
    if stored != set(ids):
        n_lost, n_foreign = len(set(ids) - stored), len(stored - set(ids))
        yield error(
            "V026", f"the mirror: {n_lost} vectors are missing, {n_foreign} belong to nothing here"
        )
        return
    odd = np.abs(mirror.vectors(ids) - matrix).max(axis=1, initial=0) > _TOLERANCE
    if odd.any():
        yield error("V026", f"the mirror: {int(odd.sum())} vectors are not those of this index")
    # Its graph of neighbours can lose vectors that its table still has: a spread of them is
    # searched for, each by itself.
    step = max(1, len(ids) // _PROBES)
    for name, vector in zip(ids[::step], matrix[::step], strict=True):
        found = mirror.nearest(vector, 1)
        if vector.any() and (not found or found[0][1] < 1.0 - _TOLERANCE):
            yield error("V026", f"the mirror: {name} is not found by its own vector")
            return
