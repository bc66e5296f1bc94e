"""Reading files, their facts, and what was left out."""

from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from satchel.store.errors import CorruptIndex
from satchel.store.model import Digest, FileFacts, RepoPath, SkipReason
from satchel.store.reading.snapshot_cache import RecentSources
from satchel.store.records import Counts, FileStat, KnownFile, SkippedRecord
from satchel.store.sqlite.database import scalar, select
from satchel.store.sqlite.rows import decode_path, encode_path

_ROOT = RepoPath("")
_KNOWN = "id, path, digest, language, size, mtime_ns, inode, is_test, n_lines"


class Files:
    """The files of one snapshot."""

    def __init__(self, connection: apsw.Connection, sources: RecentSources) -> None:
        self._db, self._sources = connection, sources

    def all(self, below: Sequence[RepoPath] = (_ROOT,)) -> list[KnownFile]:
        return [_known_file(row) for row in self._rows_below(_KNOWN, "files", below)]

    def starting_with(self, prefix: str, limit: int) -> list[RepoPath]:
        start = encode_path(RepoPath(prefix))
        # LIKE would take "%" and "_" in a path for wildcards.
        sql = (
            "SELECT path FROM files WHERE path >= ? AND substr(path, 1, ?) = ?"
            " ORDER BY path LIMIT ?"
        )
        rows = select(self._db, sql, (start, len(start), start, limit))
        return [decode_path(path) for (path,) in rows]

    def count(self) -> int:
        return int(scalar(self._db, "SELECT count(*) FROM files"))

    def identity(self, path: RepoPath) -> tuple[Digest, str] | None:
        rows = select(
            self._db, "SELECT digest, language FROM files WHERE path = ?", (encode_path(path),)
        )
        return (Digest(rows[0][0]), rows[0][1]) if rows else None

    def with_digest(self, digest: str) -> list[RepoPath]:
        rows = select(self._db, "SELECT path FROM files WHERE digest = ? ORDER BY path", (digest,))
        return [decode_path(path) for (path,) in rows]

    def skipped(self, below: Sequence[RepoPath] = (_ROOT,)) -> list[SkippedRecord]:
        rows = self._rows_below("path, reason, detail, size, mtime_ns, inode", "skipped", below)
        return [
            SkippedRecord(
                decode_path(path), SkipReason(reason), detail,
                # Zeros stand for no stat; a file that is there has an inode.
                FileStat(size, mtime_ns, inode) if inode else None,
            )
            for path, reason, detail, size, mtime_ns, inode in rows
        ]  # fmt: skip

    def _rows_below(
        self, columns: str, table: str, paths: Sequence[RepoPath]
    ) -> list[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM {table}"
        if _ROOT in paths:
            return select(self._db, f"{sql} ORDER BY path")
        rows: list[tuple[Any, ...]] = []
        for path in sorted(map(encode_path, paths)):
            # A range of the index on paths: "0" is the byte right after "/".
            at_or_below = (path, path + b"/", path + b"0")
            where = "path = ? OR (path >= ? AND path < ?)"
            rows += select(self._db, f"{sql} WHERE {where} ORDER BY path", at_or_below)
        return rows

    def problems(self) -> list[tuple[RepoPath, str, int, str]]:
        rows = select(
            self._db,
            "SELECT f.path, p.kind, p.line, p.detail FROM problems p"
            " JOIN files f ON f.id = p.file_id ORDER BY f.path, p.line, p.kind",
        )
        return [(decode_path(path), kind, line, detail) for path, kind, line, detail in rows]

    def counts(self) -> Counts:
        totals = select(
            self._db,
            "SELECT (SELECT count(*) FROM files), (SELECT coalesce(sum(n_lines), 0) FROM files),"
            " (SELECT count(*) FROM chunks), (SELECT count(*) FROM symbols),"
            " (SELECT count(*) FROM refs), (SELECT count(*) FROM edges),"
            " (SELECT count(*) FROM skipped), (SELECT count(*) FROM problems)",
        )[0]
        languages = select(
            self._db,
            "SELECT language, count(*) AS n FROM files GROUP BY language ORDER BY n DESC, language",
        )
        files, lines, chunks, symbols, references, edges, skipped, problems = totals
        return Counts(
            files, lines, chunks, symbols, references, edges, skipped, problems,
            languages=tuple((name, n) for name, n in languages),
        )  # fmt: skip

    def facts(self, digest: Digest, language: str) -> FileFacts:
        from satchel.store import codec  # with zstandard, which most refreshes do without

        return codec.decode_facts(stored_content(self._db, "facts", digest, language))

    def read_ahead(self, wanted: Iterable[tuple[Digest, str]]) -> None:
        """Be told whose `source` is asked for next: nothing, since the file is at hand."""

    def source(self, digest: Digest, language: str) -> bytes:
        """The bytes of a file as indexed. Raises: CorruptIndex."""

        def read() -> bytes:
            packed = stored_content(self._db, "source", digest, language)
            return checked_source(packed, digest, "run `satchel reindex --full`")

        return self._sources.get((digest, language), read)


def stored_content(
    connection: apsw.Connection, column: str, digest: Digest, language: str
) -> bytes:
    """A column of what is kept of some bytes, packed.

    Raises:
        CorruptIndex: nothing is kept of them.
    """
    sql = f"SELECT {column} FROM contents WHERE digest = ? AND language = ?"
    value = scalar(connection, sql, (digest, language))
    if not isinstance(value, bytes):
        raise CorruptIndex(
            "the index lacks the contents of one of its files", "run `satchel reindex --full`"
        )
    return value


def _known_file(row: Sequence[Any]) -> KnownFile:
    """A row of the columns `_KNOWN`."""
    file_id, path, digest, language, *stat, is_test, n_lines = row
    return KnownFile(
        file_id, decode_path(path), Digest(digest), language, FileStat(*stat), bool(is_test),
        n_lines,
    )  # fmt: skip


def checked_source(packed: bytes, digest: Digest, hint: str) -> bytes:
    """The bytes of a file as indexed: those that the digest is of, whatever a row holds.

    They are checked with every read, so that a pack never quotes what no file says.

    Raises:
        CorruptIndex: the row holds other bytes; `hint` says how to repair that.
    """
    from satchel.store import codec

    data = codec.decompress(packed)
    if codec.digest_of(data) != digest:
        raise CorruptIndex("the stored text of a file does not match its digest", hint)
    return data


def imported_modules(connection: apsw.Connection) -> list[tuple[str, str]]:
    """(language of a file, module as it is imported there), each pair once, in order."""
    sql = (
        "SELECT DISTINCT f.language, i.module FROM imports i JOIN files f ON f.id = i.file_id"
        " ORDER BY f.language, i.module"
    )
    return [(language, module) for language, module in select(connection, sql)]
