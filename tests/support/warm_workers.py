"""Analysing processes that have loaded everything already: most of a small index is their start.

A server imports what a worker uses and compiles the queries that tests need, then forks for each
worker. From `worker.main()` on it is the process that the pool starts by itself. Tests of what
the pool does with its processes start real ones (`tests/conftest.py`).
"""

from __future__ import annotations

import os
import socket
import sys
from functools import partial
from pathlib import Path
from typing import IO

from satchel.indexer.extract import pool, worker
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.languages.code import CODE
from tests.support import fork_server, warm
from tests.support.fork_server import receive, send, serve, unix_socket
from tests.support.warm_client import WORKERS

FEW = ("python", "typescript", "javascript", "java", "markdown", "toml")
"""What a server prepares for: the languages of most tests. All of them, which take six seconds, pay
in a run of all tests: the queries of C++ alone take a second, in every process that needs them."""
EVERY = (*FEW, *sorted({language.name for language in CODE}.difference(FEW)))


class WarmProcess:
    """What the pool needs of a `subprocess.Popen`."""

    def __init__(self, place: str, limits: WorkerLimits) -> None:
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        self._connection = unix_socket()
        self._connection.connect(place)
        request = b"%d %d\n" % (limits.memory_bytes, limits.nice)
        send(self._connection, request, (theirs_in, theirs_out))
        os.close(theirs_in)
        os.close(theirs_out)
        self.stdin: IO[bytes] = os.fdopen(ours_in, "wb")
        self.stdout: IO[bytes] = os.fdopen(ours_out, "rb")
        self.pid = int(self._connection.recv(16))

    def kill(self) -> None:
        """Ends the process at once."""
        try:
            fork_server.kill(self.pid)
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


def place() -> str:
    """Where the server listens."""
    return str(Path(warm.folder(), WORKERS))


def main() -> int:
    """The server."""
    return serve(_load, _work)


def _load() -> None:
    for language in sys.argv[3:]:
        worker.perform(worker.Task(language, b"x\n", with_vectors=True))


def _work(connection: socket.socket) -> int:
    """Be one worker; the connection stays open until this process ends."""
    request, descriptors = receive(connection, 64, 2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    for number, descriptor in enumerate((*descriptors, nothing)):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = ["worker", *request.decode("ascii").split()]
    connection.sendall(b"%d" % os.getpid())
    worker.main()
    return 0
