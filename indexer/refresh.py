"""Bring an index up to date with its working tree. The functions stand in the order of the flow:

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
from satchel.indexer.extract.pool import Pool, WorkerLimits
from satchel.indexer.extract.source import indexed
from satchel.indexer.extract.worker import Task
from satchel.indexer.languages import detect
from satchel.indexer.pending import ChangedFile, PendingChanges
from satchel.indexer.plan import PathSubset, Plan, make_plan
from satchel.indexer.scan import walk
from satchel.indexer.scan.classify import classify
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.indexer.scan.walk import FoundFile, OnFolder, ignore_folder
from satchel.store.codec import digest_of
from satchel.store.errors import Interrupted
from satchel.store.model import Digest, Generation, SkipReason
from satchel.store.records import Analyzed, FileStat, KnownFile, SkippedRecord
from satchel.store.sqlite import retention
from satchel.store.sqlite.database import transaction

BATCH_CHUNKS = 4096
"""Chunks written in one transaction: about a second of work that a crash can cost."""
RACY_NS = 2_000_000_000
"""A file this fresh may change again without changing its stat, so its stat is not trusted."""
_HEAD_BYTES = 16_384
"""How much of a file its language is judged by."""
_CONTENT_REASONS = (
    SkipReason.BINARY, SkipReason.MINIFIED, SkipReason.GENERATED, SkipReason.LFS_POINTER
)  # fmt: skip
"""Why bytes are refused whatever the settings: they need not be read while their stat stays."""
KEEP_BYTES = 256 << 20
"""What may be kept of bytes that no file has any more."""
DERIVE_ALL_SHARE = 0.1
"""Above this share of changed files all edges are made again by names, and all of them are stale:
finding the stale ones among them would take longer."""


_REPORT_EVERY = 20
"""Files between two reports of progress on the call graph."""


class Stage(StrEnum):
    """What a refresh is doing."""

    SCAN = "scanning"
    ANALYZE = "indexing"
    NAMES = "call graph"
    DERIVE = "following values"
    VECTORS = "vectors"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a refresh is; `total` is 0 while it is unknown.

    `done` and `total` are bytes of source where `ANALYZE`, chunks where `VECTORS`, else files.
    """

    stage: Stage
    files: int
    done: int
    total: int


OnProgress = Callable[[Progress], None]
Elsewhere = Callable[[Digest, str], Analyzed | None]
"""What somebody else knows of the bytes with a digest, read as a language; None for nothing."""


