"""Nearest vectors by pgvector: PostgreSQL finds them, so only these are read.

A chunk's vector with the context of its file and path, as `store.sqlite.vectors` adds it, depends
on bytes and path alone: it is kept by both, and stays from build to build. An index (HNSW) finds
nearly all of the nearest, and its scan goes on until enough of them are the caller's to read and of
the repositories that answer. One repository is compared in memory, so that its answer is that of a
checkout; so are a few of a great many, whose vectors the index would find too rarely.

Where pgvector is not installed there is no table, and everything is compared in memory.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import psycopg
from msgspec import Struct
from pgvector import HalfVector
from pgvector.psycopg.halfvec import register_halfvec_info
from psycopg import sql
from psycopg.types import TypeInfo

from satchel.assembler.ranking.candidates import VectorSearch
from satchel.hub.database import Hub, rows
from satchel.hub.reading.file_table import Part
from satchel.hub.schema import READERS
from satchel.store.sqlite.vectors import FileVectors, VectorTable, with_context
from satchel.store.sqlite.vectors import nearest as table_scan
from satchel.store.vectors.encoders import Encoder, of_question
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.vectors.mirror_answers import shares_of

_INDEX_FROM = 50_000
"""Vectors in the hub from which on there is an index: comparing fewer takes less than a search."""
# From 0.8 on a scan of an index goes on when row-level security takes away what it found.
_LEAST_VERSION = (0, 8)
# Vectors are sums of three of length 1, compared by dot product, which is no distance: with the
# usual 16 and 64 the index misses every tenth.
_INDEX = "WITH (m = 32, ef_construction = 200)"
_HOME = "satchel_pgvector"
_LOOKED_AT = 1_000
"""The most that pgvector allows; with 400 it misses every twentieth."""
_SCAN = {
    "hnsw.ef_search": _LOOKED_AT,
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": 200_000,
    "hnsw.scan_mem_multiplier": 16,
    # PostgreSQL cannot know how many rows policies leave, and would compare all of them.
    "enable_sort": "off",
}
_INDEX_MEMORY = "1GB"
_FILES_AT_ONCE = 500
_DDL = """
CREATE TABLE place_vectors (
    content_id bigint NOT NULL REFERENCES contents ON DELETE CASCADE,
    path       bytea NOT NULL,
    encoder    text COLLATE "C" NOT NULL,
    ordinal    integer NOT NULL,
    vector     {home}.halfvec({dimensions}) NOT NULL,
    PRIMARY KEY (content_id, path, encoder, ordinal)
);
GRANT SELECT ON place_vectors TO satchel_readers;
ALTER TABLE place_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON place_vectors FOR SELECT TO satchel_readers
    USING (EXISTS (SELECT 1 FROM files f
        WHERE f.content_id = place_vectors.content_id AND f.path = place_vectors.path OFFSET 0));
