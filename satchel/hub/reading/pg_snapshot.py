"""Repositories of a hub, read from PostgreSQL; see `store.reading.snapshot` for the contract.

One repository is read as its own index: the same paths, the same ids, the same answers. Several are
read as one tree in which each is a folder, so that the same ranking sees them all and every excerpt
says whose it is.
"""

from collections.abc import Callable, Sequence

from satchel.hub.database import Hub, rows
from satchel.hub.reading import file_table
from satchel.hub.reading.file_table import Build, Part, parts_of
from satchel.hub.reading.pg_chunks import PgChunks
from satchel.hub.reading.pg_files import PgFiles
from satchel.hub.reading.pg_graph import PgGraph
from satchel.hub.reading.pg_symbols import PgSymbols
from satchel.hub.reading.pg_terms import PgTerms, PgTexts
from satchel.store.model import Generation, RepoPath
from satchel.store.reading.snapshot import T
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite import vectors
from satchel.store.sqlite.rows import encode_path
from satchel.store.sqlite.vectors import ContextShares, FileVectors, VectorTable
from satchel.store.vectors.encoders import Encoder

_BUILDS = (
    "SELECT b.id, r.name, b.generation, b.content_generation, b.linked, b.head, b.n_files,"
    " b.n_chunks, b.chunk_ids, b.symbol_ids, b.encoder,"
    " b.is_placed, b.languages"
    " FROM repositories r JOIN builds b ON b.id = r.build_id"
)


def builds(connection: Hub) -> list[Build]:
    """What the role of this connection may read of repositories that were built, by name."""
    found = rows(connection, f"{_BUILDS} ORDER BY r.name")
    # A tuple, since builds are keys.
    return [Build(*(*row[:-1], tuple(row[-1]))) for row in found]


class PgSnapshot:
    """Some repositories as they were when the transaction around it began.

    With `named` paths begin with the name of the repository though there is but one.
    """

    def __init__(self, connection: Hub, chosen: Sequence[Build], *, named: bool = False) -> None:
        self._db = connection
        self.parts: tuple[Part, ...] = parts_of(chosen, named=named)
        # Of several, any that changes changes the sum.
        self.generation = Generation(sum(build.generation for build in chosen))
        self.content_generation = Generation(sum(build.content_generation for build in chosen))
        self.rebuild_number = 0
        self.complete = True
        """A repository is copied here when its whole tree is indexed, and not before."""
        self.linked = all(build.linked for build in chosen)
        self.head = chosen[0].head if len(chosen) == 1 else ""
        # For one question: who may read what is asked of PostgreSQL with each of them.
        self.table = file_table.load(connection, self.parts)
        self.cache = SnapshotCache()
        self.files = PgFiles(connection, self.parts, self.table)
        self.chunks = PgChunks(connection, self.table, self.cache)
        self.symbols = PgSymbols(connection, self.parts, self.table)
        self.graph = PgGraph(self.files, self.symbols)
        self.terms = PgTerms(connection, self.parts, self.cache)
        self.texts = PgTexts(connection, self.parts, self.table, self.cache)

    def part_of(self, path: RepoPath) -> Part:
        """The part that a file of the snapshot lies in."""
        return self.parts[self.table.named[encode_path(path)].part]

    def vectors(self, encoder: Encoder, shares: ContextShares) -> VectorTable:
        def make() -> VectorTable:
            sql = (
                "SELECT content_id, vectors FROM content_vectors WHERE encoder = %s AND content_id"
                " IN (SELECT content_id FROM files WHERE build_id = ANY (%s::bigint[]))"
            )
            ids = [part.build.id for part in self.parts]
            packed_of: dict[int, bytes] = dict(rows(self._db, sql, (encoder.name, ids)))
            files = [
                FileVectors(
                    # Within its repository: what a chunk means is not whose it is.
                    file.path.removeprefix(self.parts[file.part].prefix),
                    file.first_chunk, file.n_chunks,
                    bytes(packed_of[file.content]) if file.content in packed_of else None,
                )
                for file in self.table.with_chunks
            ]  # fmt: skip
            return vectors.table_of({}, files, self.terms.n_chunks(), encoder, shares)

        return self.cache.get(("vectors", encoder.name, shares), make)

    def cached(self, key: str, make: Callable[[], T]) -> T:
        """A value that follows from these builds, kept while this snapshot lives."""
        return self.cache.get(("made", key), make)
