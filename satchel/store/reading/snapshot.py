"""The interface for reading an index, which each store implements and all answers use.

`store.reading.sqlite_snapshot` reads the index of one checkout, and `hub.reading.pg_snapshot` the
repositories of a team in PostgreSQL. Whoever answers a question knows neither: the same tree gives
the same answer from both, byte for byte, and one test-suite runs over both.

Lists come in a total order that does not depend on ids, unless ids are what was asked for. Ids mean
something within one snapshot only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:  # types alone: who looks a name up loads no NumPy
    import numpy as np
    import numpy.typing as npt

    from satchel.store.model import Digest, FileFacts, Generation, RepoPath
    from satchel.store.postings import Columns
    from satchel.store.reading.chunk_layout import Layout
    from satchel.store.reading.read_texts import TextFile
    from satchel.store.records import (
        ChunkRecord,
        Counts,
        Edge,
        KnownFile,
        ModuleUse,
        Node,
        ReferenceRecord,
        SkippedRecord,
        SymbolRecord,
    )
    from satchel.store.sqlite.vectors import ContextShares, VectorTable
    from satchel.store.vectors.encoders import Encoder

T = TypeVar("T")


class FilesReader(Protocol):
    """The files of one snapshot, what their bytes say, and what was left out."""

    # Facts, postings and sources are asked for by digest and language, and not by path: files with
    # the same bytes share them, and a hub shares them between repositories.
    def all(self, below: Sequence[RepoPath] = ...) -> list[KnownFile]:
        """Every file at or below one of some paths that do not overlap, by path."""

    def starting_with(self, prefix: str, limit: int) -> list[RepoPath]:
        """Paths that begin with `prefix`, in order."""

    def count(self) -> int:
        """How many files there are."""

    def identity(self, path: RepoPath) -> tuple[Digest, str] | None:
        """The digest and language of exactly this file, None when it is not in the index."""

    def with_digest(self, digest: str) -> list[RepoPath]:
        """The files that hold these bytes, by path."""

    def skipped(self, below: Sequence[RepoPath] = ...) -> list[SkippedRecord]:
        """Every path left out, at or below one of some paths that do not overlap, by path."""

    def problems(self) -> list[tuple[RepoPath, str, int, str]]:
        """(path, kind, line, detail) of everything odd about files that are in the index."""

    def counts(self) -> Counts:
        """How much there is."""

    def facts(self, digest: Digest, language: str) -> FileFacts:
        """What known bytes say. Raises: CorruptIndex when they are not."""

    def source(self, digest: Digest, language: str) -> bytes:
        """The bytes of a file as indexed: those that the digest is of, whatever a row says.

        Raises:
            CorruptIndex: the row holds other bytes.
        """

    def read_ahead(self, wanted: Iterable[tuple[Digest, str]]) -> None:
        """Be told whose `source` is asked for next: a store on another machine reads all at once.

        Bytes are named as for `source`; nothing is raised for unknown ones.
        """


class ChunksReader(Protocol):
    """The chunks of one snapshot."""

    def layout(self) -> Layout:
        """Which chunk lies in which file."""

    def allowed(
        self, is_test: bool | None, path: str, folder: str = ""
    ) -> npt.NDArray[np.bool_] | None:
        """For each chunk id, whether it is test code or not, and of a path that `path` admits.

        `folder` is put before each path first. None when every chunk qualifies.
        """

    def tokens_of(self, paths: Iterable[RepoPath]) -> int:
        """Tokens in the whole of some files, as far as they lie in chunks."""

    def by_id(self, ids: Iterable[int]) -> list[ChunkRecord]:
        """Chunks by id, in the order asked for; unknown ids are left out."""

    def of_file(self, path: RepoPath) -> list[ChunkRecord]:
        """The chunks of a file in order."""

    def defining(self, symbol_ids: Iterable[int]) -> dict[int, int]:
        """For each symbol, the id of the chunk that holds its name."""

    def symbols_in(self, chunk_ids: Iterable[int]) -> dict[int, list[int]]:
        """For each chunk, the symbols whose name stands in it, in source order."""


class SymbolsReader(Protocol):
    """The symbols of one snapshot, their uses, and the edges between them."""

    def by_id(self, ids: Iterable[int]) -> list[SymbolRecord]:
        """Symbols by id, in the order asked for; unknown ids are left out."""

    def named(self, *names: str) -> list[SymbolRecord]:
        """Definitions with exactly one of these simple names, those of each by path and line."""

    def in_any_case(self, name: str) -> list[str]:
        """Simple names of definitions that differ from `name` in case alone, in order."""

    def with_prefix(self, prefix: str, limit: int) -> list[SymbolRecord]:
        """Definitions whose simple name starts with `prefix`, by name, path and line."""

    def of_file(self, path: RepoPath) -> list[SymbolRecord]:
        """The definitions of a file in source order, its module symbol first."""

    def references_to(self, name: str, limit: int) -> list[ReferenceRecord]:
        """Uses of a name as written, resolved or not, by path and line."""

    def unresolved_uses(
        self, name: str, languages: Iterable[str]
    ) -> list[tuple[ReferenceRecord, bool]]:
        """Uses of a name that are tied to nothing of that name, and whether tests make them.

        By path and line.
        """

    def references_from(self, symbol_ids: Iterable[int]) -> list[ReferenceRecord]:
        """Uses inside some symbols, by path, line and name."""

    def edges_from(self, symbol_ids: Iterable[int]) -> list[Edge]:
        """Edges that leave any of the symbols, by these."""

    def edges_to(self, symbol_ids: Iterable[int]) -> list[Edge]:
        """Edges that reach any of the symbols, by these."""

    def uses_of(self, symbol_ids: Iterable[int]) -> Iterator[tuple[int, int]]:
        """(symbol, what it uses) of edges from `SURE` on that leave some symbols, by both."""

    def edge_counts(self, symbol_ids: Iterable[int]) -> Iterator[tuple[int, bool, int]]:
        """(symbol, whether tests are counted, how many edges from `SURE` on lead to it)."""

    def files_used(self, paths: Sequence[RepoPath]) -> list[tuple[RepoPath, RepoPath]]:
        """(user, used) of files: what product code of some files uses of others, in their order.

        Each pair once; edges below `SURE` do not count.
        """


class GraphReader(Protocol):
    """The call graph of one snapshot, whole: rows for graph algorithms."""

    def nodes(self) -> Iterator[Node]:
        """Symbols that have edges, and functions and types that have none, by id."""

    def edges(self) -> Iterator[Edge]:
        """Every edge, by source, target and kind."""

    def module_uses(self, *, tests: bool) -> list[ModuleUse]:
        """What files use of other files, by path; edges below `SURE` do not count.

        Without `tests` neither do edges from or to test code. A type that satisfies an interface
        without naming it does not use that: its file need not know of it.
        """

    def uses_between_files(self) -> list[tuple[int, int, float, int]]:
        """(user, used, confidence, user's file) of edges between files, by both ids.

        All are ids. Edges from or to test code and those below `SURE` do not count.
        """

    def unresolved_names(self, names: Sequence[str]) -> dict[str, int]:
        """How often some names are used in a scope from which no edge leads to that name."""


class TermsReader(Protocol):
    """The lexical index of one snapshot."""

    def mean_lengths(self) -> npt.NDArray[np.float64]:
        """Mean length in terms of each `Field`, at least 1."""

    def n_chunks(self) -> int:
        """How many chunks there are."""

    def postings(self, term: str) -> Columns:
        """Every entry of `term`, ascending by chunk id."""


class TextsReader(Protocol):
    """The texts of one snapshot."""

    def holding(self, any_of: Sequence[Sequence[bytes]]) -> list[TextFile]:
        """The files that may hold all the texts of one of the sequences, by path.

        None that holds them is missing; a few may be there that do not.
        """

    def source(self, file: TextFile) -> bytes:
        """The bytes of a file as indexed, with every "\\r\\n" as "\\n"."""

    def test_lines(self, file: TextFile) -> list[tuple[int, int]]:
        """First and last lines of what is marked as test code, ascending."""


class Snapshot(Protocol):
    """One generation of an index, the same from first row to last."""

    # Read-only here, so that a store may compute them or set them once as plain attributes.
    @property
    def generation(self) -> Generation:
        """Counts what changed the index."""

    @property
    def content_generation(self) -> Generation:
        """The generation that last changed more than edges."""

    @property
    def rebuild_number(self) -> int:
        """Tells an index from the one that was rebuilt in its place; 0 where that never is."""

    @property
    def complete(self) -> bool:
        """Whether the whole tree is in it."""

    @property
    def linked(self) -> bool:
        """Whether every edge of the call graph is of this generation."""

    @property
    def head(self) -> str:
        """The commit that was checked out when the whole tree was last walked; "" for none."""

    @property
    def files(self) -> FilesReader:
        """Its files."""

    @property
    def chunks(self) -> ChunksReader:
        """Its chunks."""

    @property
    def symbols(self) -> SymbolsReader:
        """Its symbols and the call graph."""

    @property
    def graph(self) -> GraphReader:
        """The call graph, whole."""

    @property
    def terms(self) -> TermsReader:
        """Its lexical index."""

    @property
    def texts(self) -> TextsReader:
        """Its texts."""

    def vectors(self, encoder: Encoder, shares: ContextShares) -> VectorTable:
        """Every vector that `encoder` made of the files in this snapshot."""

    def cached(self, key: str, make: Callable[[], T]) -> T:
        """A value that follows from this content generation, kept for later snapshots of it.

        Threads share it, so that it is either never changed, or a dict that each of them may add
        what follows from the content as well.
        """
