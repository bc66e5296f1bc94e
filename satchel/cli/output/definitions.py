"""`symbols`: the definitions of a name, looked up rather than ranked."""

from __future__ import annotations

from argparse import Namespace

from msgspec import Struct

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import symbols
from satchel.assembler.output import definition_lines
from satchel.assembler.quoting import decodable
from satchel.cli import terminal
from satchel.cli.output import schema
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ReferenceRecord


class ReferenceRow(Struct, frozen=True):
    """A use as written."""

    path: str
    line: int
    name: str
    receiver: str
    kind: str


class SymbolsResult(Struct, frozen=True):
    """The answer to `symbols`."""

    definitions: list[schema.SymbolRow]
    references: list[ReferenceRow]
    found: int
    absent: tuple[schema.AbsentRow, ...] = ()
    close: tuple[str, ...] = ()
    schema: int = schema.VERSION


def symbols_command(snapshot: Snapshot, name: str, args: Namespace) -> bool:
    """Print the definitions of a name; returns whether it has any, or any use."""
    found = symbols.lookup(snapshot, name, args.kind, Scope(args.scope), args.limit, args.offset)
    is_found = bool(found.n_found or found.references)
    if args.json or args.format == "json":
        terminal.out_json(
            SymbolsResult(
                [schema.symbol_row(record) for record in found.definitions],
                [reference_row(use) for use in found.references],
                found.n_found,
                schema.absent_rows(found.absent),
                tuple(map(decodable, found.close)),
            )
        )
        return is_found
    for line in definition_lines.symbols_lines(found, name, snapshot.files.count()):
        terminal.row(line)
    if found.close:
        terminal.note(definition_lines.close_line(found.close))
    following = args.offset + len(found.definitions)
    if found.n_found > following:
        more = found.n_found - following
        terminal.note(f"{more} more; --offset {following} shows them, or a larger --limit")
    return is_found


def reference_row(use: ReferenceRecord) -> ReferenceRow:
    """A use as `--json` prints it."""
    return ReferenceRow(decodable(use.path), use.line, use.name, use.receiver, use.kind)
