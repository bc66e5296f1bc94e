"""Definitions by name: exact, qualified (`Class.method`), by prefix (`get_*`) or place. Pure.

A place is `path:name` or `path:line`; of the path its end will do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assembler.query import last_part
from assembler.values import Scope
from store.errors import UsageError
from store.model import RepoPath, SymbolKind
from store.records import ReferenceRecord, SymbolRecord
from store.snapshot import Snapshot

_REFERENCES = 50
_NEAR = 5
_PLACE = re.compile(r"([^:]*[^:\s]):(?!:)([^:\s].*)")


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a name stands for; `references` are given when nothing in scope defines it."""

    definitions: tuple[SymbolRecord, ...]
    references: tuple[ReferenceRecord, ...]
    n_found: int
    """How many definitions there are; more than are listed when a limit cut them."""


def lookup(
    snapshot: Snapshot, name: str, kind: str, scope: Scope, limit: int, offset: int = 0
) -> Lookup:
    """Definitions called `name`, by path and line, `offset` of them skipped.

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
    return Lookup(tuple(found[offset : offset + limit]), references, len(found))


def matching(snapshot: Snapshot, name: str) -> list[SymbolRecord]:
    """Every definition that `name` can mean, by path and line."""
    if place := _PLACE.fullmatch(name):
        return _at(snapshot, place[1], place[2])
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


def _at(snapshot: Snapshot, path: str, wanted: str) -> list[SymbolRecord]:
    """The definitions of a file that are called `wanted`, or the innermost around that line."""
    if not wanted.isdecimal():
        found = matching(snapshot, wanted)
        return [r for r in found if r.path == path or r.path.endswith(f"/{path}")]
    line = int(wanted)
    inside = [
        record
        for record in snapshot.symbols.of_file(RepoPath(path))
        if record.span.start_line <= line <= record.span.end_line
    ]
    return inside[-1:]


def near(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """A few names in the tree that begin like an unknown one, by name."""
    start = last_part(name).rstrip("*")[: max(3, len(name) // 2)]
    found = snapshot.symbols.with_prefix(start, 50) if len(start) > 2 else []
    return tuple(dict.fromkeys(record.qualified_name for record in found))[:_NEAR]
