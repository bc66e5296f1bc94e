"""Reading chunks from a hub; see `store.reading.snapshot` for the contract."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from satchel.hub.database import Hub, Row, read_back, rows
from satchel.hub.reading.file_table import FileRow, FileTable, OrdinalInFile
from satchel.store import path_filter
from satchel.store.model import ChunkKind, Digest, RepoPath, Span, SymbolKind
from satchel.store.reading import chunk_layout
from satchel.store.reading.chunk_layout import FileRanges, Layout
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.records import ChunkRecord
from satchel.store.sqlite.database import batches
from satchel.store.sqlite.rows import encode_path

_Mask = npt.NDArray[np.bool_]
_CHUNK = (
    "SELECT c.content_id, c.ordinal, c.symbol, c.kind, c.start_line, c.end_line, c.start_byte,"
    " c.end_byte, c.header, c.tokens, c.is_test, coalesce(s.qualified, ''), s.kind"
    " FROM content_chunks c"
    " LEFT JOIN content_symbols s ON s.content_id = c.content_id AND s.ordinal = c.symbol"
)
_KINDS = {kind.value: kind for kind in ChunkKind}
_SYMBOL_KINDS = {kind.value: kind for kind in SymbolKind}


class PgChunks:
    """The chunks of one snapshot."""

    def __init__(self, connection: Hub, files: FileTable, cache: SnapshotCache) -> None:
        self._db, self._files, self._cache = connection, files, cache

    def layout(self) -> Layout:
        def make() -> Layout:
            files = self._files.with_chunks
            numbers: dict[bytes, int] = {}
            folders = [
                numbers.setdefault(file.path.rpartition(b"/")[0], len(numbers)) for file in files
            ]
            ranges = FileRanges(
                np.array([file.first_chunk for file in files], dtype=np.int64),
                np.array([file.n_chunks for file in files], dtype=np.int64),
                np.array(folders, dtype=np.int64),
                numbers,
            )
            return chunk_layout.arrays(ranges)

        return self._cache.get("layout", make)

    def allowed(self, is_test: bool | None, path: str, folder: str = "") -> _Mask | None:
        if is_test is None and not path:
            return None

        def make() -> _Mask:
            # One entry an id, also for ids that no chunk has: BM25 asks by id.
            mask = np.zeros(len(self.layout().file_of), dtype=np.bool_)
            for file in self._files.with_chunks:
                if path_filter.admits(path, folder + file.repo_path):
                    ids = slice(file.first_chunk, file.first_chunk + file.n_chunks)
                    mask[ids] = True if is_test is None else _tests(file) == is_test
            return mask

        return self._cache.get(("allowed", is_test, path, folder), make)

    def tokens_of(self, paths: Iterable[RepoPath]) -> int:
        named = self._files.named
        # Content by content and not by key: a file that is there twice counts twice.
        contents = [named[p].content for p in map(encode_path, paths) if p in named]
        sql = (
            "SELECT coalesce(sum(c.tokens), 0)::bigint FROM unnest(%s::bigint[]) AS w(id)"
            " JOIN content_chunks c ON c.content_id = w.id"
        )
        return int(rows(self._db, sql, (contents,))[0][0])

    def by_id(self, ids: Iterable[int]) -> list[ChunkRecord]:
        wanted = list(ids)
        places = dict(self._files.chunks(wanted))
        made = self._read_rows(list(places.values()))
        return [
            _record(
                number,
                places[number].file,
                made[places[number].file.content, places[number].ordinal],
            )
            for number in wanted
            if number in places
        ]

    def _read_rows(self, places: Sequence[OrdinalInFile]) -> dict[tuple[int, int], Row]:
        """Rows by content and number."""
        # Several files may hold the same content.
        keys = sorted({(place.file.content, place.ordinal) for place in places})
        sql = (
            f"{_CHUNK} JOIN unnest(%s::bigint[], %s::integer[]) AS w(content_id, ordinal)"
            " ON w.content_id = c.content_id AND w.ordinal = c.ordinal"
        )
        values = ([content for content, _ in keys], [ordinal for _, ordinal in keys])
        return {(row[0], row[1]): row for row in rows(self._db, sql, values)}

    def of_file(self, path: RepoPath) -> list[ChunkRecord]:
        file = self._files.named.get(encode_path(path))
        if file is None:
            return []
        found = rows(
            self._db, f"{_CHUNK} WHERE c.content_id = %s ORDER BY c.ordinal", (file.content,)
        )
        return [_record(file.first_chunk + row[1], file, row) for row in found]

    def defining(self, symbol_ids: Iterable[int]) -> dict[int, int]:
        places = sorted(dict(self._files.symbols(symbol_ids)).items())
        # The name of a module stands in the first line. The least number, since a line that is cut
        # within lies in several chunks.
        sql = (
            "SELECT w.id, min(c.ordinal) FROM"
            " unnest(%s::bigint[], %s::bigint[], %s::integer[]) AS w(id, content_id, ordinal)"
            " LEFT JOIN content_symbols s ON s.content_id = w.content_id AND s.ordinal = w.ordinal"
            " JOIN content_chunks c ON c.content_id = w.content_id"
            " AND coalesce(s.line, 1) BETWEEN c.start_line AND c.end_line"
            " GROUP BY w.id ORDER BY w.id"
        )
        first = {number: place.file.first_chunk for number, place in places}
        found = rows(self._db, sql, _columns(places))
        return {number: first[number] + ordinal for number, ordinal in found}

    def symbols_in(self, chunk_ids: Iterable[int]) -> dict[int, list[int]]:
        sql = (
            "SELECT w.id, s.ordinal FROM"
            " unnest(%s::bigint[], %s::bigint[], %s::integer[]) AS w(id, content_id, ordinal)"
            " JOIN content_chunks c ON c.content_id = w.content_id AND c.ordinal = w.ordinal"
            " JOIN content_symbols s ON s.content_id = w.content_id"
            " AND s.line BETWEEN c.start_line AND c.end_line ORDER BY w.id, s.ordinal"
        )
        result: dict[int, list[int]] = {}
        # In the batches that the index of a checkout is asked in: the order of keys is theirs.
        for batch in batches(list(chunk_ids)):
            places = sorted(dict(self._files.chunks(batch)).items())
            first = {number: place.file.first_symbol + 1 for number, place in places}
            for number, ordinal in rows(self._db, sql, _columns(places)):
                result.setdefault(number, []).append(first[number] + ordinal)
        return result


def _columns(places: Sequence[tuple[int, OrdinalInFile]]) -> tuple[list[int], list[int], list[int]]:
    """Ids, contents and numbers, for `unnest`."""
    return (
        [number for number, _ in places],
        [place.file.content for _, place in places],
        [place.ordinal for _, place in places],
    )


def _tests(file: FileRow) -> _Mask:
    """For each chunk of a file, whether it is test code."""
    if file.is_test:
        return np.ones(file.n_chunks, dtype=np.bool_)
    return np.frombuffer(file.chunk_tests, dtype=np.bool_)


def _record(number: int, file: FileRow, row: Row) -> ChunkRecord:
    (_, _, symbol, kind, start_line, end_line, start, end, header, tokens, is_test, qualified,
     symbol_kind) = row  # fmt: skip
    return ChunkRecord(
        number, file.repo_path, Digest(file.digest), file.language,
        Span(start_line, end_line, start, end), _KINDS[kind], read_back(qualified),
        file.first_symbol + 1 + symbol if symbol >= 0 else 0,
        _SYMBOL_KINDS[symbol_kind] if symbol_kind else None, read_back(header), tokens,
        file.is_test or is_test,
    )  # fmt: skip
