"""Asks a server of `tests.support.warm` for a program; also the executable that stands for it.

As an executable it is `satchel` or `upstream` in the folder of the servers: it lends them its
streams, working folder, arguments and environment, hands on the signals that it gets, and ends as
the program does. It loads nothing but a few modules of Python.
"""

from __future__ import annotations

import array
import marshal
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence

SATCHEL, UPSTREAM = "satchel", "upstream"
"""Programs: the command, and `tests.support.upstream`."""
PLAIN, ALL, WORKERS = "plain", "all", "workers"
"""The servers of a folder: of commands, of those that need everything, of analysing processes."""


def server_of(program: str, words: Sequence[str]) -> str:
    """Which server a program is asked of: `all` takes three times as long to load and to fork."""
    needs_all = {"serve", "ui", "hub", "--hub", "doctor"}
    is_plain = program == SATCHEL and not needs_all.intersection(words)
    return PLAIN if is_plain else ALL


def ask(
    folder: str, program: str, words: Sequence[str], cwd: str, environment: Mapping[str, str],
    streams: Sequence[int], workers: str,
) -> socket.socket:  # fmt: skip
    """A connection on which two lines come: the id of the process, and its exit code.

    The process is killed when the connection is closed before. `streams` become its standard
    streams, `workers` is the place of a server of analysing processes or empty.
    """
    if sys.platform == "win32":
        raise NotImplementedError("nothing forks on Windows")
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.path.join(folder, server_of(program, words)))  # noqa: PTH118  loads less
    passed = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))
    connection.sendmsg([b"x"], [passed])
    request = marshal.dumps((program, list(words), cwd, dict(environment), workers))
    connection.sendall(b"%d\n" % len(request) + request)
    return connection


def main() -> None:
    """Run the program that this file is called, with the arguments of this process."""
    if sys.platform == "win32":
        raise NotImplementedError("nothing forks on Windows")
    folder, program = os.path.split(os.path.abspath(__file__))  # noqa: PTH100  loads less
    workers = os.path.join(folder, WORKERS)  # noqa: PTH118
    here = os.getcwd()  # noqa: PTH109
    connection = ask(folder, program, sys.argv[1:], here, os.environ, (0, 1, 2), workers)
    with connection.makefile("rb") as said:
        pid = int(said.readline())
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda given, _frame: os.kill(pid, given))
        code = int(said.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
