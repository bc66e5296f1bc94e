"""Files and what they use of each other, as a `networkx.DiGraph`. Pure.

A node is the path of a file, or of a folder. An edge runs from the user to the used; its attributes
are `uses` (edges of the call graph behind it), `weight` (the sum of their confidences), and `path`
and `line` of the first of them. Guesses do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from satchel.store.reading.snapshot import Snapshot

if TYPE_CHECKING:
    import networkx as nx

ModuleGraph: TypeAlias = "nx.DiGraph[str]"
FILES = 0
FOLDERS = -1
"""Depths: every file by itself, and every file by the folder that it lies in."""


class ModuleUses(Struct, frozen=True):
    """A module that uses another at `uses` places, the first of them at `path`:`line`."""

    source: str
    target: str
    uses: int
    path: str
    line: int


def module_graph(
    snapshot: Snapshot, prefix: str = "", *, depth: int = FILES, tests: bool = False
) -> ModuleGraph:
    """What files below a path use of each other; with `depth` their folders, see `folder`.

    Files are there though they use nothing; with `tests` test code counts as well.
    """
    import networkx as nx

    graph: ModuleGraph = nx.DiGraph()
    for file in snapshot.files.all():
        if file.path.startswith(prefix) and (tests or not file.is_test):
            graph.add_node(folder(file.path, depth))
    for use in snapshot.graph.module_uses(tests=tests):
        source, target = folder(use.source, depth), folder(use.target, depth)
        if source == target or source not in graph or target not in graph:
            continue
        if not graph.has_edge(source, target):
            graph.add_edge(source, target, uses=0, weight=0.0, path=use.source, line=use.line)
        edge = graph.edges[source, target]
        edge["uses"] += use.uses
        edge["weight"] += use.confidence
    return graph


def folder(path: str, depth: int) -> str:
    """The first `depth` folders of a path, with "/" at the end; all of them for `FOLDERS`.

    The path itself for `FILES`, and where it lies less deep.
    """
    parts = path.split("/")
    if depth == FILES or len(parts) <= max(1, depth):
        return path
    return "/".join(parts[:-1] if depth == FOLDERS else parts[:depth]) + "/"
