"""Definitions by name: exact, qualified (`Class.method`) or by prefix (`get_*`). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from assembler.query import last_part
from assembler.values import Scope
from store.errors import UsageError
from store.model import SymbolKind
from store.records import ReferenceRecord, SymbolRecord
from store.snapshot import Snapshot

_REFERENCES = 50


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a name stands for; `references` are given when nothing in scope defines it."""

    definitions: tuple[SymbolRecord, ...]
    references: tuple[ReferenceRecord, ...]
    n_found: int
    """How many definitions there are; more than are listed when a limit cut them."""


def lookup(snapshot: Snapshot, name: str, kind: str, scope: Scope, limit: int) -> Lookup:
    """Definitions called `name`, by path and line.

    Raises:
        UsageError: `name` is empty or `kind` is not a kind of symbol.
    """
    if not name.strip("*"):
        raise UsageError("symbol name is empty", "give a name, Class.method or prefix*")
    if kind and kind not in set(SymbolKind):
        raise UsageError(f"unknown kind {kind!r}", f"known: {', '.join(SymbolKind)}")
    found = [
        record
        for record in matching(snapshot, name)
        if scope.admits(record.is_test) and (not kind or record.kind == kind)
    ]
    references = (
        () if found else tuple(snapshot.symbols.references_to(last_part(name), _REFERENCES))
    )
    return Lookup(tuple(found[:limit]), references, len(found))


def matching(snapshot: Snapshot, name: str) -> list[SymbolRecord]:
    """Every definition that `name` can mean, by path and line."""
    if name.endswith("*"):
        return snapshot.symbols.with_prefix(name[:-1], 10_000)
    found = snapshot.symbols.named(name)
    if found:
        return found
    wanted = name.replace("::", ".").replace("#", ".").replace("->", ".")
    return [
        record
        for record in snapshot.symbols.named(last_part(name))
        if record.qualified_name == wanted or record.qualified_name.endswith(f".{wanted}")
    ]
