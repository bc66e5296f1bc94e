"""Sockets between processes of one user on one machine, named by a path.

A Unix socket with mode 0600 where Python has them. On Windows it has none: there the file at the
path, in the user's own folder, holds a port of the loopback address and a secret, which a client
sends first.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from satchel.workspace.state.index_place import DESCRIPTORS, MAX_ADDRESS_BYTES

TYPE_CHECKING = False  # that of `typing`, which a command that asks a server does not load
if TYPE_CHECKING:
    from pathlib import Path

_SECRET_BYTES = 32
_PATIENCE_S = 5.0
"""Seconds within which a client has to send the secret."""
HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")


class Listener:
    """The server's end. Raises: OSError when it cannot be made."""

    def __init__(self, path: Path, backlog: int) -> None:
        self._path = path
        self._secret = b""
        path.unlink(missing_ok=True)  # of an owner that died
        self._socket = self._bound_by_path() if HAS_UNIX_SOCKETS else self._bound_by_port()
        self._socket.listen(backlog)
        self._inode = path.stat().st_ino

    def accept(self) -> socket.socket | None:
        """Wait for a connection; None for one of another user. Raises: OSError once closed."""
        connection, _ = self._socket.accept()
        if self._is_ours(connection):
            return connection
        connection.close()
        return None

    def close(self) -> None:
        """Wake the thread that waits in `accept`, and remove the file at the path."""
        # Where the folder was removed meanwhile, another owner may have made its own file there.
        with suppress(FileNotFoundError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()
        hang_up(self._socket)

    def _bound_by_path(self) -> socket.socket:
        if sys.platform == "win32":
            raise NotImplementedError
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _address(self._path) as address:
                made.bind(address)
            self._path.chmod(0o600)  # before anybody can connect
        except OSError:
            made.close()
            raise
        return made

    def _bound_by_port(self) -> socket.socket:
        import secrets

        from satchel.store import private

        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            made.bind(("127.0.0.1", 0))
            self._secret = secrets.token_hex(_SECRET_BYTES // 2).encode()
            private.write(self._path, b"%d %b" % (made.getsockname()[1], self._secret))
        except OSError:
            made.close()
            raise
        return made

    def _is_ours(self, connection: socket.socket) -> bool:
        """Whether the other end belongs to the same user, as far as the system tells."""
        if self._secret:
            import hmac

            # The secret that the client sends first, or as much of it as came in time.
            connection.settimeout(_PATIENCE_S)
            found = b""
            try:
                while len(found) < _SECRET_BYTES and (
                    part := connection.recv(_SECRET_BYTES - len(found))
                ):
                    found += part
            except OSError:
                pass
            connection.settimeout(None)
            return hmac.compare_digest(found, self._secret)
        return is_of_this_user(connection)


def connect(path: str | os.PathLike[str]) -> socket.socket:
    """Connect to the server at a path. Raises: OSError when no process of this user listens."""
    if not HAS_UNIX_SOCKETS:
        from pathlib import Path

        port, _, secret = Path(path).read_bytes().partition(b" ")
        if not port.isdigit():
            raise ConnectionRefusedError(f"{os.fspath(path)} names no port")
        connection = socket.create_connection(("127.0.0.1", int(port)))
        connection.sendall(secret)
        return connection
    if sys.platform == "win32":
        raise NotImplementedError
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(path) as address:
            connection.connect(address)
        # A request tells what the user works on, and the answer is trusted.
        if not is_of_this_user(connection):
            raise ConnectionRefusedError(f"another user listens at {os.fspath(path)}")
    except OSError:
        connection.close()
        raise
    return connection


def is_of_this_user(connection: socket.socket) -> bool:
    """Whether the other end of a Unix socket belongs to the same user, as far as the system tells.

    Where it does not tell, the modes of the socket and its folder keep others out.
    """
    if sys.platform != "linux":
        return True
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return bool(struct.unpack("3i", credentials)[1] == os.getuid())


def hang_up(connection: socket.socket) -> None:
    """Close a connection so that a thread which waits for it wakes."""
    try:
        # Closing alone would not wake a thread that waits in `accept` or for a line.
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    finally:
        connection.close()


@contextmanager
def _address(path: str | os.PathLike[str]) -> Iterator[str]:
    """The socket's address; a long one by way of a descriptor, where the system knows that."""
    if len(os.fsencode(path)) <= MAX_ADDRESS_BYTES:
        yield os.fspath(path)
        return
    above, name = os.path.split(path)
    folder = os.open(above, os.O_RDONLY)
    try:
        yield f"{DESCRIPTORS}/{folder}/{name}"
    finally:
        os.close(folder)
