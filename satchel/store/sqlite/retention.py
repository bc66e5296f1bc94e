"""Contents that no file holds any more: kept for when they come back, within bounds.

A branch switch lets go of thousands of files and the switch back wants them again; a day of saves
lets go of a hundred thousand that nobody wants again. Every function expects an open transaction.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from satchel.store.sqlite.database import pages, scalar, select

FLOOR_BYTES = 16 << 20
"""What may be kept however small the index is."""
_ROOM_SHARE = 0.1
"""How much more than needed is dropped at once: looking for the oldest costs a sort."""
Key = tuple[str, str]
"""(digest, language) of some bytes."""


def hold(connection: apsw.Connection, keys: Iterable[Key]) -> None:
    """Take contents off the list of those that may go: a file holds them again."""
    sql = "DELETE FROM retired WHERE digest = ? AND language = ?"
    connection.executemany(sql, keys)


def release(connection: apsw.Connection, keys: Iterable[Key]) -> None:
    """Put contents on the list of those that may go, unless a file still holds them."""
    connection.executemany(
        "INSERT OR REPLACE INTO retired"
        " SELECT c.digest, c.language, (SELECT value FROM meta WHERE key = 'generation'),"
        " length(c.facts) + length(c.source) + length(c.postings) + length(c.flows)"
        " + (SELECT coalesce(sum(length(v.vectors)), 0) FROM vectors v"
        "    WHERE v.digest = c.digest AND v.language = c.language) FROM contents c"
        " WHERE c.digest = ?1 AND c.language = ?2 AND NOT EXISTS"
        " (SELECT 1 FROM files f WHERE f.digest = c.digest AND f.language = c.language)",
        keys,
    )


def prune(connection: apsw.Connection, max_bytes: int) -> int:
    """Drop what was let go of first until the rest takes at most `max_bytes`; returns how many.

    Nor may it take more than the index in use, which is what a branch switch can want back, unless
    that is less than `FLOOR_BYTES`.
    """
    held = scalar(connection, "SELECT sum(bytes) FROM retired") or 0
    if not held:
        return 0
    limit = min(max_bytes, max(FLOOR_BYTES, _bytes_in_use(connection) - held))
    if held <= limit:
        return 0
    excess = held - limit * (1 - _ROOM_SHARE)
    dropped: list[Key] = []
    sql = "SELECT digest, language, bytes FROM retired ORDER BY generation, digest, language"
    for digest, language, size in select(connection, sql):
        if excess <= 0:
            break
        dropped.append((digest, language))
        excess -= size
    for table in ("contents", "vectors", "retired"):
        connection.executemany(f"DELETE FROM {table} WHERE digest = ? AND language = ?", dropped)
    return len(dropped)


def _bytes_in_use(connection: apsw.Connection) -> int:
    free, total, size = pages(connection)
    return (total - free) * size
