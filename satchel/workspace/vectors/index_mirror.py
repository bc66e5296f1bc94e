"""The Chroma mirror of an index's vectors, kept by the process that owns the index.

    mirror = IndexMirror(directory, encoder, applies)
    mirror.update()            # whenever every chunk has a vector; returns at once
    mirror.nearest(query)      # from any thread
    mirror.close()

A thread of its own writes the mirror, so that neither a save nor a question waits for it. It has
the rows of the exact scan, context included, by chunk id, so that both give the same scores. What a
step wrote is noted after it: who is killed before does the step again. A mirror that cannot be read
or does not add up is thrown away and made anew, and questions are told why nothing answers.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from satchel.store.counted import counted
from satchel.store.errors import CorruptIndex, SatchelError
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import chunk_id_log, database, vectors
from satchel.store.sqlite.chunk_id_log import IdRange
from satchel.store.vectors.chroma import Mirror, MirrorState, remove_mirror, search_width
from satchel.store.vectors.encoders import Encoder
from satchel.workspace.vectors.mirror_answers import NearestQuery, NearestReply, identity, shares_of

if TYPE_CHECKING:
    import apsw

STEP_CHUNKS = 1_000
"""Chunks written between two notes: a second or two of work, which closing waits for."""
_MAX_FAILURES = 3
"""A mirror that fails so often is left alone for as long as the process lives."""
_logger = logging.getLogger("satchel.vectors")


OnMirrored = Callable[[int, int], None]
"""(vectors written, vectors to write)."""


class MirrorReport(Struct, frozen=True):
    """What bringing the mirror up to date took, in vectors."""

    added: int
    removed: int
    held: int


class Step(Struct, frozen=True):
    """What a step did, in vectors; `left` are the chunk ids that it did not come to."""

    added: int
    removed: int
    left: int
    waits: bool = False
    """Chunks have no vector yet, and nothing was done."""
    anew: bool = False
    """What the mirror held was of something else, and is gone."""


def step(connection: apsw.Connection, mirror: Mirror, directory: Path, encoder: Encoder) -> Step:
    """Write what changed since the mirror's state, and the next chunks that it never had."""
    with SqliteSnapshot(connection) as snapshot:
        now = MirrorState(identity(directory, snapshot), snapshot.content_generation)
        before = mirror.state()
        ranges = None
        if before.index == now.index and mirror.encoder_name == encoder.name:
            ranges = chunk_id_log.changed_since(connection, before.generation)
        anew = ranges is None or before.generation > now.generation
        if anew or ranges is None:
            mirror.reset()
            before, ranges = now, []
        ranges = [changed for changed in ranges if changed.first < before.end]
        end = database.next_id(connection, "chunks")
        fresh = [IdRange(before.end, STEP_CHUNKS)] if before.end < end else []
        table = vectors.part(connection, encoder, [*ranges, *fresh], shares_of(encoder))
    if table.without:
        return Step(0, 0, end - before.end, waits=True)
    ids = table.ids
    gone = chunk_id_log.ids_in(ranges) - set(ids.tolist())
    mirror.remove(map(str, gone))
    mirror.add([str(i) for i in ids.tolist()], table.matrix)
    # A file may reach beyond the ids that were asked for, and is written whole.
    reached = max([min(end, before.end + STEP_CHUNKS), *(ids[-1:] + 1).tolist()])
    mirror.note(MirrorState(now.index, now.generation, reached))
    return Step(len(ids), len(gone), max(0, end - reached), anew=anew)


def write(
    connection: apsw.Connection, directory: Path, encoder: Encoder, on_mirrored: OnMirrored
) -> MirrorReport:
    """Make the mirror hold exactly the vectors of the index; the caller holds the writer lock.

    Raises:
        ConfigError: chromadb is not installed.
    """
    with closing(Mirror(directory, encoder)) as mirror:
        try:
            added, removed = _update(connection, mirror, directory, encoder, on_mirrored)
            is_whole = adds_up(connection, mirror, encoder)
        except SatchelError:
            raise
        except Exception:  # a damaged mirror; Chroma's own errors have no common ancestor
            is_whole = False
        if not is_whole:
            # What it lost is not known, so all of it is written again, once.
            mirror.reset()
            added, removed = _update(connection, mirror, directory, encoder, on_mirrored)
        n_held = mirror.n_held
        mirror.widen(search_width(n_held))
        return MirrorReport(added, removed, n_held)


