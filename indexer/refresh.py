"""Make the index say what the working tree says. Reads top to bottom like the flow it is:

walk → plan (what changed, by stat, then by digest) → analyze (in workers) → write (a transaction
for each batch) → the call graph by names → by what values can be followed → done.

The same refresh serves a first index, a catch-up after an interruption and a single saved file:
what the index already holds is neither read nor parsed again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import apsw

from satchel.indexer.callgraph import first_graph, linker
from satchel.indexer.extract.analyze import digest_of
from satchel.indexer.extract.pool import Limits, Pool
from satchel.indexer.extract.source import as_utf8
from satchel.indexer.extract.worker import Task
from satchel.indexer.languages import detect
from satchel.indexer.pending import Changed, Pending
from satchel.indexer.plan import Part, Plan, make_plan
from satchel.indexer.scan import walk
from satchel.indexer.scan.classify import classify
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.indexer.scan.walk import Found, OnFolder, nothing
from satchel.store.model import Generation, Skipped, SkipReason
from satchel.store.records import FileStat, KnownFile, SkippedRecord
from satchel.store.sqlite.database import transaction

BATCH_CHUNKS = 4096
"""Chunks written in one transaction: about a second of work that a crash can cost."""
RACY_NS = 2_000_000_000
"""A file this fresh may change again without changing its stat, so its stat is not trusted."""
_HEAD_BYTES = 16_384
"""How much of a file its language is judged by."""
_CONTENT_REASONS = (SkipReason.BINARY, SkipReason.MINIFIED, SkipReason.GENERATED)
"""Why bytes are refused whatever the settings: they need not be read while their stat stays."""
KEEP_BYTES = 256 << 20
"""What may be kept of bytes that no file holds any more."""
DERIVE_ALL_SHARE = 0.1
"""Above this share of changed files edges are named again, and all of them are behind."""


class Stage(StrEnum):
    """What a refresh is doing."""

    SCAN = "scanning"
    ANALYZE = "indexing"
    NAMES = "call graph"
    DERIVE = "following values"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a refresh is; `total` is 0 while it is unknown. Bytes of source where `ANALYZE`."""

    stage: Stage
    files: int
    done: int
    total: int


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class RefreshOptions:
    """What to index and what it may cost. `now_ns` is the wall clock when the refresh starts.

    `on_folder` is told of each folder just before it is listed: who watches it from then on misses
    nothing. `keep_bytes` bounds what is kept of bytes that no file holds any more.
    """

    walk: WalkOptions
    limits: Limits
    now_ns: int
    on_folder: OnFolder = nothing
    keep_bytes: int = KEEP_BYTES
    link_later: bool = False
    """Leave edges to a `linker.Linker`, so that the text is found at once."""


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh changed; counts are files."""

    generation: Generation
    added: int
    changed: int
    removed: int
    unchanged: int
    parsed: int
    skipped: int

    @property
    def n_changes(self) -> int:
        """Files that are different now."""
        return self.added + self.changed + self.removed


def refresh(
    connection: apsw.Connection,
    root: Path,
    options: RefreshOptions,
    on_progress: OnProgress,
    part: Part | None = None,
    pool: Pool | None = None,
) -> RefreshReport:
    """Bring the index up to date with the tree under `root`, or with a part of it.

    A part of an index that is not complete yet is the whole. A `pool` that is handed in stays open.
    `KeyboardInterrupt` may be raised at any time: what was analysed by then is kept, and the next
    refresh continues from there.
    """

    def scanned(n_files: int) -> None:
        on_progress(Progress(Stage.SCAN, n_files, n_files, 0))

    plan = make_plan(connection, root, options.walk, part, options.on_folder, scanned)
    batch = _Batch(connection, plan, options, on_progress)
    with nullcontext(pool) if pool else Pool(options.limits) as workers:
        try:
            for changed in _analyze(workers, batch, root):
                batch.add(changed)
        except KeyboardInterrupt:
            batch.pending.commit()
            raise
    return _finish(batch, on_progress)


def _analyze(pool: Pool, batch: _Batch, root: Path) -> Iterator[Changed]:
    """Read the candidates and analyse those whose bytes are new, a few ahead of the writer."""
    waiting: deque[Changed] = deque()
    reused: deque[Changed] = deque()

    def tasks() -> Iterator[Task]:
        for found in batch.plan.candidates:
            data = _read(found, root, batch)
            if data is None:
                continue
            changed = _identify(found, data, batch)
            if changed is None:
                continue
            if batch.pending.knows(changed):
                reused.append(changed)
            else:
                waiting.append(changed)
                yield Task(changed.language, data)

    for analyzed in pool.analyze(tasks()):
        head = waiting.popleft()
        yield Changed(head.path, head.stat, head.digest, head.language, analyzed)
    yield from reused


def _read(found: Found, root: Path, batch: _Batch) -> bytes | None:
    data = walk.read(root, found.path, batch.options.walk)
    if isinstance(data, bytes):
        reason = classify(found.path, data, batch.options.walk.max_file_bytes)
        if reason is None:
            return as_utf8(data)
        data = Skipped(found.path, reason)
    stat = _trusted_stat(found, batch) if data.reason in _CONTENT_REASONS else None
    batch.skip(SkippedRecord(data.path, data.reason, data.detail, stat), found.size)
    return None


def _trusted_stat(found: Found, batch: _Batch) -> FileStat:
    """The stat by which the file is known from now on; one that may lie equals no other."""
    racy = found.mtime_ns > batch.options.now_ns - RACY_NS
    return FileStat(found.size, 0 if racy else found.mtime_ns, found.inode)


def _identify(found: Found, data: bytes, batch: _Batch) -> Changed | None:
    """What the file is now; None when only its stat changed."""
    language = detect.detect(found.path, data[:_HEAD_BYTES]).name
    digest = digest_of(data)
    stat = _trusted_stat(found, batch)
    known = batch.plan.known.get(found.path)
    if known is not None and (known.digest, known.language) == (digest, language):
        batch.touch(known, stat)
        return None
    return Changed(found.path, stat, digest, language, None)


class _Batch:
    """What the walk found on its way to the index, with its progress."""

    def __init__(
        self,
        connection: apsw.Connection,
        plan: Plan,
        options: RefreshOptions,
        on_progress: OnProgress,
    ) -> None:
        self.connection = connection
        self.plan = plan
        self.options = options
        self.pending = Pending(connection, plan.known, is_first=not plan.n_known)
        self.parsed = 0
        self._on_progress = on_progress
        self._n_chunks = 0
        self._done_bytes = 0
        self._total_bytes = sum(found.size for found in plan.candidates)
        if self._total_bytes:
            self._advance(0)  # workers take a moment to start: say that it has begun

    def skip(self, skipped: SkippedRecord, size: int) -> None:
        """Leave a file out."""
        self.plan.skipped.append(skipped)
        self._advance(size)

    def touch(self, known: KnownFile, stat: FileStat) -> None:
        """Keep a file whose bytes are the same."""
        self.plan.present.add(known.path)
        if stat != known.stat:
            self.pending.touched.append((known.id, stat))
        self._advance(stat.size)

    def add(self, changed: Changed) -> None:
        """Take a changed file; writes when enough has come together."""
        self.pending.files.append(changed)
        self.plan.present.add(changed.path)
        if changed.analyzed is not None:
            self.parsed += 1
            # Facts are decoded when written; their packed size stands in for their number.
            self._n_chunks += 1 + len(changed.analyzed.source) // 400
        self._advance(changed.stat.size)
        if self._n_chunks >= BATCH_CHUNKS:
            self.pending.commit()
            self._n_chunks = 0

    def _advance(self, size: int) -> None:
        self._done_bytes += size
        n_files = self.pending.n_changed + len(self.pending.files)
        self._on_progress(Progress(Stage.ANALYZE, n_files, self._done_bytes, self._total_bytes))


def _finish(batch: _Batch, on_progress: OnProgress) -> RefreshReport:
    """Remove what is gone, name the edges and declare the text complete, all or nothing; derive."""
    plan, pending = batch.plan, batch.pending
    linked = plan.linked
    with transaction(batch.connection):
        pending.write()
        gone = [file for path, file in sorted(plan.known.items()) if path not in plan.present]
        pending.remove(gone)
        pending.change_skipped(plan.known_skipped, plan.skipped)
        if plan.head is not None and plan.head != plan.known_head:
            pending.set_head(plan.head)
        n_changes = pending.n_changed + len(gone)
        generation = plan.generation
        if n_changes or not plan.complete:
            on_progress(Progress(Stage.NAMES, len(plan.present), 0, 0))
            _mark_stale(batch, n_changes)
            pending.prune(batch.options.keep_bytes)
            generation, linked = pending.advance(complete=True, linked=False), False
    if not (linked or batch.options.link_later):
        on_progress(Progress(Stage.DERIVE, len(plan.present), 0, 0))
        generation = linker.link(
            batch.connection, linker.max_source_within(batch.options.limits.memory_bytes)
        )
    on_progress(Progress(Stage.DONE, len(plan.present), 0, 0))
    return RefreshReport(
        generation, pending.n_added, pending.n_changed - pending.n_added, len(gone),
        len(plan.present) - pending.n_changed, batch.parsed, len(plan.skipped),
    )  # fmt: skip


def _mark_stale(batch: _Batch, n_changes: int) -> None:
    """Edges for now: which of them are stale is noted."""
    if not batch.plan.complete or n_changes > DERIVE_ALL_SHARE * batch.plan.n_known:
        first_graph.derive_by_name(batch.connection)
    else:
        linker.mark_stale(batch.connection, batch.pending.moved, batch.pending.keys)
