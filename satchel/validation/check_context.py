"""What checks look at: the index, the working tree it is of, and what was promised about both.

Facts are decoded anew for each check that asks: an index of any size fits, one file at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satchel.assembler.ranking.candidates import VectorSearch
from satchel.indexer.plan import Plan
from satchel.indexer.refresh import RefreshOptions
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import FileStat, IndexedFile
from satchel.store.sqlite.audit import Audit
from satchel.store.sqlite.rows import decode_path
from satchel.store.vectors.encoders import Encoder
from satchel.workspace.project import Project
from satchel.workspace.settings import Settings


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as the index holds it: its raw row of `files`, and what its bytes say."""

    row: tuple[Any, ...]
    projection: IndexedFile
    source: bytes

    @property
    def id(self) -> int:
        """The file's id."""
        return int(self.row[0])

    @property
    def path(self) -> str:
        """The file's path."""
        return self.projection.path

    @property
    def first_chunk(self) -> int:
        """The id of its first chunk."""
        return int(self.row[9])

    @property
    def first_symbol(self) -> int:
        """The id of its module symbol."""
        return int(self.row[11])


@dataclass(frozen=True, slots=True)
class CheckContext:
    """One generation of an index and one walk over the tree; `shares` are the baseline's."""

    project: Project
    options: RefreshOptions
    audit: Audit
    snapshot: Snapshot
    plan: Plan
    vectors: VectorSearch | None
    shares: Mapping[str, float]

    @property
    def root(self) -> Path:
        """The folder that is indexed."""
        return self.project.root

    @property
    def directory(self) -> Path:
        """Where the index lies."""
        return self.project.directory

    @property
    def settings(self) -> Settings:
        """What the project's settings say."""
        return self.project.settings

    @property
    def encoder(self) -> Encoder:
        """The encoder in use."""
        return self.project.encoder

    def files(self) -> Iterator[StoredFile]:
        """Every file, in the order of its chunks."""
        for row in self.audit.files():
            path, digest, language = decode_path(row[1]), row[2], row[3]
            facts, source, postings = self.audit.content(digest, language)
            is_test = is_test_path(path, language)
            stat = FileStat(row[4], row[5], row[6])
            yield StoredFile(row, IndexedFile(path, stat, is_test, facts, postings), source)
