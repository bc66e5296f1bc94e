"""What `show` prints: the whole source of definitions, or lines of a file."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import symbols
from satchel.assembler.lookup.definition_source import definition, source_at
from satchel.assembler.output import definition_lines
from satchel.assembler.output.numbering import numbered
from satchel.assembler.quoting import clean, unquoted
from satchel.assembler.render import location
from satchel.cli import options, terminal
from satchel.questions import request as requests
from satchel.questions.rows import VERSION
from satchel.questions.symbols import Symbols
from satchel.store.counted import counted
from satchel.store.errors import SatchelError, StaleError, UsageError
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord
from satchel.workspace import span_check
from satchel.workspace.index_paths import symbol_inside
from satchel.workspace.project import Project

_LINES = re.compile(r"(.+):([0-9]{1,9})-([0-9]{1,9})")
_LISTED = 10
"""Definitions of one name that are shown; more are counted."""


class Source(Struct, frozen=True):
    """Source of one place; lines are 1-based and inclusive."""

    path: RepoPath
    start_line: int
    end_line: int
    symbol: str
    text: str


class ShowResult(Struct, frozen=True):
    """The answer to `show`."""

    sources: list[Source]
    found: int
    schema: int = VERSION


def show(project: Project, snapshot: Snapshot, args: Namespace) -> None:
    """Print the source.

    Raises:
        UnknownName: nothing is called so.
        SatchelError: the file does not have these lines.
        UsageError: the first line comes after the last.
        StaleError: the files of all that is called so have changed since they were indexed.
    """
    # The name has the bounds that it has as that of a question.
    requests.read(Symbols, {"name": args.what}, project.settings)
    found = _lines_named(project, snapshot, args.what)
    again: list[SymbolRecord] = []
    if not found:
        once, again = symbols.told_once(_matching(project, snapshot, args))
        found = list(_definitions(snapshot, once))
    if not found:
        raise symbols.unknown(snapshot, args.what)
    # A common name may have hundreds of definitions; a screen of them is what somebody reads.
    listed = found[:_LISTED]
    shown = _current(project, snapshot, listed)
    if not shown:
        raise StaleError(f"{listed[0].path} has changed since it was indexed", "ask again")
    if args.json:
        terminal.out_json(ShowResult(shown, len(found)))
        return
    _print(shown, number=args.line_numbers)
    for record in again:
        terminal.note(definition_lines.repeated_line(record))
    if len(listed) > len(shown):
        terminal.note(f"{len(listed) - len(shown)} left out: their files have changed; ask again")
    if len(found) > len(listed):
        picking = definition_lines.picking_line([(each.path, each.symbol) for each in found])
        terminal.note(f"{len(found) - len(listed)} more; {picking}")


def _print(shown: Iterable[Source], *, number: bool) -> None:
    for source in shown:
        name = f"  {clean(source.symbol)}" if source.symbol else ""
        terminal.row(f"{location(source.path, source.start_line, source.end_line)}{name}")
        terminal.out(numbered(source.text, source.start_line) if number else source.text)


def _current(project: Project, snapshot: Snapshot, found: list[Source]) -> list[Source]:
    """The definitions whose files are still what the index says."""
    is_current = span_check.checker(project)
    identities = [(source, snapshot.files.identity(source.path)) for source in found]
    return [source for source, known in identities if known and is_current(source.path, known[0])]


def _lines_named(project: Project, snapshot: Snapshot, what: str) -> list[Source]:
    """The lines that `path:first-last` names, or a whole file; none where it names no file."""
    what = unquoted(what)
    match = _LINES.fullmatch(what)
    written = match[1] if match else what
    # A path of a dependency may lie outside of the root, which no other path may.
    is_known = Path(written).is_absolute() and snapshot.files.knows(RepoPath(written))
    path = RepoPath(written if is_known else options.from_here(project.root, written))
    source = source_at(snapshot, path) if path else None
    if source is None:
        return []
    text = source.decode("utf-8", "replace")
    every = text.removesuffix("\n").split("\n") if text else []
    if not every:
        raise SatchelError(f"{clean(path)} is empty", "show another file")
    first, last = (int(match[2]), int(match[3])) if match else (1, len(every))
    start = max(first, 1)
    if last < start:
        raise UsageError(f"line {last} comes before line {start}", "write the first line first")
    chosen = every[start - 1 : last]
    if not chosen:
        lines = counted(len(every), "line")
        raise SatchelError(f"{clean(path)} has {lines}", f"ask for some of 1 to {len(every)}")
    return [Source(path, start, start + len(chosen) - 1, "", "\n".join(chosen))]


def _matching(project: Project, snapshot: Snapshot, args: Namespace) -> Sequence[SymbolRecord]:
    name = symbol_inside(project.root, unquoted(args.what))
    return symbols.lookup(snapshot, name, "", Scope(args.scope), 1_000).definitions


def _definitions(snapshot: Snapshot, records: Iterable[SymbolRecord]) -> Iterator[Source]:
    for record in records:
        _, text = definition(snapshot, record)
        yield Source(
            record.path, record.span.start_line, record.span.start_line + text.count("\n"),
            record.qualified_name, text,
        )  # fmt: skip
