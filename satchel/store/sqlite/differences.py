"""What differs between two versions of a file whose chunks and symbols stay as many. Pure.

Rows are named by their number within the file and ids are relative, so that a difference holds
wherever the rows lie. It says what was and what is, so that it can be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, TypeVar

from msgspec import structs

from satchel.store import postings
from satchel.store.model import Chunk, Import, Reference, Span, Symbol, Value
from satchel.store.postings import FilePostings
from satchel.store.records import IndexedFile
from satchel.store.sqlite import rows
from satchel.store.sqlite.rows import Row

Shift = tuple[int, ...]
Cells = tuple[str | int | bool | None, ...]
_T = TypeVar("_T")


class Run(Value, frozen=True):
    """Rows one after the other that moved alike; `shift` is added to what says where they stand."""

    shift: Shift
    first: int
    last: int


class ChangedRow(Value, frozen=True):
    """The columns of a row that differ, by their numbers, and what they hold."""

    number: int
    columns: tuple[int, ...]
    was: Cells
    now: Cells


class ChangedRows(Value, frozen=True):
    """The rows of a table that differ; `n_rows` counts all that the file has in it.

    Where they are not as many as before `whole` has all of them, as they were and as they are.
    """

    n_rows: int
    runs: tuple[Run, ...] = ()
    others: tuple[ChangedRow, ...] = ()
    whole: tuple[tuple[Cells, ...], tuple[Cells, ...]] | None = None


class Difference(Value, frozen=True):
    """A file as it was and as it is; symbols are numbered with the module as number 0.

    `gone` and `come` are the entries of the lexical index that differ, with the lengths of the
    whole file; both are None where all stay.
    """

    n_lines: tuple[int, int]
    shapes: tuple[bytes, bytes]
    chunks: ChangedRows
    symbols: ChangedRows
    references: ChangedRows
    imports: ChangedRows
    problems: ChangedRows
    gone: FilePostings | None
    come: FilePostings | None
    replaced: tuple[int, ...]
    """The symbols that are others now."""
    keys: bytes
    """The keys of lookups that the file answers otherwise (`codec.encode_keys`)."""


def difference(
    before: IndexedFile, after: IndexedFile, shape: bytes, replaced: Sequence[int], keys: bytes
) -> Difference:
    """What differs; `shape` is that of before, `replaced` and `keys` are told by the call graph."""
    was, now = before.facts, after.facts
    gone = come = None
    if before.postings != after.postings:
        gone, come = postings.differences(before.postings, after.postings)
    return Difference(
        (was.n_lines, now.n_lines),
        # The same symbols are the same shape.
        (shape, rows.shape(now) if replaced else shape),
        _chunks(before, after),
        _symbols(before, after),
        _references(before, after),
        _imports(before, after),
        _problems(before, after),
        gone,
        come,
        tuple(replaced),
        keys,
    )


def taken_back(found: Difference) -> Difference:
    """The difference that leads back."""
    return structs.replace(
        found,
        n_lines=found.n_lines[::-1],
        shapes=found.shapes[::-1],
        chunks=_back(found.chunks),
        symbols=_back(found.symbols),
        references=_back(found.references),
        imports=_back(found.imports),
        problems=_back(found.problems),
        gone=found.come,
        come=found.gone,
    )


def _back(changed: ChangedRows) -> ChangedRows:
    whole = changed.whole
    return ChangedRows(
        changed.n_rows if whole is None else len(whole[0]),
        tuple(Run(tuple(-n for n in run.shift), run.first, run.last) for run in changed.runs),
        tuple(ChangedRow(row.number, row.columns, row.now, row.was) for row in changed.others),
        None if whole is None else (whole[1], whole[0]),
    )


def _chunks(before: IndexedFile, after: IndexedFile) -> ChangedRows:
    runs, others = _runs(before.facts.chunks, after.facts.chunks, _shift_of_chunk)
    n_rows = len(after.facts.chunks)
    if before.is_test != after.is_test:
        others = [*range(n_rows)]  # every row says so
    # With first ids of 0, ids in the rows are numbers within the file.
    was, now = (rows.chunk_rows(file, 0, 0, 0) if others else () for file in (before, after))
    return ChangedRows(n_rows, runs, _changed_columns(others, was, now, 1))


def _symbols(before: IndexedFile, after: IndexedFile) -> ChangedRows:
    runs, others = _runs(before.facts.symbols, after.facts.symbols, _shift_of_symbol)
    n_rows = len(after.facts.symbols) + 1
    # The first row is the module, which ends where the file does.
    others = [0, *(n + 1 for n in others)]
    if before.is_test != after.is_test:
        others = [*range(n_rows)]
    was, now = (rows.symbol_rows(file, 0, 0) for file in (before, after))
    runs = tuple(Run(run.shift, run.first + 1, run.last + 1) for run in runs)
    return ChangedRows(n_rows, runs, _changed_columns(others, was, now, 1))


def _references(before: IndexedFile, after: IndexedFile) -> ChangedRows:
    was, now = (rows.reference_rows(file, 0, 0) for file in (before, after))
    values = before.facts.references, after.facts.references
    return _of_list(*values, was, now, _shift_of_reference)


def _imports(before: IndexedFile, after: IndexedFile) -> ChangedRows:
    was, now = (rows.import_rows(file, 0) for file in (before, after))
    values = before.facts.imports, after.facts.imports
    return _of_list(*values, was, now, _shift_of_import)


def _problems(before: IndexedFile, after: IndexedFile) -> ChangedRows:
    if before.facts.problems == after.facts.problems:
        return ChangedRows(len(after.facts.problems))
    return _replaced_whole(*(rows.problem_rows(file, 0) for file in (before, after)))


def _of_list(
    was: Sequence[_T],
    now: Sequence[_T],
    rows_was: Iterable[Row],
    rows_now: Iterable[Row],
    shift_of: Callable[[_T, _T], Shift | None],
) -> ChangedRows:
    """What differs of values of which a file may have more or fewer than before."""
    if len(was) != len(now):
        return _replaced_whole(rows_was, rows_now)
    runs, others = _runs(was, now, shift_of)
    return ChangedRows(len(now), runs, _changed_columns(others, rows_was, rows_now))


def _replaced_whole(was: Iterable[Row], now: Iterable[Row]) -> ChangedRows:
    both: Any = (tuple(was), tuple(now))  # no bytes, which only rows of `files` have
    return ChangedRows(len(both[1]), whole=both)


def _runs(
    was: Sequence[_T], now: Sequence[_T], shift_of: Callable[[_T, _T], Shift | None]
) -> tuple[tuple[Run, ...], list[int]]:
    """Runs of values that moved alike, and the numbers of values that did more than that."""
    found: list[Run] = []
    others: list[int] = []
    shift: Shift | None = None
    start = 0
    for number, (before, after) in enumerate(zip(was, now, strict=True)):
        this = shift_of(before, after)
        if this is None:
            others.append(number)
        # What stays where it was ends a run, and is none.
        if this != shift:
            if shift and any(shift):
                found.append(Run(shift, start, number - 1))
            shift, start = this, number
    if shift and any(shift):
        found.append(Run(shift, start, len(now) - 1))
    return tuple(found), others


def _changed_columns(
    numbers: Sequence[int], was: Iterable[Row], now: Iterable[Row], first_column: int = 0
) -> tuple[ChangedRow, ...]:
    """The columns that differ of rows with these numbers; those before `first_column` are ids."""
    if not numbers:
        return ()
    found: list[ChangedRow] = []
    last = numbers[-1] + 1
    befores, afters = list(islice(was, last)), list(islice(now, last))
    for number in numbers:
        before, after = befores[number][first_column:], afters[number][first_column:]
        columns = tuple(n for n, value in enumerate(after) if value != before[n])
        if columns:
            cells: Any = (tuple(row[n] for n in columns) for row in (before, after))
            found.append(ChangedRow(number, columns, *cells))
    return tuple(found)


def _shift_of_chunk(was: Chunk, now: Chunk) -> Shift | None:
    """How a chunk moved; None when more of it has changed."""
    is_same = (
        (was.kind, was.symbol, was.header, was.tokens, was.is_test)
        == (now.kind, now.symbol, now.header, now.tokens, now.is_test)
    )  # fmt: skip
    return _shift_of_span(was.span, now.span) if is_same else None


def _shift_of_symbol(was: Symbol, now: Symbol) -> Shift | None:
    """How a symbol moved; None when more of it has changed."""
    is_same = (
        was.name == now.name and was.qualified_name == now.qualified_name and was.kind is now.kind
        and was.signature == now.signature and was.doc == now.doc
        and was.visibility is now.visibility and was.parent == now.parent
        and was.is_test == now.is_test
    )  # fmt: skip
    return (*_shift_of_span(was.span, now.span), now.line - was.line) if is_same else None


def _shift_of_span(was: Span, now: Span) -> Shift:
    return (
        now.start_line - was.start_line, now.end_line - was.end_line,
        now.start_byte - was.start_byte, now.end_byte - was.end_byte,
    )  # fmt: skip


def _shift_of_reference(was: Reference, now: Reference) -> Shift | None:
    """How a reference moved; None when more of it has changed."""
    is_same = (
        was.name == now.name and was.scope == now.scope and was.receiver == now.receiver
        and was.kind is now.kind
    )  # fmt: skip
    return (now.line - was.line,) if is_same else None


def _shift_of_import(was: Import, now: Import) -> Shift | None:
    """How an import moved; None when more of it has changed."""
    is_same = (was.module, was.name, was.alias) == (now.module, now.name, now.alias)
    return (now.line - was.line,) if is_same else None
