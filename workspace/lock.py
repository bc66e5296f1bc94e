"""One writer for each index: an advisory lock that the kernel drops when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store.errors import Locked

LOCK_NAME = "lock"


@contextmanager
def writer_lock(directory: Path) -> Iterator[None]:
    """Hold the right to write the index in `directory`.

    Raises:
        Locked: another process holds it; the message names its process id when it said so.
    """
    descriptor = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
            raise Locked(
                f"process {holder} is writing this index", "wait for it to finish, or stop it"
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)
