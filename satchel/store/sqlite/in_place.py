"""Files whose text changed while their chunks and symbols stay as many: the rows are rewritten.

Ids stay, and with them every edge. Of a row only the columns that differ are written, and of the
lexical index only the terms that differ: most edits move lines and change few words. Every function
expects an open transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import NamedTuple

import apsw

from satchel.store import postings
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


class Rewrite(NamedTuple):
    """A file as it was and as it is: as many chunks and symbols, whose first ids are given."""

    file_id: int
    first_chunk: int
    first_symbol: int
    before: IndexedFile
    after: IndexedFile


def rewrite(connection: apsw.Connection, files: Sequence[Rewrite]) -> None:
    """Write what differs; edges, and what they depend on, are left to the caller."""
    for file in files:
        chunk_id_log.record(connection, file.first_chunk, len(file.after.facts.chunks))
    _update(connection, "files", chain.from_iterable(map(_file_rows, files)))
    _update(connection, "chunks", chain.from_iterable(map(_chunk_rows, files)))
    _update(connection, "symbols", chain.from_iterable(map(_symbol_rows, files)))
    # Comparing facts costs less than making rows of them to compare.
    changed = [(file, file.before.facts, file.after.facts) for file in files]
    references = [_references(f) for f, was, now in changed if was.references != now.references]
    imports = [_imports(f) for f, was, now in changed if was.imports != now.imports]
    problems = [_problems(f) for f, was, now in changed if was.problems != now.problems]
    _replace(connection, "refs", references)
    _replace(connection, "imports", imports)
    _replace(connection, "problems", problems)
    _rewrite_terms(connection, [f for f in files if f.before.postings != f.after.postings])


def _file_rows(file: Rewrite) -> Iterable[Pair]:
    was, now = (rows.file_row(each, *file[1:3]) for each in file[3:])
    yield file.file_id, was, now


def _chunk_rows(file: Rewrite) -> Iterable[Pair]:
    was, now = (rows.chunk_rows(each, *file[:3]) for each in file[3:])
    return zip(count(file.first_chunk), (r[1:] for r in was), (r[1:] for r in now))


def _symbol_rows(file: Rewrite) -> Iterable[Pair]:
    was, now = (rows.symbol_rows(each, file.file_id, file.first_symbol) for each in file[3:])
    return zip(count(file.first_symbol), (r[1:] for r in was), (r[1:] for r in now))


def _references(file: Rewrite) -> _Lists:
    was, now = (rows.reference_rows(f, file.file_id, file.first_symbol) for f in file[3:])
    return file.file_id, list(was), list(now)


def _imports(file: Rewrite) -> _Lists:
    was, now = (rows.import_rows(f, file.file_id) for f in file[3:])
    return file.file_id, list(was), list(now)


def _problems(file: Rewrite) -> _Lists:
    was, now = (rows.problem_rows(f, file.file_id) for f in file[3:])
    return file.file_id, list(was), list(now)


def _replace(connection: apsw.Connection, table: str, files: Iterable[_Lists]) -> None:
    """Replace the rows of files in a table whose rows have their order for a number."""
    sql = f"SELECT rowid FROM {table} WHERE file_id = ? ORDER BY rowid"
    pairs: list[Pair] = []
    for file_id, was, now in files:
        ids = [row[0] for row in select(connection, sql, (file_id,))]
        if len(ids) == len(was) == len(now):
            pairs += zip(ids, was, now, strict=True)
            continue
        connection.execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
        if now:
            places = ", ".join("?" * len(now[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", now)
    _update(connection, table, pairs)


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
