"""Which chunk lies in which file and folder, as arrays over chunk ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from satchel.store.sqlite import reused_ids
from satchel.store.sqlite.database import select

_Ints = npt.NDArray[np.int64]
_FILES = "SELECT first_chunk, n_chunks, path FROM files WHERE n_chunks > 0 ORDER BY first_chunk"
_FILES_WITH = (
    "SELECT first_chunk, n_chunks, path FROM files"
    " WHERE id IN (SELECT file_id FROM chunks WHERE id >= ? AND id < ?)"
)


@dataclass(frozen=True, slots=True)
class Listing:
    """Files that have chunks, in the order of their chunk ids: the first of them, how many, and the
    folder, by a number in `names` that may be that of no file any more.
    """

    first: _Ints
    sizes: _Ints
    folders: _Ints
    names: dict[bytes, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """Files that have chunks, numbered from 0 in the order of their chunk ids.

    `file_of[c]` is the number of the file that chunk `c` lies in, -1 where no chunk has that id;
    `sizes[f]` is how many chunks file `f` has. `folder_of[c]` numbers the folders of `n_folders` as
    they come, -1 for none.
    """

    file_of: _Ints
    sizes: _Ints
    folder_of: _Ints
    n_folders: int


def read(connection: apsw.Connection) -> Listing:
    """All files."""
    return _listing(select(connection, _FILES), {})


def follow(connection: apsw.Connection, before: Listing, text: int) -> Listing | None:
    """What `read` gives, from what it gave as of `text`: only what was rewritten since is read."""
    ranges = reused_ids.since(connection, text)
    if ranges is None:
        return None
    stays = np.ones(len(before.first), dtype=np.bool_)
    rows: dict[int, tuple[Any, ...]] = {}
    ends = before.first + before.sizes
    for first, n in ranges:
        stays[np.searchsorted(ends, first, "right") : np.searchsorted(before.first, first + n)] = 0
        rows.update((row[0], row) for row in select(connection, _FILES_WITH, (first, first + n)))
    new = _listing([rows[first] for first in sorted(rows)], dict(before.names))
    places = np.searchsorted(before.first[stays], new.first)

    def joined(was: _Ints, now: _Ints) -> _Ints:
        return np.insert(was[stays], places, now)

    return Listing(
        joined(before.first, new.first),
        joined(before.sizes, new.sizes),
        joined(before.folders, new.folders),
        new.names,
    )


def arrays(listing: Listing) -> Layout:
    """The same by chunk id."""
    first, sizes = listing.first, listing.sizes
    starts = np.cumsum(sizes) - sizes
    ids = np.arange(sizes.sum(), dtype=np.int64) + np.repeat(first - starts, sizes)
    n_ids = int(first[-1] + sizes[-1]) if len(first) else 0
    file_of = np.full(n_ids, -1, dtype=np.int64)
    file_of[ids] = np.repeat(np.arange(len(first)), sizes)
    _, seen_first, number = np.unique(listing.folders, return_index=True, return_inverse=True)
    as_they_come = np.empty(len(seen_first) + 1, dtype=np.int64)
    as_they_come[np.argsort(seen_first)] = np.arange(len(seen_first))
    as_they_come[-1] = -1
    folder_of = np.append(as_they_come[number], -1)[file_of]
    return Layout(file_of, sizes, folder_of, len(seen_first))


def _listing(rows: Iterable[tuple[Any, ...]], names: dict[bytes, int]) -> Listing:
    made = [(n, m, names.setdefault(p.rpartition(b"/")[0], len(names))) for n, m, p in rows]
    first, sizes, folders = np.array(made, dtype=np.int64).reshape(-1, 3).T
    return Listing(first, sizes, folders, names)
