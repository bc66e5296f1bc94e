"""A process that has loaded what its work needs, and forks for each connection.

What a forked process does from then on is what one of its own would do after its imports, which are
most of what a short one takes.
"""

from __future__ import annotations

import array
import gc
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from satchel.store.platform import isolation

_WINDOWS = "nothing forks on Windows"


class ForkServer:
    """Starts `main()` of a module of ours, which is to call `serve`; ends with this process.

    It listens at `place`, a socket; `words` are its arguments.
    """

    def __init__(self, module: str, place: Path, *words: str) -> None:
        listener = unix_socket()
        listener.bind(str(place))
        place.chmod(0o777)  # some tests go on as somebody else
        listener.listen(64)
        # The end of its standard input tells it that nobody is left to ask.
        self._process = subprocess.Popen(
            isolation.command(module, str(listener.fileno()), *words),
            stdin=subprocess.PIPE, pass_fds=(listener.fileno(),), cwd="/",
        )  # fmt: skip
        listener.close()

    def close(self) -> None:
        """Ends the server."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def serve(load: Callable[[], None], answer: Callable[[socket.socket], int]) -> int:
    """Fork for each connection, and return in the fork what `answer` does there.

    `load` is called before the first. A descriptor to accept connections from is the process's
    first argument.
    """
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    listener = socket.socket(fileno=int(sys.argv[1]))
    pid = fork()
    if pid:
        sys.stdin.buffer.read()
        kill(pid)
        os.waitpid(pid, 0)  # so that its processor time, and that of its children, counts as ours
        return 0
    select.select([listener], [], [])
    load()
    gc.freeze()  # forked processes share these pages, as no collection writes to them
    signal.signal(signal.SIGCHLD, _reap)
    while True:
        connection, _ = listener.accept()
        if fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return answer(connection)
        connection.close()


def _reap(_signal: int, _frame: FrameType | None) -> None:
    """Take note of processes that have ended."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def send(connection: socket.socket, data: bytes, descriptors: Sequence[int]) -> None:
    """Send some bytes, and descriptors with the first of them."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    passed = array.array("i", descriptors)
    connection.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])


def receive(connection: socket.socket, n_bytes: int, n: int) -> tuple[bytes, list[int]]:
    """At most so many bytes, and the `n` descriptors that were sent with them."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    descriptors = array.array("i")
    space = socket.CMSG_SPACE(n * descriptors.itemsize)
    data, passed, _, _ = connection.recvmsg(n_bytes, space)
    descriptors.frombytes(passed[0][2])
    return data, list(descriptors)


def unix_socket() -> socket.socket:
    """A socket that has a place in the file system."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    return socket.socket(socket.AF_UNIX)


def kill(pid: int) -> None:
    """End a process at once."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    os.kill(pid, signal.SIGKILL)


def fork() -> int:
    """As `os.fork`."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    return os.fork()
