"""The index of one checkout, read from SQLite; see `store.reading.snapshot` for the contract."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from satchel.store.model import Generation
from satchel.store.reading.read_files import Files
from satchel.store.reading.read_symbols import Symbols
from satchel.store.reading.snapshot import T
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite.database import scalar

if TYPE_CHECKING:
    from satchel.store.reading.read_chunks import Chunks
    from satchel.store.reading.read_graph import Graph
    from satchel.store.reading.read_terms import Terms
    from satchel.store.reading.read_texts import Texts
    from satchel.store.sqlite.earlier.replaced import Replaced
    from satchel.store.sqlite.vectors import ContextShares, VectorTable
    from satchel.store.vectors.encoders import Encoder


class SqliteSnapshot:
    """What the index held when the snapshot was taken.

    It keeps a read transaction open: close it (or use it as a context manager) soon. Lists come in
    a total order that does not depend on ids, unless ids are what was asked for.

    `cache_of` finds the cache that snapshots of the same content share, given the content
    generation and what tells this index from others.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        cache_of: Callable[[Generation, Hashable], SnapshotCache] = SnapshotCache,
    ) -> None:
        self._db = connection
        # SQLite takes the snapshot with the first row that is read, of `meta` right below.
        self._db.execute("BEGIN")
        self.generation = Generation(int(self._meta("generation")))
        self.content_generation = Generation(int(self._meta("text")))
        """The generation that last changed more than edges."""
        state = self._meta("state")
        self.complete = state != "building"
        self.linked = state == "complete"
        """Whether every edge of the call graph is of this generation."""
        self.head = self._meta("head")
        """The commit that was checked out when the whole tree was last walked; "" for none."""
        self.tests = self._meta("tests")
        """The project's own patterns of tests that it was made by, a line each."""
        # An index made anew counts its generations from one again, but SQLite counts this number
        # up when another file takes its place.
        self.rebuild_number = int(connection.pragma("schema_version"))
        """Tells an index from the one that was made anew in its place."""
        self._cache = cache_of(self.content_generation, self.rebuild_number)
        self.files = Files(connection, self._cache.sources)
        self.symbols = Symbols(connection, self._cache, self._cache.of_edges(self.generation))

    # The others load NumPy, a tenth of a second that nobody should wait who looks up a name.

    @cached_property
    def terms(self) -> Terms:
        """Which chunks hold which terms."""
        from satchel.store.reading.read_terms import Terms

        return Terms(self._db, self._cache)

    @cached_property
    def chunks(self) -> Chunks:
        """The chunks of files."""
        from satchel.store.reading.read_chunks import Chunks

        return Chunks(self._db, self._cache)

    @cached_property
    def graph(self) -> Graph:
        """The call graph."""
        from satchel.store.reading.read_graph import Graph

        return Graph(self._db)

    @cached_property
    def texts(self) -> Texts:
        """What exact text is searched in."""
        from satchel.store.reading.read_texts import Texts

        return Texts(self._db, self._cache)

    def replaced(self, since_ns: int) -> tuple[int | None, list[Replaced]]:
        """Since when the index records what files were, in nanoseconds, and what it has of those
        that changed since a moment, as of then; None and nothing where there is no record."""
        from satchel.store.sqlite.earlier import replaced

        return replaced.began(self._db), replaced.at(self._db, since_ns)

    def vectors(self, encoder: Encoder, shares: ContextShares) -> VectorTable:
        """Every vector that `encoder` made of the files in this snapshot; see `vector_blocks`."""
        from satchel.store.reading import vector_blocks
        from satchel.store.sqlite import chunk_id_log, vectors
        from satchel.store.vectors.block_files import BlockFiles

        key = ("vectors", encoder.name, shares)

        def make() -> VectorTable:
            files = BlockFiles(Path(self._db.filename).parent)
            return vector_blocks.load(self._db, encoder, shares, files)

        def update(before: VectorTable, generation: Generation) -> VectorTable | None:
            ranges = chunk_id_log.changed_since(self._db, generation)
            if ranges is None:
                return None
            return vectors.update(self._db, encoder, before, ranges, shares)

        table = self._cache.get(key, make, update)
        if table.without:  # vectors are added without a new content generation
            table = vectors.update(self._db, encoder, table, (), shares) or make()
            self._cache.put(key, table)
        return table

    def cached(self, key: str, make: Callable[[], T]) -> T:
        """A value that follows from this content generation, kept for later snapshots of it."""
        return self._cache.get(("made", key), make)

    def __enter__(self) -> SqliteSnapshot:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the read transaction."""
        self._db.execute("ROLLBACK")

    def _meta(self, key: str) -> str:
        value = scalar(self._db, "SELECT value FROM meta WHERE key = ?", (key,))
        return "" if value is None else str(value)
