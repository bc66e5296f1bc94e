"""Carry out the plan of a refresh. The functions stand in the order of the flow:

analyze (in workers) → write (a transaction for each batch) → the call graph by names → by what
values can be followed → done.
"""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
from msgspec.structs import replace

from satchel.indexer import free_memory
from satchel.indexer.callgraph import stale
from satchel.indexer.languages import detect
from satchel.indexer.languages.decode import as_text
from satchel.indexer.pending import ChangedFile, PendingChanges
from satchel.indexer.plan import Plan
from satchel.indexer.refresh_values import (
    OnProgress,
    Progress,
    RefreshOptions,
    RefreshReport,
    Stage,
    settled_report,
)
from satchel.indexer.scan import walk
from satchel.indexer.scan.classify import classify
from satchel.indexer.scan.walk import FoundFile
from satchel.store import secrets
from satchel.store.codec import digest_of
from satchel.store.errors import Interrupted
from satchel.store.model import Generation, RepoPath, SkipReason
from satchel.store.records import FileStat, KnownFile, SkippedRecord
from satchel.store.sqlite.database import transaction
from satchel.store.sqlite.earlier import kept_edges, replaced

if TYPE_CHECKING:
    # A switch back to a branch parses nothing and derives no edge: what does both is loaded where
    # it is used.
    from satchel.indexer.callgraph.first_graph import OnFile
    from satchel.indexer.extract.pool import Pool
    from satchel.indexer.extract.worker import Task

BATCH_CHUNKS = 4096
"""Chunks written in one transaction: about a second of work that a crash can cost."""
_PACKED_CHUNK_BYTES = 400
"""Compressed source that counts as a chunk where chunks are not counted themselves."""
RACY_NS = 2_000_000_000
"""A file this fresh may change again without changing its stat, so its stat is not trusted."""
_CONTENT_REASONS = (
    SkipReason.BINARY, SkipReason.MINIFIED, SkipReason.GENERATED, SkipReason.LFS_POINTER
)  # fmt: skip
"""Why bytes are refused whatever the settings: they need not be read while their stat stays."""
DERIVE_ALL_SHARE = 0.1
"""Above this share of changed files all edges are made again by names, and all of them are stale:
finding the stale ones among them would take longer."""
NAMES_FIRST = 1_000_000
"""From so many bytes of packed flows on, those of 1,500 files of Python, a graph by names answers
while values are followed; with fewer that takes few seconds, whatever the number of files."""
SWITCHED_FILES = 20
"""From so many changed files on a branch was switched, perhaps. A save changes fewer."""
GIVE_BACK_EVERY = 1_000
"""Files whose values are followed between two times that memory is given back. The first index of
Django has its peak at 476 MB so and at 600 without; more often costs time (bench/INDEXING.md)."""
_REPORT_EVERY = 20
"""Files between two reports of progress on the call graph."""


def carry_out(
    plan: Plan,
    connection: apsw.Connection,
    root: Path,
    options: RefreshOptions,
    on_progress: OnProgress,
    pool: Pool | None,
) -> RefreshReport:
    """Bring the index to what the plan says; raises and continues as `refresh` says."""
    run = _RefreshRun(connection, plan, options, on_progress)
    with closing(_analyze(pool, run, root)) as analyzed:
        try:
            for changed in analyzed:
                run.add(changed)
        except (KeyboardInterrupt, Interrupted):
            run.pending.commit()
            raise
    return _finish(run, on_progress)


