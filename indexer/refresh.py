"""Make the index say what the working tree says. Reads top to bottom like the flow it is:

walk → plan (what changed, by stat, then by digest) → analyze (in workers) → write (a transaction
for each batch) → derive the call graph → done.

The same refresh serves a first index, a catch-up after an interruption and a single saved file:
what the index already holds is neither read nor parsed again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import apsw

from indexer import derive, languages, walk
from indexer.analyze import digest_of
from indexer.classify import classify
from indexer.pool import Limits, Pool
from indexer.scope import is_test_path
from indexer.source import as_utf8
from indexer.walk import Found, WalkOptions
from indexer.worker import Task
from store import codec
from store.database import transaction
from store.model import Digest, Generation, RepoPath, Skipped
from store.records import Analyzed, FileStat, KnownFile, Projection
from store.snapshot import Snapshot
from store.writer import Writer

BATCH_CHUNKS = 4096
"""Chunks written in one transaction: about a second of work that a crash can cost."""
RACY_NS = 2_000_000_000
"""A file this fresh may change again without changing its stat, so its stat is not trusted."""
_HEAD_BYTES = 16_384
"""How much of a file its language is judged by."""
DERIVE_ALL_SHARE = 0.1
"""Above this share of changed files the whole call graph is derived anew."""


class Stage(StrEnum):
    """What a refresh is doing."""

    SCAN = "scanning"
    ANALYZE = "indexing"
    DERIVE = "call graph"
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
    """What to index and what it may cost. `now_ns` is the wall clock when the refresh starts."""

    walk: WalkOptions
    limits: Limits
    now_ns: int


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


@dataclass(slots=True)
class _Plan:
    """What the walk found, held against what the index knows."""

    known: dict[RepoPath, KnownFile]
    generation: Generation
    complete: bool
    candidates: list[Found] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    present: set[RepoPath] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Changed:
    """A file whose bytes differ from what the index holds, with what its bytes say."""

    path: RepoPath
    stat: FileStat
    digest: Digest
    language: str
    analyzed: Analyzed | None
    """None when the index knows these bytes already, from another path or branch."""


def refresh(
    connection: apsw.Connection, root: Path, options: RefreshOptions, on_progress: OnProgress
) -> RefreshReport:
    """Bring the index up to date with the tree under `root`.

    `KeyboardInterrupt` may be raised at any time: what was analysed by then is kept, and the next
    refresh continues from there.
    """
    plan = _plan(connection, root, options, on_progress)
    batch = _Batch(connection, plan, options, on_progress)
    with Pool(options.limits) as pool:
        try:
            for changed in _analyze(pool, batch, root):
                batch.add(changed)
        except KeyboardInterrupt:
            batch.write()
            raise
    return _finish(batch, on_progress)


def _plan(
    connection: apsw.Connection, root: Path, options: RefreshOptions, on_progress: OnProgress
) -> _Plan:
    with Snapshot(connection) as snapshot:
        known_files = {file.path: file for file in snapshot.files.all()}
        plan = _Plan(known_files, snapshot.generation, snapshot.complete)
    for entry in walk.walk(root, options.walk):
        if isinstance(entry, Skipped):
            plan.skipped.append(entry)
            continue
        known = plan.known.get(entry.path)
        if known is not None and known.stat == FileStat(entry.size, entry.mtime_ns, entry.inode):
            plan.present.add(entry.path)
        else:
            plan.candidates.append(entry)
        n_files = len(plan.present) + len(plan.candidates)
        if n_files % 500 == 0:
            on_progress(Progress(Stage.SCAN, n_files, n_files, 0))
    return plan


def _analyze(pool: Pool, batch: _Batch, root: Path) -> Iterator[_Changed]:
    """Read the candidates and analyse those whose bytes are new, a few ahead of the writer."""
    waiting: deque[_Changed] = deque()
    reused: deque[_Changed] = deque()

    def tasks() -> Iterator[Task]:
        for found in batch.plan.candidates:
            data = _read(found, root, batch)
            if data is None:
                continue
            changed = _identify(found, data, batch)
            if changed is None:
                continue
            if batch.knows(changed):
                reused.append(changed)
            else:
                waiting.append(changed)
                yield Task(changed.language, data)

    for analyzed in pool.analyze(tasks()):
        head = waiting.popleft()
        yield _Changed(head.path, head.stat, head.digest, head.language, analyzed)
    yield from reused


def _read(found: Found, root: Path, batch: _Batch) -> bytes | None:
    data = walk.read(root, found.path, batch.options.walk)
    if isinstance(data, bytes):
        reason = classify(found.path, data, batch.options.walk.max_file_bytes)
        if reason is None:
            return as_utf8(data)
        data = Skipped(found.path, reason)
    batch.skip(data, found.size)
    return None


def _identify(found: Found, data: bytes, batch: _Batch) -> _Changed | None:
    """What the file is now; None when only its stat changed."""
    language = languages.detect(found.path, data[:_HEAD_BYTES]).name
    digest = digest_of(data)
    racy = found.mtime_ns > batch.options.now_ns - RACY_NS
    stat = FileStat(found.size, 0 if racy else found.mtime_ns, found.inode)
    known = batch.plan.known.get(found.path)
    if known is not None and (known.digest, known.language) == (digest, language):
        batch.touch(known, stat)
        return None
    return _Changed(found.path, stat, digest, language, None)


class _Batch:
    """Changes on their way to the index, and the count of what happened so far."""

    def __init__(
        self,
        connection: apsw.Connection,
        plan: _Plan,
        options: RefreshOptions,
        on_progress: OnProgress,
    ) -> None:
        self.connection = connection
        self.plan = plan
        self.options = options
        self.names: set[str] = set()
        self.paths: list[RepoPath] = []
        self.added = self.changed = self.parsed = 0
        self._on_progress = on_progress
        self._writer = Writer(connection)
        self._pending: list[_Changed] = []
        self._touched: list[tuple[int, FileStat]] = []
        self._n_chunks = 0
        self._done_bytes = 0
        self._total_bytes = sum(found.size for found in plan.candidates)
        self._analyzed: set[tuple[Digest, str]] = set()

    def knows(self, changed: _Changed) -> bool:
        """Whether these bytes have been analysed before, or are being analysed just now."""
        key = (changed.digest, changed.language)
        known = key in self._analyzed or self._writer.has_contents(*key)
        self._analyzed.add(key)
        return known

    def skip(self, skipped: Skipped, size: int) -> None:
        """Leave a file out."""
        self.plan.skipped.append(skipped)
        self._advance(size)

    def touch(self, known: KnownFile, stat: FileStat) -> None:
        """Keep a file whose bytes are the same."""
        self.plan.present.add(known.path)
        if stat != known.stat:
            self._touched.append((known.id, stat))
        self._advance(stat.size)

    def add(self, changed: _Changed) -> None:
        """Take a changed file; writes when enough has come together."""
        self._pending.append(changed)
        self.plan.present.add(changed.path)
        if changed.analyzed is not None:
            self.parsed += 1
            # Facts are decoded when written; their packed size stands in for their number.
            self._n_chunks += 1 + len(changed.analyzed.source) // 400
        self._advance(changed.stat.size)
        if self._n_chunks >= BATCH_CHUNKS:
            self.write()

    def write(self) -> None:
        """Commit what has come together."""
        if self._pending or self._touched:
            with transaction(self.connection):
                self._write_pending()
                self._writer.advance(complete=False)

    def _write_pending(self) -> None:
        for file_id, stat in self._touched:
            self._writer.touch_file(file_id, stat)
        self._writer.put_contents(c.analyzed for c in self._pending if c.analyzed is not None)
        for changed in self._pending:
            known = self.plan.known.pop(changed.path, None)
            self.added += known is None
            self.changed += known is not None
            if known is not None:
                self.remove(known)
        projections = [self._project(changed) for changed in self._pending]
        self._writer.add_files(projections)
        self.paths += [changed.path for changed in self._pending]
        self._pending, self._touched, self._n_chunks = [], [], 0

    def remove(self, file: KnownFile) -> None:
        """Take a file out of the index, remembering the names it defined."""
        self.names.update(self._writer.names_of(file.id))
        self._writer.remove_file(file)

    def _project(self, changed: _Changed) -> Projection:
        analyzed = changed.analyzed or self._writer.contents(changed.digest, changed.language)
        facts = codec.decode_facts(analyzed.facts)
        self.names.update(symbol.name for symbol in facts.symbols)
        return Projection(
            changed.path,
            changed.stat,
            is_test_path(changed.path, changed.language),
            facts,
            codec.decode_postings(analyzed.postings),
        )

    def finish(self, removed: Iterable[KnownFile]) -> None:
        """Write the rest, inside the caller's transaction."""
        self._write_pending()
        for file in removed:
            self.remove(file)
        self._writer.set_skipped(self.plan.skipped)

    def advance_generation(self) -> Generation:
        """Close the refresh, inside the caller's transaction."""
        return self._writer.advance(complete=True)

    def _advance(self, size: int) -> None:
        self._done_bytes += size
        files = self.added + self.changed + len(self._pending)
        self._on_progress(Progress(Stage.ANALYZE, files, self._done_bytes, self._total_bytes))


def _finish(batch: _Batch, on_progress: OnProgress) -> RefreshReport:
    """Remove what is gone, derive the call graph and declare the index complete, all or nothing."""
    plan = batch.plan
    removed = [file for path, file in sorted(plan.known.items()) if path not in plan.present]
    with transaction(batch.connection):
        batch.finish(removed)
        n_changes = batch.added + batch.changed + len(removed)
        unchanged = len(plan.present) - batch.added - batch.changed
        generation = plan.generation
        if n_changes or not plan.complete:
            on_progress(Progress(Stage.DERIVE, len(plan.present), 0, 0))
            if not plan.complete or n_changes > DERIVE_ALL_SHARE * len(plan.present):
                derive.derive_all(batch.connection)
            else:
                derive.derive_changed(batch.connection, batch.paths, batch.names)
            generation = batch.advance_generation()
    on_progress(Progress(Stage.DONE, len(plan.present), 0, 0))
    return RefreshReport(
        generation, batch.added, batch.changed, len(removed), unchanged, batch.parsed,
        len(plan.skipped),
    )  # fmt: skip
