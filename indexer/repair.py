"""Make an index sound again from what of it still is, derived parts first.

Terms and edges are made anew from facts and compared; facts are held against the bytes they are
about, rows against the facts. A file that does not hold up is taken out whole: the next refresh
reads it again. Everything happens in the caller's transaction, so that trying costs nothing.

Not here: pages that SQLite cannot read, and rows of `meta` that say nonsense. Then nothing here can
be believed, and the index is made anew (`satchel.workspace.repair`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import apsw

from satchel.indexer.callgraph import linker
from satchel.indexer.extract.analyze import digest_of
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store import codec
from satchel.store.records import FileStat, Projection
from satchel.store.sqlite import rows
from satchel.store.sqlite.audit import UNREADABLE, Audit
from satchel.store.sqlite.database import scalar
from satchel.store.sqlite.writer import Writer

_POSTINGS_FILES = 200
_OF_FILE = """NOT EXISTS (SELECT 1 FROM files f WHERE f.id = t.file_id
    AND t.id BETWEEN f.first_{name} AND f.first_{name} + f.n_{name}s - 1)"""
_NO_FILE = "NOT EXISTS (SELECT 1 FROM files f WHERE f.id = t.file_id)"
_NO_HOLDER = """NOT EXISTS (SELECT 1 FROM files f
    WHERE f.digest = t.digest AND f.language = t.language)"""
_NO_CONTENTS = """NOT EXISTS (SELECT 1 FROM contents c
    WHERE c.digest = t.digest AND c.language = t.language)"""
_ORPHANS = (
    ("chunks", _OF_FILE.format(name="chunk")),
    ("symbols", _OF_FILE.format(name="symbol")),
    *((table, _NO_FILE) for table in ("refs", "imports", "problems", "depends")),
    ("retired", f"{_NO_CONTENTS} OR NOT {_NO_HOLDER}"),
    ("contents", f"{_NO_HOLDER} AND NOT EXISTS (SELECT 1 FROM retired r"
     " WHERE r.digest = t.digest AND r.language = t.language)"),
    ("vectors", _NO_CONTENTS),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mended:
    """Something that was not as it should be, how much of it, and the paths where there are any."""

    what: str
    count: int
    paths: tuple[str, ...] = ()


def mend(connection: apsw.Connection) -> tuple[Mended, ...]:
    """Mend what can be; expects an open transaction, and `meta` to be believed.

    Afterwards the index is complete unless files were taken out.
    """
    audit, writer = Audit(connection), Writer(connection)
    found = [*_files(audit), *_orphans(connection)]
    n_out = sum(mended.count for mended in found if mended.paths)
    found += [*_vectors(audit), *_postings(audit, writer), *_edges(connection)]
    if found:
        writer.reserve(scalar(connection, "SELECT coalesce(max(id) + 1, 1) FROM symbols"))
        writer.advance(complete=audit.meta()["state"] != "building" and not n_out)
    return tuple(found)


def _files(audit: Audit) -> Iterator[Mended]:
    """Take out the files whose contents or rows do not hold up."""
    contents: list[tuple[str, str]] = []
    bad: list[int] = []
    paths: list[str] = []
    for row in audit.files():
        kept = _contents_hold(audit, row)
        if kept is not None and _rows_hold(audit, row, kept):
            continue
        bad.append(row[0])
        paths.append(_path(row[1]))
        if kept is None:
            contents.append((row[2], row[3]))
    database = audit.connection
    database.executemany("DELETE FROM files WHERE id = ?", ((file_id,) for file_id in bad))
    for table in ("contents", "vectors", "retired"):
        sql = f"DELETE FROM {table} WHERE digest IS ? AND language IS ?"
        database.executemany(sql, contents)
    if bad:
        yield Mended("files that are not what their bytes say", len(bad), tuple(sorted(paths)))


def _path(held: object) -> str:
    return held.decode("utf-8", "replace") if isinstance(held, bytes) else repr(held)


def _contents_hold(audit: Audit, row: tuple[Any, ...]) -> Projection | None:
    """The file as its contents say it is; None when they cannot be believed."""
    try:
        _, path, digest, language, size, mtime_ns, inode, *_ = row
        facts, source, held = audit.content(digest, language)
        sql = "SELECT flows FROM contents WHERE digest = ? AND language = ?"
        codec.decode_flows(scalar(audit.connection, sql, (digest, language)))
        if not digest == facts.digest == digest_of(source) or facts.language != language:
            return None
        name = rows.decode_path(path)
        stat = FileStat(size, mtime_ns, inode)
        return Projection(name, stat, is_test_path(name, language), facts, held)
    except UNREADABLE:
        return None


def _rows_hold(audit: Audit, row: tuple[Any, ...], made: Projection) -> bool:
    file_id, first_chunk, n_chunks, first_symbol, n_symbols = row[0], *row[9:13]
    try:
        return (
            row[1:] == rows.file_row(made, first_chunk, first_symbol)
            and audit.of_file("chunks", first_chunk, n_chunks)
            == list(rows.chunk_rows(made, file_id, first_chunk, first_symbol))
            and audit.of_file("symbols", first_symbol, n_symbols)
            == list(rows.symbol_rows(made, file_id, first_symbol))
            and audit.of_file("refs", file_id)
            == list(rows.reference_rows(made, file_id, first_symbol))
            and audit.of_file("imports", file_id) == list(rows.import_rows(made, file_id))
            and audit.of_file("problems", file_id) == list(rows.problem_rows(made, file_id))
        )
    except UNREADABLE:
        return False


def _orphans(connection: apsw.Connection) -> Iterator[Mended]:
    """Drop rows that belong to nothing, those of files just taken out included."""
    for table, condition in _ORPHANS:
        connection.execute(f"DELETE FROM {table} AS t WHERE {condition}")
        if connection.changes():
            yield Mended(f"rows of {table} that belonged to nothing", connection.changes())


def _vectors(audit: Audit) -> Iterator[Mended]:
    """Drop vectors whose seal is broken; they are encoded again."""
    broken = [row[:3] for row in audit.vectors() if not row[4]]
    sql = "DELETE FROM vectors WHERE digest = ? AND language = ? AND encoder = ?"
    audit.connection.executemany(sql, broken)
    if broken:
        yield Mended("files with damaged vectors", len(broken))


def _postings(audit: Audit, writer: Writer) -> Iterator[Mended]:
    """Make the lexical index anew; say so when it comes out otherwise."""
    tables = ("postings ORDER BY term, block", "field_lengths WHERE total != 0 ORDER BY field")
    before = [_fingerprint(audit.connection, table) for table in tables]
    audit.connection.execute("DELETE FROM postings; DELETE FROM field_lengths")
    batch: list[tuple[int, Projection]] = []
    for row in audit.files():
        made = _contents_hold(audit, row)
        assert made is not None  # those it is not true of were taken out
        batch.append((row[9], made))
        if len(batch) == _POSTINGS_FILES:
            writer.index_again(batch)
            batch = []
    writer.index_again(batch)
    if before != [_fingerprint(audit.connection, table) for table in tables]:
        yield Mended("the index of terms", 1)


def _edges(connection: apsw.Connection) -> Iterator[Mended]:
    """Derive the call graph anew; say so when it comes out otherwise."""
    table = "edges ORDER BY source_id, target_id, kind"
    before = _fingerprint(connection, table)
    connection.execute("DELETE FROM edges; DELETE FROM depends")
    linker.derive_all(connection)
    if before != _fingerprint(connection, table):
        yield Mended("the call graph", 1)


def _fingerprint(connection: apsw.Connection, table: str) -> bytes:
    digest = blake2b(digest_size=16)
    for row in _values(connection.execute(f"SELECT * FROM {table}")):
        digest.update(row)
    return digest.digest()


def _values(found: Iterable[tuple[Any, ...]]) -> Iterator[bytes]:
    return (repr(row).encode() for row in found)