def _analyze(pool: Pool | None, run: _RefreshRun, root: Path) -> Generator[ChangedFile]:
    """Read the candidates and analyse those whose bytes are new, a few ahead of the writer."""
    # The pool takes tasks ahead of the outcomes it gives back, in the same order: the files that
    # belong to the outcomes wait here.
    waiting: deque[ChangedFile] = deque()
    reused: deque[ChangedFile] = deque()

    def unknown() -> Iterator[tuple[str, bytes]]:
        for found in run.plan.candidates:
            text = _read_text(found, root, run)
            if text is None:
                continue
            changed, data = _identify(found, text, run)
            if changed is None:
                continue
            if run.pending.knows(changed) or run.copy_from_elsewhere(changed):
                reused.append(changed)
            else:
                waiting.append(changed)
                yield changed.language, data

    texts = unknown()
    first = next(texts, None)
    if first is not None:
        tasks = _tasks(chain((first,), texts), with_vectors=run.options.with_vectors)
        with nullcontext(pool) if pool else _new_pool(run.options) as workers:
            for analyzed in workers.analyze(tasks, _bytes_of_code(run.plan.candidates)):
                head = waiting.popleft()
                yield ChangedFile(head.path, head.stat, head.digest, head.language, analyzed)
    # Last, because the same bytes may be among those analysed just now.
    yield from reused


def _new_pool(options: RefreshOptions) -> Pool:
    from satchel.indexer.extract.pool import Pool

    return Pool(options.limits)


def _tasks(texts: Iterable[tuple[str, bytes]], *, with_vectors: bool) -> Iterator[Task]:
    from satchel.indexer.extract.worker import Task

    for language, data in texts:
        yield Task(language, data, with_vectors=with_vectors)


def _bytes_of_code(files: Iterable[FoundFile]) -> dict[str, int]:
    """How many bytes of code there are by language, as far as names tell."""
    by_ending: Counter[str] = Counter()
    for found in files:
        by_ending["x." + found.path.rpartition(".")[2]] += found.size
    result: Counter[str] = Counter()
    for ending, size in by_ending.items():
        if detect.is_code(ending):
            result[detect.detect(ending).name] += size
    return result


def _read_text(found: FoundFile, root: Path, run: _RefreshRun) -> bytes | None:
    """The text of a file in UTF-8, with its secrets; None when the file is left out."""
    data = walk.read(root, found.path, run.options.walk)
    if isinstance(data, bytes):
        refused = classify(found.path, data, run.options.walk.max_file_bytes)
        if refused is None:
            return as_text(data)
        data = refused
    stat = _trusted_stat(found, run) if data.reason in _CONTENT_REASONS else None
    run.skip(SkippedRecord(data.path, data.reason, data.detail, stat), found.size)
    return None


def _trusted_stat(found: FoundFile, run: _RefreshRun) -> FileStat:
    """The stat by which the file is known from now on."""
    # A file written within the last tick of its file system's clock can change again and keep its
    # stat, as in git's "racy" index. A time of 0 equals no other, so it is read again next time.
    racy = found.mtime_ns > run.options.now_ns - RACY_NS
    return FileStat(found.size, 0 if racy else found.times_ns, found.inode)


def _identify(found: FoundFile, text: bytes, run: _RefreshRun) -> tuple[ChangedFile | None, bytes]:
    """What the file is now, None when only its stat changed; and what is indexed of it."""
    data = text
    language, digest = detect.detect(found.path, text).name, digest_of(text)
    # A text that is known was searched for secrets when it came, and has none.
    if not run.pending.writer.has_contents(digest, language):
        data = secrets.redacted(text)
        if data != text:
            language, digest = detect.detect(found.path, data).name, digest_of(data)
    stat = _trusted_stat(found, run)
    known = run.plan.known.get(found.path)
    is_same = known is not None and (known.digest, known.language) == (digest, language)
    if known is not None and is_same and not run.plan.is_retold(known):
        run.touch(known, stat)
        return None, data
    return ChangedFile(found.path, stat, digest, language, None), data


def _is_switch(plan: Plan) -> bool:
    """Whether so much changed that git may change it back at once, and no edge is stale."""
    n_changes = max(len(plan.candidates), len(plan.known) - len(plan.present))
    return plan.before.complete and plan.before.linked and n_changes >= SWITCHED_FILES


