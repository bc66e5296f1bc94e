"""How long the learned order of 300 candidates takes: `… timing --cases F --corpora DIR`.

Milliseconds of processor time for the tasks of a case file, each the least of some runs over one
snapshot. *Graph* is what the call graph is asked, which reads the index; the *trees* are walked
once for all candidates; what is left are the other signals, the list and its order.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.peers import inprocess
from bench.retrieval import cases, report
from satchel.assembler.kinds import Scope
from satchel.assembler.query import read_query
from satchel.assembler.query.question import Question
from satchel.assembler.ranking import (
    candidates,
    graph_signals,
    learned,
    rank,
    rerank,
)
from satchel.assembler.weights import DEFAULT, N_LINKED, POOL

_RUNS = 7


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row a repository: medians over its tasks."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.timing", description=__doc__)
    parser.add_argument("--cases", type=Path, required=True, help="a case file of the bench")
    parser.add_argument("--corpora", type=Path, required=True, help="its checkouts")
    parser.add_argument("--repos", nargs="+", help="only these")
    options = parser.parse_args(arguments)
    rows = [["", "tasks", "candidates", "all", "graph", "trees", "the rest"]]
    for repository in cases.load(options.cases):
        if options.repos and repository.name not in options.repos:
            continue
        with inprocess.opened(repository.indexed(options.corpora)) as index:
            found = [times for query in repository.queries if (times := timed(index, query.text))]
        if found:
            median = np.median(found, axis=0)
            n_candidates, *ms = (f"{value:.2f}" for value in median)
            rows.append([repository.name, str(len(found)), n_candidates.split(".")[0], *ms])
    print(report.markdown(rows))
    return 0


def timed(index: inprocess.Index, text: str) -> tuple[float, ...]:
    """(candidates, milliseconds of all, of the graph, of the trees, of the rest) for a task.

    Nothing for a question that the trees do not order.
    """
    snapshot = index.snapshot
    asked = read_query.read(Question(text), DEFAULT)
    found = candidates.find(snapshot, asked, Scope.IMPL, "", DEFAULT, index.vectors)
    items = rank.rank(asked, found.candidates, found.idf, DEFAULT, has_vectors=found.has_vectors)
    items = graph_signals.boost_linked(snapshot, items, DEFAULT.link)
    best = items[:POOL]
    if rank.detail(asked, DEFAULT.penalty) < 1.0 or not best:
        return ()
    measured = rerank.measure(snapshot, asked, found, best, DEFAULT)
    model = learned.shipped()
    whole = _least(lambda: rerank.rerank(snapshot, asked, found, items, DEFAULT))
    graph = _least(lambda: graph_signals.links(snapshot, best, N_LINKED))
    trees = _least(lambda: model.margins(measured))
    return float(len(best)), whole, graph, trees, whole - graph - trees


def _least(run: Callable[[], object]) -> float:
    times = []
    for _ in range(_RUNS):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times) * 1000


if __name__ == "__main__":
    sys.exit(main())
