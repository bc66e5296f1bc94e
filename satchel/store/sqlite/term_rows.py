"""The rows of the lexical index (`satchel.store.postings`): chunks are put in and taken out.

Every function expects an open transaction.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import apsw

from satchel.store import postings
from satchel.store.postings import FilePostings
from satchel.store.sqlite.chunk_id_log import IdRange

_ROWS_AT_ONCE = 4_000
"""Rows that are read before they are written: some MB."""
Row = tuple[str, int]
"""(term, block): the key of a stored row."""


def prepare(connection: apsw.Connection) -> None:
    """Tell a connection how entries are merged; `add` needs it."""
    # SQLite merges entries by calling Python within one statement: reading, merging and writing
    # each row would be three statements for every term of a file.
    merged: Any = postings.merged
    connection.create_scalar_function("merged", merged, 2, deterministic=True)


def add(connection: apsw.Connection, indexed: Sequence[tuple[int, FilePostings]]) -> None:
    """Put in the terms of files, whose first chunk ids are given; lengths are not counted."""
    connection.executemany(
        "INSERT INTO postings VALUES (?, ?, ?) ON CONFLICT (term, block) DO UPDATE"
        " SET entries = merged(entries, excluded.entries)",
        postings.rows(indexed),
    )


def count_lengths(
    connection: apsw.Connection, indexed: Iterable[FilePostings], sign: int = 1
) -> None:
    """Count the lengths of fields up, or with -1 down: BM25 needs the mean length of each."""
    totals = [sum(column) for column in zip(*(each.lengths for each in indexed), strict=True)]
    connection.executemany(
        "INSERT INTO field_lengths VALUES (?, ?) ON CONFLICT (field) DO UPDATE"
        " SET total = total + excluded.total",
        ((field, sign * total) for field, total in enumerate(totals) if total),
    )


def keys_of(terms: Iterable[str], chunks: IdRange) -> Iterable[Row]:
    """The rows that hold what chunks have of some terms."""
    # The chunks of a file may lie across the border of two blocks.
    first, last = chunks.first, chunks.first + chunks.n_ids - 1
    blocks = range(first >> postings.BLOCK_BITS, (last >> postings.BLOCK_BITS) + 1)
    return product(terms, blocks)


def remove(connection: apsw.Connection, keys: Iterable[Row], ranges: Sequence[IdRange]) -> None:
    """Take chunks out of all rows with these keys."""
    # Each row is rewritten once, for all files that go from it: those that change together share
    # most of their terms.
    rows = sorted(set(keys))
    sql = "SELECT term, block, entries FROM postings WHERE term = ? AND block = ?"
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        found = [*connection.executemany(sql, rows[start : start + _ROWS_AT_ONCE])]
        rest = postings.without_chunks([row[1:] for row in found], ranges)
        changed = [
            (entries, *row[:2])
            for row, entries in zip(found, rest, strict=True)
            if len(entries) != len(row[2])
        ]
        connection.executemany(
            "UPDATE postings SET entries = ? WHERE term = ? AND block = ?",
            (row for row in changed if row[0]),
        )
        connection.executemany(
            "DELETE FROM postings WHERE term = ? AND block = ?",
            (row[1:] for row in changed if not row[0]),
        )
