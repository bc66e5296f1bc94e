"""Reading the lexical index and the texts of a hub; see `store.reading.snapshot`."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from satchel.hub.database import Hub, rows
from satchel.hub.reading.file_table import FileTable, Part
from satchel.store import codec, grams, postings
from satchel.store.errors import CorruptIndex
from satchel.store.grams import Signatures
from satchel.store.model import Digest
from satchel.store.postings import Columns, Field
from satchel.store.reading.read_texts import TextFile
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite.rows import encode_path


class PgTerms:
    """The terms of one snapshot."""

    def __init__(self, connection: Hub, parts: Sequence[Part], cache: SnapshotCache) -> None:
        self._db, self._cache = connection, cache
        self._builds = [part.build.id for part in parts]
        self._blocks = {part.build.id: part.first_block for part in parts}
        self._n_chunks = sum(part.build.n_chunks for part in parts)

    def mean_lengths(self) -> npt.NDArray[np.float64]:
        def make() -> npt.NDArray[np.float64]:
            sql = (
                "SELECT field, sum(total)::bigint FROM field_lengths"
                " WHERE build_id = ANY (%s::bigint[]) GROUP BY field"
            )
            totals: dict[int, int] = dict(rows(self._db, sql, (self._builds,)))
            # At least 1, because BM25F divides by these means.
            n_chunks = max(1, self._n_chunks)
            means = [max(1.0, totals.get(int(field), 0) / n_chunks) for field in Field]
            return np.array(means, dtype=np.float64)

        return self._cache.get("mean lengths", make)

    def n_chunks(self) -> int:
        return self._n_chunks

    def postings(self, term: str) -> Columns:
        sql = (
            "SELECT build_id, block, entries FROM postings"
            " WHERE term = %s AND build_id = ANY (%s::bigint[])"
        )
        found = [
            (block + self._blocks[build], packed)
            for build, block, packed in rows(self._db, sql, (term, self._builds))
        ]
        # By shifted block: entries must ascend by chunk over all builds.
        pieces = [postings.unpack(block, packed) for block, packed in sorted(found)]
        empty = np.zeros(0, dtype=np.uint64)
        return postings.columns(np.concatenate(pieces) if pieces else empty)


class PgTexts:
    """The texts of one snapshot."""

    def __init__(
        self, connection: Hub, parts: Sequence[Part], files: FileTable, cache: SnapshotCache
    ) -> None:
        self._db, self._files, self._cache = connection, files, cache
        self._builds = [part.build.id for part in parts]

    def holding(self, any_of: Sequence[Sequence[bytes]]) -> list[TextFile]:
        def make() -> tuple[list[TextFile], Signatures]:
            sql = (
                "SELECT id, grams FROM contents WHERE id IN"
                " (SELECT content_id FROM files WHERE build_id = ANY (%s::bigint[]))"
            )
            signatures: dict[int, bytes] = dict(rows(self._db, sql, (self._builds,)))
            files = [
                TextFile(
                    file.repo_path, Digest(file.digest), file.language, file.size, file.is_test
                )
                for file in self._files.by_path
            ]
            signed = [bytes(signatures[file.content]) for file in self._files.by_path]
            return files, Signatures.of(signed)

        files, signatures = self._cache.get("texts", make)
        return [files[place] for place in signatures.holding(any_of)]

    def source(self, file: TextFile) -> bytes:
        sql = "SELECT source FROM contents WHERE digest = %s AND language = %s"
        found = rows(self._db, sql, (file.digest, file.language))
        if not found:
            raise CorruptIndex("the hub lacks the contents of a file", "run `satchel hub sync`")
        return grams.with_plain_ends(codec.decompress(bytes(found[0][0])))

    def test_lines(self, file: TextFile) -> list[tuple[int, int]]:
        indexed = self._files.named.get(encode_path(file.path))
        if indexed is None:
            return []
        sql = (
            "SELECT start_line, end_line FROM content_chunks"
            " WHERE content_id = %s AND (is_test OR %s) ORDER BY ordinal"
        )
        return [
            (first, last) for first, last in rows(self._db, sql, (indexed.content, indexed.is_test))
        ]
