"""The whole call graph in networkx against walks over SQLite.

    python -m bench.callgraph.whole FOLDER [--edges 300000]

On a copy of the folder's index, its edges multiplied as in `bench.callgraph.graph`. Wall clock and
processor milliseconds, the median over symbols that are spread over the graph where a question
starts from some. PageRank by networkx needs scipy, which is no dependency: without it the row is
left out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from statistics import median
from typing import Any

import networkx as nx

from bench import processes
from bench.callgraph.graph import AT_ONCE, large_graph
from bench.retrieval import report
from satchel.assembler.graph.call_graph import call_graph
from satchel.assembler.graph.centrality import pagerank
from satchel.assembler.graph.modules import module_graph
from satchel.assembler.graph.neighbourhoods import neighbourhoods
from satchel.assembler.lookup.personalised_pagerank import personalised_pagerank
from satchel.assembler.ranking.expand import Surroundings
from satchel.assembler.weights import DEFAULT
from satchel.store.reading.snapshot import Snapshot

_SEEDS = 60
_STEPS = 2
_Graph = Any
"""A `networkx.MultiDiGraph` of symbol ids."""
_Row = tuple[str, float, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each way of asking."""
    with large_graph("whole", __doc__, arguments) as snapshot:
        rows = [[what, f"{wall:.1f}", f"{own:.1f}"] for what, wall, own in _rows(snapshot)]
    print(report.markdown([["", "wall ms", "processor ms"], *rows]))
    return 0


def _rows(snapshot: Snapshot) -> Iterator[_Row]:
    before = _peak_mb()
    graph, load = _graph(snapshot)
    yield load
    yield "peak memory of that, MB instead of ms", _peak_mb() - before, 0.0
    ids = sorted(node for node, degree in graph.degree if degree)
    seeds = [ids[i : i + AT_ONCE] for i in range(0, len(ids), max(1, len(ids) // _SEEDS))]
    for what, ask in _questions(snapshot, graph).items():
        yield _each(what, ask, seeds)
    yield _once(
        "PageRank over files' edges, ours", lambda: pagerank(snapshot.graph.uses_between_files())
    )
    if find_spec("scipy"):
        yield _once("PageRank of all edges, networkx with scipy", lambda: nx.pagerank(graph))
        chosen = dict.fromkeys(seeds[0], 1.0)
        yield _once(
            "personalised, networkx with scipy", lambda: nx.pagerank(graph, personalization=chosen)
        )
    yield _once("module graph and communities (Louvain)", lambda: _communities(snapshot))


def _questions(snapshot: Snapshot, graph: _Graph) -> dict[str, Callable[[list[int]], object]]:
    def sql_steps(some: list[int]) -> object:
        return _steps(some, lambda front: (e.source for e in snapshot.symbols.edges_to(front)))

    def graph_steps(some: list[int]) -> object:
        return _steps(some, lambda front: (u for u, _ in graph.in_edges(front)))

    return {
        f"callers within {_STEPS} steps, SQLite": sql_steps,
        f"callers within {_STEPS} steps, networkx in memory": graph_steps,
        f"neighbourhood of {AT_ONCE} for a pack, SQLite": lambda some: Surroundings(
            snapshot, DEFAULT.edges
        ).read(some),
        f"neighbourhood of {AT_ONCE} for a pack, networkx in memory": lambda some: [
            *graph.out_edges(some, data=True), *graph.in_edges(some, data=True),
        ],
        "personalised rank, ours": lambda some: personalised_pagerank(snapshot, some),
    }  # fmt: skip


def _steps(some: list[int], callers: Callable[[list[int]], Iterable[int]]) -> set[int]:
    seen, front = set(some), sorted(some)
    for _ in range(_STEPS):
        front = sorted(set(callers(front)) - seen)
        seen.update(front)
    return seen


def _graph(snapshot: Snapshot) -> tuple[_Graph, _Row]:
    made: list[_Graph] = []
    row = _once("load the whole graph", lambda: made.append(call_graph(snapshot)))
    return made[0], row


def _peak_mb() -> float:
    return processes.peak_memory()


def _communities(snapshot: Snapshot) -> object:
    return neighbourhoods(module_graph(snapshot))


def _once(what: str, ask: Callable[[], object]) -> _Row:
    return _each(what, lambda _none: ask(), [None])


def _each(what: str, ask: Callable[[Any], object], asked: Sequence[Any]) -> _Row:
    wall, own = [], []
    for one in asked:
        begun = time.perf_counter(), time.process_time()
        ask(one)
        wall.append(1e3 * (time.perf_counter() - begun[0]))
        own.append(1e3 * (time.process_time() - begun[1]))
    return what, median(wall), median(own)


if __name__ == "__main__":
    sys.exit(main())
