"""Which ids of chunks came to mean something else, and when: what arrays in memory are kept up by.

Each file that is added or removed leaves the range of its chunk ids here, under the generation of
the text that did so. Whoever holds arrays of an earlier text reads again what lies in the ranges
since, and nothing else (`store.reading.snapshot_cache`). The oldest are dropped; who is further
behind reads all.
"""

from __future__ import annotations

import apsw

from satchel.store.sqlite.database import scalar, select

Range = tuple[int, int]
"""The first id, and how many."""
KEEP = 1_000
"""Ranges that stay when there are twice as many: those of some hundred saves."""
_KNOWN = "SELECT value FROM meta WHERE key = 'rewritten'"


def note(connection: apsw.Connection, first_chunk: int, n_chunks: int) -> None:
    """Say that ids mean something else from the next generation on; expects its transaction."""
    connection.execute(
        "INSERT OR IGNORE INTO rewritten SELECT value + 1, ?, ? FROM meta WHERE key = 'generation'",
        (first_chunk, n_chunks),
    )


def prune(connection: apsw.Connection) -> int:
    """Drop the oldest when there are many; returns since when all are known, for `meta`."""
    if int(scalar(connection, "SELECT count(*) FROM rewritten")) <= 2 * KEEP:
        return int(scalar(connection, _KNOWN) or 0)
    sql = "SELECT text FROM rewritten ORDER BY text DESC LIMIT 1 OFFSET ?"
    last = int(scalar(connection, sql, (KEEP,)))
    connection.execute("DELETE FROM rewritten WHERE text <= ?", (last,))
    return last


def forget(connection: apsw.Connection) -> int:
    """Drop all, when more than whole files was written; returns as `prune` does."""
    connection.execute("DELETE FROM rewritten")
    return int(scalar(connection, "SELECT value + 1 FROM meta WHERE key = 'generation'"))


def since(connection: apsw.Connection, text: int) -> list[Range] | None:
    """The ranges rewritten after the text of a generation; None where that is not known."""
    known = scalar(connection, _KNOWN)
    if known is None or text < int(known):
        return None
    sql = "SELECT DISTINCT first_chunk, n_chunks FROM rewritten WHERE text > ? ORDER BY 1, 2"
    return [(first, n) for first, n in select(connection, sql, (text,))]
