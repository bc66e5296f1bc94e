"""Blocks of vectors as files, which a process maps into memory instead of making them.

Making the table of 100,000 vectors takes a second of a server's start and leaves its memory in
pieces. A file is named by what its block was made of, so one that is found is never out of date;
what is not found is made. Losing the folder costs time and nothing else.

A whole block is the file NUMBER-NAME.f32: its rows, little-endian float32 without a head, then
whose rows these are (`RowsOf`, 20 bytes a file of the index) and how many of those follow. A block
that has most rows in common with a whole one is the file NUMBER-NAME-BASE.f32: how many runs there
are, the runs (`Run`, 12 bytes each), and the rows that the whole block BASE lacks. Each file ends
in the CRC-32 of all that is before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from mmap import ACCESS_COPY, ACCESS_READ, mmap
from pathlib import Path
from struct import Struct as Layout
from struct import error as StructError
from typing import TYPE_CHECKING, NamedTuple
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
_LAYOUT = 3
"""A new number when a block of the same files becomes another matrix, or files are laid out
otherwise."""
_FLOAT_BYTES = 4
_COUNT = Layout("<I")
_ROWS_OF = Layout("<16sI")
_RUN = Layout("<III")
_CRC = Layout("<I")
_TAIL = _COUNT.size + _CRC.size
PATCHED_SHARE = 0.5
"""The share of a block's rows up to which it is stored as what differs from a whole one."""
_EARLIER_SHARE = 0.25
"""How much space the differences of earlier texts may take, as a share of the blocks in use."""


class RowsOf(NamedTuple):
    """Rows of a file within a block: what they follow from, as BLAKE2b-128, and their number."""

    key: bytes
    n_rows: int


class Run(NamedTuple):
    """Rows one after the other of a block: those from `start` of its base, or of what it adds."""

    is_added: bool
    start: int
    n_rows: int


class _BlockFile(NamedTuple):
    """A file by its name; `base` is "" for a whole block."""

    number: int
    name: str
    base: str


class BlockFiles(Struct, frozen=True):
    """The files of an index that lies in some folder."""

    index: Path

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self.index / FOLDER

    def listed(self) -> ListedBlocks:
        """The blocks that are there now."""
        found = {path.name: _block_of_name(path.name) for path in self.folder.glob(f"*{_SUFFIX}")}
        of_blocks = [each for each in found.values() if each is not None]
        whole = {each.name: each for each in of_blocks if not each.base}
        patched = {each.name: each for each in of_blocks if each.base in whole}
        return ListedBlocks(self.folder, patched | whole)

    def put(self, number: int, name: str, matrix: Matrix, rows_of: Sequence[RowsOf]) -> None:
        """Store a whole block. Raises: OSError."""
        parts = [matrix.astype("<f4", copy=False).tobytes()]
        parts += [_ROWS_OF.pack(*each) for each in rows_of]
        self._write(_BlockFile(number, name, ""), [*parts, _COUNT.pack(len(rows_of))])

    def put_patched(
        self, number: int, name: str, base: str, runs: Sequence[Run], added: Matrix
    ) -> None:
        """Store a block as what differs from a whole one, `base`. Raises: OSError."""
        parts = [_COUNT.pack(len(runs)), *(_RUN.pack(*run) for run in runs)]
        parts.append(added.astype("<f4", copy=False).tobytes())
        self._write(_BlockFile(number, name, base), parts)

    def remove_others(self, names: Collection[str]) -> None:
        """Remove what blocks of some names are not made of; differences of earlier texts stay as
        long as they are small and what they differ from is there."""
        blocks = self.listed().by_name
        kept = {blocks[name] for name in names if name in blocks}
        kept |= {blocks[each.base] for each in kept if each.base}
        left = _EARLIER_SHARE * sum(self._size(each)[1] for each in kept)
        earlier = [each for each in blocks.values() if each.base and blocks[each.base] in kept]
        # The latest first: a branch is switched back to the one before.
        for (_, size), each in sorted((self._size(e), e) for e in {*earlier} - kept)[::-1]:
            left -= size
            if left >= 0:
                kept.add(each)
        paths = {self._path(each) for each in kept}
        for path in self.folder.glob(f"*{_SUFFIX}*"):
            if path not in paths:
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

    def _write(self, block: _BlockFile, parts: Iterable[bytes]) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        data = b"".join(parts)
        private.write(self._path(block), data + _CRC.pack(crc32(data)))

    def _size(self, block: _BlockFile) -> tuple[int, int]:
        """When a file was written, in nanoseconds, and its bytes; zeros when it has gone."""
        try:
            status = self._path(block).stat()
        except OSError:
            return 0, 0
        return status.st_mtime_ns, status.st_size

    def _path(self, block: _BlockFile) -> Path:
        return self.folder / _file_name(block)