class _RefreshRun:
    """A refresh on its way: what is written together, and how far it is."""

    def __init__(
        self, connection: apsw.Connection, plan: Plan, options: RefreshOptions,
        on_progress: OnProgress,
    ) -> None:  # fmt: skip
        self.connection = connection
        self.plan = plan
        self.options = options
        since = replaced.last(connection) if _is_switch(plan) else None
        is_first = not plan.before.n_files
        self.pending = PendingChanges(
            connection, plan.known, options.now_ns, options.walk.tests,
            is_first=is_first, since=since,
        )  # fmt: skip
        self.parsed = self.encoded = 0
        self._on_progress = on_progress
        self._n_chunks = 0
        # Whoever goes on with an index that another process began goes on from its progress too.
        # Files that were fresh then are read once more, which takes next to no time.
        known = {} if plan.before.complete else plan.known
        self._read_before = {path: file.stat.size for path, file in known.items()}
        to_read = {found.path: found.size for found in plan.candidates}
        self._done_bytes = sum(self._read_before.values())
        self._total_bytes = sum((self._read_before | to_read).values())
        if to_read:
            self._report_progress()  # workers take a moment to start: say that it has begun

    def skip(self, skipped: SkippedRecord, size: int) -> None:
        """Leave a file out."""
        self.plan.skipped.append(skipped)
        self._advance(skipped.path, size)

    def touch(self, known: KnownFile, stat: FileStat) -> None:
        """Keep a file whose bytes are the same."""
        self.plan.present.add(known.path)
        if stat != known.stat:
            self.pending.touched.append((known.id, stat))
        self._advance(known.path, stat.size)

    def copy_from_elsewhere(self, changed: ChangedFile) -> bool:
        """Copy the facts of these bytes from another index; whether one knows them."""
        known_elsewhere = self.options.known_elsewhere
        found = known_elsewhere(changed.digest, changed.language) if known_elsewhere else None
        if found is not None:
            with transaction(self.connection):
                self.pending.writer.put_contents([found])
        return found is not None

    def add(self, changed: ChangedFile) -> None:
        """Take a changed file; writes when enough has come together."""
        self.pending.files.append(changed)
        self.plan.present.add(changed.path)
        if changed.analyzed is not None:
            self.parsed += 1
            from satchel.store.vectors.table_encoder import ROW_BYTES

            self.encoded += len(changed.analyzed.vectors) // ROW_BYTES
            # Facts are decoded when written; the packed size of the source stands for the number.
            self._n_chunks += 1 + len(changed.analyzed.source) // _PACKED_CHUNK_BYTES
        self._advance(changed.path, changed.stat.size)
        if self._n_chunks >= BATCH_CHUNKS:
            self.pending.commit()
            self._n_chunks = 0

    def _advance(self, path: RepoPath, size: int) -> None:
        self._done_bytes += size - self._read_before.get(path, 0)
        self._report_progress()

    def _report_progress(self) -> None:
        n_files = len(self._read_before) + self.pending.n_changed + len(self.pending.files)
        self._on_progress(Progress(Stage.ANALYZE, n_files, self._done_bytes, self._total_bytes))


def _finish(run: _RefreshRun, on_progress: OnProgress) -> RefreshReport:
    """Write what is left, and say in the same transaction that the text is complete; then link."""
    plan, pending, options = run.plan, run.pending, run.options
    linked, generation = plan.before.linked, plan.before.generation
    is_first = not plan.before.complete
    with transaction(run.connection):
        pending.write()
        gone = [file for path, file in sorted(plan.known.items()) if path not in plan.present]
        pending.remove(gone)
        pending.change_skipped(plan.known_skipped, plan.skipped)
        if plan.head is not None and plan.head != plan.before.head:
            pending.writer.set_head(plan.head)
        if plan.tests is not None:
            pending.writer.set_tests("\n".join(plan.tests))
        n_changes = pending.n_changed + len(gone)
        # A link that changed changes no file, and yet what imports through it mean.
        if n_changes or pending.keys or is_first:
            linked = _bring_to_text(run, n_changes, on_progress)
            pending.prune(options.keep_bytes)
            replaced.begin(run.connection, options.now_ns)
            generation = pending.writer.advance(complete=True, linked=linked)
    # Whoever waits for the text of the whole tree is not kept waiting for edges.
    if is_first:
        generation = _first_graph(run, on_progress) or generation
    if not linked:
        generation = _link(run, on_progress) or generation
    on_progress(Progress(Stage.DONE, len(plan.present), 0, 0))
    return replace(
        settled_report(plan), added=pending.n_added,
        generation=generation,
        changed=pending.n_changed - pending.n_added, removed=len(gone),
        unchanged=len(plan.present) - pending.n_changed, parsed=run.parsed, encoded=run.encoded,
    )  # fmt: skip


