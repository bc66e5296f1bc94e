"""One process at a time may write an index: a lock that the kernel drops when its holder dies."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel.store.errors import Locked, Unwritable
from satchel.store.platform import folders

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK_NAME = "lock"
_MAX_DIGITS = 10
"""Digits of a process id; anything longer in the file is none."""
_LOCKED_BYTE = 1 << 20
"""What Windows locks of the file: a byte behind the process id, which others still can read."""


class WriterLock:
    """The right to write the index in a folder."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / LOCK_NAME
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock if nobody has it. Raises: OSError when the folder cannot be written."""
        flags = os.O_RDWR | os.O_CREAT | folders.NO_FOLLOW
        descriptor = os.open(self._path, flags, 0o600)
        try:
            # The kernel lets go of the lock when its holder ends, however that happens, so no lock
            # is ever left behind that somebody would have to judge.
            if sys.platform == "win32":
                os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
                try:
                    msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                except OSError as error:
                    raise BlockingIOError(error.errno, error.strerror) from None
                os.lseek(descriptor, 0, os.SEEK_SET)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The process id is for messages alone: nothing is decided by it.
            os.ftruncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:  # a full disk cannot even hold our process id
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Let go of the lock."""
        descriptor, self._descriptor = self._descriptor, None
        # The file stays: whoever opened it just before it was deleted would lock a file that nobody
        # else finds.
        if descriptor is not None:
            os.close(descriptor)

    def holder(self) -> str:
        """The process id that the last holder left, "unknown" when it said none."""
        try:
            text = self._path.read_text("ascii", "replace").strip()
        except OSError:
            text = ""
        return text if text.isdecimal() and len(text) <= _MAX_DIGITS else "unknown"


@contextmanager
def explained_write_errors(directory: Path) -> Iterator[None]:
    """Turn an error of writing a folder into one that says what to do.

    Raises:
        Unwritable: it cannot.
    """
    try:
        yield
    except OSError as error:
        raise Unwritable(
            f"{directory} cannot be written: {error.strerror}",
            "change its permissions, or name another place with --state or SATCHEL_STATE_FOLDER;"
            " what is in it can still be asked",
        ) from error


@contextmanager
def writer_lock(directory: Path) -> Iterator[None]:
    """Hold the right to write the index in `directory`, which one process at a time may do.

    Raises:
        Locked: another process holds it; the message names its process id when it said so.
        Unwritable: the folder cannot be written.
    """
    lock = WriterLock(directory)
    with explained_write_errors(directory):
        owns = lock.acquire()
    if not owns:
        raise Locked(
            f"process {lock.holder()} is writing this index", "wait for it to finish, or stop it"
        )
    try:
        yield
    finally:
        lock.release()
