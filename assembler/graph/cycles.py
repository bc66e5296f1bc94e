"""Cycles of modules, and which uses to remove to break them. Pure.

Modules that reach each other are the strongly connected components of the module graph. The edges
to cut are found greedily: of a shortest cycle the edge with the fewest uses, again and again; an
edge that turns out not to be needed is kept. Finding the fewest of all is NP-hard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from satchel.assembler.graph.modules import ModuleUses

if TYPE_CHECKING:
    import networkx as nx

_PARTS = ".go"
_MAX_USES = 400
"""Uses that are listed; a drawing of more shows nothing."""
_MAX_CUTS = 200
"""Cuts that are looked for in one cycle of modules; where more are needed, `is_whole` is false."""


class Cycle(Struct, frozen=True):
    """Modules that all reach each other, by path, with a shortest way round.

    `cuts` are dependencies to give up, those with the fewest uses first: without them no module of
    them reaches itself.
    `is_whole` is false where more than 200 cuts are needed, of which the first are listed. `uses`
    are pairs of a user and what it uses, by path, the first 400 of them.
    """

    modules: tuple[str, ...]
    way_round: tuple[str, ...]
    cuts: tuple[ModuleUses, ...]
    is_whole: bool = True
    uses: tuple[tuple[str, str], ...] = ()


def cycles(modules: nx.DiGraph[str]) -> tuple[Cycle, ...]:
    """Every cycle of modules, those of most modules first, then by path."""
    import networkx as nx

    apart: nx.DiGraph[str] = nx.DiGraph()
    apart.add_nodes_from(modules)
    apart.add_edges_from(edge for edge in modules.edges(data=True) if not _is_inside(*edge[:2]))
    return _cycles_of(apart)


def _is_inside(user: str, used: str) -> bool:
    """Whether two files are parts of one module: those of a folder are a package of Go."""
    folder, _, name = used.rpartition("/")
    is_near = user.rpartition("/")[0] == folder
    return is_near and name.endswith(_PARTS) and user.endswith(_PARTS)


def _cycles_of(modules: nx.DiGraph[str]) -> tuple[Cycle, ...]:
    components = _strong_components(modules)
    components.sort(key=lambda component: (-len(component), component))
    return tuple(_cycle(modules, component) for component in components)


def _cycle(modules: nx.DiGraph[str], component: list[str]) -> Cycle:
    import networkx as nx

    # Sorted, since the order of a set of paths changes with the hash seed, and with it which of two
    # equal ways round is found first.
    left: nx.DiGraph[str] = nx.DiGraph()
    left.add_nodes_from(component)
    inside = set(component)
    left.add_edges_from(
        (u, v, modules.edges[u, v]) for u in component for v in sorted(modules[u]) if v in inside
    )
    way_round, uses = tuple(_shortest_cycle(left)), tuple(sorted(left.edges)[:_MAX_USES])
    cuts: list[tuple[str, str, dict[str, Any]]] = []
    while len(cuts) < _MAX_CUTS and (around := _shortest_cycle(left)):
        pairs = list(zip(around, [*around[1:], around[0]], strict=True))
        # Of a pair with equally many uses the surest stays.
        source, target = min(
            pairs, key=lambda p: (left.edges[p]["uses"], left.edges[p]["weight"], p)
        )
        cuts.append((source, target, dict(left.edges[source, target])))
        left.remove_edge(source, target)
    is_whole = nx.is_directed_acyclic_graph(left)
    needed = _necessary_cuts(left, cuts) if is_whole else cuts
    found = [ModuleUses(u, v, data["uses"], data["path"], data["line"]) for u, v, data in needed]
    found.sort(key=lambda cut: (cut.uses, cut.source, cut.target))
    return Cycle(tuple(component), way_round, tuple(found), is_whole, uses)


def _necessary_cuts(
    left: nx.DiGraph[str], cuts: list[tuple[str, str, dict[str, Any]]]
) -> list[tuple[str, str, dict[str, Any]]]:
    """The cuts without which there would be a cycle, the edges with the most uses tried first."""
    import networkx as nx

    needed = []
    for source, target, data in sorted(cuts, key=lambda c: (-c[2]["uses"], c[0], c[1])):
        if nx.has_path(left, target, source):
            needed.append((source, target, data))
        else:
            left.add_edge(source, target, **data)
    return needed


def _strong_components(graph: nx.DiGraph[str]) -> list[list[str]]:
    """The modules that reach each other, each group by path, in no order."""
    import networkx as nx

    return [sorted(c) for c in nx.strongly_connected_components(graph) if len(c) > 1]


def _shortest_cycle(graph: nx.DiGraph[str]) -> list[str]:
    """The modules of a shortest cycle of the first module in one; nothing where there is none."""
    import networkx as nx

    components = _strong_components(graph)
    if not components:
        return []
    component = min(components, key=lambda k: (len(k), k))
    part = graph.subgraph(component)
    start = component[0]
    ways = nx.single_source_shortest_path(part, start)
    ends = [ways[user] for user in sorted(part.predecessors(start)) if user in ways]
    return min(ends, key=len)
