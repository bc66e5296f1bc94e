"""Checks the Chroma mirror by asking it: its counts are right even when vectors are lost."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from satchel.store.counted import counted
from satchel.store.errors import ConfigError, Locked
from satchel.store.sqlite.vectors import VectorTable, nearest, recall
from satchel.store.vectors.chroma import FOLDER, Mirror, state_in
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, Severity, error
from satchel.workspace.lock import writer_lock
from satchel.workspace.serving.channel import OtherProcess
from satchel.workspace.vectors.mirror_answers import MirrorOwner, NearestQuery, NearestReply
from satchel.workspace.vectors.vector_search import mirror_query

_PROBES = 40
_DEPTH = 50
"""How many questions the mirror is tried with, and how many neighbours of each are compared."""
_LEAST_RECALL = 0.95
"""0.04 below what was measured: the least that a damaged graph of neighbours loses."""
_TOLERANCE = 1e-3


def mirrored(context: CheckContext) -> Iterator[Finding]:
    """The mirror has every vector of the index and no other, and finds them.

    A mirror that another process has open is asked over its socket, and only for what it finds.

    Raises:
        Locked: another process is writing, and answers nothing.
    """
    if not context.project.uses_chroma(context.snapshot.terms.n_chunks()):
        return
    if not (context.project.directory / FOLDER).is_dir():
        yield Finding(Severity.INFO, "", 0, "there is no mirror yet", "`satchel reindex`")
        return
    query = mirror_query(context.project.directory, context.snapshot)
    table = context.project.vector_table(context.snapshot)
    try:
        with writer_lock(context.project.directory):  # only the writer may open Chroma
            yield from _look_inside(context, table)
    except Locked:
        owner = OtherProcess(context.project.folders.socket)
        near = owner.nearest(query)
        if not near.why:
            yield from _look_for(owner, context, table)
            return
        yield Finding(Severity.INFO, "", 0, f"not looked at: {near.why}", "try again later")


def _look_inside(context: CheckContext, table: VectorTable) -> Iterator[Finding]:
    state = state_in(context.project.directory / FOLDER)
    query = mirror_query(context.project.directory, context.snapshot)
    if state.index == query.index and state.generation < query.generation:
        behind = "the mirror is behind the index, so nothing is asked of it"
        yield Finding(Severity.INFO, "", 0, behind, "`satchel reindex`, or `satchel serve`")
        return
    try:
        mirror = Mirror(context.project.directory, context.project.encoder)
    except ConfigError as missing:
        yield Finding(Severity.WARNING, "", 0, missing.message, missing.hint)
        return
    try:
        found = list(_compare(mirror, context.project.encoder.name, table))
        yield from found or _look_for(_Opened(mirror), context, table)
    finally:
        mirror.close()


def _compare(mirror: Mirror, encoder: str, table: VectorTable) -> Iterator[Finding]:
    if mirror.encoder_name != encoder:
        yield error(f"the mirror: it is of another encoder, {mirror.encoder_name!r}")
        return
    stored, ids = mirror.ids(), [str(i) for i in table.ids.tolist()]
    if stored != set(ids):
        n_lost, n_foreign = len(set(ids) - stored), len(stored - set(ids))
        yield error(
            f"the mirror: {counted(n_lost, 'vector')} missing, {n_foreign} belong to nothing here",
        )
        return
    odd = np.abs(mirror.vectors(ids) - table.matrix).max(axis=1, initial=0) > _TOLERANCE
    if odd.any():
        yield error(f"the mirror: {counted(int(odd.sum()), 'vector')} not as in this index")
        return
    step = max(1, len(ids) // _PROBES)
    for name, vector in list(zip(ids, table.matrix, strict=True))[::step][:_PROBES]:
        if not vector.any():
            continue
        found = mirror.nearest(vector, 1)
        # Another vector may be as near, or nearer if it is longer; the nearest is never farther.
        if not found or found[0][1] < float(vector @ vector) * (1 - _TOLERANCE):
            yield error(f"the mirror: it does not find vector {name}, which it holds")
            return


def _look_for(owner: MirrorOwner, context: CheckContext, table: VectorTable) -> Iterator[Finding]:
    """Questions that name what is there: how many of the nearest the mirror finds."""
    questions = context.project.encoder.encode(_names(context))
    query = mirror_query(context.project.directory, context.snapshot)
    shares: list[float] = []
    # A name of unknown words has a vector of zeros, to which nothing is nearer than all else.
    for question in questions[questions.any(axis=1)]:
        exact = [(str(chunk), score) for chunk, score in nearest(table, question, _DEPTH)]
        vector = tuple(question.tolist())
        near = owner.nearest(replace(query, limit=_DEPTH, vector=vector))
        shares.append(recall([str(chunk) for chunk, _ in near.pairs], exact, _DEPTH))
    if shares and (mean := sum(shares) / len(shares)) < _LEAST_RECALL:
        text = f"the mirror finds {mean:.3f} of the {_DEPTH} nearest of {len(shares)} questions"
        hint = "`satchel repair` and `satchel reindex` write it anew"
        yield Finding(Severity.WARNING, "", 0, text, hint)


def _names(context: CheckContext) -> list[str]:
    """The names of symbols spread over the files, with the words of their paths."""
    rows = [row for row in context.file_rows() if row.n_symbols > 1]
    chosen = rows[:: max(1, len(rows) // _PROBES)][:_PROBES]
    symbols = context.snapshot.symbols.by_id([row.first_symbol + 1 for row in chosen])
    return [f"{symbol.qualified_name} {symbol.path}" for symbol in symbols]


class _Opened(Struct, frozen=True):
    """A mirror that this process has open."""

    mirror: Mirror

    def nearest(self, query: NearestQuery) -> NearestReply:
        """The vectors nearest to the one asked for, best first."""
        found = self.mirror.nearest(np.array(query.vector, np.float32), query.limit)
        return NearestReply(tuple((int(name), score) for name, score in found))
