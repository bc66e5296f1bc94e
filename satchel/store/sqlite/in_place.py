"""Files whose text changed while their chunks and symbols stay as many: the rows are rewritten.

Ids stay, and with them every edge. Of the lexical index only the entries that differ are written:
most edits move lines and change few words. Every function expects an open transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import apsw

from satchel.store import postings
from satchel.store.postings import FilePostings
from satchel.store.records import IndexedFile
from satchel.store.sqlite import chunk_id_log, rows, term_rows
from satchel.store.sqlite.rows import Row


class Rewrite(NamedTuple):
    """A file that becomes another; its chunks and symbols have these first ids."""

    file_id: int
    first_chunk: int
    first_symbol: int
    was: IndexedFile
    now: IndexedFile


def rewrite(connection: apsw.Connection, files: Sequence[Rewrite]) -> None:
    """Write what differs; edges, and what they depend on, are left to the caller."""
    for file_id, first_chunk, first_symbol, was, now in files:
        chunk_id_log.record(connection, first_chunk, len(now.facts.chunks))
        row = rows.file_row(now, first_chunk, first_symbol)
        _insert(connection, "files", [(file_id, *row)])
        _insert(connection, "chunks", rows.chunk_rows(now, file_id, first_chunk, first_symbol))
        _insert(connection, "symbols", rows.symbol_rows(now, file_id, first_symbol))
        for table, values, made in (
            ("refs", "references", rows.reference_rows(now, file_id, first_symbol)),
            ("imports", "imports", rows.import_rows(now, file_id)),
            ("problems", "problems", rows.problem_rows(now, file_id)),
        ):
            if getattr(was.facts, values) != getattr(now.facts, values):
                connection.execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
                _insert(connection, table, made)
    _rewrite_terms(connection, files)


def _insert(connection: apsw.Connection, table: str, made: Iterable[Row]) -> None:
    """Write rows; one whose id is there is replaced."""
    for width, found in groupby(made, len):
        marks = ", ".join("?" * width)
        connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", found)


def _rewrite_terms(connection: apsw.Connection, files: Iterable[Rewrite]) -> None:
    gone: list[tuple[int, FilePostings]] = []
    come: list[tuple[int, FilePostings]] = []
    for file in files:
        if file.was.postings != file.now.postings:
            out, new = postings.differences(file.was.postings, file.now.postings)
            gone.append((file.first_chunk, out))
            come.append((file.first_chunk, new))
    term_rows.replace(connection, gone, come)
    term_rows.count_lengths(connection, (each for _, each in gone), -1)
    term_rows.count_lengths(connection, (each for _, each in come))