def _bring_to_text(run: _RefreshRun, n_changes: int, on_progress: OnProgress) -> bool:
    """Bring the call graph to what the text is now, as far as that is quick.

    Returns whether no edge is stale.
    """
    # Following values takes long. Until that is done the call graph answers by names alone, or as
    # it was with the stale edges marked.
    n_files, is_first = len(run.plan.present), not run.plan.before.complete
    if not is_first:
        on_progress(Progress(Stage.NAMES, n_files, 0, n_files))
        if not _is_mostly_new(run, n_changes):
            return run.pending.mark_stale()
    from satchel.indexer.callgraph import first_graph

    if is_first or _goes_without_names(run):
        first_graph.clear(run.connection)
    else:
        first_graph.derive_by_name(run.connection, _reporting(Stage.NAMES, n_files, on_progress))
    return False


def _first_graph(run: _RefreshRun, on_progress: OnProgress) -> Generation | None:
    """Make a first call graph by names; None where following values takes no longer."""
    from satchel.indexer.callgraph import first_graph

    n_files = len(run.plan.present)
    on_progress(Progress(Stage.NAMES, n_files, 0, n_files))
    if _goes_without_names(run):
        return None
    with transaction(run.connection):
        first_graph.derive_by_name(run.connection, _reporting(Stage.NAMES, n_files, on_progress))
        return run.pending.writer.advance_edges(linked=False)


def _goes_without_names(run: _RefreshRun) -> bool:
    """Whether a graph by names is not worth its time, as values are followed at once."""
    if not _links_now(run.options, len(run.plan.present)):
        return False
    return stale.bytes_of_flows(run.connection) < NAMES_FIRST


def _link(run: _RefreshRun, on_progress: OnProgress) -> Generation | None:
    """Derive the edges that are stale; None when that is left for later."""
    connection, options, n_files = run.connection, run.options, len(run.plan.present)
    n_stale = len(stale.underived(connection))
    if not _links_now(options, n_stale):
        return None
    from satchel.indexer.callgraph import linker

    on_progress(Progress(Stage.DERIVE, n_files, 0, n_stale))
    max_source = linker.max_source_within(options.limits.memory_bytes)
    on_file = _giving_back(connection, _reporting(Stage.DERIVE, n_stale, on_progress))
    generation = linker.link(connection, max_source, on_file)
    if n_stale > GIVE_BACK_EVERY:
        gc.collect()  # the tables that values were followed in refer to each other
        free_memory.give_back(connection)
    return generation


def _giving_back(connection: apsw.Connection, on_file: OnFile) -> OnFile:
    """`on_file`, and every so many files what the phases so far do not use any more is let go."""

    def done(n_done: int) -> None:
        if n_done % GIVE_BACK_EVERY == 1:
            free_memory.give_back(connection)
        on_file(n_done)

    return done


def _links_now(options: RefreshOptions, n_stale: int) -> bool:
    """Whether values are followed before the refresh returns."""
    return options.link_if_fewer is None or n_stale < options.link_if_fewer


def _is_mostly_new(run: _RefreshRun, n_changes: int) -> bool:
    """Whether so many files have edges that nobody knows that all edges are made again."""
    limit = DERIVE_ALL_SHARE * run.plan.before.n_files
    return n_changes > limit and n_changes - kept_edges.n_candidates(run.connection) > limit


def _reporting(stage: Stage, total: int, on_progress: OnProgress) -> OnFile:
    """Tells how many of the files of a stage are done."""

    def done(n_done: int) -> None:
        if n_done % _REPORT_EVERY == 0 or n_done >= total:
            # A file may be counted that the walk has not seen: other processes do not stand still.
            on_progress(Progress(stage, n_done, min(n_done, total), total))

    return done