"""
_EXTENSION = (
    "SELECT n.nspname::text, e.extversion::text FROM pg_extension e"
    " JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
)
_OF_INDEX = (
    "SELECT i.indisvalid, n.nspname::text, c.reltuples::bigint FROM pg_index i"
    " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_extension e ON e.extname = 'vector'"
    " JOIN pg_namespace n ON n.oid = e.extnamespace"
    " WHERE i.indexrelid = to_regclass('satchel.place_vectors_near')"
)
_NEAREST = (
    "SELECT f.build_id, f.first_chunk + v.ordinal, -(v.vector OPERATOR({home}.<#>) {wanted})"
    " FROM files f JOIN place_vectors v ON v.content_id = f.content_id AND v.path = f.path"
    " AND v.encoder = {encoder} WHERE f.build_id = ANY ({builds}::bigint[])"
    " ORDER BY v.vector OPERATOR({home}.<#>) {wanted} LIMIT {limit}"
)


class Index(Struct, frozen=True):
    """The index of vectors: the schema of pgvector, and about how many vectors it holds."""

    home: str
    n_vectors: int


def prepare(hub: Hub) -> None:
    """Make the table where pgvector is installed, and fill it for the builds that are not in it."""
    with hub.transaction():
        if not _has_table(hub):
            # Contents with vectors of other widths are compared in memory.
            home = _installed(hub)
            if home is None:
                return
            ddl = sql.SQL(_DDL).format(
                home=sql.Identifier(home), dimensions=sql.Literal(TableEncoder().dimensions)
            )
            hub.execute(ddl)
    for build, encoder in rows(hub, "SELECT id, encoder FROM builds WHERE NOT is_placed"):
        with hub.transaction():
            place(hub, build, encoder)
    keep_index(hub)


def place(hub: Hub, build: int, encoder: str) -> None:
    """Add the vectors of a build's files that are not there yet, where there is a table."""
    known = TableEncoder()
    if encoder != known.name or not _has_table(hub):
        return
    # Whoever runs PostgreSQL may have installed it elsewhere than where names are looked for.
    kind = TypeInfo.fetch(hub, sql.Identifier(_installed(hub) or "", "halfvec"))
    assert kind is not None  # the table has a column of it
    register_halfvec_info(hub, kind)
    hub.execute("CREATE TEMPORARY TABLE placed (LIKE place_vectors) ON COMMIT DROP")
    statement = "COPY pg_temp.placed FROM STDIN (FORMAT BINARY)"
    for made in _batches(hub, build, known):
        with hub.cursor() as cursor, cursor.copy(statement) as writer:
            writer.set_types(("int8", "bytea", "text", "int4", "halfvec"))
            for row in made:
                writer.write_row(row)
    # In the order of their keys, so that two syncs never wait for each other in a circle.
    hub.execute(
        "INSERT INTO place_vectors SELECT * FROM pg_temp.placed ORDER BY 1, 2, 3, 4"
        " ON CONFLICT DO NOTHING"
    )
    lacking = rows(
        hub,
        "SELECT 1 FROM files f WHERE f.build_id = %s AND f.n_chunks > 0 AND NOT EXISTS (SELECT 1"
        " FROM content_vectors v WHERE v.content_id = f.content_id AND v.encoder = %s) LIMIT 1",
        (build, encoder),
    )
    if not lacking:
        hub.execute("UPDATE builds SET is_placed = true WHERE id = %s", (build,))


def keep_index(hub: Hub, least: int = _INDEX_FROM) -> bool:
    """Make the index once there are `least` vectors; returns whether there is one now."""
    made = rows(hub, _OF_INDEX)
    if made or not _has_table(hub):
        # One that is not valid is made just now by another sync, or was given up.
        return bool(made and made[0][0])
    n_placed = rows(hub, "SELECT sum(n_chunks)::bigint FROM builds WHERE is_placed")[0][0] or 0
    if n_placed < least:
        return False
    home = sql.Identifier(_installed(hub) or "")
    hub.execute(f"SET maintenance_work_mem = '{_INDEX_MEMORY}'")
    # In one process: workers would share memory that containers give little of.
    hub.execute("SET max_parallel_maintenance_workers = 0")
    statement = (
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS place_vectors_near ON place_vectors"
        f" USING hnsw (vector {{}}.halfvec_ip_ops) {_INDEX}"
    )
    hub.execute(sql.SQL(statement).format(home))
    return True


def index(hub: Hub) -> Index | None:
    """The index that `search` asks, None where there is none or it is not made yet."""
    found = rows(hub, _OF_INDEX)
    return Index(*found[0][1:]) if found and found[0][0] else None


def search(
    hub: Hub, known: Index, parts: Sequence[Part], encoder: Encoder, scan: Callable[[], VectorTable]
) -> VectorSearch:
    """What is nearest to a text in the repositories of a snapshot, all of which are placed.

    The table that `scan` gives is searched where the index would have to look at more.
    """

    def find(text: str, limit: int) -> Sequence[tuple[int, float]]:
        wanted = of_question(encoder, text)
        # A text of unknown words has a vector of zeros, which is near nothing.
        if not wanted.any():
            return ()
        n_chunks = sum(part.build.n_chunks for part in parts)
        # What the index finds is of the chosen repositories as often as any vector is.
        if limit * known.n_vectors > n_chunks * n_chunks:
            return table_scan(scan(), wanted, limit)
        return nearest(hub, known, parts, encoder.name, wanted, limit)

    return find


