"""The graph for other programs: GraphML, GEXF, node-link JSON, Graphviz DOT and Mermaid. Pure.

The first three are written by networkx and can be read by it again. Nodes are named by place
(`path#qualified.name`), so that two exports of equal code are equal; every text in them is cleaned
of what XML or a drawing could not hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from satchel.assembler.graph.paths import Step
from satchel.assembler.quoting import clean
from satchel.store.records import SURE, Node, SymbolRecord

if TYPE_CHECKING:
    import networkx as nx

    Portable: TypeAlias = nx.MultiDiGraph[str]

DrawnEdge: TypeAlias = tuple[int, int, str, bool]
"""An edge of a drawing: the numbers of its ends, its label, whether it is sure."""
_DATE = re.compile(r' lastmodifieddate="[^"]*"')


def of_uses(roots: Sequence[SymbolRecord], uses: Iterable[Step]) -> Portable:
    """Some edges of the call graph, as an answer holds them; a root without edges is left out."""
    import networkx as nx

    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    listed = list(uses)
    for record in (*roots, *(end for use in listed for end in (use.source, use.target))):
        # Plain text: networkx writes no other kind of it.
        node = Node(
            record.id, record.path, record.name, record.qualified_name, str(record.kind),
            record.line, str(record.visibility), record.is_test, record.parent_id,
        )  # fmt: skip
        graph.add_node(record.id, symbol=node)
    for use in listed:
        graph.add_edge(
            use.source.id, use.target.id, str(use.kind),
            line=use.line, rule=use.rule, confidence=use.confidence,
        )  # fmt: skip
    return of_symbols(graph)


def of_symbols(
    graph: nx.MultiDiGraph[int], keep: Callable[[Node], bool] = lambda _: True
) -> Portable:
    """Symbols that `keep` admits and that an edge ties to another such; attributes are scalars."""
    import networkx as nx

    nodes: dict[int, Node] = {i: n for i, n in graph.nodes(data="symbol") if keep(n)}
    edges = [
        (nodes[u], nodes[v], kind, data)
        for u, v, kind, data in graph.edges(keys=True, data=True)
        if u in nodes and v in nodes
    ]
    ends = {end.id for u, v, _, _ in edges for end in (u, v)}
    names = _names(sorted((nodes[i] for i in ends), key=_sort_key))
    found: Portable = nx.MultiDiGraph()
    for node in sorted((nodes[i] for i in ends), key=_sort_key):
        found.add_node(
            names[node.id], label=clean(node.qualified_name), path=clean(node.path),
            line=node.line, kind=node.kind, test=node.is_test,
        )  # fmt: skip
    edges.sort(key=lambda edge: (_sort_key(edge[0]), _sort_key(edge[1]), edge[2]))
    for number, (u, v, kind, data) in enumerate(edges):
        found.add_edge(
            names[u.id], names[v.id], f"e{number}", kind=kind, rule=data["rule"],
            confidence=data["confidence"], line=data["line"],
        )  # fmt: skip
    return found


def of_modules(graph: nx.DiGraph[str]) -> Portable:
    """A module graph with attributes that every format has; modules tied to none are left out."""
    import networkx as nx

    found: Portable = nx.MultiDiGraph()
    for path in sorted(path for path in graph if graph.degree(path)):
        found.add_node(clean(path), label=clean(path), path=clean(path), kind="module")
    for number, (u, v) in enumerate(sorted(graph.edges)):
        data = graph.edges[u, v]
        found.add_edge(
            clean(u), clean(v), f"e{number}", kind="uses", uses=data["uses"],
            confidence=round(data["weight"] / data["uses"], 3), line=data["line"],
        )  # fmt: skip
    return found


def _sort_key(node: Node) -> tuple[str, int, str, int]:
    return node.path, node.line, node.qualified_name, node.id


def _names(nodes: Iterable[Node]) -> dict[int, str]:
    """A name for each node: its place, and a number where two would have the same."""
    names: dict[int, str] = {}
    taken: dict[str, int] = {}
    for node in nodes:
        name = clean(f"{node.path}#{node.qualified_name}")
        taken[name] = taken.get(name, 0) + 1
        names[node.id] = name if taken[name] == 1 else f"{name}~{taken[name]}"
    return names


def _graphml(graph: Portable) -> str:
    import networkx as nx

    return "\n".join(nx.generate_graphml(graph))


def _gexf(graph: Portable) -> str:
    import networkx as nx

    # It writes today's date, and the same graph is to be the same text tomorrow.
    return _DATE.sub("", "\n".join(nx.generate_gexf(graph)), count=1)


def _json(graph: Portable) -> str:
    import networkx as nx

    return json.dumps(nx.node_link_data(graph, edges="edges"), indent=1)


def _dot(graph: Portable) -> str:
    # networkx writes DOT by pydot or pygraphviz alone, which need Graphviz.
    return "\n".join(dot("satchel", *_drawn(graph)))


def _mermaid(graph: Portable) -> str:
    return "\n".join(mermaid(*_drawn(graph)))


def _drawn(graph: Portable) -> tuple[list[str], list[DrawnEdge]]:
    numbers = {node: number for number, node in enumerate(graph)}
    labels = [data["label"] for _, data in graph.nodes(data=True)]
    return labels, [
        (numbers[u], numbers[v], _edge_label(data), data["confidence"] >= SURE)
        for u, v, data in graph.edges(data=True)
    ]


def dot(
    name: str, labels: Iterable[str], edges: Iterable[DrawnEdge], notes: Iterable[str] = ()
) -> Iterator[str]:
    """A directed graph in DOT; an edge that is not sure is dashed."""
    yield f"digraph {name} {{"
    yield "  rankdir=LR; node [shape=box];"
    # Names are data: a quote or a backslash in one would end the label or escape what ends it.
    for number, label in enumerate(labels):
        yield f'  n{number} [label="{plain(label)}"];'
    for source, target, label, is_sure in edges:
        style = "" if is_sure else ", style=dashed"
        yield f'  n{source} -> n{target} [label="{label}"{style}];'
    yield from (f"  // {note}" for note in notes)
    yield "}"


def mermaid(
    labels: Iterable[str], edges: Iterable[DrawnEdge], notes: Iterable[str] = ()
) -> Iterator[str]:
    """A Mermaid flowchart; an edge that is not sure is dotted."""
    yield "flowchart LR"
    yield from (f'  n{number}["{_entities(label)}"]' for number, label in enumerate(labels))
    for source, target, label, is_sure in edges:
        yield f"  n{source} {'-->' if is_sure else '-.->'}|{label}| n{target}"
    yield from (f"  %% {_entities(note)}" for note in notes)


def _edge_label(data: Mapping[str, object]) -> str:
    """What stands at an edge: how many uses, or its kind."""
    return str(data.get("uses") or data["kind"])


def plain(text: str) -> str:
    """Text without what would end a label."""
    return "".join("'" if c in '"\\' else c for c in text)


def _entities(text: str) -> str:
    """Text for Mermaid, which takes `%%{…}%%` for settings wherever it stands, and reads HTML."""
    return "".join(f"#{ord(c)};" if c in '"#%<>&`;{}' else c for c in text)


WRITERS: Mapping[str, Callable[[Portable], str]] = {
    "graphml": _graphml,
    "gexf": _gexf,
    "json": _json,
    "dot": _dot,
    "mermaid": _mermaid,
}
"""Formats by the name they are asked for."""
