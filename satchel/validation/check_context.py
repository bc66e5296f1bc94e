"""What checks look at: one state of the index, the working tree, and the shares of the baseline.

Facts are decoded anew for each pass over the files, one file at a time, so that an index of any
size fits in memory.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from satchel.assembler.ranking.candidates import VectorSearch
from satchel.indexer.plan import Plan
from satchel.indexer.refresh_values import RefreshOptions
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import FileStat, IndexedFile
from satchel.store.sqlite.audit import Audit
from satchel.store.sqlite.rows import decode_path
from satchel.workspace.project import Project


class FileRow(NamedTuple):
    """A raw row of the table `files`; columns are those of its schema."""

    id: int
    path: bytes
    digest: str
    language: str
    size: int
    mtime_ns: int
    inode: int
    n_lines: int
    is_test: int
    first_chunk: int
    n_chunks: int
    first_symbol: int
    """The file's module symbol; its other symbols follow."""
    n_symbols: int
    shape: bytes


class StoredFile(Struct, frozen=True):
    """A file as the index has it: its raw row, and the facts and source that are stored for it."""

    row: FileRow
    projection: IndexedFile
    source: bytes

    @property
    def path(self) -> str:
        """The file's path."""
        return self.projection.path


class CheckContext(Struct, frozen=True):
    """One generation of an index and one walk over the tree; `shares` are the baseline's."""

    project: Project
    options: RefreshOptions
    audit: Audit
    snapshot: Snapshot
    plan: Plan
    vectors: VectorSearch | None
    shares: Mapping[str, float]

    def file_rows(self) -> list[FileRow]:
        """The rows of `files`, in the order of their chunks."""
        # A row with too few or too many columns raises a TypeError, which is one of `UNREADABLE`.
        return [FileRow(*row) for row in self.audit.files()]

    def files(self) -> Iterator[StoredFile]:
        """Every file with what is stored for it, in the order of its chunks."""
        for row in self.file_rows():
            path = decode_path(row.path)
            facts, source, postings = self.audit.content(row.digest, row.language)
            # By path and not by the row's column: the rules are what that column is checked with.
            is_test = is_test_path(path, row.language, self.project.settings.index.tests)
            stat = FileStat(row.size, row.mtime_ns, row.inode)
            yield StoredFile(row, IndexedFile(path, stat, is_test, facts, postings), source)