def nearest(
    hub: Hub,
    known: Index,
    parts: Sequence[Part],
    encoder: str,
    wanted: npt.NDArray[np.float32],
    limit: int,
) -> list[tuple[int, float]]:
    """`limit` chunks near a vector by the index: (id, dot product) pairs, best first, ties by id.

    Of the 50 nearest .999 are found, of the 400 nearest .987: `python -m bench.hub.nearest`.
    """
    for name, value in _SCAN.items():
        hub.execute(f"SET LOCAL {name} = {value}".encode())
    home = sql.Identifier(known.home)
    query = sql.SQL(_NEAREST).format(
        home=home,
        wanted=sql.SQL("{}::{}.halfvec").format(HalfVector(wanted).to_text(), home),
        encoder=encoder,
        builds=[part.build.id for part in parts],
        limit=sql.Literal(limit),
    )
    first = {part.build.id: part.first_chunk for part in parts}
    with hub.cursor(binary=True) as cursor:
        found = cursor.execute(query).fetchall()
    hub.execute("SET LOCAL enable_sort TO DEFAULT")
    pairs = [(first[build] + chunk, score) for build, chunk, score in found]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def forget(hub: Hub) -> None:
    """Remove what no build holds any more."""
    if _has_table(hub):
        hub.execute(
            "DELETE FROM place_vectors v WHERE NOT EXISTS (SELECT 1 FROM files f"
            " JOIN builds b ON b.id = f.build_id WHERE f.content_id = v.content_id"
            " AND f.path = v.path AND b.encoder = v.encoder)"
        )


def _batches(hub: Hub, build: int, encoder: Encoder) -> Iterator[list[tuple[object, ...]]]:
    """Rows for the files of a build that have none, some files at a time."""
    todo = rows(
        hub,
        "SELECT f.id FROM files f WHERE f.build_id = %s AND f.n_chunks > 0 AND NOT EXISTS"
        " (SELECT 1 FROM place_vectors v WHERE v.content_id = f.content_id AND v.path = f.path"
        " AND v.encoder = %s AND v.ordinal = 0) ORDER BY 1",
        (build, encoder.name),
    )
    sql_of_files = (
        "SELECT f.content_id, f.path, f.first_chunk, f.n_chunks, v.vectors FROM files f"
        " JOIN content_vectors v ON v.content_id = f.content_id AND v.encoder = %s"
        " WHERE f.build_id = %s AND f.id = ANY (%s::integer[]) ORDER BY f.id"
    )
    for start in range(0, len(todo), _FILES_AT_ONCE):
        ids = [row[0] for row in todo[start : start + _FILES_AT_ONCE]]
        found = rows(hub, sql_of_files, (encoder.name, build, ids))
        files = [FileVectors(row[1], row[2], row[3], bytes(row[4])) for row in found]
        each = iter(with_context(files, encoder, shares_of(encoder)))
        # A list, since the connection can read nothing while rows are copied.
        yield [
            (row[0], file.path, encoder.name, ordinal, HalfVector(next(each)))
            for row, file in zip(found, files, strict=True)
            for ordinal in range(file.n_chunks)
        ]


def _has_table(hub: Hub) -> bool:
    return bool(rows(hub, "SELECT to_regclass('satchel.place_vectors') IS NOT NULL")[0][0])


def _installed(hub: Hub) -> str | None:
    """The schema of pgvector; it is installed into the database where that is possible."""
    found = rows(hub, _EXTENSION)
    if not found:
        offered = rows(hub, "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")
        if not offered:
            return None
        try:
            with hub.transaction():
                # Apart from our tables, beside which `hub validate` wants no functions but ours.
                hub.execute(f"CREATE SCHEMA IF NOT EXISTS {_HOME}".encode())
                hub.execute(f"GRANT USAGE ON SCHEMA {_HOME} TO {READERS}".encode())
                hub.execute(f"CREATE EXTENSION vector SCHEMA {_HOME}".encode())
        # Whoever may not do so is served without.
        except psycopg.errors.InsufficientPrivilege:
            return None
        found = rows(hub, _EXTENSION)
    home, version = found[0]
    numbers = tuple(int(number) for number in version.split(".")[:2])
    return str(home) if numbers >= _LEAST_VERSION else None
