"""The version of an index file at a moment, and whether it is still that."""

from __future__ import annotations

from pathlib import Path

from satchel.store.sqlite import database


class IndexVersion:
    """The version of an index when this is made. To be closed.

    Raises: SatchelError where the index cannot be read.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._inode = database.inode(directory)
        self._connection = database.connect(directory, writable=False)
        self._version = self._connection.pragma("data_version")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def is_current(self) -> bool:
        """Whether it is the same file, and no process has written to it."""
        return (
            database.inode(self._directory) == self._inode
            and self._connection.pragma("data_version") == self._version
        )
