"""Watching a tree: which paths below a root may have changed, reported as it happens.

On Linux every folder that the walk enters is watched by inotify (through watchdog), and no other:
an ignored `node_modules` costs nothing. Elsewhere there is one recursive watch of the root. A path
that is reported may have changed, appeared or gone, with everything below it; "" means that
anything may have. Reporting a path too often is harmless, missing one is not.

Not here: waiting for a burst to settle (`workspace.serving.work_queue`), and what is done about a
change.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from satchel.indexer.plan import ROOT
from satchel.indexer.scan.folder_marks import MARKS
from satchel.indexer.scan.ignore_rules import RULE_FILES
from satchel.store.model import RepoPath

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.inotify_c import CallbackId, InotifyEvent, WatchDescriptor

    from satchel.indexer.inotify_instance import Instance

OnChange = Callable[[RepoPath], None]
OnGit = Callable[[], None]
"""Called when git's HEAD or index was written: what is tracked may be something else now."""
_DECIDE_FOR_FOLDER = MARKS | RULE_FILES
"""Files by which it changes what else of their folder is indexed: the folder is reported."""
_GIT_FILES = frozenset({b"HEAD", b"index"})
_LIMITS = {
    errno.ENOSPC: "the limit of watched folders is reached (fs.inotify.max_user_watches)",
    errno.EMFILE: "the limit of watching processes is reached (fs.inotify.max_user_instances)",
}


class Watch(Protocol):
    """A running watch. `failure` says why not everything is watched, "" while it is."""

    failure: str

    def on_folder(self, folder: bytes) -> None:
        """Watch a folder ("" or ending with "/") from now on; the walk calls this."""

    def barrier(self, seconds: float) -> bool:
        """Wait until every change made so far has been reported; False when that is not known."""

    @property
    def has_reported_all(self) -> bool:
        """Whether every change made so far has been reported; False when a wait would tell."""

    def close(self) -> None:
        """Stop watching."""


def watch(root: Path, ours: Path, git: Path | None, on_change: OnChange, on_git: OnGit) -> Watch:
    """Start to watch; what cannot be watched is no error, see `Watch.failure`.

    `ours` is a folder of Satchel's, where files may be made; `git` is git's folder of this
    worktree. `on_change` and `on_git` are called from another thread.
    """
    # On other systems watchdog's module for inotify fails in ways of its own when it is imported.
    if sys.platform != "linux":
        return TreeWatch(root, on_change)
    made = InotifyWatch(root, ours, git, on_change, on_git)
    made.start()
    return made


