"""Checks the index against a fresh one of the same tree, row for row."""

from ast import literal_eval
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from satchel.indexer.refresh import refresh
from satchel.store.counted import counted
from satchel.store.model import SkipReason
from satchel.store.sqlite import database, dump
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, error
from satchel.workspace.project import ignore_progress

_LISTED = 20


def rebuilt(context: CheckContext) -> Iterator[Finding]:
    """A fresh index of the same tree has the same rows, ids and ignored paths aside."""
    # Inside the index's own folder, which the walk leaves out.
    with (
        TemporaryDirectory(prefix="rebuild-", dir=context.project.directory) as folder,
        closing(database.connect(Path(folder), writable=True)) as connection,
    ):
        refresh(connection, context.project.root, context.options, ignore_progress)
        fresh = set(dump.lines(connection))
    stored = set(dump.lines(context.audit.connection))
    differing = sorted(line for line in stored ^ fresh if not _is_of_ignored(line))
    for line in differing[:_LISTED]:
        where = "the index has" if line in stored else "a fresh index has"
        yield error(f"only {where} {line[:200]}")
    if len(differing) > _LISTED:
        more = counted(len(differing) - _LISTED, "more row")
        yield error(f"{more} not as in a fresh index")


def _is_of_ignored(line: str) -> bool:
    """Whether a row names an ignored path; tools make such folders while a check runs."""
    table, _, row = line.partition(": ")
    return table == "skipped" and literal_eval(row)[1] == SkipReason.IGNORED
