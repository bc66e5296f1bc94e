"""The queue of work for the owner of an index: paths that may have changed, and callers that wait.

Changes are debounced, since saves come in bursts (an editor's swap files, a formatter, a branch
switch): the reader gets them when none was put for `SETTLE_SECONDS`, after `AT_MOST_SECONDS` in any
case, and at once when a caller waits.
"""

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field

from satchel.store.model import RepoPath

SETTLE_SECONDS = 0.02
"""An editor's save is several events within a few ms."""
AT_MOST_SECONDS = 0.2
"""The reader gets changes after so long even while more keep coming."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a request: the generation of the index, and notices for its readers."""

    generation: int
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """A caller waits until the index is up to date.

    `everything` asks for a walk of the whole tree, `full` for an index made anew.
    """

    everything: bool = False
    full: bool = False
    done: Future[Outcome] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class Work:
    """Changes and requests to handle together; `git` says that HEAD or the index may have changed.

    Paths are sorted.
    """

    paths: tuple[RepoPath, ...]
    requests: tuple[Request, ...]
    git: bool


class WorkQueue:
    """A queue with many writers and one reader, which may all be threads of their own."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paths: set[RepoPath] = set()
        self._requests: list[Request] = []
        self._git = self._closed = self._is_getting = False
        self._first = self._last = 0.0

    def put_path(self, path: RepoPath) -> None:
        """Note that a path may have changed."""
        with self._changed:
            self._note_change()
            self._paths.add(path)

    def put_git_change(self) -> None:
        """Note that Git's HEAD or index may have changed."""
        with self._changed:
            self._note_change()
            self._git = True

    def put_request(self, request: Request) -> None:
        """Add a request; in a closed queue it is cancelled."""
        with self._changed:
            if self._closed:
                request.done.cancel()
            self._requests.append(request)
            self._changed.notify()

    def close(self) -> None:
        """End `get` and `wait`, and cancel the requests that wait."""
        with self._changed:
            self._closed = True
            for request in self._requests:
                request.done.cancel()
            self._changed.notify()

    def get(self, seconds: float) -> Work | None:
        """All work, once a burst of changes has settled; None after `seconds`, or once closed."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._is_getting = True
            while not self._closed and not self._requests:
                now = time.monotonic()
                ready = deadline
                if self._paths or self._git:
                    ready = min(self._last + SETTLE_SECONDS, self._first + AT_MOST_SECONDS)
                if now >= ready:
                    break
                self._changed.wait(ready - now)
            self._is_getting = False
            if self._closed or not (self._paths or self._git or self._requests):
                return None
            # Sorted, since a set has no order and the same changes are to give the same work.
            work = Work(tuple(sorted(self._paths)), tuple(self._requests), self._git)
            self._paths, self._requests, self._git = set(), [], False
            return work

    def is_idle(self) -> bool:
        """Whether the queue is empty, and the reader is done with what it got."""
        with self._changed:
            return self._is_getting and not self._has_work()

    def has_work(self) -> bool:
        """Whether there is any work, settled or not, or the queue is closed."""
        with self._changed:
            return self._has_work()

    def wait(self, seconds: float) -> bool:
        """Wait for `has_work`, no longer than `seconds`, and return it."""
        with self._changed:
            return self._changed.wait_for(self._has_work, seconds)

    def get_paths(self) -> tuple[RepoPath, ...]:
        """The paths that were put since `get`, sorted, without waiting for them to settle."""
        with self._changed:
            paths, self._paths = self._paths, set()
            return tuple(sorted(paths))

    def _has_work(self) -> bool:
        # A closed queue counts as well, so that long work between two requests ends.
        return bool(self._paths or self._requests or self._git or self._closed)

    def _note_change(self) -> None:
        now = time.monotonic()
        if not (self._paths or self._git):
            # Only the first event of a burst starts the clock that ends it in any case.
            self._first = now
        self._last = now
        self._changed.notify()
