"""What `show` prints: the whole source of definitions, or lines of a file."""

import re
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import symbols, unknown_names
from satchel.assembler.lookup.definition_source import definition, files_by_path, source_at
from satchel.assembler.output import definition_lines
from satchel.assembler.output.numbering import numbered
from satchel.assembler.query import written_places
from satchel.assembler.quoting import clean, unquoted
from satchel.assembler.render import location
from satchel.cli import options, terminal
from satchel.questions import request as requests
from satchel.questions.rows import VERSION
from satchel.questions.symbols import Symbols, names_in
from satchel.store.counted import counted
from satchel.store.errors import SatchelError, StaleError, UnknownName, UsageError
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord
from satchel.workspace import span_check
from satchel.workspace.checkout_view import CheckoutView
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


def show(view: CheckoutView, what: str, args: Namespace) -> None:
    """Print the source of what is named, one or several.

    Raises:
        UnknownName: nothing is called so.
        SatchelError: the file does not have these lines.
        UsageError: the first line comes after the last.
        StaleError: the files of all that is called so have changed since they were indexed.
    """
    # The name has the bounds that it has as that of a question.
    requests.read(Symbols, {"name": what}, view.project.settings)
    found, again = _named(view, what, Scope(args.scope))
    # A common name may have hundreds of definitions; a screen of them is what somebody reads.
    listed = found[:_LISTED]
    shown = _current(view.project, view.snapshot, listed)
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


def _named(view: CheckoutView, what: str, scope: Scope) -> tuple[list[Source], list[SymbolRecord]]:
    """Lines, files and definitions that are named, and definitions that these repeat.

    Raises:
        UnknownName: nothing has any of the names.
    """
    project, snapshot = view.project, view.snapshot
    if whole := _lines_named(project, snapshot, what):
        return whole, []
    names = names_in(view, options.names_from_here(project.root, what))
    found: list[Source] = []
    records: list[SymbolRecord] = []
    missing: list[UnknownName] = []
    for name in names:
        lines = _lines_named(project, snapshot, name) if len(names) > 1 else []
        defined = () if lines else symbols.lookup(snapshot, name, "", scope, 1_000).definitions
        if not (lines or defined):
            missing.append(requests.not_yet(view, unknown_names.unknown(snapshot, name)))
        found += lines
        records += defined
    if not (found or records):
        raise missing[0]
    for error in missing:
        terminal.note(f"{error.message}; {error.hint}")
    once, again = symbols.told_once(records)
    return [*found, *_definitions(snapshot, once)], again


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
    what = written_places.closed(written_places.plain(unquoted(what)))
    match = _LINES.fullmatch(what)
    written = match[1] if match else what
    # A path of a dependency may lie outside of the root, which no other path may.
    is_known = Path(written).is_absolute() and snapshot.files.identity(RepoPath(written))
    path = RepoPath(written if is_known else options.from_here(project.root, written))
    source = source_at(snapshot, path) if path else None
    if source is None and match:
        # Of a path with lines its end will do, as in a question.
        meant = files_by_path(snapshot, written)
        path = meant[0] if len(meant) == 1 else path
        source = source_at(snapshot, path)
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


def _definitions(snapshot: Snapshot, records: Iterable[SymbolRecord]) -> Iterator[Source]:
    for record in records:
        _, text = definition(snapshot, record)
        yield Source(
            record.path, record.span.start_line, record.span.start_line + text.count("\n"),
            record.qualified_name, text,
        )  # fmt: skip
