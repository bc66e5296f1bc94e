"""Checks rows against the facts that they were made of, and spans against the bytes."""

from collections.abc import Iterator

from satchel.indexer.extract.source import Source
from satchel.store import grams
from satchel.validation.check_context import CheckContext, StoredFile
from satchel.validation.model import Finding, error


def spans(context: CheckContext, file: StoredFile) -> Iterator[Finding]:
    """The chunks of a file cover its bytes without gap or overlap, and their lines are right."""
    source, end = Source.of(file.source), 0
    for row in context.audit.of_file("chunks", file.row.first_chunk, file.row.n_chunks):
        first_line, last_line, start, stop = row[4:8]
        if start != end or not start < stop <= len(file.source):
            yield error("chunks overlap or leave a gap", file.path, first_line)
            return  # every later chunk would be reported for the same gap
        span = source.span(start, stop)
        if (span.start_line, span.end_line) != (first_line, last_line):
            yield error("a chunk's lines are not those of its bytes", file.path, first_line)
            return
        end = stop
    if end != len(file.source):
        yield error(f"chunks cover {end} of {len(file.source)} bytes", file.path)


def rows_of_facts(context: CheckContext, file: StoredFile) -> Iterator[Finding]:
    """Every row of a file is the one that its facts make, and is found by its key."""
    for table in context.audit.mismatched_tables(file.row, file.projection):
        yield error(f"rows of {table} are not what the file's facts say", file.path)


def signatures(context: CheckContext, file: StoredFile) -> Iterator[Finding]:
    """The signature that exact search looks at first is that of the file's bytes."""
    stored = context.audit.signature(file.row.digest, file.row.language)
    if stored != grams.signature(file.source):
        yield error("its signature for exact search is not that of its bytes", file.path)


def orphans(context: CheckContext) -> Iterator[Finding]:
    """Rows that refer to rows which do not exist, and contents that nothing refers to."""
    for what, some in context.audit.orphans():
        yield error(f"{what}: {', '.join(some[:3])}{' …' if len(some) > 3 else ''}")
