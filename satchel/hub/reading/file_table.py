"""The files of one build or several, in memory: which chunk and symbol ids are whose.

Every question needs the layout of all chunks anyway, so the files are read once, and what is looked
up by id is found here; PostgreSQL is then asked by content. Builds never change, so a table can be
kept for as long as anybody asks.

Several builds make one table: paths begin with the name of the repository, and ids of chunks and
symbols are shifted, those of chunks by whole blocks of postings.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.hub.database import Hub, rows
from satchel.store.model import RepoPath
from satchel.store.postings import BLOCK_BITS
from satchel.store.sqlite.rows import decode_path

_Ints = npt.NDArray[np.int64]
_FILES = (
    "SELECT f.build_id, f.id, f.path, f.content_id, c.digest, c.language, f.size, c.n_lines,"
    " f.is_test, f.first_chunk, f.n_chunks, f.first_symbol, f.n_symbols, c.end_byte, c.chunk_tests,"
    " c.symbol_tests FROM files f JOIN contents c ON c.id = f.content_id"
    " WHERE f.build_id = ANY (%s::bigint[])"
)


class Build(Struct, frozen=True):
    """One repository as readers see it; `head` is the commit it was made from, "" for none."""

    id: int
    repository: str
    generation: int
    content_generation: int
    linked: bool
    head: str
    n_files: int
    n_chunks: int
    chunk_ids: int
    symbol_ids: int
    encoder: str
    is_placed: bool
    """Whether pgvector can tell what is nearest in it."""
    languages: tuple[str, ...]
    """Languages that a fifth of its lines or more are written in, by name."""


class Part(Struct, frozen=True):
    """A build within a snapshot: what its paths begin with, and what is added to its ids."""

    build: Build
    prefix: bytes
    first_chunk: int
    first_symbol: int

    @property
    def first_block(self) -> int:
        """What is added to the numbers of its blocks of postings."""
        return self.first_chunk >> BLOCK_BITS


def parts_of(builds: Sequence[Build], *, named: bool = False) -> tuple[Part, ...]:
    """Builds side by side, by name; one alone keeps its ids, and unless `named` its paths."""
    made: list[Part] = []
    chunk = symbol = 0
    for build in sorted(builds, key=lambda each: each.repository):
        # As bytes: paths are what the file system has, and need be no UTF-8.
        prefix = f"{build.repository}/".encode() if named or len(builds) > 1 else b""
        made.append(Part(build, prefix, chunk, symbol))
        # Whole blocks, since a row of postings holds the lower bits of its chunks alone.
        blocks = -(-build.chunk_ids >> BLOCK_BITS)
        chunk += blocks << BLOCK_BITS
        symbol += build.symbol_ids
    return tuple(made)


# A tuple, as rows of PostgreSQL are: there is one for each file of each repository.
class FileRow(NamedTuple):
    """A file of the snapshot; ids are those of the snapshot."""

    id: int
    path: bytes
    content: int
    digest: str
    language: str
    size: int
    n_lines: int
    is_test: bool
    first_chunk: int
    n_chunks: int
    first_symbol: int
    n_symbols: int
    end_byte: int
    chunk_tests: bytes
    symbol_tests: bytes
    part: int

    @property
    def repo_path(self) -> RepoPath:
        """The path of the file as text."""
        return decode_path(self.path)

    @property
    def module(self) -> str:
        """The name of its module symbol, which has the first id of its symbols."""
        # As `store.sqlite.rows` names it.
        stem = PurePosixPath(self.repo_path).stem
        return stem.encode("utf-8", "replace").decode("utf-8")


class OrdinalInFile(NamedTuple):
    """An id taken apart: the file, and the number of the chunk or symbol in it.

    The module symbol of a file has the number -1.
    """

    file: FileRow
    ordinal: int


class FileTable:
    """Files by path, by content, and by the ids that are theirs."""

    def __init__(self, files: Iterable[FileRow]) -> None:
        self.by_path = sorted(files, key=lambda file: file.path)
        # One without chunks has no range of ids, so a search among the others must not meet it.
        self.with_chunks = sorted(
            (file for file in self.by_path if file.n_chunks), key=lambda file: file.first_chunk
        )
        self._by_symbol = sorted(self.by_path, key=lambda file: file.first_symbol)
        self._chunks = np.fromiter((file.first_chunk for file in self.with_chunks), dtype=np.int64)
        self._symbols = np.fromiter((file.first_symbol for file in self._by_symbol), dtype=np.int64)

    @cached_property
    def named(self) -> dict[bytes, FileRow]:
        """Files by path."""
        return {file.path: file for file in self.by_path}

    @cached_property
    def holding(self) -> dict[int, list[FileRow]]:
        """Files by content, by path."""
        found: dict[int, list[FileRow]] = {}
        for file in self.by_path:
            found.setdefault(file.content, []).append(file)
        return found

    @cached_property
    def modules(self) -> dict[str, list[FileRow]]:
        """Files by the name of their module symbol, by path."""
        found: dict[str, list[FileRow]] = {}
        for file in self.by_path:
            found.setdefault(file.module, []).append(file)
        return found

    def chunks(self, ids: Iterable[int]) -> Iterator[tuple[int, OrdinalInFile]]:
        """Where chunks lie, by id; ids that no chunk has are left out."""
        for number in ids:
            # Ids of a file are consecutive, so the last file that begins at or before one has it.
            at = int(np.searchsorted(self._chunks, number, side="right")) - 1
            file = self.with_chunks[at] if at >= 0 else None
            if file and number < file.first_chunk + file.n_chunks:
                yield number, OrdinalInFile(file, number - file.first_chunk)

    def symbols(self, ids: Iterable[int]) -> Iterator[tuple[int, OrdinalInFile]]:
        """Where symbols lie, by id; ids that no symbol has are left out."""
        for number in ids:
            at = int(np.searchsorted(self._symbols, number, side="right")) - 1
            file = self._by_symbol[at] if at >= 0 else None
            if file and number < file.first_symbol + file.n_symbols:
                # The module comes first; facts do not have it, and number symbols without it.
                yield number, OrdinalInFile(file, number - file.first_symbol - 1)

    def files_of_symbols(self, ids: _Ints) -> tuple[_Ints, list[FileRow]]:
        """For each symbol the number of its file in the list that is returned as well."""
        return np.searchsorted(self._symbols, ids, side="right") - 1, self._by_symbol


def load(connection: Hub, parts: Sequence[Part]) -> FileTable:
    """The files of some builds."""
    found: list[FileRow] = []
    number_of = {part.build.id: number for number, part in enumerate(parts)}
    # All at once: with each query PostgreSQL asks anew which builds the caller may read.
    for build, *row in rows(connection, _FILES, (list(number_of),)):
        part = parts[number_of[build]]
        file = FileRow._make((*row, number_of[build]))
        if part.prefix or part.first_chunk:
            file = file._replace(
                path=part.prefix + file.path,
                first_chunk=file.first_chunk + part.first_chunk,
                first_symbol=file.first_symbol + part.first_symbol,
            )
        found.append(file)
    return FileTable(found)
