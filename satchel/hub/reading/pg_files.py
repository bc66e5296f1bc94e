"""Reading files from a hub; see `store.reading.snapshot` for the contract."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from satchel.hub.database import Hub, read_back, rows
from satchel.hub.reading.file_table import FileRow, FileTable, Part
from satchel.store import codec
from satchel.store.errors import CorruptIndex
from satchel.store.model import Digest, FileFacts, Import, RepoPath, SkipReason
from satchel.store.reading.read_files import checked_source
from satchel.store.records import Counts, FileStat, KnownFile, SkippedRecord
from satchel.store.sqlite.rows import decode_path, encode_path

_ROOT = RepoPath("")


class PgFiles:
    """The files of one snapshot."""

    def __init__(self, connection: Hub, parts: Sequence[Part], files: FileTable) -> None:
        self._db, self._parts, self._files = connection, parts, files
        self.source = lru_cache(maxsize=256)(self._source)
        self._ahead: dict[tuple[str, str], bytes] = {}

    def all(self, below: Sequence[RepoPath] = (_ROOT,)) -> list[KnownFile]:
        # The times and inodes of files in a worker's checkout mean nothing here.
        return [
            KnownFile(
                file.id, file.repo_path, Digest(file.digest), file.language,
                FileStat(file.size, 0, 0), file.is_test, file.n_lines,
            )
            for file in self._rows_below(below)
        ]  # fmt: skip

    def starting_with(self, prefix: str, limit: int) -> list[RepoPath]:
        # Compared as bytes, the order in which paths are stored.
        start = encode_path(RepoPath(prefix))
        return [f.repo_path for f in self._files.by_path if f.path.startswith(start)][:limit]

    def count(self) -> int:
        return len(self._files.by_path)

    def identity(self, path: RepoPath) -> tuple[Digest, str] | None:
        file = self._files.named.get(encode_path(path))
        return (Digest(file.digest), file.language) if file else None

    def with_digest(self, digest: str) -> list[RepoPath]:
        return [file.repo_path for file in self._files.by_path if file.digest == digest]

    def skipped(self, below: Sequence[RepoPath] = (_ROOT,)) -> list[SkippedRecord]:
        sql = "SELECT path, reason, detail FROM skipped WHERE build_id = %s"
        found = [
            SkippedRecord(decode_path(part.prefix + path), SkipReason(reason), read_back(detail))
            for part in self._parts
            for path, reason, detail in rows(self._db, sql, (part.build.id,))
        ]
        # Paths of several repositories begin with their names only once they are put together, so
        # this cannot be asked in SQL.
        chosen = (record for record in found if any(_is_below(record.path, each) for each in below))
        return sorted(chosen, key=lambda record: encode_path(record.path))

    def problems(self) -> list[tuple[RepoPath, str, int, str]]:
        sql = (
            "SELECT content_id, kind, line, detail FROM content_problems WHERE content_id IN"
            " (SELECT content_id FROM files WHERE build_id = ANY (%s::bigint[]))"
        )
        found = [
            (file.path, line, kind, read_back(detail))
            for content, kind, line, detail in rows(
                self._db, sql, ([p.build.id for p in self._parts],)
            )
            for file in self._files.holding[content]
        ]
        return [
            (decode_path(path), kind, line, detail) for path, line, kind, detail in sorted(found)
        ]

    def counts(self) -> Counts:
        builds = [part.build.id for part in self._parts]
        edges, skipped, references, problems = rows(
            self._db,
            "SELECT (SELECT count(*) FROM edges WHERE build_id = ANY (%(builds)s::bigint[])),"
            " (SELECT count(*) FROM skipped WHERE build_id = ANY (%(builds)s::bigint[])),"
            " (SELECT coalesce(sum(c.n_refs), 0)::bigint FROM files f JOIN contents c"
            " ON c.id = f.content_id WHERE f.build_id = ANY (%(builds)s::bigint[])),"
            " (SELECT count(*) FROM files f JOIN content_problems p USING (content_id)"
            " WHERE f.build_id = ANY (%(builds)s::bigint[]))",
            {"builds": builds},
        )[0]
        files = self._files.by_path
        # The order of a checkout: most files first, then by name.
        languages = Counter(file.language for file in files)
        return Counts(
            len(files), sum(file.n_lines for file in files), sum(file.n_chunks for file in files),
            sum(file.n_symbols for file in files), references, edges, skipped, problems,
            languages=tuple(sorted(languages.items(), key=lambda each: (-each[1], each[0]))),
        )  # fmt: skip

    def facts(self, digest: Digest, language: str) -> FileFacts:
        return codec.decode_facts(self._content("facts", digest, language))

    def imports(self, paths: Iterable[RepoPath]) -> dict[RepoPath, tuple[Import, ...]]:
        """What some files import, by path; unknown paths are left out."""
        named = self._files.named
        files = [named[path] for path in map(encode_path, set(paths)) if path in named]
        sql = "SELECT id, facts FROM contents WHERE id = ANY (%s::bigint[])"
        packed: dict[int, bytes] = dict(rows(self._db, sql, ([file.content for file in files],)))
        return {
            file.repo_path: codec.decode_facts(bytes(packed[file.content])).imports
            for file in files
        }

    def _source(self, digest: Digest, language: str) -> bytes:
        packed = self._ahead.get((digest, language))
        if packed is None:
            packed = self._content("source", digest, language)
        return checked_source(packed, digest, "run `satchel hub sync`")

    def read_ahead(self, wanted: Iterable[tuple[Digest, str]]) -> None:
        """Read, packed, whose `source` is asked for next."""
        todo = sorted(set(wanted) - self._ahead.keys())
        sql = (
            "SELECT digest, language, source FROM contents"
            " JOIN unnest(%s::text[], %s::text[]) AS w(digest, language) USING (digest, language)"
        )
        values = ([digest for digest, _ in todo], [language for _, language in todo])
        # Each query is a way to another machine and back, and a pack reads dozens of files.
        for digest, language, packed in rows(self._db, sql, values) if todo else ():
            self._ahead[digest, language] = bytes(packed)

    def _content(self, column: str, digest: Digest, language: str) -> bytes:
        sql = f"SELECT {column} FROM contents WHERE digest = %s AND language = %s"
        found = rows(self._db, sql, (digest, language))
        if not found:
            raise CorruptIndex(
                "the hub lacks the contents of one of its files", "run `satchel hub sync`"
            )
        return bytes(found[0][0])

    def _rows_below(self, paths: Sequence[RepoPath]) -> Iterator[FileRow]:
        if _ROOT in paths:
            return iter(self._files.by_path)
        return (f for f in self._files.by_path if any(_is_below(f.repo_path, p) for p in paths))


def _is_below(path: RepoPath, folder: RepoPath) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
