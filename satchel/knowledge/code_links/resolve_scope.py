"""Where a scope lies in the code: the symbols that are defined in it, and what it does not hold."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from satchel.knowledge.code_links.anchors import PATH, SYMBOL, definitions
from satchel.knowledge.scopes import PROJECT, ResolvedScope, covers
from satchel.knowledge.storage import read
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

# Symbols that anything is known of; looking for them all takes some 20 ms.
_MOST_SYMBOLS = 5_000
# A name that more places define says nothing about any one of them.
_MOST_DEFINITIONS = 20


def resolve_scope(db: apsw.Connection, snapshot: Snapshot | None, scope: str) -> ResolvedScope:
    """The place of a normalised scope: which symbols that something is said of are defined below a
    path, or where a symbol is.
    """
    if snapshot is None or scope == PROJECT:
        return ResolvedScope(scope)
    if scope.startswith(SYMBOL):
        found = definitions(scope.removeprefix(SYMBOL), snapshot)[:_MOST_DEFINITIONS]
        paths = sorted({_symbol_path(symbol.path, symbol.qualified_name) for symbol in found})
        return ResolvedScope(scope, {scope: tuple(paths)} if paths else {})
    return ResolvedScope(
        scope, _symbols_below(snapshot, scope, read.symbol_targets(db, _MOST_SYMBOLS))
    )


def _symbols_below(
    snapshot: Snapshot, scope: str, targets: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The targets that are defined below a path, with where."""
    asked: dict[str, list[str]] = {}
    for target in targets:
        simple = target.rpartition("#")[2].removeprefix(SYMBOL).rpartition(".")[2]
        asked.setdefault(simple, []).append(target)
    found: dict[str, tuple[str, ...]] = {}
    for name, qualified, path in snapshot.symbols.defined(sorted(asked)):
        if not covers(scope, path):
            continue
        for target in asked[name]:
            if _names_definition(target, qualified, path):
                found[target] = (*found.get(target, ()), _symbol_path(path, qualified))
    return {target: tuple(sorted(paths)) for target, paths in found.items()}


def _names_definition(target: str, qualified: str, path: str) -> bool:
    """Whether `symbol:Name`, `symbol:Class.method` or `symbol:path#Name` means a definition."""
    where, _, name = target.removeprefix(SYMBOL).rpartition("#")
    return where in ("", path) and f".{qualified}".endswith(f".{name}")


def _symbol_path(path: RepoPath, qualified: str) -> str:
    return f"{path}/{qualified.replace('.', '/')}"


def is_missing_from_index(snapshot: Snapshot, target: str) -> bool:
    """Whether a complete index has nothing under `path:…` or `symbol:…`; other targets are no
    code.
    """
    if not snapshot.complete:
        return False
    if target.startswith(SYMBOL):
        return not definitions(target.removeprefix(SYMBOL), snapshot)
    if not target.startswith(PATH):
        return False
    path = target.removeprefix(PATH)
    is_held = snapshot.files.knows(RepoPath(path)) or path == PROJECT
    return not (is_held or snapshot.files.starting_with(f"{path}/", 1))


def missing_message(target: str) -> str:
    """What is said of such a target."""
    name = target.partition(":")[2]
    return f"nothing in the index {'defines' if target.startswith(SYMBOL) else 'is at'} {name}"
