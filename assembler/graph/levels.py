"""Levels of the module graph, from the modules that nothing uses to those that use nothing. Pure.

Modules that need each other form one component, which is strongly connected. A component lies one
level above the highest one that it uses, so that every use between components leads down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler.graph.layers import Violation, violations
from satchel.assembler.graph.modules import ModuleUses, folder, module_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx as nx

    from satchel.assembler.graph.layers import Rule
    from satchel.store.reading.snapshot import Snapshot

_FEW, _MANY = 3, 40
"""Modules to show: folders are opened while there are fewer, or none uses another, but not into
more than many."""


class Levels(Struct, frozen=True):
    """Strong components of modules, from the level that nothing uses down to the last one.

    `alone` are modules without any use to or from another. `broken` are uses against the rules
    of the architecture, between files.
    """

    levels: tuple[tuple[tuple[str, ...], ...], ...]
    uses: tuple[ModuleUses, ...]
    alone: tuple[str, ...]
    broken: tuple[Violation, ...]


def levels(snapshot: Snapshot, prefix: str, rules: Sequence[Rule]) -> Levels:
    """The levels of the folders below a path ("" or one that ends with "/"), tests left out."""
    import networkx as nx

    files = module_graph(snapshot, prefix)
    modules = module_graph(snapshot, prefix, depth=_depth(files, prefix))
    uses = tuple(
        ModuleUses(source, target, data["uses"], data["path"], data["line"])
        for source, target, data in sorted(modules.edges(data=True), key=lambda e: e[:2])
    )
    alone = tuple(sorted(module for module in modules if not modules.degree(module)))
    components = nx.condensation(modules.subgraph([m for m in modules if modules.degree(m)]))
    height: dict[int, int] = {}
    for component in reversed(list(nx.topological_sort(components))):
        height[component] = 1 + max((height[below] for below in components[component]), default=-1)
    rows: dict[int, list[tuple[str, ...]]] = {}
    for component, row in height.items():
        rows.setdefault(row, []).append(tuple(sorted(components.nodes[component]["members"])))
    found = tuple(tuple(sorted(rows[row])) for row in sorted(rows, reverse=True))
    return Levels(found, uses, alone, violations(files, rules) if rules else ())


def _depth(files: nx.DiGraph[str], prefix: str) -> int:
    """How deep to cut paths, so that modules use each other, are not too few nor too many."""
    depth = prefix.count("/") + 1
    deepest = max((path.count("/") for path in files), default=0)
    while depth <= deepest:
        is_tied = any(folder(u, depth) != folder(v, depth) for u, v in files.edges)
        if is_tied and len({folder(path, depth) for path in files}) >= _FEW:
            break
        if len({folder(path, depth + 1) for path in files}) > _MANY and is_tied:
            break
        depth += 1
    return depth
