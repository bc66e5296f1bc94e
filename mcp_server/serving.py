"""What one serving process keeps between calls: the project, how fresh its index is, its vectors.

Questions come from worker threads, several at a time. Each reads one generation through a
connection of its own. One background thread at most brings the index up to date; a question waits
for it as long as patience lasts, then answers from what is committed and says so.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assembler.candidates import VectorSearch
from indexer.refresh import Progress
from store.errors import Interrupted, Locked, SatchelError
from store.snapshot import Snapshot
from workspace.project import Project

FRESH_SECONDS = 1.0
"""A catch-up this recent is not repeated: agents ask in bursts."""
PATIENCE_SECONDS = 2.0
FIRST_PATIENCE_SECONDS = 10.0
"""How long a question waits for a catch-up, and for a first index: most projects are done by then,
and every client waits longer than this for an answer."""
CALL_SECONDS = 30.0
"""What one call may take before it is stopped."""


class Stop:
    """Tells work on another thread that nobody waits for it any more, or that its time is up."""

    def __init__(self, seconds: float = CALL_SECONDS) -> None:
        self._event = threading.Event()
        self._deadline = time.monotonic() + seconds
        self.seconds = seconds

    def set(self) -> None:
        """Nobody waits any more."""
        self._event.set()

    def __call__(self) -> bool:
        """Whether to stop."""
        return self._event.is_set() or time.monotonic() >= self._deadline


@dataclass(frozen=True, slots=True)
class Code:
    """One generation of the index, what answers for its vectors, and what to say of the answer."""

    project: Project
    snapshot: Snapshot
    vectors: VectorSearch | None
    notices: tuple[str, ...]


class Serving:
    """A project being served."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.progress: Progress | None = None
        """How far a refresh is that runs just now; None when none does."""
        self._lock = threading.Lock()
        self._job: threading.Thread | None = None
        self._refreshed = float("-inf")
        self._said: tuple[str, ...] = ()
        self._failure: SatchelError | None = None

    @contextmanager
    def code(self, stop: Stop) -> Iterator[Code]:
        """The index for one question.

        Raises:
            Interrupted: `stop` said so, or the index holds nothing yet.
            SatchelError: the index cannot be built or read.
        """
        notices = self.catch_up(stop)
        if not self.project.is_indexed:
            raise Interrupted(f"{self._state()}; nothing can be read yet", "ask again in a moment")
        with self.project.snapshot(stop) as snapshot:
            vectors, said = self.project.vector_search(snapshot)
            yield Code(self.project, snapshot, vectors, (*notices, *said))

    def catch_up(self, stop: Stop) -> tuple[str, ...]:
        """Bring the index up to date as far as patience allows; returns what a reader should know.

        Raises:
            SatchelError: there is no index and none can be built.
        """
        patience = PATIENCE_SECONDS if self.project.is_indexed else FIRST_PATIENCE_SECONDS
        job = self.start()
        deadline = time.monotonic() + patience
        while job is not None and job.is_alive() and time.monotonic() < deadline and not stop():
            job.join(0.05)
        if job is not None and job.is_alive():
            return (f"{self._state()}; this answer is from what is committed so far",)
        if self._failure is not None and not self.project.is_indexed:
            raise self._failure
        return self._said

    def start(self) -> threading.Thread | None:
        """Start a catch-up unless one runs or the last is recent; returns what to wait for."""
        with self._lock:
            if self._job is not None and self._job.is_alive():
                return self._job
            if time.monotonic() - self._refreshed < FRESH_SECONDS:
                return None
            self._job = threading.Thread(target=self._catch_up, name="catch-up", daemon=True)
            self._job.start()
            return self._job

    def _catch_up(self) -> None:
        try:
            self._said = self.project.catch_up(self._show)
            self.progress = None
            if self.project.chunks_without_vectors():
                self.project.build_vectors(_ignore, _ignore)
            self._failure = None
        except Locked as error:
            self._said = (f"{error.message}; this answer is from what it has committed so far",)
        except SatchelError as error:
            self._failure = error
            self._said = (f"{error.message} ({error.hint})",)
        finally:
            self.progress = None
            self._refreshed = time.monotonic()

    def _show(self, progress: Progress) -> None:
        self.progress = progress

    def _state(self) -> str:
        progress = self.progress
        if progress is None:
            return "the index is being brought up to date"
        if not progress.total:
            return f"the index is being built ({progress.stage}, {progress.files:,} files)"
        share = progress.done / progress.total
        return f"the index is being built ({progress.stage} {share:.0%}, {progress.files:,} files)"


def _ignore(_done: int, _total: int) -> None:
    pass