def _nowhere(_digest: Digest, _language: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class RefreshOptions:
    """What to index and what it may cost. `now_ns` is the wall clock when the refresh starts.

    `on_folder` is called with each folder just before it is listed: whoever watches it from then on
    misses no change. `keep_bytes` bounds what is kept of bytes that no file has any more.
    """

    walk: WalkOptions
    limits: WorkerLimits
    now_ns: int
    on_folder: OnFolder = ignore_folder
    keep_bytes: int = KEEP_BYTES
    link_if_fewer: int | None = None
    """Edges that follow values are derived before `refresh` returns where fewer files than this
    need it, None for any number. Otherwise they are left to a `linker.Linker`, so that the new text
    can be searched at once."""
    elsewhere: Elsewhere = _nowhere
    """Asked for bytes that this index has not seen, before they are parsed."""


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
    rules_cut: int = 0
    """Those skipped whose ignore rules are not all in force."""

    @property
    def n_changes(self) -> int:
        """Files that are different now."""
        return self.added + self.changed + self.removed


def refresh(
    connection: apsw.Connection,
    root: Path,
    options: RefreshOptions,
    on_progress: OnProgress,
    subset: PathSubset | None = None,
    pool: Pool | None = None,
) -> RefreshReport:
    """Bring the index up to date with the tree under `root`, or with some paths of it.

    An index that is not complete yet is always compared with the whole tree. A `pool` that is
    passed in stays open. `KeyboardInterrupt` may be raised at any time, and `Interrupted` by
    `on_progress`: what was analysed by then is kept, and the next refresh continues from there.
    """

    def scanned(n_files: int) -> None:
        on_progress(Progress(Stage.SCAN, n_files, n_files, 0))

    plan = make_plan(connection, root, options.walk, subset, options.on_folder, scanned)
    batch = _Batch(connection, plan, options, on_progress)
    with nullcontext(pool) if pool else Pool(options.limits) as workers:
        try:
            for changed in _analyze(workers, batch, root):
                batch.add(changed)
        except (KeyboardInterrupt, Interrupted):
            batch.pending.commit()
            raise
    return _finish(batch, on_progress)


def _analyze(pool: Pool, batch: _Batch, root: Path) -> Iterator[ChangedFile]:
    """Read the candidates and analyse those whose bytes are new, a few ahead of the writer."""
    # The pool takes tasks ahead of the outcomes it gives back, in the same order: the files that
    # belong to the outcomes wait here.
    waiting: deque[ChangedFile] = deque()
    reused: deque[ChangedFile] = deque()

    def tasks() -> Iterator[Task]:
        for found in batch.plan.candidates:
            data = _read(found, root, batch)
            if data is None:
                continue
            changed = _identify(found, data, batch)
            if changed is None:
                continue
            if batch.pending.knows(changed) or batch.fetches(changed):
                reused.append(changed)
            else:
                waiting.append(changed)
                yield Task(changed.language, data)

    for analyzed in pool.analyze(tasks()):
        head = waiting.popleft()
        yield ChangedFile(head.path, head.stat, head.digest, head.language, analyzed)
    # Last, because the same bytes may be among those analysed just now.
    yield from reused


def _read(found: FoundFile, root: Path, batch: _Batch) -> bytes | None:
    """The bytes to index, as UTF-8; None when the file is left out."""
    data = walk.read(root, found.path, batch.options.walk)
    if isinstance(data, bytes):
        refused = classify(found.path, data, batch.options.walk.max_file_bytes)
        if refused is None:
            return indexed(data)
        data = refused
    stat = _trusted_stat(found, batch) if data.reason in _CONTENT_REASONS else None
    batch.skip(SkippedRecord(data.path, data.reason, data.detail, stat), found.size)
    return None


def _trusted_stat(found: FoundFile, batch: _Batch) -> FileStat:
    """The stat by which the file is known from now on."""
    # A file written within the last tick of its file system's clock can change again and keep its
    # stat, as in git's "racy" index. A time of 0 equals no other, so it is read again next time.
    racy = found.mtime_ns > batch.options.now_ns - RACY_NS
    return FileStat(found.size, 0 if racy else found.mtime_ns, found.inode)


def _identify(found: FoundFile, data: bytes, batch: _Batch) -> ChangedFile | None:
    """What the file is now; None when only its stat changed."""
    language = detect.detect(found.path, data[:_HEAD_BYTES]).name
    digest = digest_of(data)
    stat = _trusted_stat(found, batch)
    known = batch.plan.known.get(found.path)
    if known is not None and (known.digest, known.language) == (digest, language):
        batch.touch(known, stat)
        return None
    return ChangedFile(found.path, stat, digest, language, None)


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
        self.pending = PendingChanges(connection, plan.known, is_first=not plan.n_known)
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

    def fetches(self, changed: ChangedFile) -> bool:
        """Whether somebody else knows these bytes; what they know is then in the index."""
        known = self.options.elsewhere(changed.digest, changed.language)
        if known is not None:
            with transaction(self.connection):
                self.pending.writer.put_contents([known])
        return known is not None

    def add(self, changed: ChangedFile) -> None:
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
    """Write what is left, and say in the same transaction that the text is complete; then link."""
    plan, pending, options = batch.plan, batch.pending, batch.options
    linked, generation = plan.linked, plan.generation
    with transaction(batch.connection):
        pending.write()
        gone = [file for path, file in sorted(plan.known.items()) if path not in plan.present]
        pending.remove(gone)
        pending.change_skipped(plan.known_skipped, plan.skipped)
        if plan.head is not None and plan.head != plan.known_head:
            pending.writer.set_head(plan.head)
        n_changes = pending.n_changed + len(gone)
        # A link that changed changes no file, and yet what imports through it mean.
        if n_changes or pending.keys or not plan.complete:
            n_files = len(plan.present)
            on_progress(Progress(Stage.NAMES, n_files, 0, n_files))
            # Following values takes long. Until that is done the call graph answers by names alone,
            # or as it was with the stale edges marked.
            if not plan.complete or n_changes > DERIVE_ALL_SHARE * plan.n_known:
                first_graph.derive_by_name(
                    batch.connection, _counted(Stage.NAMES, n_files, on_progress)
                )
            else:
                linker.mark_stale(batch.connection, pending.moved, pending.keys)
            retention.prune(batch.connection, options.keep_bytes)
            generation, linked = pending.writer.advance(complete=True, linked=False), False
    n_stale = 0 if linked else linker.n_underived(batch.connection)
    if not linked and (options.link_if_fewer is None or n_stale < options.link_if_fewer):
        on_progress(Progress(Stage.DERIVE, len(plan.present), 0, n_stale))
        max_source = linker.max_source_within(options.limits.memory_bytes)
        counted = _counted(Stage.DERIVE, n_stale, on_progress)
        generation = linker.link(batch.connection, max_source, counted)
    on_progress(Progress(Stage.DONE, len(plan.present), 0, 0))
    return RefreshReport(
        generation, pending.n_added, pending.n_changed - pending.n_added, len(gone),
        len(plan.present) - pending.n_changed, batch.parsed, len(plan.skipped),
        sum(record.reason == SkipReason.RULES_CUT for record in plan.skipped),
    )  # fmt: skip


def _counted(stage: Stage, total: int, on_progress: OnProgress) -> first_graph.OnFile:
    """Tells how many of the files of a stage are done."""

    def counted(n_done: int) -> None:
        if n_done % _REPORT_EVERY == 0 or n_done >= total:
            # A file may be counted that the walk has not seen: other processes do not stand still.
            on_progress(Progress(stage, n_done, min(n_done, total), total))

    return counted
