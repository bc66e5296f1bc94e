"""How processes that serve the same index talk to its owner: a Unix socket, 0600.

A line of JSON asks, a line answers. A connection on which nothing is asked tells its holder when
the owner dies: it ends. Only processes of the same user are answered.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from satchel.store.errors import Locked, SatchelError
from satchel.store.model import RepoPath
from satchel.workspace.serving.inbox import Outcome, Request

_MAX_PATH_BYTES = 100
"""A socket's address holds 104 to 108 bytes, depending on the system."""
_MAX_LINE_BYTES = 16 << 20
_BACKLOG = 64

Answer = Callable[[Request], Outcome]


class Channel:
    """The owner's end. `answer` is called on a thread of the connection that asks."""

    def __init__(self, path: Path, answer: Answer) -> None:
        self._path = path
        self._answer = answer
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._path.unlink(missing_ok=True)  # of an owner that died; we hold the lock
        try:
            with _address(path) as address:
                self._socket.bind(address)
            self._path.chmod(0o600)  # before anybody can connect
        except OSError:
            self._socket.close()
            raise
        self._socket.listen(_BACKLOG)
        threading.Thread(target=self._accept, name="owner", daemon=True).start()

    def close(self) -> None:
        """Hang up on everybody."""
        self._path.unlink(missing_ok=True)
        with self._lock:
            self._closed = True
            connections = [self._socket, *self._open]
        for connection in connections:
            with suppress(OSError):
                # Closing alone would not wake a thread that waits in `accept` or for a line.
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                # Asked under the lock, since `close` may have made its list already and would miss
                # this one.
                if self._closed or not _is_ours(connection):
                    connection.close()
                    continue
                self._open.add(connection)
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as lines:
                while line := lines.readline(_MAX_LINE_BYTES):
                    connection.sendall(self._reply(line))
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
        ):  # it hung up, or talks of something else
            pass
        finally:
            with self._lock:
                self._open.discard(connection)

    def _reply(self, line: bytes) -> bytes:
        fields = json.loads(line)
        request = Request(
            tuple(map(RepoPath, fields["paths"])), bool(fields["everything"]), bool(fields["full"])
        )
        try:
            outcome = self._answer(request)
        except SatchelError as error:
            return _line({"error": error.message, "hint": error.hint})
        return _line({"generation": outcome.generation, "notices": outcome.notices})


def pair() -> tuple[socket.socket, socket.socket]:
    """Two ends of one connection: closing one wakes whoever waits for the other."""
    return socket.socketpair()


def connect(path: Path) -> socket.socket:
    """A connection to the owner. Raises: OSError when nobody listens."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(path) as address:
            connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def ask(path: Path, request: Request, seconds: float | None) -> Outcome:
    """Let the owner bring the index up to date; `seconds` is None for as long as it takes.

    Raises:
        OSError: nobody listens, or the owner died meanwhile (TimeoutError: it takes longer).
        Locked: the owner says that it cannot.
    """
    with connect(path) as connection:
        connection.settimeout(seconds)
        asked = {"paths": request.paths, "everything": request.everything, "full": request.full}
        connection.sendall(_line(asked))
        with connection.makefile("rb") as lines:
            line = lines.readline(_MAX_LINE_BYTES)
    # A line without its end is an answer that was cut off when the owner died.
    if not line.endswith(b"\n"):
        raise ConnectionResetError("the owner hung up")
    reply = json.loads(line)
    if "error" in reply:
        raise Locked(reply["error"], reply["hint"])
    return Outcome(int(reply["generation"]), tuple(reply["notices"]))


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode("ascii") + b"\n"


@contextmanager
def _address(path: Path) -> Iterator[str]:
    """The socket's address; a long one by way of a descriptor, where the system knows that."""
    if len(os.fsencode(path)) <= _MAX_PATH_BYTES:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _is_ours(connection: socket.socket) -> bool:
    """Whether the other end belongs to the same user, as far as the system tells."""
    # Where the system does not tell, the mode of the socket keeps others out.
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return bool(struct.unpack("3i", credentials)[1] == os.getuid())
