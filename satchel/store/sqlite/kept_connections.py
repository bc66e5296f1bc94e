"""Connections to an index that stay open between the questions of a server.

A question would open one, read the schema and prepare each statement anew. A command, which asks
once, keeps none.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from satchel.store.sqlite import database


class KeptConnections:
    """Connections that read the index in one folder; `n_kept` stay open, none unless it is set."""

    def __init__(self) -> None:
        self.n_kept = 0
        self._changing = threading.Lock()
        self._waiting: list[tuple[int, apsw.Connection]] = []

    @contextmanager
    def opened(self, directory: Path, inode: int) -> Iterator[apsw.Connection]:
        """A connection that nobody else uses meanwhile, to the index file with this inode.

        One that something was raised over is closed.
        """
        connection = self._taken(inode) or database.connect(directory, writable=False)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        with self._changing:
            is_kept = len(self._waiting) < self.n_kept
            if is_kept:
                self._waiting.append((inode, connection))
        if not is_kept:
            connection.close()

    def close(self) -> None:
        """Close those that wait, and keep none from now on."""
        self.n_kept = 0
        self.release()

    def release(self) -> None:
        """Close those that wait: they hold the disk space of a deleted index, and on Windows they
        do not let it be deleted."""
        with self._changing:
            waiting, self._waiting = self._waiting, []
        for _, each in waiting:
            each.close()

    def _taken(self, inode: int) -> apsw.Connection | None:
        """One that waits; those to another file are closed, which the index was before."""
        with self._changing:
            others = [each for number, each in self._waiting if number != inode]
            self._waiting = [each for each in self._waiting if each[0] == inode]
            found = self._waiting.pop()[1] if self._waiting else None
        for each in others:
            each.close()
        return found
