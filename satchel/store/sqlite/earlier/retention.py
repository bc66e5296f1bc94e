"""Contents that no file has any more ("retired"): kept for when they come back, within bounds.

A branch switch retires thousands of contents and the switch back wants them again; a day of saves
retires a hundred thousand that nobody wants again. Every function expects an open transaction.
"""

from collections.abc import Iterable

import apsw

from satchel.store.sqlite.database import pages, scalar, select

FLOOR_BYTES = 16 << 20
"""What may be kept however small the index is."""
_EXTRA_SHARE = 0.1
"""How much more than needed is dropped at once: looking for the oldest costs a sort."""
Key = tuple[str, str]
"""(digest, language) of some bytes."""


def restore(connection: apsw.Connection, keys: Iterable[Key]) -> None:
    """Take contents off the list of the retired: a file has them again."""
    sql = "DELETE FROM retired WHERE digest = ? AND language = ?"
    connection.executemany(sql, keys)


def retire(connection: apsw.Connection, keys: Iterable[Key]) -> None:
    """Put contents on the list of the retired, unless a file still has them."""
    connection.executemany(
        "INSERT OR REPLACE INTO retired"
        " SELECT c.digest, c.language, (SELECT value FROM meta WHERE key = 'generation'),"
        " length(c.facts) + length(c.source) + length(c.postings) + length(c.flows)"
        " + (SELECT coalesce(sum(length(v.vectors)), 0) FROM vectors v"
        "    WHERE v.digest = c.digest AND v.language = c.language)"
        " + (SELECT coalesce(sum(length(g.signature)), 0) FROM grams g"
        "    WHERE g.digest = c.digest AND g.language = c.language) FROM contents c"
        " WHERE c.digest = ?1 AND c.language = ?2 AND NOT EXISTS"
        " (SELECT 1 FROM files f WHERE f.digest = c.digest AND f.language = c.language)",
        keys,
    )


def prune(connection: apsw.Connection, max_bytes: int) -> int:
    """Drop the longest retired until the rest takes at most `max_bytes`; returns how many.

    Nor may it take more than the index in use, which is what a branch switch can want back, unless
    that is less than `FLOOR_BYTES`.
    """
    retired_bytes = scalar(connection, "SELECT sum(bytes) FROM retired") or 0
    if not retired_bytes:
        return 0
    free, total, page_size = pages(connection)
    # What is retired lies in the same file: what is left of it is the index in use.
    in_use_bytes = (total - free) * page_size - retired_bytes
    limit = min(max_bytes, max(FLOOR_BYTES, in_use_bytes))
    if retired_bytes <= limit:
        return 0
    excess = retired_bytes - limit * (1 - _EXTRA_SHARE)
    dropped: list[Key] = []
    # One generation retires many contents; digests decide among them, so that the order is total.
    sql = "SELECT digest, language, bytes FROM retired ORDER BY generation, digest, language"
    for digest, language, size in select(connection, sql):
        if excess <= 0:
            break
        dropped.append((digest, language))
        excess -= size
    for table in ("contents", "grams", "vectors", "retired"):
        connection.executemany(f"DELETE FROM {table} WHERE digest = ? AND language = ?", dropped)
    return len(dropped)
