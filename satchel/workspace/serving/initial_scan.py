"""The initial scan of a tree, in a process of its own beside the server that starts.

A question waits until it is known whether files have changed since the index was written. Walking
the tree for that and loading what answers take turns in one interpreter; in two processes they go
on at the same time. The process watches each folder before it lists it, and hands the watches over
with the plan of what is to be indexed, so that no change falls between the two.

Linux alone, where a process can be forked and an inotify instance be handed over. Elsewhere, and
whenever anything is not as expected, the server scans the tree itself.
"""

from __future__ import annotations

import os
import pickle
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from satchel.store.errors import SatchelError
from satchel.store.sqlite import database
from satchel.workspace.project import Project
from satchel.workspace.serving import local_socket

if TYPE_CHECKING:
    from satchel.indexer.plan import Plan
    from satchel.indexer.watch import Begun


class ScanResult(NamedTuple):
    """What a scan found. `plan` is None where the whole tree has to be walked by its rules.

    `inode` is that of the file of the index that the plan was made from.
    """

    begun: Begun
    plan: Plan | None
    inode: int


class InitialScan:
    """A scan that goes on in another process."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self._connection = connection
        self._pid = pid

    def result(self, on_scanned: Callable[[int], None]) -> tuple[int, ScanResult] | None:
        """Wait for the descriptor of the watches and what was found; None where that failed.

        `on_scanned` is told how many names were seen by now.
        """
        descriptors: list[int] = []
        try:
            if sys.platform == "win32":
                return None
            _, descriptors, _, _ = socket.recv_fds(self._connection, 1, 1)
            with self._connection.makefile("rb") as stream:
                # From our own process: whatever else could write here could write to us.
                while isinstance(found := pickle.load(stream), int):
                    on_scanned(found)
            if descriptors and isinstance(found, ScanResult):
                os.set_inheritable(descriptors[0], False)
                return descriptors.pop(), found
        except (OSError, EOFError, pickle.UnpicklingError):  # it has ended, however that happened
            pass
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
            self._connection.close()
            self._reap()
        return None

    def close(self) -> None:
        """Let it end, since nobody waits for what it finds; a thread in `result` goes on."""
        local_socket.hang_up(self._connection)
        self._reap()

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


def begin(project: Project) -> InitialScan | None:
    """Begin to scan the tree of a project; None where that is left to the server.

    To be called while this process has one thread.
    """
    if sys.platform != "linux" or project.members or not project.is_indexed:
        return None
    # Another process that owns the index knows what changed.
    with suppress(OSError), local_socket.connect(project.folders.socket):
        return None
    # Both processes need these.
    from satchel.indexer import inotify_instance, recorded_plan  # noqa: F401

    ours, theirs = socket.socketpair()
    try:
        pid = os.fork()
    except OSError:
        ours.close()
        theirs.close()
        return None
    if pid:
        theirs.close()
        return InitialScan(ours, pid)
    # Nothing of the parent's may run here: its handlers at exit, or what it does with its input.
    status = 1
    try:
        ours.close()
        _let_go_of_input_and_output()
        _scan_and_send(project, theirs)
        status = 0
    finally:
        os._exit(status)


def _let_go_of_input_and_output() -> None:
    """Whoever reads what the server writes is to see its end, also while this process goes on."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _scan_and_send(project: Project, connection: socket.socket) -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    from satchel.indexer.recorded_plan import recorded_plan
    from satchel.indexer.scan.git_checkout import worktree_folder
    from satchel.indexer.watch import InotifyWatch

    root = project.root
    git = worktree_folder(os.fsencode(root))
    inode = database.inode(project.directory)
    watch = InotifyWatch(root, project.directory, git, lambda _path: None, lambda: None)
    handed = watch.handed_over()
    if handed is None:
        return
    socket.send_fds(connection, [b"\0"], [handed[0]])
    with connection.makefile("wb") as stream:

        def tell(found: int | ScanResult) -> None:
            pickle.dump(found, stream)
            stream.flush()

        index = database.connect(project.directory, writable=False)
        try:
            asked = project.options()
            plan = recorded_plan(index, root, asked.walk, watch.on_folder, tell, asked.now_ns)
        except SatchelError:  # the server meets it too, and says what it is
            plan = None
        finally:
            index.close()
        handed = watch.handed_over()
        assert handed is not None
        tell(ScanResult(handed[1], plan, inode))
