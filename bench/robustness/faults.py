"""A file layer for SQLite that makes disks fail: it counts what is written, and does as it is told.

Every operation that changes a file is shown to `on_operation` before it happens. That may record
it, end the process, or raise what SQLite knows as a full disk. Reads are not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import apsw


class Kind(StrEnum):
    """What is done to a file."""

    WRITE = "write"
    SYNC = "sync"
    TRUNCATE = "truncate"
    DELETE = "delete"


class Operation(NamedTuple):
    """One change: `at` is the offset of a write or the size that is left by a truncation."""

    kind: Kind
    file: str
    at: int = 0
    data: bytes = b""


OnOperation = Callable[[Operation, Callable[[bytes], None]], None]
"""Told of an operation, with a way to write a part of the data first (a torn write)."""


class FaultyDisk(apsw.VFS):
    """SQLite's default file layer from when it is made until it is closed."""

    def __init__(self, on_operation: OnOperation) -> None:
        super().__init__("faulty", "unix", makedefault=True)
        self.on_operation = on_operation

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        """Open a file below the layer."""
        return _File(name, flags, self)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        """Delete a file."""
        self.on_operation(Operation(Kind.DELETE, Path(filename).name), _nothing)
        super().xDelete(filename, syncdir)

    def close(self) -> None:
        """Let the disk be as it was."""
        self.unregister()


class _File(apsw.VFSFile):
    def __init__(
        self, name: str | apsw.URIFilename | None, flags: list[int], disk: FaultyDisk
    ) -> None:
        super().__init__("unix", name, flags)
        path = name.filename() if isinstance(name, apsw.URIFilename) else (name or "temporary")
        self._name = Path(path).name
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:
        def some(part: bytes) -> None:
            super(_File, self).xWrite(part, offset)

        self._disk.on_operation(Operation(Kind.WRITE, self._name, offset, bytes(data)), some)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._disk.on_operation(Operation(Kind.SYNC, self._name), _nothing)
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:
        self._disk.on_operation(Operation(Kind.TRUNCATE, self._name, newsize), _nothing)
        super().xTruncate(newsize)


def _nothing(_part: bytes) -> None:
    pass
