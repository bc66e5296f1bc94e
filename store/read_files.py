"""Reading files, what their bytes say, and what was left out."""

from __future__ import annotations

from functools import lru_cache

import apsw

from store import codec
from store.database import scalar, select
from store.model import Digest, FileFacts, RepoPath, SkipReason
from store.postings import FilePostings
from store.records import Counts, FileStat, KnownFile, SkippedRecord
from store.rows import decode_path


class Files:
    """The files of one snapshot."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self.source = lru_cache(maxsize=256)(self._source)

    def all(self) -> list[KnownFile]:
        """Every file, by path."""
        rows = select(
            self._db,
            "SELECT id, path, digest, language, size, mtime_ns, inode, is_test FROM files"
            " ORDER BY path",
        )
        return [
            KnownFile(
                file_id, decode_path(path), Digest(digest), language,
                FileStat(size, mtime_ns, inode), bool(is_test),
            )
            for file_id, path, digest, language, size, mtime_ns, inode, is_test in rows
        ]  # fmt: skip

    def count(self) -> int:
        """How many files there are."""
        return int(scalar(self._db, "SELECT count(*) FROM files"))

    def skipped(self) -> list[SkippedRecord]:
        """Every path left out, by path."""
        rows = select(self._db, "SELECT path, reason, detail FROM skipped ORDER BY path")
        return [SkippedRecord(decode_path(p), SkipReason(r), d) for p, r, d in rows]

    def problems(self) -> list[tuple[RepoPath, str, int, str]]:
        """(path, kind, line, detail) of everything odd about files that are in the index."""
        rows = select(
            self._db,
            "SELECT f.path, p.kind, p.line, p.detail FROM problems p"
            " JOIN files f ON f.id = p.file_id ORDER BY f.path, p.line, p.kind",
        )
        return [(decode_path(path), kind, line, detail) for path, kind, line, detail in rows]

    def counts(self) -> Counts:
        """How much there is."""
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
        """What known bytes say."""
        return codec.decode_facts(self._content("facts", digest, language))

    def postings_of(self, digest: Digest, language: str) -> FilePostings:
        """The postings of known bytes."""
        return codec.decode_postings(self._content("postings", digest, language))

    def _source(self, digest: Digest, language: str) -> bytes:
        """The bytes of a file as indexed."""
        return codec.unpack_source(self._content("source", digest, language))

    def _content(self, column: str, digest: Digest, language: str) -> bytes:
        sql = f"SELECT {column} FROM contents WHERE digest = ? AND language = ?"
        value = scalar(self._db, sql, (digest, language))
        if not isinstance(value, bytes):
            raise KeyError(digest)
        return value
