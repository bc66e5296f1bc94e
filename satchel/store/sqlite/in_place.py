"""Files whose text changed while their chunks and symbols stay as many: the rows are rewritten.

Ids stay, and with them every edge. Rows that an edit further up has moved alike are rewritten by
one statement; of other rows only the columns that differ are written, and of the lexical index only
the terms that differ: most edits move lines and change few words. Every function expects an open
transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count, islice
from typing import NamedTuple, TypeVar

import apsw
from msgspec import Struct

from satchel.store import postings
from satchel.store.model import Chunk, Reference, Span, Symbol
from satchel.store.postings import FilePostings
from satchel.store.records import IndexedFile
from satchel.store.sqlite import chunk_id_log, rows, term_rows
from satchel.store.sqlite.chunk_id_log import IdRange
from satchel.store.sqlite.database import select
from satchel.store.sqlite.rows import Row

Pair = tuple[int, Row, Row]
"""The id of a row, what it was and what it is."""
_Lists = tuple[int, list[Row], list[Row]]
"""The id of a file, its rows of a table as they were and as they are."""
_Shift = tuple[int, ...]
"""What is added to the columns of a row that say where it stands; see `_SHIFTED`."""
_T = TypeVar("_T")
_SHIFTED = {
    "chunks": ("start_line", "end_line", "start_byte", "end_byte"),
    "symbols": ("start_line", "end_line", "start_byte", "end_byte", "line"),
    "refs": ("line",),
}


class _Run(Struct):
    """Rows one after the other that moved alike, by their first and their last id."""

    shift: _Shift
    first: int
    last: int


class Rewrite(NamedTuple):
    """A file as it was and as it is: as many chunks and symbols, whose first ids are given.

    `shapes` are those of both (`store.sqlite.rows.shape`), None for one that is to be told.
    """

    file_id: int
    first_chunk: int
    first_symbol: int
    before: IndexedFile
    after: IndexedFile
    shapes: tuple[bytes | None, bytes | None] = (None, None)


def rewrite(connection: apsw.Connection, files: Sequence[Rewrite]) -> None:
    """Write what differs; edges, and what they depend on, are left to the caller."""
    for file in files:
        chunk_id_log.record(connection, file.first_chunk, len(file.after.facts.chunks))
    _update(connection, "files", chain.from_iterable(map(_file_rows, files)))
    _rewrite_chunks(connection, files)
    _rewrite_symbols(connection, files)
    # Comparing facts costs less than making rows of them to compare.
    changed = [(file, file.before.facts, file.after.facts) for file in files]
    imports = [_imports(f) for f, was, now in changed if was.imports != now.imports]
    problems = [_problems(f) for f, was, now in changed if was.problems != now.problems]
    _rewrite_references(connection, [f for f, a, b in changed if a.references != b.references])
    _replace(connection, "imports", imports)
    _replace(connection, "problems", problems)
    _rewrite_terms(connection, [f for f in files if f.before.postings != f.after.postings])


def _file_rows(file: Rewrite) -> Iterable[Pair]:
    was, now = (
        rows.file_row(each, *file[1:3], shape)
        for each, shape in zip(file[3:5], file.shapes, strict=True)
    )
    yield file.file_id, was, now


def _rewrite_chunks(connection: apsw.Connection, files: Iterable[Rewrite]) -> None:
    runs: list[_Run] = []
    pairs: list[Pair] = []
    for file in files:
        was, now = (each.facts.chunks for each in file[3:5])
        others = _add_runs(runs, count(file.first_chunk), was, now, _shift_of_chunk)
        if places := _to_rewrite(file, others, len(now)):
            made = [list(rows.chunk_rows(each, *file[:3])) for each in file[3:5]]
            pairs += [(file.first_chunk + n, made[0][n][1:], made[1][n][1:]) for n in places]
    _write_runs(connection, "chunks", runs)
    _update(connection, "chunks", pairs)


def _rewrite_symbols(connection: apsw.Connection, files: Iterable[Rewrite]) -> None:
    runs: list[_Run] = []
    pairs: list[Pair] = []
    for file in files:
        was, now = (each.facts.symbols for each in file[3:5])
        others = _add_runs(runs, count(file.first_symbol + 1), was, now, _shift_of_symbol)
        # The first row is the module, which ends where the file does.
        places = [0, *(n + 1 for n in _to_rewrite(file, others, len(now)))]
        ids = file.file_id, file.first_symbol
        made = [list(islice(rows.symbol_rows(f, *ids), places[-1] + 1)) for f in file[3:5]]
        pairs += [(file.first_symbol + n, made[0][n][1:], made[1][n][1:]) for n in places]
    _write_runs(connection, "symbols", runs)
    _update(connection, "symbols", pairs)


def _to_rewrite(file: Rewrite, others: Sequence[int], n_rows: int) -> Sequence[int]:
    """The places of rows that did more than move: all, where the file became test code or is none
    any more, since every row says so."""
    return range(n_rows) if file.before.is_test != file.after.is_test else others


def _rewrite_references(connection: apsw.Connection, files: Iterable[Rewrite]) -> None:
    runs: list[_Run] = []
    pairs: list[Pair] = []
    others: list[_Lists] = []
    for file in files:
        was, now = (each.facts.references for each in file[3:5])
        ids = _row_ids(connection, "refs", file.file_id)
        if not len(ids) == len(was) == len(now):
            others.append(_references(file))
        elif places := _add_runs(runs, ids, was, now, _shift_of_reference):
            _, before, after = _references(file)
            pairs += [(ids[n], before[n], after[n]) for n in places]
    _write_runs(connection, "refs", runs)
    _update(connection, "refs", pairs)
    _replace(connection, "refs", others)


def _add_runs(
    runs: list[_Run], ids: Iterable[int], was: Iterable[_T], now: Iterable[_T],
    shift_of: Callable[[_T, _T], _Shift | None],
) -> list[int]:  # fmt: skip
    """Add runs of values that moved alike; returns the places of values that did more than that."""
    others: list[int] = []
    last = _Run((), 0, -2)
    for place, (id, before, after) in enumerate(zip(ids, was, now, strict=False)):
        shift = shift_of(before, after)
        if shift is None:
            others.append(place)
        # Rows of another file may lie between those of one.
        elif shift == last.shift and id == last.last + 1:
            last.last = id
        elif any(shift):
            last = _Run(shift, id, id)
            runs.append(last)
    return others


def _write_runs(connection: apsw.Connection, table: str, runs: Iterable[_Run]) -> None:
    names = ", ".join(f"{name} = {name} + ?" for name in _SHIFTED[table])
    sql = f"UPDATE {table} SET {names} WHERE rowid BETWEEN ? AND ?"
    connection.executemany(sql, ((*run.shift, run.first, run.last) for run in runs))


def _shift_of_chunk(was: Chunk, now: Chunk) -> _Shift | None:
    """How a chunk moved; None when more of it has changed."""
    is_same = (
        (was.kind, was.symbol, was.header, was.tokens, was.is_test)
        == (now.kind, now.symbol, now.header, now.tokens, now.is_test)
    )  # fmt: skip
    return _shift_of_span(was.span, now.span) if is_same else None


def _shift_of_symbol(was: Symbol, now: Symbol) -> _Shift | None:
    """How a symbol moved; None when more of it has changed."""
    is_same = (
        was.name == now.name and was.qualified_name == now.qualified_name and was.kind is now.kind
        and was.signature == now.signature and was.doc == now.doc
        and was.visibility is now.visibility and was.parent == now.parent
        and was.is_test == now.is_test
    )  # fmt: skip
    return (*_shift_of_span(was.span, now.span), now.line - was.line) if is_same else None


def _shift_of_span(was: Span, now: Span) -> _Shift:
    return (
        now.start_line - was.start_line, now.end_line - was.end_line,
        now.start_byte - was.start_byte, now.end_byte - was.end_byte,
    )  # fmt: skip


def _shift_of_reference(was: Reference, now: Reference) -> _Shift | None:
    """How a reference moved; None when more of it has changed."""
    is_same = (
        was.name == now.name and was.scope == now.scope and was.receiver == now.receiver
        and was.kind is now.kind
    )  # fmt: skip
    return (now.line - was.line,) if is_same else None


def _references(file: Rewrite) -> _Lists:
    was, now = (rows.reference_rows(f, file.file_id, file.first_symbol) for f in file[3:5])
    return file.file_id, list(was), list(now)


def _imports(file: Rewrite) -> _Lists:
    was, now = (rows.import_rows(f, file.file_id) for f in file[3:5])
    return file.file_id, list(was), list(now)


def _problems(file: Rewrite) -> _Lists:
    was, now = (rows.problem_rows(f, file.file_id) for f in file[3:5])
    return file.file_id, list(was), list(now)


def _replace(connection: apsw.Connection, table: str, files: Iterable[_Lists]) -> None:
    """Replace the rows of files in a table whose rows have their order for a number."""
    pairs: list[Pair] = []
    for file_id, was, now in files:
        ids = _row_ids(connection, table, file_id)
        if len(ids) == len(was) == len(now):
            pairs += zip(ids, was, now, strict=True)
            continue
        connection.execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
        if now:
            places = ", ".join("?" * len(now[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", now)
    _update(connection, table, pairs)


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


def _update(connection: apsw.Connection, table: str, pairs: Iterable[Pair]) -> None:
    """Update the columns that differ; rows are without their id."""
    # A column that is named is written to every index that has it, whether it differs or not.
    differing: defaultdict[tuple[int, ...], list[Row]] = defaultdict(list)
    for id, was, now in pairs:
        if was != now:
            places = tuple(n for n, value in enumerate(now) if value != was[n])
            differing[places].append((*(now[n] for n in places), id))
    if not differing:
        return
    sql = "SELECT name FROM pragma_table_info(?) WHERE name != 'id' ORDER BY cid"
    columns = [row[0] for row in select(connection, sql, (table,))]
    for places, changed in differing.items():
        names = ", ".join(f"{columns[n]} = ?" for n in places)
        connection.executemany(f"UPDATE {table} SET {names} WHERE rowid = ?", changed)


def _rewrite_terms(connection: apsw.Connection, files: Sequence[Rewrite]) -> None:
    added: list[tuple[int, FilePostings]] = []
    for file in files:
        was, now = map(postings.by_term, (file.before.postings, file.after.postings))
        terms = {term for term in was.keys() | now.keys() if was.get(term) != now.get(term)}
        gone = terms & was.keys()
        chunks = IdRange(file.first_chunk, len(file.after.facts.chunks))
        # File by file: each one stays in the rows of terms that only others have lost.
        term_rows.remove(connection, term_rows.keys_of(gone, chunks), [chunks])
        # Taking chunks out of a row takes the terms of their path out of it too.
        path = postings.index_path(file.after.path, chunks.n_ids)
        added.append((file.first_chunk, postings.only(file.after.postings, terms)))
        added.append((file.first_chunk, postings.only(path, gone)))
    term_rows.add(connection, added)
    term_rows.count_lengths(connection, (file.before.postings for file in files), -1)
    term_rows.count_lengths(connection, (file.after.postings for file in files))
