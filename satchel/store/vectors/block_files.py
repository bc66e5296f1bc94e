"""Blocks of vectors as files, which a process maps into memory instead of making them.

Making the table of 100,000 vectors takes a second of a server's start and leaves its memory in
pieces. A file is named by what its block was made of, so one that is found is never out of date;
what is not found is made. Losing the folder costs time and nothing else.

A file is the rows of its block, little-endian float32, without a head.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.store import private

# Whoever only asks what is there loads no NumPy.
if TYPE_CHECKING:
    from satchel.store.vectors.encoders import Matrix

FOLDER = "vectors"
"""Beside the index."""
_SUFFIX = ".f32"
_STATE = "made-for"
_LAYOUT = 1
"""A new number when a block of the same files becomes another matrix."""
_FLOAT_BYTES = 4


class BlockFiles(Struct, frozen=True):
    """The files of an index that lies in some folder."""

    index: Path

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self.index / FOLDER

    def mapped(self, name: str, n_rows: int, dimensions: int) -> Matrix | None:
        """The block of a name, read-only and shared with other processes; None when it is not
        there, or has another size."""
        try:
            with self._path(name).open("rb") as file:
                data = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError):  # no file, or an empty one
            return None
        if len(data) != n_rows * dimensions * _FLOAT_BYTES:
            return None
        import numpy as np

        return np.frombuffer(data, "<f4").reshape(n_rows, dimensions)

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return private.is_there(self._path(name))

    def put(self, name: str, matrix: Matrix) -> None:
        """Store a block. Raises: OSError."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        private.write(self._path(name), matrix.astype("<f4", copy=False).tobytes())

    def remove_others(self, names: Collection[str]) -> None:
        """Remove all files but those of some names."""
        kept = {self._path(name).name for name in names}
        for path in self.folder.glob(f"*{_SUFFIX}*"):
            if path.name not in kept:
                with suppress(OSError):  # Windows removes no file that somebody has mapped
                    path.unlink()

    def note(self, state: str) -> None:
        """Say which state of the index everything is stored for. Raises: OSError."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        private.write(self.folder / _STATE, state.encode(), durable=False)

    def is_noted(self, state: str) -> bool:
        """Whether `note` said so last."""
        try:
            return (self.folder / _STATE).read_bytes() == state.encode()
        except OSError:
            return False

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{_SUFFIX}"


def block_name(*made_of: object) -> str:
    """The name of a block: BLAKE2b-128 in hex of everything that its rows follow from.

    The parts are told apart by their `repr`.
    """
    return blake2b(repr((_LAYOUT, *made_of)).encode(), digest_size=16).hexdigest()


def remove(index: Path) -> None:
    """Remove the files of an index, after which every block is made anew."""
    import shutil  # with every format of archives, for which no look-up waits

    shutil.rmtree(index / FOLDER, ignore_errors=True)
