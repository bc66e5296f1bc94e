"""Resolves a scope against the code: the symbols that a path defines, the places of a symbol."""

from collections.abc import Sequence

import apsw

from satchel.knowledge.code_links.anchors import definitions
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL, ResolvedScope, covers
from satchel.knowledge.storage import read
from satchel.store import path_filter
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

# Looking up 5,000 symbols takes about 20 ms. Beyond that, items about symbols are found by their
# own scope alone.
_MAX_SYMBOLS = 5_000
# A name with more definitions than this (`__init__`, `run`) says nothing about any one of them.
_MAX_DEFINITIONS = 20


def resolve_scope(db: apsw.Connection, snapshot: Snapshot | None, scope: str) -> ResolvedScope:
    """A normalised scope with the symbols that belong to it.

    For a path these are the symbols that some item is about and that the path defines; for
    "symbol:Name", where the index defines that symbol. "project" needs neither: it covers all.
    """
    if snapshot is None or scope == PROJECT:
        return ResolvedScope(scope)
    if scope.startswith(SYMBOL):
        found = definitions(scope.removeprefix(SYMBOL), snapshot)[:_MAX_DEFINITIONS]
        paths = sorted({_symbol_path(symbol.path, symbol.qualified_name) for symbol in found})
        return ResolvedScope(scope, {scope: tuple(paths)} if paths else {})
    return ResolvedScope(
        scope, _symbols_below(snapshot, scope, read.symbol_targets(db, _MAX_SYMBOLS))
    )


def _symbols_below(
    snapshot: Snapshot, scope: str, targets: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The "symbol:…" targets that a path defines, each with the places of its definitions.

    Starts from the targets of items, not from the symbols below the path: a root folder may define
    a hundred thousand symbols, while items are about a few hundred.
    """
    by_name: dict[str, list[str]] = {}
    for target in targets:
        simple = target.rpartition("#")[2].removeprefix(SYMBOL).rpartition(".")[2]
        by_name.setdefault(simple, []).append(target)
    found: dict[str, tuple[str, ...]] = {}
    for symbol in snapshot.symbols.named(*sorted(by_name)):
        qualified, path = symbol.qualified_name, symbol.path
        if not covers(scope, path):
            continue
        for target in by_name[symbol.name]:
            # The index answers by simple name; `Class.method` and `path#Name` say more than that.
            where, _, written = target.removeprefix(SYMBOL).rpartition("#")
            if where in ("", path) and f".{qualified}".endswith(f".{written}"):
                found[target] = (*found.get(target, ()), _symbol_path(path, qualified))
    return {target: tuple(sorted(paths)) for target, paths in found.items()}


def _symbol_path(path: RepoPath, qualified: str) -> str:
    """`src/a.py/Class/method`: a symbol as a path below its file, so that the file covers it."""
    return f"{path}/{qualified.replace('.', '/')}"


def is_missing_from_index(snapshot: Snapshot, target: str) -> bool:
    """Whether a complete index has nothing under `path:…` or `symbol:…`.

    False for other targets, and while the index is incomplete, since then it is unknown.
    """
    if not snapshot.complete:
        return False
    if target.startswith(SYMBOL):
        return not definitions(target.removeprefix(SYMBOL), snapshot)
    if not target.startswith(PATH):
        return False
    path = target.removeprefix(PATH)
    is_file = path == PROJECT or snapshot.files.identity(RepoPath(path))
    return not (is_file or path_filter.is_folder(snapshot.files, path))


def missing_message(target: str) -> str:
    """`nothing in the index defines Name`, or `… is at path`."""
    name = target.partition(":")[2]
    return f"nothing in the index {'defines' if target.startswith(SYMBOL) else 'is at'} {name}"
