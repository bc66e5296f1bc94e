"""Checks the database file itself: pages, schema, the rows of its state, and counts."""

from collections.abc import Iterator

from satchel.store.sqlite import database
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, Severity, error

# The states of a refresh, in order.
_STATES = ("building", "linking", "complete")
# Free pages are worth a note from this size of the file and this share of it.
_SMALL_BYTES = 10_000_000
_UNUSED_SHARE = 0.5


def pages(context: CheckContext) -> Iterator[Finding]:
    """Every page of the database is well formed."""
    for problem in context.audit.pages(thorough=False):
        yield error(f"SQLite: {problem}")


def indexes(context: CheckContext) -> Iterator[Finding]:
    """Every row can be found by every index over it."""
    for problem in context.audit.pages(thorough=True):
        yield error(f"SQLite: {problem}")


def layout(context: CheckContext) -> Iterator[Finding]:
    """Tables and indexes are those of this version; its number was checked when it was opened."""
    for statement in context.audit.schema():
        yield error(f"not as this version lays it out: {statement}")


def generation(context: CheckContext) -> Iterator[Finding]:
    """The rows of `meta` were written together, and name a state and a counter that can be."""
    meta = context.audit.meta()
    if not context.audit.meta_checksum_holds():
        yield error("generation, state and counters are not what was written together")
    if meta.get("state") not in _STATES:
        yield error(f"the state is {meta.get('state')!r}")
    if int(meta.get("next_symbol", 0)) < database.next_id(context.audit.connection, "symbols"):
        # Ids of symbols are never used again, so the counter must lie above all of them.
        yield error(f"next_symbol is {meta.get('next_symbol')}, which symbols use already")


def finished(context: CheckContext) -> Iterator[Finding]:
    """The last refresh was completed."""
    if not context.snapshot.linked:
        missing = "" if context.snapshot.complete else "some files may be missing, "
        message = f"a refresh was interrupted: {missing}edges are not derived"
        yield error(message)


def counts(context: CheckContext) -> Iterator[Finding]:
    """Files have as many chunks and symbols as their rows say, and share none of them."""
    rows = context.file_rows()
    for table, ranges in (
        ("chunks", [(row.first_chunk, row.n_chunks) for row in rows]),
        ("symbols", [(row.first_symbol, row.n_symbols) for row in rows]),
    ):
        wanted = sum(n_rows for _, n_rows in ranges)
        stored = context.audit.count(table)
        if stored != wanted:
            yield error(f"files have {wanted} {table}, the index has {stored}")
        end = 0
        # Ids of a file are consecutive, so two files share some exactly if neighbours overlap.
        for first, n_rows in sorted((first, n_rows) for first, n_rows in ranges if n_rows):
            if first < end:
                yield error(f"two files share ids of {table}")
                break
            end = first + n_rows


def contents(context: CheckContext) -> Iterator[Finding]:
    """What is kept of every file, which every answer quotes, can be unpacked undamaged."""
    for digest, column in context.audit.damaged_contents():
        yield error(f"{column} of {digest[:10]} is damaged")


def space(context: CheckContext) -> Iterator[Finding]:
    """Most of the file is in use."""
    unused, total = context.audit.unused_bytes()
    if total > _SMALL_BYTES and unused > total * _UNUSED_SHARE:
        message = f"{unused / 1e6:.0f} of {total / 1e6:.0f} MB are free pages"
        hint = "`satchel reindex --full` gives them back"
        yield Finding(Severity.INFO, "", 0, message, hint)
