"""A log of the chunk ids that were reassigned, by which arrays in memory are updated.

Chunk ids are used again (`store.sqlite.chunk_ids`), so an array indexed by chunk id is wrong
wherever a file was added or removed. Each such file leaves the range of its ids here, under the
content generation that wrote it. A reader with an array of an earlier generation reads the rows in
the ranges logged since, and nothing else (`store.reading.snapshot_cache`). Old entries are dropped;
an array that is older than the log is made anew.
"""

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from satchel.store.sqlite.database import scalar, select

KEEP = 1_000
"""Ranges that stay when there are twice as many: those of some hundred saves."""
# On disk the log is the table `rewritten`, and the content generation its column `text`.
_LOG_START = "SELECT value FROM meta WHERE key = 'rewritten'"


class IdRange(NamedTuple):
    """`n_ids` consecutive chunk ids, from `first`."""

    first: int
    n_ids: int


def ids_in(ranges: Iterable[IdRange]) -> set[int]:
    """All ids of some ranges, which may overlap."""
    return {i for first, n_ids in ranges for i in range(first, first + n_ids)}


def record(connection: apsw.Connection, first_chunk: int, n_chunks: int) -> None:
    """Log ids that change hands with the next generation; expects its open transaction."""
    connection.execute(
        "INSERT OR IGNORE INTO rewritten SELECT value + 1, ?, ? FROM meta WHERE key = 'generation'",
        (first_chunk, n_chunks),
    )


def trim(connection: apsw.Connection) -> int:
    """Drop the oldest entries when there are many.

    Returns the generation since which the log is whole, for `meta`.
    """
    if int(scalar(connection, "SELECT count(*) FROM rewritten")) <= 2 * KEEP:
        return int(scalar(connection, _LOG_START) or 0)
    sql = "SELECT text FROM rewritten ORDER BY text DESC LIMIT 1 OFFSET ?"
    last = int(scalar(connection, sql, (KEEP,)))
    # A generation goes whole: a part of its ranges would update an array to something wrong.
    connection.execute("DELETE FROM rewritten WHERE text <= ?", (last,))
    return last


def clear(connection: apsw.Connection) -> int:
    """Drop every entry, after a change to more than whole files; returns as `trim` does."""
    connection.execute("DELETE FROM rewritten")
    return int(scalar(connection, "SELECT value + 1 FROM meta WHERE key = 'generation'"))


def changed_since(connection: apsw.Connection, generation: int) -> list[IdRange] | None:
    """The ranges logged after a content generation; None where the log does not go back so far."""
    start = scalar(connection, _LOG_START)
    if start is None or generation < int(start):
        return None
    sql = "SELECT DISTINCT first_chunk, n_chunks FROM rewritten WHERE text > ? ORDER BY 1, 2"
    return [IdRange(*row) for row in select(connection, sql, (generation,))]
