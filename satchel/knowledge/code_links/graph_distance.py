"""How many steps of the call graph lie between a scope and what items are linked to."""

from __future__ import annotations

from satchel.knowledge.code_links.anchors import definitions
from satchel.knowledge.scopes import PROJECT, SYMBOL
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

_MOST_STEPS = 3
# Symbols looked at; a scope that reaches more says nothing about any one of them.
_MOST_SYMBOLS = 400


def steps_from(snapshot: Snapshot | None, scope: str) -> dict[str, int]:
    """Steps (0 to 3) to each `path:…` and `symbol:…` that a file or symbol reaches, either way."""
    if snapshot is None or scope == PROJECT:
        return {}
    starts = (
        definitions(scope.removeprefix(SYMBOL), snapshot)
        if scope.startswith(SYMBOL)
        else snapshot.symbols.of_file(RepoPath(scope))
    )
    found: dict[str, int] = {}
    seen = {symbol.id for symbol in starts}
    wave = sorted(seen)
    for steps in range(_MOST_STEPS + 1):
        for symbol in snapshot.symbols.by_id(wave):
            for name in (f"path:{symbol.path}", f"symbol:{symbol.qualified_name}",
                         f"symbol:{symbol.name}"):  # fmt: skip
                found.setdefault(name, steps)
        edges = [*snapshot.symbols.edges_from(wave), *snapshot.symbols.edges_to(wave)]
        reached = {end for edge in edges for end in (edge.source, edge.target)} - seen
        if not reached or len(seen) + len(reached) > _MOST_SYMBOLS:
            break
        seen |= reached
        wave = sorted(reached)
    return found
