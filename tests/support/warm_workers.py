"""Analysing processes that have loaded everything already: most of a small index is their start.

A server imports what a worker uses and compiles the queries that tests need most, then forks for
each worker. From `worker.main()` on it is the process that the pool starts by itself. Tests of what
the pool does with its processes start real ones (`tests/conftest.py`).
"""

from __future__ import annotations

import array
import atexit
import gc
import os
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import IO

from satchel.indexer.extract import pool, worker
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.store import isolation

_WARM = ("python", "typescript", "javascript", "java", "markdown", "toml")


class WarmProcess:
    """What the pool needs of a `subprocess.Popen`."""

    def __init__(self, place: str, limits: WorkerLimits) -> None:
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(place)
        passed = array.array("i", [theirs_in, theirs_out])
        request = b"%d %d\n" % (limits.memory_bytes, limits.nice)
        self._connection.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])
        for descriptor in passed:
            os.close(descriptor)
        self.stdin: IO[bytes] = os.fdopen(ours_in, "wb")
        self.stdout: IO[bytes] = os.fdopen(ours_out, "rb")
        self.pid = int(self._connection.recv(16))

    def kill(self) -> None:
        """Ends the process at once."""
        try:
            os.kill(self.pid, signal.SIGKILL)
        except PermissionError:  # the test goes on as somebody else; the end of input is enough
            self.stdin.close()

    def wait(self) -> None:
        """Returns when the process has ended: it alone holds the other end of the connection."""
        self._connection.recv(1)
        self._connection.close()


def start(limits: WorkerLimits) -> WarmProcess:
    """What stands in for `pool.start_process`."""
    return WarmProcess(place(), limits)


def use(place_of_server: str) -> None:
    """Lets the pool of this process, a forked command, fork its workers as well."""
    pool.start_process = partial(WarmProcess, place_of_server)  # type: ignore[assignment]


@cache
def place() -> str:
    """Where the server listens, which is started for that; it ends with this process."""
    folder = tempfile.TemporaryDirectory(prefix="warm-")
    found = str(Path(folder.name, "s"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(found)
    # Some tests go on as somebody else.
    Path(folder.name).chmod(0o755)
    Path(found).chmod(0o777)
    listener.listen(64)
    process = subprocess.Popen(
        isolation.command(__name__, str(listener.fileno())),
        stdin=subprocess.PIPE, pass_fds=(listener.fileno(),), cwd="/",
    )  # fmt: skip
    listener.close()
    atexit.register(_close, process, folder)
    return found


def _close(process: subprocess.Popen[bytes], folder: tempfile.TemporaryDirectory[str]) -> None:
    assert process.stdin
    process.stdin.close()
    process.wait()
    folder.cleanup()


def main() -> int:
    """The server: a descriptor to accept connections from is its argument."""
    for language in _WARM:
        worker.perform(worker.Task(language, b"x\n"))
    gc.freeze()  # forked processes share these pages, as no collection writes to them
    listener = socket.socket(fileno=int(sys.argv[1]))
    pid = os.fork()
    if pid:
        sys.stdin.buffer.read()  # its end says that nobody is left to ask
        os.kill(pid, signal.SIGKILL)
        return 0
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return _serve(connection)
        connection.close()


def _serve(connection: socket.socket) -> int:
    """Be one worker; the connection stays open until this process ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    descriptors = array.array("i")
    request, passed, _, _ = connection.recvmsg(64, socket.CMSG_SPACE(2 * descriptors.itemsize))
    descriptors.frombytes(passed[0][2])
    nothing = os.open(os.devnull, os.O_WRONLY)
    for number, descriptor in enumerate((*descriptors, nothing)):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = ["worker", *request.decode("ascii").split()]
    connection.sendall(b"%d" % os.getpid())
    worker.main()
    return 0
