"""Blocks of vectors as files, which a process maps into memory instead of making them.

Making the table of 100,000 vectors takes a second of a server's start and leaves its memory in
pieces. A file is named by what its block was made of, so one that is found is never out of date;
what is not found is made. Losing the folder costs time and nothing else.

The file NAME.f32 has the rows of a block, little-endian float32 without a head, and ends in their
CRC-32.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import Struct as Layout
from typing import TYPE_CHECKING
from zlib import crc32

from msgspec import Struct

from satchel.store import private
from satchel.store.platform.blake2 import blake2b

# Whoever only asks what is there loads no NumPy.
if TYPE_CHECKING:
    from satchel.store.vectors.encoders import Matrix

FOLDER = "vectors"
"""Beside the index."""
_SUFFIX = ".f32"
_STATE = "made-for"
_LAYOUT = 4
"""A new number when a block of the same files becomes another matrix, or files are laid out
otherwise."""
_FLOAT_BYTES = 4
_CRC = Layout("<I")


class BlockFiles(Struct, frozen=True):
    """The files of an index that lies in some folder."""

    index: Path

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self.index / FOLDER

    def names(self) -> set[str]:
        """The blocks that are there now."""
        return {path.stem for path in self.folder.glob(f"*{_SUFFIX}")}

    def put(self, name: str, matrix: Matrix) -> None:
        """Store a block. Raises: OSError."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        data = matrix.astype("<f4", copy=False).tobytes()
        private.write(self.folder / (name + _SUFFIX), data + _CRC.pack(crc32(data)))

    def mapped(self, name: str, n_rows: int, dimensions: int) -> Matrix | None:
        """A block, read-only, its pages shared with other processes; None when it is not there,
        damaged, or of another size."""
        import numpy as np

        n_bytes = n_rows * dimensions * _FLOAT_BYTES
        try:
            with (self.folder / (name + _SUFFIX)).open("rb") as file:
                data = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError):  # it is not there, or empty
            return None
        with memoryview(data) as view:
            is_whole = len(view) == n_bytes + _CRC.size
            if not is_whole or _CRC.unpack_from(view, n_bytes) != (crc32(view[:n_bytes]),):
                return None
        return np.frombuffer(data, "<f4", n_rows * dimensions).reshape(n_rows, dimensions)

    def remove_others(self, names: Collection[str]) -> None:
        """Remove all blocks but some."""
        kept = {name + _SUFFIX for name in names}
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


def block_name(*made_of: object) -> str:
    """The name of a block: BLAKE2b-128 in hex of everything that its rows follow from.

    The parts are told apart by their `repr`.
    """
    return blake2b(repr((_LAYOUT, *made_of)).encode(), digest_size=16).hexdigest()


def remove(index: Path) -> None:
    """Remove the files of an index, after which every block is made anew."""
    import shutil  # with every format of archives, for which no look-up waits

    shutil.rmtree(index / FOLDER, ignore_errors=True)
