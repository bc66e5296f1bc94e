"""Reading the texts of files: which may contain a text, and their bytes as indexed."""

from __future__ import annotations

from collections.abc import Sequence

import apsw
from msgspec import Struct

from satchel.store import codec, grams
from satchel.store.grams import Signatures
from satchel.store.model import Digest, RepoPath
from satchel.store.reading.read_files import stored_content
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite.database import select
from satchel.store.sqlite.rows import decode_path, encode_path


class TextFile(Struct, frozen=True):
    """A file whose text can be read; `size` is that of the file on disk in bytes."""

    path: RepoPath
    digest: Digest
    language: str
    size: int
    is_test: bool
    """By its path; a file that is not may hold tests all the same."""


class Texts:
    """The texts of one snapshot."""

    def __init__(self, connection: apsw.Connection, cache: SnapshotCache) -> None:
        self._db = connection
        self._cache = cache

    def holding(self, any_of: Sequence[Sequence[bytes]]) -> list[TextFile]:
        def make() -> tuple[list[TextFile], Signatures]:
            rows = select(
                self._db,
                "SELECT f.path, f.digest, f.language, f.size, f.is_test, coalesce(g.signature, x'')"
                " FROM files f LEFT JOIN grams g ON g.digest = f.digest AND g.language = f.language"
                " ORDER BY f.path",
            )
            files = [
                TextFile(decode_path(path), Digest(digest), language, size, bool(is_test))
                for path, digest, language, size, is_test, _ in rows
            ]
            return files, Signatures.of([row[5] for row in rows])

        files, signatures = self._cache.get("texts", make)
        return [files[place] for place in signatures.holding(any_of)]

    def source(self, file: TextFile) -> bytes:
        """The bytes of a file as indexed, with every "\\r\\n" as "\\n".

        They are not compared with their digest, which would take a search through all files half
        as long again: whoever quotes a file asks `files.source` for it, which does.

        Raises:
            CorruptIndex: they are not there.
        """
        packed = stored_content(self._db, "source", file.digest, file.language)
        return grams.with_plain_ends(codec.decompress(packed))

    def test_lines(self, file: TextFile) -> list[tuple[int, int]]:
        return select(
            self._db,
            "SELECT c.start_line, c.end_line FROM files f JOIN chunks c ON c.id >= f.first_chunk"
            " AND c.id < f.first_chunk + f.n_chunks WHERE f.path = ? AND c.is_test ORDER BY c.id",
            (encode_path(file.path),),
        )
