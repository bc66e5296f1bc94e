"""A process that has loaded what its work needs, and forks for each connection.

What a forked process does from then on is what one of its own would do after its imports, which are
most of what a short one takes.
"""

from __future__ import annotations

import array
import atexit
import gc
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from satchel.store.platform import isolation

_WINDOWS = "nothing forks on Windows"
_AT_ONCE = "at once"


class ForkServer:
    """Starts `main()` of a module of ours, which is to call `serve`; ends with this process.

    It listens at `place`, a socket; `words` are its arguments. It loads what it needs `at_once`, or
    when it is first asked.
    """

    def __init__(self, module: str, place: Path, *words: str, at_once: bool) -> None:
        listener = unix_socket()
        listener.bind(str(place))
        place.chmod(0o777)  # some tests go on as somebody else
        listener.listen(64)
        # The end of its standard input tells it that nobody is left to ask.
        self._process = subprocess.Popen(
            isolation.command(module, str(listener.fileno()), _AT_ONCE * at_once, *words),
            stdin=subprocess.PIPE, pass_fds=(listener.fileno(),), cwd="/",
        )  # fmt: skip
        listener.close()

    def close(self) -> None:
        """Ends the server."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def serve(
    load: Callable[[], None], answer: Callable[[socket.socket], int], *, tells: bool = False
) -> int:
    """Fork for each connection, and end the fork with what `answer` returns there.

    `load` is called before the first. The arguments of the process are a descriptor to accept
    connections from, when it loads, and the words of its own. With `tells`, two lines come on the
    connection, the id of the process and its exit code, and the process is killed when the
    connection is closed before.
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
    if sys.argv[2] != _AT_ONCE:
        select.select([listener], [], [])
    load()
    gc.freeze()  # forked processes share these pages, as no collection writes to them
    _fork_for_each(listener, answer, tells)


def _fork_for_each(
    listener: socket.socket, answer: Callable[[socket.socket], int], tells: bool
) -> NoReturn:
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    wake, woken = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _signal, _frame: None)
    told: dict[int, socket.socket] = {}
    while True:
        if listener in _ready(listener, woken, told):
            connection, _ = listener.accept()
            pid = fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for end in (listener, wake, woken, *told.values()):
                    end.close()
                _end(answer, connection)
            if tells:
                told[pid] = connection
                _tell(connection, pid)
            else:
                connection.close()


def _ready(
    listener: socket.socket, woken: socket.socket, told: dict[int, socket.socket]
) -> list[socket.socket]:
    """Wait for something to do; do it unless somebody connects."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(woken, select.POLLIN)
    for connection in told.values():
        poll.register(connection, 0)  # its end alone: what comes on it is for the fork
    ready = {descriptor for descriptor, _ in poll.poll()}
    for pid in [pid for pid, connection in told.items() if connection.fileno() in ready]:
        kill(pid)
        told.pop(pid).close()
    if woken.fileno() in ready:
        woken.recv(1024)
        _reap(told)
    return [listener] if listener.fileno() in ready else []


def _reap(told: dict[int, socket.socket]) -> None:
    """Take note of processes that have ended, and tell how."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            connection = told.pop(ended[0], None)
            if connection:
                _tell(connection, os.waitstatus_to_exitcode(ended[1]))
                connection.close()


def _tell(connection: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError):
        connection.sendall(b"%d\n" % number)


def _end(answer: Callable[[socket.socket], int], connection: socket.socket) -> NoReturn:
    """Answer, and end as Python does but for taking apart what was loaded.

    That writes to every page of it, each of which the system copies first: 70 ms for a command.
    """
    try:
        code: object = answer(connection)
    except SystemExit as end:
        code = end.code
    if not isinstance(code, int | None):
        sys.exit(str(code))
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


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
    """End a process at once; as with `Popen.kill`, it may have ended by itself."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def fork() -> int:
    """As `os.fork`."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    return os.fork()