class ListedBlocks(Struct, frozen=True):
    """The blocks that lie in a folder, by name; what a block is made of is there as well."""

    folder: Path
    by_name: dict[str, _BlockFile]

    def mapped(self, name: str, n_rows: int, dimensions: int) -> Matrix | None:
        """The block of a name, read-only; None when it is not there, damaged, or of another size.

        Pages of a whole block are shared with other processes, of another one those that are as in
        its base.
        """
        block = self.by_name.get(name)
        if block is None:
            return None
        try:
            if block.base:
                found = self._patched(block, dimensions)
            else:
                found = self._map_block(block, dimensions, ACCESS_READ)
        except (OSError, ValueError, StructError):  # it went away, or is damaged
            return None
        return found if found is not None and len(found) == n_rows else None

    def whole(self, number: int, dimensions: int) -> list[tuple[str, list[RowsOf], Matrix]]:
        """The whole blocks of a number, by name: whose rows they have, and the rows."""
        found: list[tuple[str, list[RowsOf], Matrix]] = []
        for block in sorted(self.by_name.values()):
            if block.number == number and not block.base:
                with suppress(OSError, ValueError, StructError):
                    matrix = self._map_block(block, dimensions, ACCESS_READ)
                    rows_of = self._rows_of(block, len(matrix) * dimensions * _FLOAT_BYTES)
                    found.append((block.name, rows_of, matrix))
        return found

    def _map_block(self, block: _BlockFile, dimensions: int, access: int) -> Matrix:
        """The rows of a whole block. Raises: OSError, ValueError, StructError: it is damaged."""
        import numpy as np

        with (self.folder / _file_name(block)).open("rb") as file:
            data = mmap(file.fileno(), 0, access=access)
        n_bytes = _intact(data) - _COUNT.size
        (n_files,) = _COUNT.unpack_from(data, max(0, n_bytes))
        n_rows, rest = divmod(n_bytes - n_files * _ROWS_OF.size, dimensions * _FLOAT_BYTES)
        if n_rows < 0 or rest:
            raise ValueError("a block of other dimensions")
        return np.frombuffer(data, "<f4", n_rows * dimensions).reshape(n_rows, dimensions)

    def _rows_of(self, block: _BlockFile, start: int) -> list[RowsOf]:
        with (self.folder / _file_name(block)).open("rb") as file:
            file.seek(start)
            return [RowsOf(*each) for each in _ROWS_OF.iter_unpack(file.read()[:-_TAIL])]

    def _patched(self, block: _BlockFile, dimensions: int) -> Matrix | None:
        """The rows of a block that differs from a whole one. Raises: as `_map_block`."""
        import numpy as np

        data = (self.folder / _file_name(block)).read_bytes()
        data = data[: _intact(data)]
        (n_runs,) = _COUNT.unpack_from(data)
        start = _COUNT.size + n_runs * _RUN.size
        if (len(data) - start) % (dimensions * _FLOAT_BYTES):
            return None
        runs = [Run(*each) for each in _RUN.iter_unpack(data[_COUNT.size : start])]
        added = np.frombuffer(data, "<f4", offset=start).reshape(-1, dimensions)
        # Private pages: what is written is seen by nobody else and reaches no file.
        base = self._map_block(self.by_name[block.base], dimensions, ACCESS_COPY)
        return composed(base, runs, added)


def _intact(data: bytes | mmap) -> int:
    """How many bytes of a file are before its checksum. Raises: ValueError, StructError."""
    with memoryview(data) as view:
        n_bytes = max(0, len(view) - _CRC.size)
        if _CRC.unpack_from(view, n_bytes) != (crc32(view[:n_bytes]),):
            raise ValueError("a block is damaged")
    return n_bytes


def composed(base: Matrix, runs: Sequence[Run], added: Matrix) -> Matrix | None:
    """A block of runs, read-only; None when a run has rows that are not there.

    Where every kept row stays where it is and `base` is writable, `base` is changed in place.
    """
    import numpy as np

    if any(r.start + r.n_rows > len(added if r.is_added else base) for r in runs):
        return None
    at, in_place = 0, base.flags.writeable
    for run in runs:
        in_place &= run.is_added or run.start == at
        at += run.n_rows
    if in_place and at == len(base):
        at = 0
        for run in runs:
            if run.is_added:
                base[at : at + run.n_rows] = added[run.start : run.start + run.n_rows]
            at += run.n_rows
    else:
        pieces = [(added if r.is_added else base)[r.start : r.start + r.n_rows] for r in runs]
        base = np.concatenate([base[:0], *pieces])
    base.flags.writeable = False
    return base


def runs_over(base: Sequence[RowsOf], wanted: Sequence[RowsOf]) -> tuple[list[Run], list[int]]:
    """How a block is made of another one, and the places in `wanted` of what that one lacks.

    What is added has its rows in the order of these places.
    """
    starts: dict[bytes, int] = {}
    at = 0
    for each in base:
        starts[each.key] = at
        at += each.n_rows
    runs: list[Run] = []
    lacking: list[int] = []
    n_added = 0
    for place, each in enumerate(wanted):
        start = starts.get(each.key)
        run = Run(start is None, n_added if start is None else start, each.n_rows)
        if run.is_added:
            lacking.append(place)
            n_added += run.n_rows
        last = runs[-1] if runs else None
        if last and last.is_added == run.is_added and last.start + last.n_rows == run.start:
            runs[-1] = last._replace(n_rows=last.n_rows + run.n_rows)
        else:
            runs.append(run)
    return runs, lacking


def block_name(*made_of: object) -> str:
    """The name of a block: BLAKE2b-128 in hex of everything that its rows follow from.

    The parts are told apart by their `repr`.
    """
    return blake2b(repr((_LAYOUT, *made_of)).encode(), digest_size=16).hexdigest()


def remove(index: Path) -> None:
    """Remove the files of an index, after which every block is made anew."""
    import shutil  # with every format of archives, for which no look-up waits

    shutil.rmtree(index / FOLDER, ignore_errors=True)


def _file_name(block: _BlockFile) -> str:
    return "-".join(filter(None, (str(block.number), block.name, block.base))) + _SUFFIX


def _block_of_name(file_name: str) -> _BlockFile | None:
    """The block that a file of this name has; None for a file of another kind."""
    number, *names = file_name.removesuffix(_SUFFIX).split("-")
    if not number.isdecimal() or len(names) not in (1, 2):
        return None
    return _BlockFile(int(number), *names, *[""] * (2 - len(names)))
