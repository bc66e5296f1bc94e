"""Counts the steps of the call graph between a scope and the code that items are linked to."""

from satchel.knowledge.code_links.anchors import definitions
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

# `presets.WORTH_BY_STEPS` gives nothing for more than three steps.
_MAX_STEPS = 3
# A scope that reaches more symbols than this says nothing about any one of them.
_MAX_SYMBOLS = 400


def steps_from(snapshot: Snapshot | None, scope: str) -> dict[str, int]:
    """Steps (0 to 3) to each `path:…` and `symbol:…` that a file or symbol reaches, either way."""
    if snapshot is None or scope == PROJECT:
        return {}
    starts = (
        definitions(scope.removeprefix(SYMBOL), snapshot)
        if scope.startswith(SYMBOL)
        else snapshot.symbols.of_file(RepoPath(scope))
    )
    # Breadth-first search over edges in both directions, one wave of symbols at a time: callers
    # of a symbol are as much its surroundings as what it calls.
    found: dict[str, int] = {}
    seen = {symbol.id for symbol in starts}
    wave = sorted(seen)
    for steps in range(_MAX_STEPS + 1):
        for symbol in snapshot.symbols.by_id(wave):
            for name in (f"{PATH}{symbol.path}", f"{SYMBOL}{symbol.qualified_name}",
                         f"{SYMBOL}{symbol.name}"):  # fmt: skip
                found.setdefault(name, steps)
        edges = [*snapshot.symbols.edges_from(wave), *snapshot.symbols.edges_to(wave)]
        reached = {end for edge in edges for end in (edge.source, edge.target)} - seen
        if not reached or len(seen) + len(reached) > _MAX_SYMBOLS:
            break
        seen |= reached
        wave = sorted(reached)
    return found
