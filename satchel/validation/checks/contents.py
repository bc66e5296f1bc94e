"""Checks of rows against the facts they were made of, and of spans against the bytes."""

from __future__ import annotations

from collections.abc import Iterator

from satchel.indexer.extract.source import Source
from satchel.store.sqlite import rows
from satchel.validation.check_context import CheckContext, StoredFile
from satchel.validation.model import Finding, Severity


def spans(context: CheckContext, held: StoredFile) -> Iterator[Finding]:
    """The chunks of a file tile its bytes, and their lines are the lines of those bytes."""
    source, end = Source.of(held.source), 0
    for row in context.audit.of_file("chunks", held.first_chunk, int(held.row[10])):
        first_line, last_line, start, stop = row[4:8]
        if start != end or not start < stop <= len(held.source):
            yield _error("V020", held, first_line, "chunks overlap or leave a gap")
            return
        span = source.span(start, stop)
        if (span.start_line, span.end_line) != (first_line, last_line):
            yield _error("V020", held, first_line, "a chunk's lines are not those of its bytes")
            return
        end = stop
    if end != len(held.source):
        yield _error("V020", held, 0, f"chunks cover {end} of {len(held.source)} bytes")


def rows_of_facts(context: CheckContext, held: StoredFile) -> Iterator[Finding]:
    """Every row of a file is the one that its facts make, and can be found."""
    for table in _mismatched_tables(context, held):
        yield _error("V021", held, 0, f"rows of {table} are not what the file's facts say")


def _mismatched_tables(context: CheckContext, held: StoredFile) -> Iterator[str]:
    projection, file_id = held.projection, held.id
    chunk, symbol = held.first_chunk, held.first_symbol
    if rows.file_row(projection, chunk, symbol) != held.row[1:]:
        yield "files"
    n_chunks, n_symbols = int(held.row[10]), int(held.row[12])
    for table, key, wanted in (
        ("chunks", (chunk, n_chunks), rows.chunk_rows(projection, file_id, chunk, symbol)),
        ("symbols", (symbol, n_symbols), rows.symbol_rows(projection, file_id, symbol)),
        ("refs", (file_id,), rows.reference_rows(projection, file_id, symbol)),
        ("imports", (file_id,), rows.import_rows(projection, file_id)),
        ("problems", (file_id,), rows.problem_rows(projection, file_id)),
    ):
        if list(wanted) != context.audit.of_file(table, *key):
            yield table


def orphans(context: CheckContext) -> Iterator[Finding]:
    """Nothing in the index lacks its other half."""
    for what, some in context.audit.orphans():
        message = f"{what}: {', '.join(some[:3])}{' …' if len(some) > 3 else ''}"
        yield Finding("V022", Severity.ERROR, "", 0, message)


def _error(code: str, held: StoredFile, line: int, message: str) -> Finding:
    return Finding(code, Severity.ERROR, held.path, line, message)
