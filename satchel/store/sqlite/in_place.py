"""Files whose text changed while their chunks and symbols stay as many: the rows are rewritten.

Ids stay, and with them every edge. Rows that an edit further up has moved alike are rewritten by
one statement; of other rows only the columns that differ are written, and of the lexical index only
the entries that differ: most edits move lines and change few words. Every function expects an open
transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from satchel.store.model import Digest
from satchel.store.records import FileStat
from satchel.store.sqlite import chunk_id_log, term_rows
from satchel.store.sqlite.database import select
from satchel.store.sqlite.differences import Cells, ChangedRow, ChangedRows, Difference

_SHIFTED = {
    "chunks": ("start_line", "end_line", "start_byte", "end_byte"),
    "symbols": ("start_line", "end_line", "start_byte", "end_byte", "line"),
    "refs": ("line",),
    "imports": ("line",),
}
_IDS = {"symbol_id", "parent_id", "scope_id"}
"""Columns that name a symbol of the same file."""


class Rewrite(NamedTuple):
    """A file that becomes another; its chunks and symbols have these first ids."""

    file_id: int
    first_chunk: int
    first_symbol: int
    digest: Digest
    language: str
    stat: FileStat
    is_test: bool
    difference: Difference


class _Changes(NamedTuple):
    """What changes of the rows that a file has in a table; `ids` are those of all its rows."""

    ids: Sequence[int]
    first_symbol: int
    rows: ChangedRows


def rewrite(connection: apsw.Connection, files: Sequence[Rewrite]) -> None:
    """Write what differs; edges, and what they depend on, are left to the caller."""
    for file in files:
        chunk_id_log.record(connection, file.first_chunk, file.difference.chunks.n_rows)
    _write_files(connection, files)
    _write(connection, "chunks", [_of_ids(f, f.first_chunk, f.difference.chunks) for f in files])
    symbols = [_of_ids(f, f.first_symbol, f.difference.symbols) for f in files]
    _write(connection, "symbols", symbols)
    _write_listed(connection, "refs", [(f, f.difference.references) for f in files])
    _write_listed(connection, "imports", [(f, f.difference.imports) for f in files])
    _write_listed(connection, "problems", [(f, f.difference.problems) for f in files])
    gone = [(f.first_chunk, f.difference.gone) for f in files if f.difference.gone is not None]
    come = [(f.first_chunk, f.difference.come) for f in files if f.difference.come is not None]
    term_rows.replace(connection, gone, come)
    term_rows.count_lengths(connection, (each for _, each in gone), -1)
    term_rows.count_lengths(connection, (each for _, each in come))


def _write_files(connection: apsw.Connection, files: Iterable[Rewrite]) -> None:
    connection.executemany(
        "UPDATE files SET digest = ?, language = ?, size = ?, mtime_ns = ?, inode = ?, n_lines = ?,"
        " is_test = ?, shape = ? WHERE id = ?",
        (
            (f.digest, f.language, f.stat.size, f.stat.times_ns, f.stat.inode,
             f.difference.n_lines[1], f.is_test, f.difference.shapes[1], f.file_id)
            for f in files
        ),
    )  # fmt: skip


def _of_ids(file: Rewrite, first: int, changed: ChangedRows) -> _Changes:
    return _Changes(range(first, first + changed.n_rows), file.first_symbol, changed)


def _write_listed(
    connection: apsw.Connection, table: str, files: Iterable[tuple[Rewrite, ChangedRows]]
) -> None:
    """Write a table whose rows have their order for a number."""
    moved: list[tuple[int, int]] = []
    changes: list[_Changes] = []
    for file, changed in files:
        if changed.whole is not None:
            _replace(connection, table, file, changed.whole[1])
        elif not changed.others and _is_one_run(changed):
            moved.append((changed.runs[0].shift[0], file.file_id))
        elif changed.others or changed.runs:
            ids = _row_ids(connection, table, file.file_id)
            # Where it is not so rows were lost, which `validate` finds.
            if len(ids) == changed.n_rows:
                changes.append(_Changes(ids, file.first_symbol, changed))
    # Mostly all rows of a file moved alike, and no id has to be looked up.
    connection.executemany(f"UPDATE {table} SET line = line + ? WHERE file_id = ?", moved)
    _write(connection, table, changes)


def _is_one_run(changed: ChangedRows) -> bool:
    """Whether all rows moved alike."""
    runs = changed.runs
    return len(runs) == 1 and runs[0].first == 0 and runs[0].last == changed.n_rows - 1


def _replace(connection: apsw.Connection, table: str, file: Rewrite, made: Iterable[Cells]) -> None:
    """Replace all rows of a file; in those that are given the file has number 0."""
    connection.execute(f"DELETE FROM {table} WHERE file_id = ?", (file.file_id,))
    columns = _columns(connection, table)
    connection.executemany(
        f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})",
        ((file.file_id, *_values(columns[1:], file.first_symbol, row[1:])) for row in made),
    )


def _row_ids(connection: apsw.Connection, table: str, file_id: int) -> Sequence[int]:
    """The numbers of the rows of a file in a table, in order."""
    # Most files have a row of numbers without gaps, whose ends cost a tenth of all of them.
    ends = f"SELECT min(rowid), max(rowid), count(*) FROM {table} WHERE file_id = ?"
    first, last, n_rows = select(connection, ends, (file_id,))[0]
    if not n_rows:
        return ()
    if last - first + 1 == n_rows:
        return range(first, last + 1)
    sql = f"SELECT rowid FROM {table} WHERE file_id = ? ORDER BY rowid"
    return [row[0] for row in select(connection, sql, (file_id,))]


def _write(connection: apsw.Connection, table: str, changes: Iterable[_Changes]) -> None:
    """Move rows, then write the columns that differ."""
    moves: list[tuple[int, ...]] = []
    # A column that is named is written to every index that has it, whether it differs or not.
    differing: defaultdict[tuple[int, ...], list[tuple[int, int, ChangedRow]]] = defaultdict(list)
    for ids, first_symbol, changed in changes:
        for run in changed.runs:
            span = ids[run.first : run.last + 1]
            ends = (
                [(span[0], span[-1])] if isinstance(span, range) else zip(span, span, strict=True)
            )
            moves += ((*run.shift, *each) for each in ends)
        for row in changed.others:
            differing[row.columns].append((ids[row.number], first_symbol, row))
    if moves:
        names = ", ".join(f"{name} = {name} + ?" for name in _SHIFTED[table])
        sql = f"UPDATE {table} SET {names} WHERE rowid BETWEEN ? AND ?"
        connection.executemany(sql, moves)
    columns = _columns(connection, table) if differing else []
    for numbers, changed_rows in differing.items():
        named = [columns[n] for n in numbers]
        sql = f"UPDATE {table} SET {', '.join(f'{n} = ?' for n in named)} WHERE rowid = ?"
        connection.executemany(
            sql, ((*_values(named, first, row.now), id) for id, first, row in changed_rows)
        )


def _columns(connection: apsw.Connection, table: str) -> list[str]:
    """The columns of a table in order, without the id of a row."""
    sql = "SELECT name FROM pragma_table_info(?) WHERE name != 'id' ORDER BY cid"
    return [row[0] for row in select(connection, sql, (table,))]


def _values(columns: Sequence[str], first_symbol: int, cells: Cells) -> list[object]:
    """What is bound for a row: the ids of symbols are counted from the first one of the file."""
    return [
        value + first_symbol if name in _IDS and isinstance(value, int) else value
        for name, value in zip(columns, cells, strict=True)
    ]
