"""The derived edges of an index as a `networkx.MultiDiGraph`, whole.

Nodes are symbol ids with the attribute `symbol`, a `Node`. An edge runs from the user to the used;
its key is its kind, its attributes are `line`, `rule` and `confidence` (0 to 1). Functions and
types without edges are nodes as well. A server keeps the graph and brings it up to date after
saves; a command reads it once. Walks of a few steps from known symbols read their part of the index
and no more, since loading networkx takes longer than they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from satchel.store.model import BUILT_ON
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import Edge, Node

if TYPE_CHECKING:
    import networkx as nx


@contextmanager
def call_graph(snapshot: Snapshot) -> Iterator[nx.MultiDiGraph[int]]:
    """The call graph of a snapshot. It is shared with later questions: do not change it."""
    with snapshot.graph.shared(
        "call graph", lambda: built(snapshot), lambda graph: updated(graph, snapshot)
    ) as graph:
        yield graph


def reached(
    graph: nx.MultiDiGraph[int],
    roots: Iterable[int],
    together: Mapping[int, Sequence[int]] = MappingProxyType({}),
) -> set[int]:
    """All symbols that are reached from some symbols: what they use, what that uses, and so on.

    A member is needed as well where it overrides a member that is, in a type that is; so is what a
    needed symbol is defined in, and what is needed `together` with it. Guesses count: what may be
    used is not unused.
    """
    overriding = _overriding(graph)
    found: set[int] = set()
    front = [root for root in roots if root in graph]
    waiting: dict[int, list[int]] = {}
    while front:
        symbol = front.pop()
        if symbol in found:
            continue
        found.add(symbol)
        front += graph.successors(symbol)
        front += together.get(symbol, ())
        node: Node = graph.nodes[symbol]["symbol"]
        if node.parent in graph:
            front.append(node.parent)
        # An override runs when both its base and its own type are there, whichever comes later.
        for member in overriding.get(symbol, ()):
            owner = graph.nodes[member]["symbol"].parent
            (front if owner in found else waiting.setdefault(owner, [])).append(member)
        front += waiting.pop(symbol, [])
    return found


def _overriding(graph: nx.MultiDiGraph[int]) -> dict[int, list[int]]:
    """The members that override a member, for each that is overridden."""
    members: dict[int, dict[str, list[int]]] = {}
    for symbol, data in graph.nodes(data=True):
        node: Node = data["symbol"]
        members.setdefault(node.parent, {}).setdefault(node.name, []).append(symbol)
    found: dict[int, list[int]] = {}
    for lower, named in members.items():
        if lower not in graph:
            continue
        for upper in _uppers(graph, lower):
            for name, bases in members.get(upper, {}).items():
                for base in bases:
                    found.setdefault(base, []).extend(named.get(name, ()))
    return found


def _uppers(graph: nx.MultiDiGraph[int], symbol: int) -> set[int]:
    """The types that one is built on, however far up."""
    found: set[int] = set()
    front = [symbol]
    while front:
        for _, upper, kind in graph.out_edges(front.pop(), keys=True):
            if kind in BUILT_ON and upper not in found:
                found.add(upper)
                front.append(upper)
    return found


def built(snapshot: Snapshot) -> nx.MultiDiGraph[int]:
    """The graph of a snapshot, from nothing."""
    import networkx as nx  # 0.15 s, which most commands do without

    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    for node in snapshot.graph.nodes():
        graph.add_node(node.id, symbol=node)
    graph.add_edges_from(
        (edge.source, edge.target, edge.kind, _attributes(edge)) for edge in snapshot.graph.edges()
    )
    return graph


def _attributes(edge: Edge) -> dict[str, object]:
    return {"line": edge.line, "rule": edge.rule, "confidence": edge.confidence}


def updated(graph: nx.MultiDiGraph[int], snapshot: Snapshot) -> nx.MultiDiGraph[int]:
    """The graph of an earlier generation, changed to that of this one.

    Rows are compared and not trusted to be the same by their id: ids are used again.
    """
    alive = set()
    for node in snapshot.graph.nodes():
        alive.add(node.id)
        if node.id not in graph or graph.nodes[node.id].get("symbol") != node:
            graph.add_node(node.id, symbol=node)
    graph.remove_nodes_from([node for node in graph if node not in alive])
    seen: dict[int, set[tuple[int, str]]] = {}
    for edge in snapshot.graph.edges():
        seen.setdefault(edge.source, set()).add((edge.target, edge.kind))
        known = graph.get_edge_data(edge.source, edge.target, edge.kind)
        attributes = _attributes(edge)
        if known != attributes:
            graph.add_edge(edge.source, edge.target, edge.kind, **attributes)
    for source in list(graph):
        already = seen.get(source, set())
        # Most symbols have as many edges as before, which then are the same ones.
        if graph.out_degree(source) > len(already):
            gone = [
                (source, target, kind)
                for _, target, kind in graph.out_edges(source, keys=True)
                if (target, kind) not in already
            ]
            graph.remove_edges_from(gone)
    return graph
