"""The derived edges of an index as a `networkx.MultiDiGraph`, whole.

Nodes are symbol ids with the attribute `symbol`, a `Node`. An edge runs from the user to the used;
its key is its kind, its attributes are `line`, `rule` and `confidence` (0 to 1). Functions and
types without edges are nodes as well. Walks of a few steps from known symbols read their part of
the index and no more, since loading networkx takes longer than they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from satchel.store.model import BUILT_ON
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import Node

if TYPE_CHECKING:
    import networkx as nx


def call_graph(snapshot: Snapshot) -> nx.MultiDiGraph[int]:
    """The call graph of a snapshot."""
    import networkx as nx  # 0.15 s, which most commands do without

    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    for node in snapshot.graph.nodes():
        graph.add_node(node.id, symbol=node)
    for edge in snapshot.graph.edges():
        graph.add_edge(
            edge.source, edge.target, edge.kind,
            line=edge.line, rule=edge.rule, confidence=edge.confidence,
        )  # fmt: skip
    return graph


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
