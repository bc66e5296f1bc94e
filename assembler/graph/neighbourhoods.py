"""Communities of files, by their uses of each other instead of their folders. Pure.

Communities of the module graph by the Louvain method (Blondel, Guillaume, Lambiotte and Lefebvre,
Fast unfolding of communities in large networks, 2008), from a fixed seed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.graph.modules import folder

if TYPE_CHECKING:
    import networkx as nx

_SEED = 1
_LEAST = 2
"""A file that uses nothing and is not used is no neighbourhood."""
_MAIN_SHARE = 0.6
"""A folder names a neighbourhood when this share of its files lies in it. By hand."""


class Neighbourhood(Struct, frozen=True):
    """Files that use each other more than others; `inner` and `outer` count uses.

    `name` is the folder that most of them lie in, if it is that of no other neighbourhood, else the
    file that most use. Those that are used most come first.
    """

    name: str
    files: tuple[str, ...]
    inner: int
    outer: int


def neighbourhoods(modules: nx.DiGraph[str]) -> tuple[Neighbourhood, ...]:
    """The communities of a module graph, the largest first, then by name."""
    import networkx as nx

    # By number and not by path: the method walks sets, whose order for text is another in each
    # process.
    paths = sorted(modules)
    numbers = {path: number for number, path in enumerate(paths)}
    undirected: nx.Graph[int] = nx.Graph()
    undirected.add_nodes_from(range(len(paths)))
    for source, target in sorted(modules.edges):
        ends = numbers[source], numbers[target]
        before = undirected.get_edge_data(*ends, {"weight": 0.0})["weight"]
        undirected.add_edge(*ends, weight=before + modules.edges[source, target]["weight"])
    groups = nx.community.louvain_communities(undirected, seed=_SEED)
    found = [
        _neighbourhood(modules, {paths[number] for number in group})
        for group in groups
        if len(group) >= _LEAST
    ]
    tally = Counter(each.name for each in found)
    found = [replace(each, name=each.files[0]) if tally[each.name] > 1 else each for each in found]
    return tuple(sorted(found, key=lambda each: (-len(each.files), each.name, each.files)))


def _neighbourhood(modules: nx.DiGraph[str], group: set[str]) -> Neighbourhood:
    inner = outer = 0
    used: Counter[str] = Counter(dict.fromkeys(group, 0))
    for path in group:
        for target, edge in modules[path].items():
            if target in group:
                inner += edge["uses"]
                used[target] += edge["uses"]
            else:
                outer += edge["uses"]
        outer += sum(
            edge["uses"] for source, edge in modules.pred[path].items() if source not in group
        )
    files = tuple(sorted(group, key=lambda path: (-used[path], path)))
    return Neighbourhood(_name(files), files, inner, outer)


def _name(files: tuple[str, ...]) -> str:
    """The deepest folder that holds most of the files, else the first file."""
    name = files[0]
    for depth in range(1, max(path.count("/") for path in files) + 1):
        tally = Counter(folder(path, depth) for path in files if path.count("/") >= depth)
        best, n_files = min(tally.items(), key=lambda entry: (-entry[1], entry[0]))
        if n_files < _MAIN_SHARE * len(files):
            break
        name = best
    return name
