"""Keeps a project's index up to date while one or more processes serve it.

    live = LiveIndex(project)
    live.start()                              # returns at once
    notices = live.wait_fresh(seconds=2.0)    # () when the index says what the disk says
    with project.snapshot() as snapshot:      # one generation, also while the next is written
        vectors, notices = live.vector_search(snapshot)
    live.state()                              # who owns the index, how it is watched, notices
    live.close()

One process owns the index: it holds the writer lock, watches the tree, writes, and opens Chroma.
The others follow: they read SQLite themselves, and ask the owner over a socket to bring the index
up to date and to search Chroma. When the owner ends or dies, its lock is free and a follower takes
over. Questions, waiting and reading may come from any thread.

A problem with the index raises nothing, except where a docstring says so. It becomes a notice, in
`state()` and in what `wait_fresh` returns.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from satchel.indexer.refresh_values import Progress, Stage
from satchel.store.errors import CorruptIndex, SatchelError, Unwritable, UsageError
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite import database
from satchel.workspace.lock import WriterLock
from satchel.workspace.project import Project
from satchel.workspace.serving import build_progress, channel
from satchel.workspace.serving.build_progress import BuildState, Recorder
from satchel.workspace.serving.channel import Channel, OtherProcess, Run, run_nothing
from satchel.workspace.serving.work_queue import Outcome, Request, WorkQueue
from satchel.workspace.state.state_folder import make_socket_folder
from satchel.workspace.vectors.owned_mirror import OwnedMirror

# What only the owner of an index needs is imported on its thread, while the first questions are
# read.
if TYPE_CHECKING:
    from satchel.assembler.ranking.candidates import VectorSearch
    from satchel.workspace.serving.owner import IndexOwner

_LOOK_SECONDS = 0.5
"""How often a follower tries to take the lock; one that finds nobody to ask does so at once."""
_RETRY_SECONDS = 5.0
"""How long an owner that could not write waits before it tries again unasked."""
_STEP_SECONDS = 0.05
SAVE_SECONDS = 10.0
"""How long a question waits for what was saved, on a machine that is busy with other things: an
answer without a function that was just written says of it that there is none."""
_SAVE_STEP_SECONDS = 0.25
"""How often it is asked then whether more than that is missing."""
Stop = Callable[[], bool]


class Role(StrEnum):
    """The part of a process in serving an index."""

    STARTING = "starting"
    OWNER = "owner"
    FOLLOWER = "follower"
    READER = "reader"
    """The folder cannot be written: the index is read as it is."""


@dataclass(frozen=True, slots=True)
class LiveState:
    """How the index is kept up to date at this moment.

    `owner` is a process id, "" while unknown. `watching` is "events", "scanning" or "" for a
    process that does not watch. `notices` say what a reader of an answer should know.
    `progress` is how far a refresh of this process is, None when none runs.
    """

    role: Role = Role.STARTING
    owner: str = ""
    watching: str = ""
    progress: Progress | None = None
    notices: tuple[str, ...] = ()
    edges_and_vectors_current: bool = False
    """Whether edges and vectors belong to the current text, so that the owner has nothing to do."""


class LiveIndex:
    """One project, for as long as a process serves it. See the module for how it is used."""

    def __init__(self, project: Project, run: Run = run_nothing) -> None:
        self.project = project
        self._command = run
        self._state = LiveState()
        self._queue = WorkQueue()
        self._lock = WriterLock(project.directory)
        self._noted = Recorder(project.directory, project.work, self._show)
        self._closing = threading.Event()
        self._has_role = threading.Event()  # the process owns or follows, or closes
        self._mirror: OwnedMirror | None = None
        self._owner: IndexOwner | None = None
        self._looks = threading.Event()  # set where a follower is to try the lock at once
        self._thread = threading.Thread(target=self._run, name="live", daemon=True)

    def start(self) -> None:
        """Begin to own the index, or to follow the process that owns it. Returns at once."""
        self._thread.start()

    def state(self) -> LiveState:
        """Who owns the index, how the tree is watched, and notices for readers of an answer."""
        return self._state

    @property
    def building(self) -> BuildState | None:
        """What the process that writes the index (it may be this one) does; None if nothing."""
        return build_progress.read(self.project.directory)

    @property
    def progress(self) -> Progress | None:
        """How far the process that writes the index is; None when it has nothing to do."""
        own = self._state.progress
        if own is not None or self._state.role is Role.OWNER:
            return own
        state = self.building
        return state.progress if state else None

    def wait_fresh(
        self, *, seconds: float, stop: Stop = database.never, waits_for_saves: bool = False
    ) -> tuple[str, ...]:
        """Wait until the index has the contents that are on disk.

        Returns notices: () when it has, else why it may not. Waits no longer than `seconds`, or
        `SAVE_SECONDS` with `waits_for_saves` while no more than some saves is missing, and ends
        when `stop` returns true.
        """
        request = Request()
        began = time.monotonic()
        deadline = began + seconds
        while not stop():
            if time.monotonic() >= deadline:
                deadline = min(began + SAVE_SECONDS, deadline + _SAVE_STEP_SECONDS)
                is_over = time.monotonic() >= deadline
                if is_over or not (waits_for_saves and self._is_at_saves):
                    break
            if self._state.role is Role.READER or self._closing.is_set():
                break
            # Most questions find that nothing was saved, and need no other thread to wake for it.
            if (owner := self._owner) is not None and owner.is_up_to_date:
                return self._state.notices
            with suppress(OSError, CancelledError, FutureTimeout):
                outcome = self._ask(request, deadline, stop)
                if outcome is not None:
                    return (*self._state.notices, *outcome.notices)
            # The next owner gets a new request, since a cancelled one stays cancelled.
            (self._closing if self._has_role.is_set() else self._has_role).wait(_STEP_SECONDS)
            request = Request()
        return self._state.notices or (self._progress(),)

    def vector_search(self, snapshot: Snapshot) -> tuple[VectorSearch | None, tuple[str, ...]]:
        """What answers for vectors in this snapshot; see `Project.vector_search`."""
        # A follower asks over the socket; an owner has the mirror itself.
        owner = self._mirror or OtherProcess(self.project.folders.socket)
        return self.project.vector_search(snapshot, owner)

    def close(self) -> None:
        """Stop owning or following the index; another process may take over."""
        self._closing.set()
        self._has_role.set()
        self._queue.close()
        self._looks.set()
        if self._thread.is_alive():
            self._thread.join()

    # -- asking

    @property
    def _is_at_saves(self) -> bool:
        """Whether the index lacks no more than what a few saves changed."""
        if self._state.role is Role.OWNER:
            has_looked = self._owner is not None and self._owner.has_looked
        else:
            has_looked = self._state.role is Role.FOLLOWER
        return has_looked and build_progress.is_of_saves(self.progress)

    def _ask(self, request: Request, deadline: float, stop: Stop) -> Outcome | None:
        """The owner's answer, also if that is this process; None without one or too late.

        Raises: OSError, CancelledError: the owner has ended meanwhile.
        """
        try:
            if self._state.role is Role.FOLLOWER:
                left = max(0.001, deadline - time.monotonic())
                try:
                    return channel.ask(self.project.folders.socket, request, left)
                except OSError as error:
                    # Nobody listens: the owner has ended, or the folder of the index was removed
                    # and its lock as well. Whoever is asked first makes them again, and the owner
                    # finds that it is not the owner now.
                    if not isinstance(error, TimeoutError):
                        self._looks.set()
                    raise
            if self._state.role is Role.OWNER:
                self._queue.put_request(request)
            while self._state.role is Role.OWNER and time.monotonic() < deadline and not stop():
                with suppress(FutureTimeout):
                    return _result(request, _STEP_SECONDS)
        except SatchelError as error:
            return Outcome(0, (_as_notice(error),))
        return None

    def _answer(self, request: Request) -> Outcome:
        """Answer a follower, on the thread of its connection. Raises: SatchelError."""
        self._queue.put_request(request)
        try:
            return _result(request, None)
        except CancelledError:
            raise ConnectionAbortedError from None  # hanging up says: ask the next owner

    def _progress(self) -> str:
        progress = self.progress
        how_far = f" ({build_progress.in_words(progress)})" if progress else ""
        return (
            f"the index is being brought up to date{how_far}; this answer is from what it holds so"
            " far"
        )

    # -- owning and following, on the thread of its own

    def _run(self) -> None:
        try:
            self._own_or_follow()
        except Exception as error:
            # Nobody looks at this thread: without this, questions would wait for it for ever.
            why = f"the index is not kept fresh: {type(error).__name__}: {error}"
            self._set(role=Role.READER, watching="", progress=None, notices=(why,))
            raise

    def _own_or_follow(self) -> None:
        while not self._closing.is_set():
            try:
                self.project.ask_first()
                self.project.prepare()
                owns = self._lock.acquire()
            except UsageError as error:  # the root needs a consent that nobody gives here
                self._set(role=Role.READER, notices=(f"{error.message} ({error.hint})",))
                self._closing.wait()
                continue
            except (OSError, SatchelError) as error:
                self._set(role=Role.READER, notices=(f"the index cannot be kept fresh: {error}",))
                self._closing.wait(_RETRY_SECONDS)
                continue
            if owns:
                try:
                    self._own()
                finally:
                    self._lock.release()
            else:
                self._follow()

    def _own(self) -> None:
        """Own the index until this process ends or an error prevents it."""
        from satchel.workspace.serving.owner import IndexOwner

        owner: IndexOwner | None = None
        listener: Channel | None = None
        damaged = False
        project = self.project
        mirror = OwnedMirror(project)
        try:
            owner = IndexOwner(self.project, self._queue, self._noted, mirror.update)
            self._mirror, self._owner = mirror, owner
            # Without a socket followers read what is there and try the lock.
            with suppress(OSError, SatchelError):
                make_socket_folder(self.project.folders)
                listener = Channel(
                    self.project.folders.socket, self._answer, mirror.nearest, self._command
                )
            self._set(role=Role.OWNER, owner=self._lock.holder())
            self._serve(owner)
        except CorruptIndex as error:
            self._set(notices=(f"{error.message}; it is being rebuilt",))
            damaged = True
        except (SatchelError, OSError) as error:
            self._set(notices=(_as_notice(error),))
            if owner is None or owner.has_index:
                self._closing.wait(_RETRY_SECONDS)
        finally:
            if listener is not None:
                listener.close()
            if owner is not None:
                owner.close()
            self._mirror = self._owner = None
            mirror.close()
            self._noted.clear()
            self.project.connections.release()
        # The file is closed by now, and the lock is still ours.
        if damaged:
            database.remove(self.project.directory)  # it is a cache, and nobody else writes

    def _serve(self, owner: IndexOwner) -> None:
        """Serve until this process ends, or the index is removed or replaced by another one."""
        owner.reconcile()
        self._set_watching(owner)
        self._update_edges_and_vectors(owner)
        while not self._closing.is_set():
            work = self._queue.get(owner.idle_seconds)
            if not owner.has_index:
                for request in work.requests if work else ():
                    request.done.cancel()  # whoever waits asks the next owner, which may be we
                return
            if work is not None:
                owner.serve(work)
            elif not self._closing.is_set():
                owner.idle()
            self._set_watching(owner)
            self._update_edges_and_vectors(owner)

    def _update_edges_and_vectors(self, owner: IndexOwner) -> None:
        self._set(edges_and_vectors_current=owner.update_edges_and_vectors(), progress=None)
        self._noted.clear()

    def _set_watching(self, owner: IndexOwner) -> None:
        failure = owner.watch_failure
        notices = (f"changes are found by scanning: {failure}",) if failure else ()
        watching = "scanning" if failure else "events"
        self._set(watching=watching, notices=notices, progress=None)

    def _follow(self) -> None:
        """Follow the owner for a moment: the kernel takes its lock when it ends."""
        self._set(role=Role.FOLLOWER, owner=self._lock.holder(), watching="", notices=())
        self._looks.wait(_LOOK_SECONDS)
        self._looks.clear()

    def _show(self, progress: Progress) -> None:
        self._set(progress=None if progress.stage == Stage.DONE else progress)

    def _set(self, **changes: object) -> None:
        # One assignment puts a whole frozen state in place, so that other threads see all of a
        # change or nothing of it.
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]
        if self._state.role is not Role.STARTING:
            self._has_role.set()


def _result(request: Request, seconds: float | None) -> Outcome:
    """Raises: CancelledError, TimeoutError; Unwritable for what stood in the way of the refresh."""
    try:
        return request.done.result(seconds)
    except FutureTimeout:
        raise
    except OSError as error:
        raise Unwritable(_as_notice(error)) from error


def _as_notice(error: BaseException) -> str:
    """An error as a notice: what happened, and what to do about it."""
    if isinstance(error, SatchelError):
        return f"{error.message} ({error.hint})" if error.hint else error.message
    return f"the index could not be updated ({error})"
