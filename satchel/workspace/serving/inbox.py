"""A queue of work for the keeper of an index: paths that may have changed, and callers that wait.

Saves come in bursts (an editor's swap files, a formatter, a branch switch). Paths are given out
when none was added for `SETTLE_SECONDS`, after `AT_MOST_SECONDS` in any case, and at once when a
caller waits.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field

from satchel.store.model import RepoPath

SETTLE_SECONDS = 0.02
"""An editor's save is several events within a few ms."""
AT_MOST_SECONDS = 0.2
"""Changes are given out after so long even while more keep coming."""


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


class Inbox:
    """A queue with many writers and one reader: changed paths, and requests that wait."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paths: set[RepoPath] = set()
        self._requests: list[Request] = []
        self._git = self._closed = self._is_taking = False
        self._first = self._last = 0.0

    def put(self, path: RepoPath) -> None:
        """Note that a path may have changed."""
        with self._changed:
            self._mark()
            self._paths.add(path)

    def put_git(self) -> None:
        """Note that Git's HEAD or index may have changed."""
        with self._changed:
            self._mark()
            self._git = True

    def ask(self, request: Request) -> None:
        """Add a request; in a closed inbox it is cancelled."""
        with self._changed:
            if self._closed:
                request.done.cancel()
            self._requests.append(request)
            self._changed.notify()

    def close(self) -> None:
        """Give out no more work, and cancel the requests that wait."""
        with self._changed:
            self._closed = True
            for request in self._requests:
                request.done.cancel()
            self._changed.notify()

    def take(self, seconds: float) -> Work | None:
        """What to do, once a burst of changes has settled; None after `seconds`, or once closed."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._is_taking = True
            while not self._closed and not self._requests:
                now = time.monotonic()
                ready = deadline
                if self._paths or self._git:
                    ready = min(self._last + SETTLE_SECONDS, self._first + AT_MOST_SECONDS)
                if now >= ready:
                    break
                self._changed.wait(ready - now)
            self._is_taking = False
            if self._closed or not (self._paths or self._git or self._requests):
                return None
            # Sorted, since a set has no order and the same changes are to give the same work.
            work = Work(tuple(sorted(self._paths)), tuple(self._requests), self._git)
            self._paths, self._requests, self._git = set(), [], False
            return work

    def is_idle(self) -> bool:
        """Whether there is nothing to do, and all that was given out by `take` is done."""
        with self._changed:
            return self._is_taking and not self._is_waiting()

    def is_waiting(self) -> bool:
        """Whether there is something to do, settled or not."""
        with self._changed:
            return self._is_waiting()

    def rest(self, seconds: float) -> bool:
        """Wait until there is something to do, no longer than `seconds`; whether there is."""
        with self._changed:
            return self._changed.wait_for(self._is_waiting, seconds)

    def more(self) -> tuple[RepoPath, ...]:
        """The paths that were added since `take`, sorted, without waiting for them to settle."""
        with self._changed:
            paths, self._paths = self._paths, set()
            return tuple(sorted(paths))

    def _is_waiting(self) -> bool:
        # A closed inbox counts as well, so that long work between two requests ends.
        return bool(self._paths or self._requests or self._git or self._closed)

    def _mark(self) -> None:
        now = time.monotonic()
        if not (self._paths or self._git):
            # Only the first event of a burst starts the clock that ends it in any case.
            self._first = now
        self._last = now
        self._changed.notify()
