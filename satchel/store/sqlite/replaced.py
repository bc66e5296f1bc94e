"""What files were before they changed: the index's own record, for where no git keeps one.

A refresh that finds another file at a path, or none, writes down which contents were there until
then; the contents themselves are kept as long as `store.sqlite.retention` keeps them. The row with
the empty path says when the record begins. Times are nanoseconds since the epoch: those at which a
refresh started, so not when a file was saved but when the index saw it. Every function that writes
expects an open transaction.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

import apsw

from satchel.store.model import Digest, RepoPath
from satchel.store.sqlite.database import scalar, select
from satchel.store.sqlite.rows import decode_path, encode_path

KEEP = 20_000
"""Rows that stay when there are twice as many: the saves of months, or some branch switches."""
_BEGINNING = RepoPath("")


class Replaced(NamedTuple):
    """What a path held until something else was found there; `digest` is "" for no file."""

    path: RepoPath
    digest: Digest
    language: str = ""
    is_test: bool = False
    is_kept: bool = True
    """Whether the index still has the contents; always so where there was no file."""


def begin(connection: apsw.Connection, now_ns: int) -> None:
    """Begin the record, unless it has begun."""
    if began(connection) is None:
        _add(connection, Replaced(_BEGINNING, Digest("")), now_ns)


def record(connection: apsw.Connection, now_ns: int, replaced: Iterable[Replaced]) -> None:
    """Write down what was there until now; nothing while there is no record, as in a first index.

    Drops the oldest rows when there are many; the record then begins later.
    """
    if began(connection) is None:
        return
    for row in replaced:
        _add(connection, row, now_ns)
    if int(scalar(connection, "SELECT count(*) FROM replaced")) <= 2 * KEEP:
        return
    sql = "SELECT id, until_ns FROM replaced ORDER BY id DESC LIMIT 1 OFFSET ?"
    last, until_ns = select(connection, sql, (KEEP,))[0]
    connection.execute("DELETE FROM replaced WHERE id <= ?", (last,))
    # Ids order the rows, and that of the beginning may be any: it is found by its path.
    _add(connection, Replaced(_BEGINNING, Digest("")), until_ns)


def clear(connection: apsw.Connection) -> None:
    """Forget the record: the index is about to be that of another tree."""
    connection.execute("DELETE FROM replaced; DELETE FROM kept_edges")


def began(connection: apsw.Connection) -> int | None:
    """Since when the record is whole; None where there is none."""
    found = scalar(connection, "SELECT until_ns FROM replaced WHERE path = x''")
    return None if found is None else int(found)


def at(connection: apsw.Connection, since_ns: int) -> list[Replaced]:
    """What the files that were replaced since a moment were at that moment, by path."""
    rows = select(
        connection,
        # Clocks are set back: the order is that in which rows were written.
        "SELECT path, digest, language, is_test, digest = '' OR EXISTS (SELECT 1 FROM contents c"
        " WHERE c.digest = r.digest AND c.language = r.language) FROM replaced r WHERE id IN"
        " (SELECT min(id) FROM replaced WHERE until_ns >= ? AND path != x'' GROUP BY path)"
        " ORDER BY path",
        (since_ns,),
    )
    return [_as_record(*row) for row in rows]


def last(connection: apsw.Connection) -> int | None:
    """The id of the last row; None where there is no record."""
    return None if began(connection) is None else scalar(connection, "SELECT max(id) FROM replaced")


def whole_since(connection: apsw.Connection) -> int:
    """The least id after which no row is missing."""
    sql = "SELECT coalesce(min(id), 1) - 1 FROM replaced WHERE path != x''"
    return int(scalar(connection, sql))


def different_since(connection: apsw.Connection, number: int) -> list[Replaced]:
    """What files were when row `number` was the last one, of those that are different now."""
    rows = select(
        connection,
        "SELECT r.path, r.digest, r.language, r.is_test FROM replaced r LEFT JOIN files f"
        " USING (path) WHERE r.id IN (SELECT min(id) FROM replaced"
        " WHERE id > ? AND path != x'' GROUP BY path)"
        " AND (r.digest, r.language) != (ifnull(f.digest, ''), ifnull(f.language, ''))"
        " ORDER BY r.path",
        (number,),
    )
    return [_as_record(*row) for row in rows]


def _as_record(path: bytes, digest: str, language: str, is_test: int, is_kept: int = 1) -> Replaced:
    return Replaced(decode_path(path), Digest(digest), language, bool(is_test), bool(is_kept))


def checksum(path: bytes, until_ns: int, digest: str, language: str, is_test: int) -> bytes:
    """BLAKE2b-64 of a row; on disk it is the column `seal`."""
    row = repr((path, until_ns, digest, language, is_test))
    return blake2b(row.encode(), digest_size=8).digest()


def _add(connection: apsw.Connection, row: Replaced, until_ns: int) -> None:
    written = (encode_path(row.path), until_ns, row.digest, row.language, int(row.is_test))
    connection.execute(
        "INSERT INTO replaced VALUES (NULL, ?, ?, ?, ?, ?, ?)", (*written, checksum(*written))
    )
