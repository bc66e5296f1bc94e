"""Whether anything was written to an index since a moment."""

from __future__ import annotations

from pathlib import Path

from satchel.store.sqlite import database


class Unwritten:
    """Watches the file of an index until it is closed. Raises: SatchelError when it cannot be
    read."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._inode = database.inode(directory)
        self._connection = database.connect(directory, writable=False)
        self._version = self._connection.pragma("data_version")

    def close(self) -> None:
        """Watch it no longer."""
        self._connection.close()

    def holds(self) -> bool:
        """Whether it is the same file, and no process has written to it."""
        return (
            database.inode(self._directory) == self._inode
            and self._connection.pragma("data_version") == self._version
        )
