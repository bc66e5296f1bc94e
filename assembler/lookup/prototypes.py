"""Functions of C and C++ that are declared in one place and defined in another. Pure.

The edges of the call graph lead to definitions. So a prototype has no callers of its own, and who
asks about one means the function that it announces.
"""

from collections.abc import Iterable, Sequence

from satchel.store.model import FUNCTIONS
from satchel.store.reading.prototypes import is_prototype, parameter_types
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_MAX_ASKED = 50
"""Definitions of which the prototypes are looked for: a name with a star has thousands."""


def without_announced(records: Sequence[SymbolRecord]) -> list[SymbolRecord]:
    """The records without prototypes of functions that are among them, in their order."""
    defined = {r.qualified_name for r in records if r.kind in FUNCTIONS and not _is_prototype(r)}
    return [r for r in records if not (_is_prototype(r) and r.qualified_name in defined)]


def with_counterparts(snapshot: Snapshot, records: Sequence[SymbolRecord]) -> list[SymbolRecord]:
    """The records, and behind them the definitions of prototypes and the prototypes of definitions.

    Overloads are told apart by the types of their parameters.
    """
    functions = [r for r in records if r.kind in FUNCTIONS]
    asked = functions if len(functions) <= _MAX_ASKED else [*filter(_is_prototype, functions)]
    found = {record.id: record for record in records}
    named: dict[str, list[SymbolRecord]] = {}
    for record in asked:
        if record.name not in named:
            named[record.name] = snapshot.symbols.named(record.name)
        for other in _counterparts(record, named[record.name]):
            found.setdefault(other.id, other)
    return list(found.values())


def definitions_of(snapshot: Snapshot, ids: Iterable[int]) -> dict[int, int]:
    """Symbols by id, and the definitions of the prototypes among them, each with what it is of."""
    records = snapshot.symbols.by_id(sorted(ids))
    found = {record.id: record.id for record in records}
    for record in filter(_is_prototype, records):
        for other in _counterparts(record, snapshot.symbols.named(record.name)):
            found.setdefault(other.id, record.id)
    return found


def _counterparts(record: SymbolRecord, named: Iterable[SymbolRecord]) -> list[SymbolRecord]:
    others = [
        other
        for other in named
        if other.kind in FUNCTIONS
        and other.qualified_name == record.qualified_name
        and _is_prototype(other) != _is_prototype(record)
    ]
    wanted = parameter_types(record.name, record.signature)
    alike = [o for o in others if parameter_types(o.name, o.signature) == wanted]
    # Of one function types may be written in two ways.
    return alike or others


def _is_prototype(record: SymbolRecord) -> bool:
    return is_prototype(record.kind, record.signature)
