"""Chunks and terms of several indexes as one tree; see `store.reading.snapshot`."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from satchel.store.joined.parts import Parts
from satchel.store.model import RepoPath
from satchel.store.postings import Columns, Field
from satchel.store.reading.chunk_layout import Layout
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.records import ChunkRecord

_Mask = npt.NDArray[np.bool_]
_Ints = npt.NDArray[np.int64]


class JoinedChunks:
    """The chunks of all parts."""

    def __init__(self, parts: Parts, cache: SnapshotCache) -> None:
        self._parts, self._cache = parts, cache

    def layout(self) -> Layout:
        def make() -> Layout:
            n_ids = self._parts.n_chunk_ids
            # Parts begin at whole blocks. Between two of them there are ids that no chunk has; they
            # stay -1 like those of files that were removed.
            file_of = np.full(n_ids, -1, dtype=np.int64)
            folder_of = np.full(n_ids, -1, dtype=np.int64)
            sizes: list[_Ints] = []
            n_files = n_folders = 0
            for part in self._parts:
                layout = part.snapshot.chunks.layout()
                ids = slice(part.first_chunk, part.end_chunk)
                file_of[ids] = np.where(layout.file_of < 0, -1, layout.file_of + n_files)
                folder_of[ids] = np.where(layout.folder_of < 0, -1, layout.folder_of + n_folders)
                sizes.append(layout.sizes)
                n_files += len(layout.sizes)
                n_folders += layout.n_folders
            return Layout(file_of, np.concatenate([_NO_INTS, *sizes]), folder_of, n_folders)

        return self._cache.get("layout", make)

    def allowed(self, is_test: bool | None, path: str, folder: str = "") -> _Mask | None:
        if is_test is None and not path:
            return None

        def make() -> _Mask:
            mask = np.zeros(self._parts.n_chunk_ids, dtype=np.bool_)
            for part in self._parts:
                # The filter is of paths of the tree, and a part cannot tell by itself which of its
                # own are meant: a glob may match within the folder's name.
                inside = part.snapshot.chunks.allowed(is_test, path, folder + part.folder)
                # Where every chunk qualifies, ids that no chunk has still do not.
                layout = part.snapshot.chunks.layout()
                mask[part.first_chunk : part.end_chunk] = (
                    layout.file_of >= 0 if inside is None else inside
                )
            return mask

        return self._cache.get(("allowed", is_test, path, folder), make)

    def tokens_of(self, paths: Iterable[RepoPath]) -> int:
        found = [self._parts.of_path(path) for path in paths]
        return sum(
            part.snapshot.chunks.tokens_of(
                [inside for other, inside in filter(None, found) if other is part]
            )
            for part in self._parts
        )

    def by_id(self, ids: Iterable[int]) -> list[ChunkRecord]:
        # Ids come from arrays too, and SQLite takes numbers of numpy for bytes.
        wanted = list(map(int, ids))
        found = {
            record.id + part.first_chunk: part.chunk(record)
            for part, numbers in self._parts.of_chunks(wanted)
            for record in part.snapshot.chunks.by_id(numbers)
        }
        return [found[number] for number in wanted if number in found]

    def of_file(self, path: RepoPath) -> list[ChunkRecord]:
        found = self._parts.of_path(path)
        if found is None:
            return []
        part, inside = found
        return [part.chunk(record) for record in part.snapshot.chunks.of_file(inside)]

    def defining(self, symbol_ids: Iterable[int]) -> dict[int, int]:
        return {
            symbol + part.first_symbol: chunk + part.first_chunk
            for part, ids in self._parts.of_symbols(symbol_ids)
            for symbol, chunk in part.snapshot.chunks.defining(ids).items()
        }

    def symbols_in(self, chunk_ids: Iterable[int]) -> dict[int, list[int]]:
        return {
            chunk + part.first_chunk: [symbol + part.first_symbol for symbol in symbols]
            for part, ids in self._parts.of_chunks(chunk_ids)
            for chunk, symbols in part.snapshot.chunks.symbols_in(ids).items()
        }


class JoinedTerms:
    """The lexical indexes of all parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def mean_lengths(self) -> npt.NDArray[np.float64]:
        # A mean of means would give a small repository the say of a large one.
        total = np.zeros(len(Field), dtype=np.float64)
        for part in self._parts:
            total += part.snapshot.terms.mean_lengths() * part.snapshot.terms.n_chunks()
        return np.maximum(1.0, total / max(1, self.n_chunks()))

    def n_chunks(self) -> int:
        return sum(part.snapshot.terms.n_chunks() for part in self._parts)

    def postings(self, term: str) -> Columns:
        found = [(part, part.snapshot.terms.postings(term)) for part in self._parts]
        # Parts are in the order of their ids, so that what is put side by side ascends.
        chunks = [columns.chunks + part.first_chunk for part, columns in found]
        return Columns(
            np.concatenate([_NO_INTS, *chunks]),
            np.concatenate([_NO_INTS, *(columns.fields for _, columns in found)]),
            np.concatenate([np.zeros(0), *(columns.counts for _, columns in found)]),
            np.concatenate([_NO_INTS, *(columns.lengths for _, columns in found)]),
        )


_NO_INTS: _Ints = np.zeros(0, dtype=np.int64)
