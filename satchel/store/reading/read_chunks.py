"""Reading chunks: by id, by file, by what they define."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from satchel.store import path_filter
from satchel.store.model import ChunkKind, Digest, Generation, RepoPath, Span, SymbolKind
from satchel.store.reading import chunk_layout
from satchel.store.reading.chunk_layout import FileRanges, Layout
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.records import ChunkRecord
from satchel.store.sqlite import chunk_id_log
from satchel.store.sqlite.database import batches, scalar, select, select_in
from satchel.store.sqlite.rows import ByValue, decode_path, encode_path

_Mask = npt.NDArray[np.bool_]
_Ints = npt.NDArray[np.int64]
_LINES = 1 << 32
"""More than a file has lines."""
_CHUNK = (
    "SELECT c.id, f.path, f.digest, f.language, c.start_line, c.end_line, c.start_byte, c.end_byte,"
    " c.kind, coalesce(s.qualified, ''), coalesce(s.id, 0), s.kind, c.header, c.tokens, c.is_test"
    " FROM chunks c JOIN files f ON f.id = c.file_id LEFT JOIN symbols s ON s.id = c.symbol_id "
)

# Looking a member up in a dict is ten times as fast as calling the class of the enumeration.
_KINDS = ByValue(ChunkKind)
_SYMBOL_KINDS = ByValue(SymbolKind)


class Chunks:
    """The chunks of one snapshot."""

    def __init__(self, connection: apsw.Connection, cache: SnapshotCache) -> None:
        self._db = connection
        self._cache = cache
        # One question asks for the same chunks up to seven times, and of those of the next one it
        # has read two thirds.
        self._known: dict[int, ChunkRecord] = cache.records("chunks")
        self._inside: dict[int, list[int]] = cache.records("symbols in chunks")

    def layout(self) -> Layout:
        def make() -> Layout:
            # After a save only the ranges of files are updated from earlier ones; the arrays over
            # all ids are made of them anew.
            read = partial(chunk_layout.read, self._db)
            update = partial(chunk_layout.update, self._db)
            files: FileRanges = self._cache.get("file ranges", read, update)
            return chunk_layout.arrays(files)

        return self._cache.get("layout", make)

    def allowed(
        self, is_test: bool | None, path: str, folder: str = ""
    ) -> npt.NDArray[np.bool_] | None:
        if is_test is None and not path:
            return None

        def make() -> _Mask:
            mask = np.zeros(len(self.layout().file_of), dtype=np.bool_)
            everywhere = chunk_id_log.IdRange(0, len(mask))
            mask[self._qualifying(is_test, path, folder, everywhere)] = True
            return mask

        def update(before: _Mask, generation: Generation) -> _Mask | None:
            ranges = chunk_id_log.changed_since(self._db, generation)
            if ranges is None:
                return None
            mask = np.zeros(len(self.layout().file_of), dtype=np.bool_)
            n_both = min(len(mask), len(before))
            mask[:n_both] = before[:n_both]
            # All are cleared before any is set: logged ranges may overlap.
            for first, n_ids in ranges:
                mask[first : first + n_ids] = False
            for ids in ranges:
                mask[self._qualifying(is_test, path, folder, ids)] = True
            return mask

        mask: _Mask = self._cache.get(("allowed", is_test, path, folder), make, update)
        return mask

    def _qualifying(
        self, is_test: bool | None, path: str, folder: str, ids: chunk_id_log.IdRange
    ) -> npt.NDArray[np.int64]:
        """Which of a range of ids are of chunks that qualify."""
        clauses = ["c.id >= ? AND c.id < ?"]
        values: list[object] = [ids.first, ids.first + ids.n_ids]
        if is_test is not None:
            clauses.append("c.is_test = ?")
            values.append(is_test)
        is_joined = bool(path) and not folder and path_filter.is_prefix(path)
        if is_joined:
            start = encode_path(RepoPath(path))
            clauses.append("substr(f.path, 1, ?) = ?")
            values += [len(start), start]
        elif path:
            clauses.append("c.file_id IN (SELECT value FROM json_each(?))")
            # The ids of the files that a filter of paths admits.
            rows = select(self._db, "SELECT id, path FROM files")
            admitted = [
                n for n, name in rows if path_filter.admits(path, folder + decode_path(name))
            ]
            values.append(f"[{','.join(map(str, admitted))}]")
        source = "chunks c JOIN files f ON f.id = c.file_id" if is_joined else "chunks c"
        # One text instead of a row for each: between two rows another thread may take the
        # interpreter's lock, and a question would wait for it thousands of times.
        sql = f"SELECT group_concat(c.id) FROM {source} WHERE {' AND '.join(clauses)}"
        text = scalar(self._db, sql, values)
        return np.fromstring(text, np.int64, sep=",") if text else np.zeros(0, np.int64)

    def tokens_of(self, paths: Iterable[RepoPath]) -> int:
        sql = (
            "SELECT coalesce(sum(c.tokens), 0) FROM files f JOIN chunks c"
            " ON c.id >= f.first_chunk AND c.id < f.first_chunk + f.n_chunks"
            " WHERE f.path IN (KEYS)"
        )
        return sum(row[0] for row in select_in(self._db, sql, map(encode_path, paths)))

    def by_id(self, ids: Iterable[int]) -> list[ChunkRecord]:
        wanted, known = list(ids), self._known
        new = [i for i in wanted if i not in known]
        for row in select_in(self._db, f"{_CHUNK} WHERE c.id IN (KEYS)", new):
            known[row[0]] = _chunk(row)
        return [known[i] for i in wanted if i in known]

    def of_file(self, path: RepoPath) -> list[ChunkRecord]:
        # By id, since chunks have no index by file.
        where = "f.path = ? AND c.id >= f.first_chunk AND c.id < f.first_chunk + f.n_chunks"
        rows = select(self._db, f"{_CHUNK} WHERE {where} ORDER BY c.id", (encode_path(path),))
        return [_chunk(row) for row in rows]

    def defining(self, symbol_ids: Iterable[int]) -> dict[int, int]:
        # The least id: a line that is cut within lies in several chunks.
        sql = (
            "SELECT s.id, min(c.id) FROM symbols s JOIN files f ON f.id = s.file_id"
            " JOIN chunks c ON c.id >= f.first_chunk AND c.id < f.first_chunk + f.n_chunks"
            " AND c.start_line <= s.line AND c.end_line >= s.line"
            " WHERE s.id IN (KEYS) GROUP BY s.id"
        )
        return dict(self._cache.rows(self._db, sql, symbol_ids))

    def symbols_in(self, chunk_ids: Iterable[int]) -> dict[int, list[int]]:
        wanted, inside = sorted(set(chunk_ids)), self._inside
        for batch in batches([i for i in wanted if i not in inside]):
            found: dict[int, list[int]] = {i: [] for i in batch}
            sql = "SELECT id, file_id, start_line, end_line FROM chunks WHERE id IN (KEYS)"
            chunks = list(select_in(self._db, sql, batch))
            ids, files, starts, ends = np.array(chunks, dtype=np.int64).reshape(-1, 4).T
            # Without an option `np.unique` loads NumPy's masked arrays, a tenth of a search.
            distinct, _ = np.unique(files, return_index=True)
            symbols, places = self._named_in(distinct)
            # The lines of all files in one order: one search finds the symbols of every chunk.
            first = np.searchsorted(places, files * _LINES + starts).tolist()
            end = np.searchsorted(places, files * _LINES + ends, "right").tolist()
            for chunk_id, i, j in zip(ids.tolist(), first, end, strict=True):
                found[chunk_id] = sorted(symbols[i:j].tolist())
            inside |= found  # at once: other threads may read it
        return {i: inside[i] for i in wanted if inside[i]}

    def _named_in(self, files: _Ints) -> tuple[_Ints, _Ints]:
        """(symbol, `_LINES` times its file and the line of its name) in some files, by the latter.

        Without the module symbol, the first of each file, whose name stands nowhere.
        """
        # Two texts are read faster than a row a symbol.
        numbers, lines = select(
            self._db,
            f"SELECT group_concat(s.id), group_concat(s.file_id * {_LINES} + s.line)"
            " FROM files f CROSS JOIN symbols s"
            " ON s.id > f.first_symbol AND s.id < f.first_symbol + f.n_symbols"
            f" WHERE f.id IN ({','.join('?' * len(files))})",
            files.tolist(),
        )[0]
        if numbers is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        symbols, places = (np.fromstring(text, np.int64, sep=",") for text in (numbers, lines))
        order = np.argsort(places)
        return symbols[order], places[order]


def _chunk(row: tuple[Any, ...]) -> ChunkRecord:
    (chunk_id, path, digest, language, start_line, end_line, start, end, kind, symbol, symbol_id,
     symbol_kind, header, tokens, is_test) = row  # fmt: skip
    return ChunkRecord(
        chunk_id, decode_path(path), Digest(digest), language,
        Span(start_line, end_line, start, end), _KINDS[kind], symbol, symbol_id,
        _SYMBOL_KINDS[symbol_kind] if symbol_kind else None, header, tokens, bool(is_test),
    )  # fmt: skip