def _update(
    connection: apsw.Connection,
    mirror: Mirror,
    directory: Path,
    encoder: Encoder,
    on_mirrored: OnMirrored,
) -> tuple[int, int]:
    """Bring a mirror forward, step by step; the vectors that came in and that went out."""
    added = removed = 0
    while True:
        done = step(connection, mirror, directory, encoder)
        added, removed = added + done.added, removed + done.removed
        on_mirrored(added, added + done.left)
        if not done.left or done.waits:
            return added, removed


def adds_up(connection: apsw.Connection, mirror: Mirror, encoder: Encoder) -> bool:
    """Whether a mirror that was brought up to date has as many vectors as the index."""
    return mirror.n_held == vectors.n_vectors(connection, encoder)


class IndexMirror:
    """See the module. `applies` says whether so many vectors are looked for in Chroma."""

    def __init__(self, directory: Path, encoder: Encoder, applies: Callable[[int], bool]) -> None:
        self._directory = directory
        self._encoder = encoder
        self._applies = applies
        self._mirror: Mirror | None = None
        self._shown: MirrorState | None = None  # what questions may be answered from
        self._writing = False
        self._why = "the Chroma mirror is not open yet"
        self._wanted = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None

    def update(self) -> None:
        """Bring the mirror to where the index is; called on one thread."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="mirror", daemon=True)
            self._thread.start()
        self._wanted.set()

    def nearest(self, query: NearestQuery) -> NearestReply:
        """What is nearest in the asked generation, or why that is not told."""
        mirror, shown = self._mirror, self._shown
        if mirror is None or shown is None:
            return NearestReply(why=self._why)
        if shown.index != query.index:
            return NearestReply(why="the Chroma mirror is of another index")
        # Ids go to other chunks with a save, so a mirror of another generation would name wrong
        # ones: until it has caught up, the scan answers.
        behind = NearestReply(why="the Chroma mirror is not at what is asked about yet")
        if shown.generation != query.generation or self._writing:
            return behind
        try:
            vector = np.array(query.vector, np.float32)
            pairs = mirror.nearest(vector, query.limit) if query.limit else []
        except Exception as error:  # Chroma's own errors have no common ancestor
            return NearestReply(why=f"Chroma failed ({type(error).__name__})")
        if self._writing or self._shown is not shown:
            return behind
        return NearestReply(tuple((int(name), score) for name, score in pairs))

    def close(self) -> None:
        """Let go of Chroma; a step that is being written is finished first."""
        self._closing = True
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()

    # -- on the thread of its own

    def _run(self) -> None:
        n_failures = 0
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._closing:
                break
            try:
                with closing(database.connect(self._directory, writable=False)) as connection:
                    self._bring_forward(connection)
            except SatchelError as error:  # the index is being made anew, or chromadb is missing
                self._note_failure(error.message)
            except Exception as error:  # Chroma's own errors have no common ancestor
                n_failures += 1
                self._note_failure(f"Chroma failed ({type(error).__name__})")
                self._drop()
                if n_failures < _MAX_FAILURES:
                    self._wanted.set()
        if self._mirror is not None:
            self._mirror.close()

    def _bring_forward(self, connection: apsw.Connection) -> None:
        if self._mirror is None:
            if not self._applies(vectors.n_vectors(connection, self._encoder)):
                return
            self._mirror = Mirror(self._directory, self._encoder)
        while not self._closing:
            self._writing = True
            try:
                done = step(connection, self._mirror, self._directory, self._encoder)
            finally:
                self._writing = False
            if done.anew:
                self._shown = None
            if done.waits:
                return
            if not done.left:
                break
            self._why = f"the Chroma mirror is being filled, {counted(done.left, 'chunk')} to go"
        else:
            return
        if self._shown is None and not adds_up(connection, self._mirror, self._encoder):
            raise CorruptIndex("the Chroma mirror lacks vectors", "it is made anew")
        self._mirror.widen(search_width(self._mirror.n_held))
        self._shown = self._mirror.state()

    def _note_failure(self, why: str) -> None:
        _logger.warning("%s; vectors are compared one by one", why)
        self._why, self._shown = why, None

    def _drop(self) -> None:
        mirror, self._mirror = self._mirror, None
        if mirror is not None:
            with suppress(Exception):
                mirror.close()
        remove_mirror(self._directory)
