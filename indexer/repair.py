"""Repair a damaged index from what is left of it.

Facts are compared with the bytes they are about, and rows with the facts. A file for which they
differ is taken out whole: the next refresh reads it again. Terms and edges are made anew from the
facts. Everything happens in the caller's transaction, so that trying costs nothing.

Not here: pages that SQLite cannot read, and rows of `meta` that make no sense. Then nothing in the
index can be trusted, and it is made anew (`satchel.workspace.repair`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import apsw

from satchel.indexer.callgraph import linker
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store import codec, grams
from satchel.store.codec import digest_of
from satchel.store.records import FileStat, IndexedFile
from satchel.store.sqlite import rows
from satchel.store.sqlite.audit import ORPHANS, UNREADABLE, Audit
from satchel.store.sqlite.database import next_id, scalar
from satchel.store.sqlite.earlier import kept_edges, replaced
from satchel.store.sqlite.writer import Writer

_POSTINGS_FILES = 200
"""Files whose terms are indexed at once."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """Something that was damaged, how much of it, and the paths where there are any."""

    what: str
    count: int
    paths: tuple[str, ...] = ()


def repair_index(connection: apsw.Connection, tests: tuple[str, ...]) -> tuple[Repaired, ...]:
    """Repair what can be; expects an open transaction, and that `meta` is not damaged.

    `tests` are the project's own patterns of tests.

    Afterwards the index is complete unless files were taken out.
    """
    audit, writer = Audit(connection), Writer(connection)
    found = [*_files(audit, tests), *_orphans(connection)]
    n_out = sum(repaired.count for repaired in found if repaired.paths)
    # Derived parts last: they are made from what the steps above have left.
    found += [*_grams(audit, writer), *_vectors(audit), *_postings(audit, writer, tests)]
    found += [*_record(audit)]
    found += [*_edges(connection)]
    if found:
        writer.reserve(next_id(connection, "symbols"))
        writer.advance(complete=audit.meta()["state"] != "building" and not n_out)
    return tuple(found)


def _files(audit: Audit, tests: tuple[str, ...]) -> Iterator[Repaired]:
    """Take out the files whose contents or rows are damaged."""
    contents: list[tuple[str, str]] = []
    ids: list[int] = []
    paths: list[str] = []
    for row in audit.files():
        file_id, path, digest, language = row[:4]
        file = _indexed_file(audit, row, tests)
        if file is not None and _rows_agree(audit, row, file):
            continue
        # A file is taken out whole: which of its rows is wrong cannot be told from the rows.
        ids.append(file_id)
        paths.append(path.decode("utf-8", "replace") if isinstance(path, bytes) else repr(path))
        if file is None:
            contents.append((digest, language))
    database = audit.connection
    database.executemany("DELETE FROM files WHERE id = ?", ((file_id,) for file_id in ids))
    for table in ("contents", "grams", "vectors", "retired"):
        # IS, since a damaged key may be NULL, which equals nothing.
        sql = f"DELETE FROM {table} WHERE digest IS ? AND language IS ?"
        database.executemany(sql, contents)
    if ids:
        yield Repaired("files whose facts do not match their bytes", len(ids), tuple(sorted(paths)))


def _indexed_file(audit: Audit, row: tuple[Any, ...], tests: tuple[str, ...]) -> IndexedFile | None:
    """The file as its contents say it is; None when they are damaged."""
    try:
        _, path, digest, language, size, mtime_ns, inode, *_ = row
        facts, source, postings = audit.content(digest, language)
        sql = "SELECT flows FROM contents WHERE digest = ? AND language = ?"
        codec.decode_flows(scalar(audit.connection, sql, (digest, language)))
        # All three must agree: the key of the row, what the facts are of, and the bytes themselves.
        if not digest == facts.digest == digest_of(source) or facts.language != language:
            return None
        name = rows.decode_path(path)
        stat = FileStat(size, mtime_ns, inode)
        is_test = is_test_path(name, language, tests)
        return IndexedFile(name, stat, is_test, facts, postings)
    except UNREADABLE:
        return None


def _rows_agree(audit: Audit, row: tuple[Any, ...], file: IndexedFile) -> bool:
    """Whether the rows of a file are those that its facts make."""
    try:
        return not any(audit.mismatched_tables(row, file))
    except UNREADABLE:
        return False


def _orphans(connection: apsw.Connection) -> Iterator[Repaired]:
    """Drop rows that belong to nothing, those of files just taken out included."""
    for _, table, _, condition in ORPHANS:
        connection.execute(f"DELETE FROM {table} AS t WHERE {condition}")
        if connection.changes():
            yield Repaired(f"rows of {table} that belong to no file", connection.changes())


def _grams(audit: Audit, writer: Writer) -> Iterator[Repaired]:
    """Make signatures anew that are not those of their bytes."""
    wrong: dict[tuple[str, str], bytes] = {}
    for digest, language in audit.contents():
        try:
            signed = grams.signature(audit.content(digest, language)[1])
        except UNREADABLE:  # of no file, or it would have been taken out
            continue
        if audit.signature(digest, language) != signed:
            wrong[digest, language] = signed
    writer.put_grams((*key, signed) for key, signed in wrong.items())
    if wrong:
        yield Repaired("signatures that did not match their text", len(wrong))


def _vectors(audit: Audit) -> Iterator[Repaired]:
    """Drop vectors whose checksum is wrong; they are encoded again."""
    broken = [row[:3] for row in audit.vectors() if not row[4]]
    sql = "DELETE FROM vectors WHERE digest = ? AND language = ? AND encoder = ?"
    audit.connection.executemany(sql, broken)
    if broken:
        yield Repaired("files with damaged vectors", len(broken))


def _record(audit: Audit) -> Iterator[Repaired]:
    """Forget what files were before, where a part of it is damaged: the rest would mislead."""
    n_damaged = sum(not holds for _, _, holds in audit.replaced())
    if n_damaged:
        replaced.clear(audit.connection)
        yield Repaired("rows of what files were before", n_damaged)


def _postings(audit: Audit, writer: Writer, tests: tuple[str, ...]) -> Iterator[Repaired]:
    """Make the lexical index anew, and report it if it comes out differently."""
    tables = ("postings ORDER BY term, block", "field_lengths WHERE total != 0 ORDER BY field")
    # Made anew always: comparing entry by entry would cost more than making them.
    before = [_fingerprint(audit.connection, table) for table in tables]
    audit.connection.execute("DELETE FROM postings; DELETE FROM field_lengths")
    batch: list[tuple[int, IndexedFile]] = []
    for row in audit.files():
        file = _indexed_file(audit, row, tests)
        assert file is not None  # damaged ones were taken out by `_files`
        batch.append((row[9], file))
        if len(batch) == _POSTINGS_FILES:
            writer.index_again(batch)
            batch = []
    writer.index_again(batch)
    if before != [_fingerprint(audit.connection, table) for table in tables]:
        yield Repaired("the index of terms", 1)


def _edges(connection: apsw.Connection) -> Iterator[Repaired]:
    """Derive the call graph anew, and report it if it comes out differently."""
    table = "edges ORDER BY source_id, target_id, kind"
    before = _fingerprint(connection, table)
    connection.execute("DELETE FROM edges; DELETE FROM depends")
    kept_edges.clear(connection)
    linker.derive_all(connection)
    if before != _fingerprint(connection, table):
        yield Repaired("the call graph", 1)


def _fingerprint(connection: apsw.Connection, table: str) -> bytes:
    """BLAKE2b-128 of all rows of a table, in the order that `table` names."""
    digest = blake2b(digest_size=16)
    for row in connection.execute(f"SELECT * FROM {table}"):
        # `repr` keeps numbers and texts that look alike apart.
        digest.update(repr(row).encode())
    return digest.digest()
