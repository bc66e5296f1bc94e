"""What the process that owns an index does: it refreshes the index, and makes vectors and edges.

It has one connection, one watch of the tree and one parsing process, started before it is needed.
Everything here runs on one thread, which holds the writer lock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.indexer.plan import ROOT, PathSubset
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import (
    OnProgress,
    Progress,
    RefreshOptions,
    RefreshReport,
    Stage,
)
from satchel.indexer.scan.git_checkout import worktree_folder
from satchel.indexer.scan.ignore_rules import Tree, tree_at
from satchel.indexer.watch import Watch, watch
from satchel.store.errors import CorruptIndex, SatchelError
from satchel.store.model import RepoPath
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database
from satchel.store.sqlite.unencoded import unencoded
from satchel.workspace.project import Project
from satchel.workspace.serving.work_queue import Outcome, Work, WorkQueue
from satchel.workspace.worktrees import start_from_another

# What makes vectors, edges and facts is imported where it is used: most of the time the first scan
# of the tree finds that nothing changed, and the first question waits for no more than that.
if TYPE_CHECKING:
    import apsw

    from satchel.indexer.callgraph.linker import Linker
    from satchel.indexer.extract.pool import Pool

RECONCILE_SECONDS = 300.0
"""How often the whole tree is walked even while the watch reports no failure."""
SCAN_SECONDS = 2.0
SCAN_SHARE = 0.05
"""Without a watch: no more often than this, and no more than this share of the time."""
MANY_PATHS = 1_000
"""From here on walking the whole tree once costs less than finding the way to each path."""
_QUIET_SECONDS = 1.0
"""A worker takes half a second to start; the first question of a session is answered before."""
_BARRIER_SECONDS = 0.5
_ASKED_SECONDS = 0.5
"""A reader that asked within this time is likely to ask again."""
_TURN_SECONDS = 0.005
_REST_SECONDS = 0.025
"""How long edges are linked at a time while somebody asks, and how long they wait then."""
_REPORT_EVERY = 20
_STORE_SECONDS = 60.0
"""How long what saves did to the vectors may lie only in memory: a start makes it anew."""
_JOURNAL_PAGES = 2_000
"""8 MB of journal between checkpoints."""


class IndexOwner:
    """Keeps an index up to date. Errors are raised: the caller decides whether to go on."""

    def __init__(
        self,
        project: Project,
        queue: WorkQueue,
        on_progress: OnProgress,
        on_encoded: Callable[[], None],
    ) -> None:
        self._project = project
        self._queue = queue
        self._on_progress = on_progress
        self._on_encoded = on_encoded
        self._tree: Tree | None = None
        self._pool: Pool | None = None
        self._scan_seconds = 0.0
        self._store_from = 0.0
        self._encoded = -1  # the text of which every chunk has a vector
        self._scaned = self._resumed = time.monotonic()
        self._n_stale = 0
        self._linker: Linker | None = None
        self._connection = self._connect()
        try:
            self._inode = database.inode(project.directory)
            # The watch begins before the first scan of the tree, so that no change falls between
            # the two.
            self._watch = self._new_watch()
        except BaseException:
            self._connection.close()
            raise

    @property
    def watch_failure(self) -> str:
        """Why events of the file system may be missing, "" while none are."""
        return self._watch.failure

    @property
    def has_index(self) -> bool:
        """Whether the file that is written here is still the index of the project.

        Somebody may have removed it or put another in its place. Nobody finds then what is written
        here, and the lock that is held keeps no other process away. To be asked from any thread.
        """
        try:
            return database.inode(self._project.directory) == self._inode
        except OSError:
            return False

    @property
    def is_up_to_date(self) -> bool:
        """Whether the index certainly agrees with the disk; if not, only `serve` can tell.

        To be asked from any thread.
        """
        is_current = self.has_looked and self.has_index
        return is_current and self._watch.has_reported_all and self._queue.is_idle()

    @property
    def has_looked(self) -> bool:
        """Whether the whole tree was compared with the index since this process owns it."""
        return self._tree is not None

    @property
    def idle_seconds(self) -> float:
        """Seconds until `idle` has something to do."""
        if self._pool is None:
            return _QUIET_SECONDS
        return max(0.0, self._due - time.monotonic())

    @property
    def _due(self) -> float:
        """When the whole tree is to be walked again, in seconds of `time.monotonic`."""
        if not self._watch.failure:
            return self._scaned + RECONCILE_SECONDS
        return self._scaned + max(SCAN_SECONDS, self._scan_seconds / SCAN_SHARE)

    def close(self) -> None:
        """Stop watching and close the index."""
        self._watch.close()
        self._drop_pool()
        self._connection.close()

    def reconcile(self) -> RefreshReport:
        """Walk the whole tree and index what changed.

        Raises: SatchelError, OSError.
        """
        started = time.monotonic()
        with database.explained_errors():
            report = self._refresh(None)
            # A first index writes much at once; saves write little and often.
            self._connection.wal_autocheckpoint(_JOURNAL_PAGES)
            database.give_back_space(self._connection)
        self._scaned = time.monotonic()
        self._scan_seconds = self._scaned - started
        return report

    def serve(self, work: Work) -> None:
        """Index changes, then answer the requests. They get an error as well, before it is raised.

        Raises: SatchelError, OSError.
        """
        try:
            with database.explained_errors():
                outcome = self._serve(work)
        except (SatchelError, OSError) as error:
            for request in work.requests:
                with suppress(InvalidStateError):
                    request.done.set_exception(error)
            raise
        for request in work.requests:
            with suppress(InvalidStateError):  # whoever asked may have given up
                request.done.set_result(outcome)
        # Questions may come without a pause.
        if self._pool is None and time.monotonic() > self._scaned + _QUIET_SECONDS:
            self.idle()
        if time.monotonic() > self._due:
            self.reconcile()

    def update_edges_and_vectors(self) -> bool:
        """Make vectors and edges for the current text, until a change or a request comes in.

        Returns whether they are complete.
        """
        pause = self._queue.has_work
        with database.explained_errors():
            with SqliteSnapshot(self._connection) as snapshot:
                text, is_linked = snapshot.content_generation, snapshot.linked
            if self._project.settings.vectors.engine != "off" and text != self._encoded:
                if unencoded(self._connection, self._project.encoder_name):
                    from satchel.indexer import encode

                    encode.encode(
                        self._connection, self._project.encoder, self._report_encoded, pause
                    )
                # Encoding ends early when somebody waits: only a pass that nobody cut short proves
                # that every chunk has a vector.
                self._encoded = -1 if pause() else text
                self._on_encoded()
            if pause():
                return False
            # Where there is nothing to derive, what derives is not even loaded: the first question
            # would wait for that.
            is_linked = is_linked or self._link()
            if is_linked:
                self._store_blocks(pause)
            return is_linked

    def _link(self) -> bool:
        """Derive stale edges for a while; whether none are left."""
        from satchel.indexer.callgraph.linker import Linker, max_source_within
        from satchel.indexer.callgraph.stale import underived

        self._resumed = time.monotonic()
        self._n_stale = len(underived(self._connection))
        if self._linker is None:
            max_source = max_source_within(self._project.settings.index.memory_mb << 20)
            self._linker = Linker(self._connection, max_source, self._report_linked)
        return self._linker.link(self._pauses)

    def _store_blocks(self, pause: Callable[[], bool]) -> None:
        """Store vectors as blocks that the next process maps; what saves change, now and then."""
        now = time.monotonic()
        if self._project.settings.vectors.engine != "off" and now >= self._store_from:
            from satchel.workspace.vectors import stored_blocks

            stored_blocks.store(self._project, pause)
            self._store_from = now + _STORE_SECONDS

    def _report_encoded(self, done: int, total: int) -> None:
        self._on_progress(Progress(Stage.VECTORS, 0, done, total))

    def _report_linked(self, n_done: int) -> None:
        if n_done % _REPORT_EVERY == 0 and n_done <= self._n_stale:
            self._on_progress(Progress(Stage.DERIVE, n_done, n_done, self._n_stale))

    def _pauses(self) -> bool:
        """Whether linking is to stop for now. While questions come in, it also waits between turns.

        Without these pauses questions would wait for the interpreter's lock, most of all a save and
        the search that is to find it.
        """
        now = time.monotonic()
        is_asked = now - self._project.read_at < _ASKED_SECONDS
        if not is_asked or now - self._resumed < _TURN_SECONDS:
            return self._queue.has_work()
        has_work = self._queue.wait(_REST_SECONDS)
        self._resumed = time.monotonic()
        return has_work

    def idle(self) -> None:
        """Idle work: start the worker that saves will need; later, scan the whole tree.

        Raises: SatchelError, OSError.
        """
        if self._pool is None:
            from satchel.indexer import carry_out  # noqa: F401  what the next save needs
            from satchel.indexer.callgraph import linker  # noqa: F401
            from satchel.indexer.extract.worker import Task

            self._pool = self._pool_for_saves()
            # A first small task makes the worker load what it needs now, and not with the first
            # save.
            list(self._pool.analyze([Task("python", b"def f():\n    pass\n")]))
        else:
            self.reconcile()

    def _pool_for_saves(self) -> Pool:
        """A pool with one process at normal priority, which is what saves need."""
        from satchel.indexer.extract.pool import Pool

        return Pool(replace(self._project.options().limits, n_workers=1, nice=0))

    def _serve(self, work: Work) -> Outcome:
        if any(request.full for request in work.requests):
            self._project.rebuild(self._on_progress)
            # The new index holds what the walk of the rebuild saw; files may have changed since
            # that walk began.
            return Outcome(self.reconcile().generation)
        paths = set(work.paths)
        if any(request.everything for request in work.requests):
            paths.add(ROOT)
        elif work.requests:
            # Once the barrier has come through the watch, so has every change before it.
            passed = self._watch.barrier(_BARRIER_SECONDS)
            paths.update(self._queue.get_paths() if passed else {ROOT})
        # Git's files change often; the whole tree is walked only where its rules are others now.
        if work.git and self._tree != tree_at(self._project.root, self._project.options().walk):
            paths.add(ROOT)
        if ROOT in paths or len(paths) > MANY_PATHS or self._tree is None:
            return Outcome(self.reconcile().generation)
        if not paths:  # nor is anything loaded that a save will need
            with SqliteSnapshot(self._connection) as snapshot:
                return Outcome(snapshot.generation)
        return Outcome(self._refresh(tuple(sorted(paths))).generation)

    def _refresh(self, paths: tuple[RepoPath, ...] | None) -> RefreshReport:
        project = self._project
        options = self._options()
        part = None if paths is None or self._tree is None else PathSubset(self._tree, paths)
        if part is not None:
            self._pool = self._pool or self._pool_for_saves()
        pool = self._pool if part is not None else None
        try:
            # After an error the worker may still answer what the failed refresh asked, so the next
            # one gets another worker.
            return refresh(self._connection, project.root, options, self._on_progress, part, pool)
        except BaseException:
            self._drop_pool()
            raise

    def _options(self) -> RefreshOptions:
        # The walk has asked git for the rules, and the first question waits for no second time.
        is_awaited = self._queue.has_work()  # somebody may have asked before there is an index
        usual = self._project.options(self._watch.on_folder, is_awaited=is_awaited)
        return replace(usual, link_if_fewer=0, on_tree=self._note_rules)

    def _new_watch(self) -> Watch:
        root = self._project.root
        git = worktree_folder(os.fsencode(root))
        on_path, on_git_change = self._queue.put_path, self._queue.put_git_change
        return watch(root, self._project.directory, git, on_path, on_git_change)

    def _note_rules(self, tree: Tree) -> None:
        self._tree = tree

    def _connect(self) -> apsw.Connection:
        """Open the index. A damaged one is replaced by an empty one, since it is a cache."""
        directory = self._project.directory
        start_from_another(self._project.folders)
        try:
            return database.connect(directory, writable=True)
        except CorruptIndex:
            database.remove(directory)
            return database.connect(directory, writable=True)

    def _drop_pool(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.__exit__(None, None, None)
