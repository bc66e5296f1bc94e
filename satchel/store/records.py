"""Rows as values: what the store returns and accepts, with its integer ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from satchel.store.model import (
    ChunkKind,
    Digest,
    FileFacts,
    ReferenceKind,
    RepoPath,
    SkipReason,
    Span,
    SymbolKind,
    Value,
    Visibility,
)

if TYPE_CHECKING:
    from satchel.store.postings import FilePostings  # which loads NumPy


class FileStat(Value, frozen=True):
    """What `stat` says of a file; equal values mean that the bytes need not be read again."""

    size: int
    times_ns: int
    """See `times_of`; 0 where the bytes are to be read again all the same."""
    # A file that took the place of another by a rename may have its size and time, not its inode.
    inode: int


def times_of(mtime_ns: int, ctime_ns: int) -> int:
    """When the contents of a file changed and when its inode did, as one number.

    Whoever writes a file may set the first of the two back, and nobody the second. On Windows the
    second is when the file was made, and says nothing.
    """
    # The sum tells both: the second only grows. One number instead of two keeps the comparison of
    # a whole tree as cheap as it was, and an index that has only the first reads each file again.
    return mtime_ns + ctime_ns


class KnownFile(Value, frozen=True):
    """A file as the index last saw it."""

    id: int
    path: RepoPath
    digest: Digest
    language: str
    stat: FileStat
    is_test: bool
    n_lines: int


class Analyzed(Value, frozen=True):
    """Everything the store keeps about some bytes, encoded by `satchel.store.codec`."""

    digest: Digest
    language: str
    facts: bytes
    postings: bytes
    source: bytes
    # Flows and the signature are kept apart from the facts, because most answers read neither.
    flows: bytes = b""
    grams: bytes = b""
    """The signature of the bytes, see `store.grams`; not compressed."""
    vectors: bytes = b""
    """Those of the chunks by the table that ships with the package, packed; b"" where they were not
    asked for."""


class IndexedFile(Struct, frozen=True):
    """A path together with what its bytes say: one file of the working tree."""

    path: RepoPath
    stat: FileStat
    is_test: bool
    facts: FileFacts
    postings: FilePostings


class SymbolRecord(Struct, frozen=True):
    """A stored symbol. `id` means something within one generation only."""

    id: int
    path: RepoPath
    name: str
    qualified_name: str
    kind: SymbolKind
    line: int
    span: Span
    signature: str
    doc: str
    visibility: Visibility
    is_test: bool
    parent_id: int = 0
    """The symbol it is defined in; 0 for none."""

    @property
    def start_line(self) -> int:
        """The first of its lines."""
        return self.span.start_line

    @property
    def end_line(self) -> int:
        """The last of its lines."""
        return self.span.end_line


class ChunkRecord(Struct, frozen=True):
    """A stored chunk. `symbol` is the qualified name it belongs to, "" for none."""

    id: int
    path: RepoPath
    digest: Digest
    language: str
    span: Span
    kind: ChunkKind
    symbol: str
    symbol_id: int
    symbol_kind: SymbolKind | None
    header: str
    tokens: int
    is_test: bool


SURE = 0.5
"""The confidence from which an edge of the call graph is likelier right than wrong. What is less
sure is never counted as use, and says how sure it is wherever it is listed."""

ONLY_OF_ITS_NAME = "unique"
"""The rule of edges to the only definition of a name; below `SURE` where a receiver is unknown."""

SATISFIES = "methods"
"""The rule of edges from a type to an interface that it satisfies without naming it."""


class Edge(Struct, frozen=True):
    """`source` uses `target`; `rule` resolved it with `confidence` (0 to 1)."""

    source: int
    target: int
    kind: str
    line: int
    rule: str
    confidence: float


class Node(NamedTuple):
    """A symbol as a node; `parent` is the symbol it is defined in, 0 for none."""

    id: int
    path: RepoPath
    name: str
    qualified_name: str
    kind: str
    line: int
    visibility: str
    is_test: bool
    parent: int


class ModuleUse(NamedTuple):
    """`uses` edges from symbols of one file to symbols of another, the sum of their confidences,
    and the line of the first of them, in `source`."""

    source: RepoPath
    target: RepoPath
    uses: int
    confidence: float
    line: int


class ReferenceRecord(Struct, frozen=True):
    """A use as written, with where it stands."""

    scope: int
    path: RepoPath
    name: str
    receiver: str
    kind: ReferenceKind
    line: int


class SkippedRecord(Struct, frozen=True):
    """A path that is not in the index, and why.

    `stat` is the file's where its bytes were the reason: while it stays, they need not be read.
    """

    path: RepoPath
    reason: SkipReason
    detail: str
    stat: FileStat | None = None


class Counts(Struct, frozen=True):
    """How much an index holds."""

    files: int
    lines: int
    chunks: int
    symbols: int
    references: int
    edges: int
    skipped: int
    problems: int
    languages: tuple[tuple[str, int], ...]
    """Files per language, most first, then by name."""
