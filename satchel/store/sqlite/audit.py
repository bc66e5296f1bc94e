"""Raw rows of an index that may be damaged, for validation and repair. Nothing is written.

Reading a damaged index raises one of `UNREADABLE`; what that means is the caller's to say. Rows are
looked up the way answers look them up, so that a row which is there but cannot be found through
SQLite's indexes counts as absent.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw
import msgspec

from satchel.store import codec
from satchel.store.errors import CorruptIndex
from satchel.store.model import Digest, FileFacts
from satchel.store.postings import FilePostings
from satchel.store.records import IndexedFile
from satchel.store.sqlite import rows
from satchel.store.sqlite.checksum import meta_checksum
from satchel.store.sqlite.database import pages, scalar, select
from satchel.store.sqlite.earlier import replaced
from satchel.store.sqlite.schema import DDL
from satchel.store.sqlite.vectors import checksum

UNREADABLE: tuple[type[Exception], ...] = (
    apsw.Error, codec.Damaged, msgspec.MsgspecError, ValueError, LookupError, TypeError,
    AttributeError, ArithmeticError, AssertionError, RecursionError, CorruptIndex,
)  # fmt: skip
"""What reading damaged rows raises: values of another type, length or range than were written.

SQLite keeps any type in any column, so a damaged page can hand a text to code that adds it up. The
built-in errors are in the list for that, at the price that a bug in a check looks like damage.
"""

# Rows in the order in which `rows` makes them: that of the ids, or that of the insertion.
_OF_FILE = {
    "chunks": "id BETWEEN ?1 AND ?1 + ?2 - 1 ORDER BY id",
    "symbols": "id BETWEEN ?1 AND ?1 + ?2 - 1 ORDER BY id",
    "refs": "file_id = ?1 ORDER BY rowid",
    "imports": "file_id = ?1 ORDER BY rowid",
    "problems": "file_id = ?1 ORDER BY rowid",
}
_FILE = "'file ' || t.file_id"
_NO_FILE = "NOT EXISTS (SELECT 1 FROM files f WHERE f.id = t.file_id)"
_NO_IDS = """NOT EXISTS (SELECT 1 FROM files f WHERE f.id = t.file_id
    AND t.id BETWEEN f.first_{0} AND f.first_{0} + f.n_{0}s - 1)"""
_NO_HOLDER = """NOT EXISTS (SELECT 1 FROM files f
    WHERE f.digest = t.digest AND f.language = t.language)"""
_NO_CONTENTS = """NOT EXISTS (SELECT 1 FROM contents c
    WHERE c.digest = t.digest AND c.language = t.language)"""
_IS_RETIRED = """EXISTS (SELECT 1 FROM retired r
    WHERE r.digest = t.digest AND r.language = t.language)"""
_NO_SYMBOL = "NOT EXISTS (SELECT 1 FROM symbols s WHERE s.id = t.{}_id)"


class Orphans(NamedTuple):
    """Rows whose other half is missing: what they are called, and what says which one is one."""

    what: str
    table: str
    shown: str
    condition: str
    """Of a row of the table, which is called t."""


ORPHANS = (
    Orphans("chunks of no file", "chunks", _FILE, _NO_IDS.format("chunk")),
    Orphans("symbols of no file", "symbols", _FILE, _NO_IDS.format("symbol")),
    *(
        Orphans(f"{table} of no file", table, _FILE, _NO_FILE)
        for table in ("refs", "imports", "problems", "depends")
    ),
    Orphans("retired contents that are not there, or that a file holds", "retired", "t.digest",
            f"{_NO_CONTENTS} OR NOT {_NO_HOLDER}"),
    # Contents that nobody holds are kept for a while: they are no orphans as long as they are
    # listed.
    Orphans("contents that no file holds and nothing lists as retired", "contents", "t.digest",
            f"{_NO_HOLDER} AND NOT {_IS_RETIRED}"),
    Orphans("signatures without contents", "grams", "t.digest", _NO_CONTENTS),
    Orphans("vectors without contents", "vectors", "t.digest", _NO_CONTENTS),
)  # fmt: skip
"""What a repair takes out, in the order in which it does."""
_OTHERS = (
    Orphans("files without contents", "files", "t.path", _NO_CONTENTS),
    Orphans("edges from or to no symbol", "edges", "t.source_id || ' -> ' || t.target_id",
            f"{_NO_SYMBOL.format('source')} OR {_NO_SYMBOL.format('target')}"),
)  # fmt: skip


class Audit:
    """One connection's view of an index, for checks."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def pages(self, *, thorough: bool) -> list[str]:
        """What SQLite finds wrong; with `thorough`, whether every index finds every row as well."""
        # SQLite stops at twenty findings: more would not say more about what to do.
        pragma = "integrity_check" if thorough else "quick_check"
        return [row[0] for row in select(self.connection, f"PRAGMA {pragma}(20)") if row[0] != "ok"]

    def schema(self) -> list[str]:
        """Statements that should be in the schema and are not, or the other way round."""
        # SQLite normalises the text of statements as it stores them: compared is what it stored.
        fresh = apsw.Connection(":memory:")
        fresh.execute(DDL)
        sql = "SELECT coalesce(sql, name) FROM sqlite_schema"
        found, wanted = ({row[0] for row in select(db, sql)} for db in (self.connection, fresh))
        return sorted(str(statement)[:80] for statement in found ^ wanted)

    def meta(self) -> dict[str, str]:
        """The rows of `meta`."""
        return {key: str(value) for key, value in select(self.connection, "SELECT * FROM meta")}

    def meta_checksum_holds(self) -> bool:
        """Whether the rows of `meta` are those that were last written together."""
        return meta_checksum(self.connection) == self.meta().get("seal")

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return int(scalar(self.connection, f"SELECT count(*) FROM {table}"))

    def unused_bytes(self) -> tuple[int, int]:
        """(bytes of pages that hold nothing, bytes of the file)."""
        free, total, size = pages(self.connection)
        return size * free, size * total

    def files(self) -> list[tuple[Any, ...]]:
        """The rows of `files`, in the order of their chunks."""
        return select(self.connection, "SELECT * FROM files ORDER BY first_chunk, id")

    def of_file(self, table: str, *key: int) -> list[tuple[Any, ...]]:
        """A file's rows: by (first id, number of rows) for chunks and symbols, else by its id."""
        return select(self.connection, f"SELECT * FROM {table} WHERE {_OF_FILE[table]}", key)

    def mismatched_tables(self, row: Sequence[Any], file: IndexedFile) -> Iterator[str]:
        """The tables in which a file, by its raw row, has other rows than its facts make."""
        file_id, first_chunk, n_chunks, first_symbol, n_symbols = row[0], *row[9:13]
        # Made again by the functions that the writer uses, and compared as tuples.
        if tuple(row[1:]) != rows.file_row(file, first_chunk, first_symbol):
            yield "files"
        for table, key, expected in (
            ("chunks", (first_chunk, n_chunks),
             rows.chunk_rows(file, file_id, first_chunk, first_symbol)),
            ("symbols", (first_symbol, n_symbols), rows.symbol_rows(file, file_id, first_symbol)),
            ("refs", (file_id,), rows.reference_rows(file, file_id, first_symbol)),
            ("imports", (file_id,), rows.import_rows(file, file_id)),
            ("problems", (file_id,), rows.problem_rows(file, file_id)),
        ):  # fmt: skip
            if list(expected) != self.of_file(table, *key):
                yield table

    def retired(self) -> Iterator[tuple[str, str]]:
        """(digest, language) of what is kept although no file holds it."""
        yield from select(self.connection, "SELECT digest, language FROM retired")

    def replaced(self) -> Iterator[tuple[int, bytes, bool]]:
        """(id, path, whether its checksum holds) of what is recorded of earlier contents."""
        for number, *row, stored in select(self.connection, "SELECT * FROM replaced ORDER BY id"):
            yield number, row[0], replaced.checksum(*row) == stored

    def content(self, digest: str, language: str) -> tuple[FileFacts, bytes, FilePostings]:
        """What is kept of some bytes; the checksums of what is compressed are verified."""
        sql = (
            "SELECT facts, source, postings, flows FROM contents WHERE digest = ? AND language = ?"
        )
        facts, source, indexed, flows = select(self.connection, sql, (digest, language))[0]
        # Flows are not returned, but unpacking them verifies their checksum.
        codec.decode_flows(flows)
        return (
            codec.decode_facts(facts), codec.decompress(source), codec.decode_postings(indexed),
        )  # fmt: skip

    def damaged_contents(self) -> Iterator[tuple[str, str]]:
        """(digest, column) of what is kept of some bytes and cannot be unpacked."""
        columns = ("source", "facts", "postings", "flows")
        sql = f"SELECT digest, {', '.join(columns)} FROM contents ORDER BY digest, language"
        for digest, *packed in self.connection.execute(sql):
            for column, data in zip(columns, packed, strict=True):
                try:
                    if data:  # none take no bytes
                        codec.decompress(data)
                except codec.Damaged:
                    yield digest, column

    def postings_of(self, digest: str, language: str) -> FilePostings:
        """The postings of some bytes."""
        sql = "SELECT postings FROM contents WHERE digest = ? AND language = ?"
        return codec.decode_postings(scalar(self.connection, sql, (digest, language)))

    def contents(self) -> list[tuple[str, str]]:
        """(digest, language) of all bytes that are kept, in order."""
        sql = "SELECT digest, language FROM contents ORDER BY digest, language"
        return select(self.connection, sql)

    def signature(self, digest: str, language: str) -> object:
        """The signature that is kept of some bytes; None when there is none."""
        sql = "SELECT signature FROM grams WHERE digest = ? AND language = ?"
        return scalar(self.connection, sql, (digest, language))

    def orphans(self) -> Iterator[tuple[str, list[str]]]:
        """(what, some of it) for rows whose other half is missing, in both directions."""
        for what, table, shown, condition in (*_OTHERS, *ORPHANS):
            sql = f"SELECT {shown} FROM {table} t WHERE {condition} LIMIT 20"
            found = [str(row[0]) for row in select(self.connection, sql)]
            if found:
                yield what, found

    def terms(self) -> list[str]:
        """Every distinct term, in order."""
        sql = "SELECT DISTINCT term FROM postings ORDER BY term"
        return [row[0] for row in select(self.connection, sql)]

    def blocks(self, term: str) -> list[tuple[Any, ...]]:
        """The (block, entries) of a term in order, as an answer would find them."""
        sql = "SELECT block, entries FROM postings WHERE term = ? ORDER BY block"
        return select(self.connection, sql, (term,))

    def field_lengths(self) -> dict[int, int]:
        """The total length of each field that has one."""
        sql = "SELECT field, total FROM field_lengths WHERE total != 0"
        return dict(select(self.connection, sql))

    def edges(self) -> list[tuple[Any, ...]]:
        """The rows of `edges`, in order."""
        sql = "SELECT * FROM edges ORDER BY source_id, target_id, kind"
        return select(self.connection, sql)

    def files_with_dependencies(self) -> set[int]:
        """The ids of the files for which it is known what their edges depend on."""
        return {row[0] for row in select(self.connection, "SELECT file_id FROM depends")}

    def vectors(self) -> Iterator[tuple[Digest, str, str, bytes, bool]]:
        """(digest, language, encoder, packed vectors, whether their checksum holds)."""
        every = self.connection.execute("SELECT * FROM vectors")
        for digest, language, encoder, packed, stored in every:
            holds = checksum(digest, language, encoder, packed) == stored
            yield Digest(digest), language, encoder, packed, holds
