"""Earlier contents of files, as the index recorded them, for trees without git.

A refresh that finds other contents at a path, or none, records which contents were there before;
the contents themselves stay as long as `store.sqlite.earlier.retention` keeps them. The row with
the empty path says when the record begins. Times are nanoseconds since the epoch: when the refresh
started that saw the change, not when the file was saved. Every function that writes expects an open
transaction.
"""

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from satchel.store.model import Digest, RepoPath
from satchel.store.platform.blake2 import blake2b
from satchel.store.sqlite.database import scalar, select
from satchel.store.sqlite.rows import decode_path, encode_path
from satchel.store.sqlite.schema import FORGET_EARLIER

KEEP = 20_000
"""Rows that stay after the table has twice as many: months of saves, or a few branch switches."""
_BEGINNING = RepoPath("")


class Replaced(NamedTuple):
    """The earlier contents of a path; `digest` is "" where there was no file."""

    path: RepoPath
    digest: Digest
    language: str = ""
    is_test: bool = False
    is_kept: bool = True
    """Whether the index still has the contents; always so where there was no file."""


def begin(connection: apsw.Connection, now_ns: int) -> None:
    """Begin the record, unless it has begun."""
    if began(connection) is None:
        _add(connection, [Replaced(_BEGINNING, Digest(""))], now_ns)


def record(connection: apsw.Connection, now_ns: int, replaced: Iterable[Replaced]) -> None:
    """Record the earlier contents; does nothing before the record begins, as in a first index.

    Drops the oldest rows when there are many; the record then begins later.
    """
    if began(connection) is None:
        return
    _add(connection, replaced, now_ns)
    if int(scalar(connection, "SELECT count(*) FROM replaced")) <= 2 * KEEP:
        return
    sql = "SELECT id, until_ns FROM replaced ORDER BY id DESC LIMIT 1 OFFSET ?"
    last, until_ns = select(connection, sql, (KEEP,))[0]
    connection.execute("DELETE FROM replaced WHERE id <= ?", (last,))
    # Ids order the rows, and that of the beginning may be any: it is found by its path.
    _add(connection, [Replaced(_BEGINNING, Digest(""))], until_ns)


def clear(connection: apsw.Connection) -> None:
    """Forget the record: the index is about to be that of another tree."""
    connection.execute(FORGET_EARLIER)


def began(connection: apsw.Connection) -> int | None:
    """The time from which the record is complete; None where there is none."""
    found = scalar(connection, "SELECT until_ns FROM replaced WHERE path = x''")
    return None if found is None else int(found)


def at(connection: apsw.Connection, since_ns: int) -> list[Replaced]:
    """The contents, at some moment, of the files that were replaced since then, by path."""
    rows = select(
        connection,
        # A clock may be set back, so rows are ordered as they were written.
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
    """The contents, when row `number` was the last one, of the files that are different now."""
    sql = (
        "SELECT r.path, r.digest, r.language, r.is_test FROM replaced r"
        " LEFT JOIN files f USING (path)"
        " WHERE r.id IN (SELECT min(id) FROM replaced WHERE id > ? AND path != x'' GROUP BY path)"
        " AND (r.digest, r.language) != (ifnull(f.digest, ''), ifnull(f.language, ''))"
        " ORDER BY r.path"
    )
    return [_as_record(*row) for row in select(connection, sql, (number,))]


def _as_record(path: bytes, digest: str, language: str, is_test: int, is_kept: int = 1) -> Replaced:
    return Replaced(decode_path(path), Digest(digest), language, bool(is_test), bool(is_kept))


def checksum(path: bytes, until_ns: int, digest: str, language: str, is_test: int) -> bytes:
    """BLAKE2b-64 of a row; on disk it is the column `seal`."""
    row = repr((path, until_ns, digest, language, is_test))
    return blake2b(row.encode(), digest_size=8).digest()


def _add(connection: apsw.Connection, rows: Iterable[Replaced], until_ns: int) -> None:
    written = (
        (encode_path(row.path), until_ns, row.digest, row.language, int(row.is_test))
        for row in rows
    )
    connection.executemany(
        "INSERT INTO replaced VALUES (NULL, ?, ?, ?, ?, ?, ?)",
        ((*row, checksum(*row)) for row in written),
    )