class InotifyWatch:
    """One inotify instance, a watch for each folder that `on_folder` names.

    From `start` on changes are reported; those before it wait in the kernel.
    """

    def __init__(
        self, root: Path, ours: Path, git: Path | None, on_change: OnChange, on_git: OnGit
    ) -> None:
        from watchdog.observers.inotify_c import InotifyConstants

        from satchel.indexer import inotify_instance

        self.failure = ""
        self._root = os.fsencode(root) + b"/"
        self._on_change, self._on_git = on_change, on_git
        self._is = InotifyConstants
        # Two threads change the tables below: the one that walks, and the one that reads events.
        self._lock = threading.Lock()
        self._ids = count(1)
        self._watched: dict[bytes, tuple[WatchDescriptor, CallbackId]] = {}
        self._folders: dict[WatchDescriptor, bytes] = {}
        self._git = b""
        self._cookies = os.fsencode(ours / "watch") + b"/"
        self._waiting: dict[bytes, threading.Event] = {}
        self._fd: Instance | None = None
        if git is not None:
            self._git = os.fsencode(git.resolve()) + b"/"
        try:
            self._fd = inotify_instance.Instance()
        except OSError as error:
            self._fail(error)
            return
        with suppress(OSError):
            (ours / "watch").mkdir(mode=0o700, exist_ok=True)
            self._add(self._cookies, self._is.IN_CREATE)
        if git is not None:
            self._add(self._git, self._is.IN_CLOSE_WRITE | self._is.IN_MOVED_TO)

    def start(self) -> None:
        """Report changes from now on."""
        if self._fd is not None:
            self._fd.start()

    def on_folder(self, folder: bytes) -> None:
        """Watch a folder from now on; one that is watched already costs nothing."""
        path = self._root + folder
        if path in self._watched:
            return
        flags = self._is
        self._add(
            path,
            flags.IN_CREATE | flags.IN_DELETE | flags.IN_MOVE | flags.IN_CLOSE_WRITE
            | flags.IN_ATTRIB | flags.IN_DELETE_SELF,
        )  # fmt: skip

    def barrier(self, seconds: float) -> bool:
        """Wait until every change made so far has been reported; False when that is not known."""
        # A cookie file, as in Watchman: inotify reports events in order, so that when the event of
        # a file made just now comes, all of what happened before it has come.
        if self.failure or self._cookies not in self._watched:
            return False
        name = b"%d-%d" % (os.getpid(), next(self._ids))
        reported = self._waiting[name] = threading.Event()
        path = Path(os.fsdecode(self._cookies + name))
        try:
            path.touch(mode=0o600)
            path.unlink()
            return reported.wait(seconds)
        except OSError:
            return False
        finally:
            del self._waiting[name]

    @property
    def has_reported_all(self) -> bool:
        """Whether every change made so far has been reported; False when a wait would tell."""
        # The kernel queues an event before the call that changed the file returns.
        return self._fd is not None and not self.failure and self._fd.has_handled_all

    def close(self) -> None:
        """Stop watching."""
        if self._fd is not None:
            self._fd.stop()
            if self._fd.is_alive():
                self._fd.join()

    # -- called by the thread that reads events

    def on_event(self, event: InotifyEvent) -> None:
        """Something happened in a watched folder."""
        folder = self._folders.get(event.wd)
        if folder is None:
            return
        if folder == self._cookies:
            waiting = self._waiting.get(event.name)
            if waiting is not None:
                waiting.set()
        elif folder == self._git:
            if event.name in _GIT_FILES:
                self._on_git()
        else:
            if event.is_directory and (event.is_create or event.is_move):
                # What has this name now is another folder. Its watch must go before the change is
                # reported: the walk that follows would take it for watched.
                self._unwatch(folder + event.name + b"/")
            path = (folder + event.name)[len(self._root) :].rstrip(b"/")
            above, _, name = path.rpartition(b"/")
            changed = above if name in _DECIDE_FOR_FOLDER else path
            self._on_change(RepoPath(os.fsdecode(changed)))

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """A watched folder is gone."""
        with self._lock:
            folder = self._folders.pop(wd, None)
            if folder is not None and self._watched.get(folder, (None,))[0] == wd:
                del self._watched[folder]

    def on_queue_overflow(self) -> None:
        """The kernel's queue was full and events were lost: anything may have changed."""
        self._on_change(ROOT)

    def _add(self, path: bytes, events: int) -> None:
        if self._fd is None or self.failure:
            return
        from watchdog.observers.inotify_c import CallbackId, Mask

        # A folder that was swapped for a link is not followed; a file that was deleted but is still
        # written to is nobody's change.
        mask = Mask(
            events | self._is.IN_ONLYDIR | self._is.IN_DONT_FOLLOW | self._is.IN_EXCL_UNLINK
        )
        key = CallbackId(next(self._ids))
        with self._lock:
            try:
                wd = self._fd.add_callback(path, mask, self, key)
            except OSError as error:
                self._fail(error)
                return
            self._watched[path] = (wd, key)
            self._folders[wd] = path

    def _unwatch(self, prefix: bytes) -> None:
        """Stop watching a folder and all below it."""
        with self._lock:
            gone = [path for path in self._watched if path.startswith(prefix)]
            keys = [self._watched.pop(path) for path in gone]
            for wd, _ in keys:
                self._folders.pop(wd, None)
        # Outside of the lock, which `on_watch_deleted` takes when a watch has been removed.
        if keys and self._fd is not None:
            self._fd.remove_callbacks(keys)

    def _fail(self, error: OSError) -> None:
        # A folder that has vanished or may not be read is no failure of the watch: the walk skips
        # it and says why.
        limit = _LIMITS.get(error.errno or 0)
        if limit:
            self.failure = limit


class TreeWatch:
    """One recursive watch of the root, for systems that have such a thing."""

    def __init__(self, root: Path, on_change: OnChange) -> None:
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer

        self.failure = ""
        self._root = root
        self._on_change = on_change
        handler = FileSystemEventHandler()
        handler.on_any_event = self._on_event  # type: ignore[method-assign]
        self._observer = Observer()
        self._observer.schedule(handler, str(root), recursive=True)
        try:
            self._observer.start()
        except OSError as error:
            self.failure = _LIMITS.get(error.errno or 0, str(error))

    def on_folder(self, folder: bytes) -> None:
        """Every folder is watched already."""

    def barrier(self, seconds: float) -> bool:
        """Always False: these systems do not say in which order or how late events come."""
        return False

    has_reported_all = False
    """Nor do they say whether one is on its way."""

    def close(self) -> None:
        """Stop watching."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def _on_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return
        for raw in (event.src_path, event.dest_path):
            path = Path(os.fsdecode(raw)) if raw else self._root
            if path == self._root or not path.is_relative_to(self._root):
                continue
            parts = path.relative_to(self._root).parts
            if parts[0] not in (".git", ".satchel"):
                name = os.fsencode(parts[-1])
                changed = parts[:-1] if name in _DECIDE_FOR_FOLDER else parts
                self._on_change(RepoPath("/".join(changed)))
