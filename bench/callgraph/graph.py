"""How long the call graph takes: `python -m bench.callgraph.graph FOLDER [--edges 300000]`.

On a copy of the folder's index. Where that has fewer edges than asked for, its symbols and edges
are written again under other ids, and every tenth caller of a copy also calls the original, until
there are enough: the hubs grow with the graph. Seeds are spread evenly over the symbols that have
edges; those with the most edges come on top. Wall-clock and processor milliseconds a call.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw
import numpy as np

from bench.retrieval import report
from satchel.assembler.lookup.personalised_pagerank import personalised_pagerank
from satchel.assembler.ranking.expand import Surroundings
from satchel.assembler.weights import DEFAULT
from satchel.store.reading.snapshot import Snapshot
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database
from satchel.workspace.project import Project, ignore_progress

SEEDS = 300
HUBS = 15
"""A twentieth of all: the 95th percentile is not above them."""
AT_ONCE = 8
"""Symbols that a question starts from, as many as a handful of chunks define."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of percentiles."""
    with large_graph("graph", __doc__, arguments) as snapshot:
        print(report.markdown(_measured(snapshot)))
    return 0


@contextmanager
def large_graph(
    name: str, about: str | None, arguments: Sequence[str] | None
) -> Iterator[SqliteSnapshot]:
    """The index of the folder that the arguments name, with copies of its graph until it is large;
    its size is printed."""
    parser = argparse.ArgumentParser(prog=f"python -m bench.callgraph.{name}", description=about)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edges", type=int, default=300_000, help="at least this many")
    options = parser.parse_args(arguments)
    project = Project.at(options.folder, {"SATCHEL_VECTORS_ENGINE": "off"})
    project.refresh(ignore_progress)
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(project.directory / database.INDEX_NAME, scratch)
        connection = database.connect(Path(scratch), writable=True)
        n_symbols, n_edges = amplified(connection, options.edges)
        print(f"{n_symbols:,} symbols, {n_edges:,} edges\n", flush=True)
        with SqliteSnapshot(connection) as snapshot:
            yield snapshot
        connection.close()


def amplified(connection: apsw.Connection, wanted: int) -> tuple[int, int]:
    """Copies of all symbols and edges until there are enough edges; how many of both there are."""
    (first,) = next(connection.execute("SELECT max(id) + 1 FROM symbols"))
    (own,) = next(connection.execute("SELECT count(*) FROM edges"))
    columns = [row[1] for row in connection.execute("PRAGMA table_info(symbols)")]
    shifted = ("id + ?1" if c == "id" else "parent_id + ?1" if c == "parent_id" else c
               for c in columns)  # fmt: skip
    symbols = f"INSERT INTO symbols SELECT {', '.join(shifted)} FROM symbols WHERE id < ?2"
    edges = (
        "INSERT INTO edges SELECT source_id + ?1, target_id + ?3, kind, line, rule, confidence"
        " FROM edges WHERE source_id < ?2 AND target_id < ?2"
    )
    with database.transaction(connection):
        for copy in range(1, -(-wanted // own)):
            connection.execute(symbols, (copy * first, first))
            connection.execute(edges, (copy * first, first, copy * first))
            connection.execute(edges + " AND source_id % 10 = 0", (copy * first, first, 0))
    counts = connection.execute("SELECT (SELECT count(*) FROM symbols), count(*) FROM edges")
    n_symbols, n_edges = next(counts)
    return n_symbols, n_edges


def _measured(snapshot: Snapshot) -> list[list[str]]:
    rows = [["", "wall p50", "p95", "p99", "cpu p50", "p95", "p99"]]
    seeds = _seeds(snapshot)
    for name, ask in _KERNELS.items():
        wall, cpu = [], []
        for some in seeds:
            started = time.perf_counter(), time.process_time()
            ask(snapshot, some)
            wall.append((time.perf_counter() - started[0]) * 1000)
            cpu.append((time.process_time() - started[1]) * 1000)
        shares = [f"{np.percentile(each, q):.1f}" for each in (wall, cpu) for q in (50, 95, 99)]
        rows.append([name, *shares])
    return rows


def _seeds(snapshot: Snapshot) -> list[list[int]]:
    """Groups of symbols that lie together, as those of a chunk do, and the hubs."""
    users: dict[int, int] = {}
    for edge in snapshot.graph.edges():
        users[edge.source] = users.get(edge.source, 0) + 1
        users[edge.target] = users.get(edge.target, 0) + 1
    ids = sorted(users)
    step = max(1, len(ids) // SEEDS)
    spread = [ids[i : i + AT_ONCE] for i in range(0, len(ids), step)][: SEEDS - HUBS]
    hubs = sorted(users, key=lambda i: (-users[i], i))[:HUBS]
    return [*spread, *([hub] for hub in hubs)]


_KERNELS: dict[str, Callable[[Snapshot, list[int]], object]] = {
    f"neighbourhood of {AT_ONCE} symbols": lambda snapshot, some: Surroundings(
        snapshot, DEFAULT.edges
    ).read(some),
    f"personalised rank from {AT_ONCE} symbols": personalised_pagerank,
}


if __name__ == "__main__":
    sys.exit(main())
