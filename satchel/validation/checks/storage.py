"""Checks of the file itself: pages, layout, the rows that say what it is, and counts."""

from __future__ import annotations

from collections.abc import Iterator

from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, Severity

_STATES = ("building", "linking", "complete")


def pages(context: CheckContext) -> Iterator[Finding]:
    """Every page of the database is well formed."""
    for problem in context.audit.pages(thorough=False):
        yield _error("V001", f"SQLite: {problem}")


def indexes(context: CheckContext) -> Iterator[Finding]:
    """Every row can be found by every index over it."""
    for problem in context.audit.pages(thorough=True):
        yield _error("V005", f"SQLite: {problem}")


def layout(context: CheckContext) -> Iterator[Finding]:
    """The tables and indexes are those of this version; connecting has held the versions."""
    for statement in context.audit.schema():
        yield _error("V002", f"not as this version lays it out: {statement}")


def generation(context: CheckContext) -> Iterator[Finding]:
    """The rows that describe the index belong together."""
    meta = context.audit.meta()
    if not context.audit.meta_checksum_holds():
        yield _error("V003", "generation, state and counters are not what was written together")
    if meta.get("state") not in _STATES:
        yield _error("V003", f"the state is {meta.get('state')!r}")
    if int(meta.get("next_symbol", 0)) < context.audit.next_id("symbols"):
        yield _error("V003", f"next_symbol is {meta.get('next_symbol')}, which symbols use already")


def finished(context: CheckContext) -> Iterator[Finding]:
    """The last refresh came to its end."""
    if not context.snapshot.linked:
        missing = "" if context.snapshot.complete else "some files may be missing, "
        message = f"a refresh was interrupted: {missing}edges are not derived"
        yield Finding("V009", Severity.ERROR, "", 0, message)


def counts(context: CheckContext) -> Iterator[Finding]:
    """Files have as many chunks and symbols as they say, and every one of them is some file's."""
    rows = context.audit.files()
    for table, column in (("chunks", 10), ("symbols", 12)):
        wanted = sum(row[column] for row in rows)
        held = context.audit.count(table)
        if held != wanted:
            yield _error("V004", f"files have {wanted} {table}, the index has {held}")
        end = 0
        for first, n_rows in sorted((row[column - 1], row[column]) for row in rows if row[column]):
            if first < end:
                yield _error("V004", f"two files share ids of {table}")
                break
            end = first + n_rows


def space(context: CheckContext) -> Iterator[Finding]:
    """Most of the file is in use."""
    unused, total = context.audit.unused_bytes()
    if total > _SMALL_BYTES and unused > total * _UNUSED_SHARE:
        message = f"{unused / 1e6:.0f} of {total / 1e6:.0f} MB are free pages"
        hint = "`satchel reindex --full` gives them back"
        yield Finding("V060", Severity.INFO, "", 0, message, hint)


_SMALL_BYTES = 10_000_000
_UNUSED_SHARE = 0.5


def _error(code: str, message: str) -> Finding:
    return Finding(code, Severity.ERROR, "", 0, message)
