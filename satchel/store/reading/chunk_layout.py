"""Which chunk lies in which file and folder, as arrays over chunk ids."""

from collections.abc import Iterable
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from satchel.store.postings import numbers_of
from satchel.store.sqlite import chunk_id_log
from satchel.store.sqlite.database import select

_Ints = npt.NDArray[np.int64]
_FILES = "SELECT first_chunk, n_chunks, path FROM files WHERE n_chunks > 0 ORDER BY first_chunk"
_FILES_WITH = (
    "SELECT first_chunk, n_chunks, path FROM files"
    " WHERE id IN (SELECT file_id FROM chunks WHERE id >= ? AND id < ?)"
)


class FileRanges(Struct, frozen=True):
    """Files that have chunks, in the order of their chunk ids; the arrays are parallel.

    `first` is a file's first chunk id, `sizes` how many chunks it has, `folders` the number of its
    folder in `folder_numbers`, where folders that have no file any more may be left.
    """

    first: _Ints
    sizes: _Ints
    folders: _Ints
    folder_numbers: dict[bytes, int] = field(default_factory=dict)


class Layout(Struct, frozen=True):
    """Files that have chunks, numbered from 0 in the order of their chunk ids.

    `file_of[c]` is the number of the file that chunk `c` lies in, -1 where no chunk has that id;
    `sizes[f]` is how many chunks file `f` has. `folder_of[c]` numbers the folders of `n_folders` as
    they come, -1 for none.
    """

    file_of: _Ints
    sizes: _Ints
    folder_of: _Ints
    n_folders: int


def read(connection: apsw.Connection) -> FileRanges:
    """The chunk ids of all files."""
    return _file_ranges(select(connection, _FILES), {})


def update(connection: apsw.Connection, before: FileRanges, generation: int) -> FileRanges | None:
    """What `read` gives, from what it gave as of an earlier content generation.

    Only files whose chunk ids changed hands since are read. None when the log of chunk ids does
    not go back so far.
    """
    ranges = chunk_id_log.changed_since(connection, generation)
    if ranges is None:
        return None
    stays = np.ones(len(before.first), dtype=np.bool_)
    rows: dict[int, tuple[Any, ...]] = {}
    ends = before.first + before.sizes
    for first, n_ids in ranges:
        # A file of `before` goes when its range and the logged one share an id. Both lists ascend,
        # so that those are the files from the first that ends behind `first`.
        end = first + n_ids
        stays[np.searchsorted(ends, first, "right") : np.searchsorted(before.first, end)] = False
        rows.update((row[0], row) for row in select(connection, _FILES_WITH, (first, end)))
    new = _file_ranges([rows[first] for first in sorted(rows)], dict(before.folder_numbers))
    places = np.searchsorted(before.first[stays], new.first)

    def merged(old: _Ints, added: _Ints) -> _Ints:
        return np.insert(old[stays], places, added)

    return FileRanges(
        merged(before.first, new.first),
        merged(before.sizes, new.sizes),
        merged(before.folders, new.folders),
        new.folder_numbers,
    )


def arrays(files: FileRanges) -> Layout:
    """The same by chunk id."""
    first, sizes = files.first, files.sizes
    ids = numbers_of(first, sizes)
    n_ids = int(first[-1] + sizes[-1]) if len(first) else 0
    file_of = np.full(n_ids, -1, dtype=np.int64)
    file_of[ids] = np.repeat(np.arange(len(first)), sizes)
    # Folder numbers depend on how the index came to be. Numbered again in the order of their first
    # chunk, equal indexes give equal arrays. The last entry stands for "no chunk has this id".
    _, seen_first, number = np.unique(files.folders, return_index=True, return_inverse=True)
    in_order = np.empty(len(seen_first) + 1, dtype=np.int64)
    in_order[np.argsort(seen_first)] = np.arange(len(seen_first))
    in_order[-1] = -1
    folder_of = np.append(in_order[number], -1)[file_of]
    return Layout(file_of, sizes, folder_of, len(seen_first))


def _file_ranges(rows: Iterable[tuple[Any, ...]], numbers: dict[bytes, int]) -> FileRanges:
    """Rows of (first chunk, number of chunks, path); unknown folders get the next numbers."""
    made = [(n, m, numbers.setdefault(p.rpartition(b"/")[0], len(numbers))) for n, m, p in rows]
    first, sizes, folders = np.array(made, dtype=np.int64).reshape(-1, 3).T
    return FileRanges(first, sizes, folders, numbers)
