"""How long a warm process takes to answer: `python -m bench.serving.answering FOLDER`.

One process as `satchel serve` is one: each question gets a snapshot of its own, the table of
vectors is loaded once. Questions are made of what the index holds, the same for the same index:
names of definitions, and the words of their documentation. Wall-clock and processor milliseconds a
question; on a busy machine only the latter can be trusted.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.retrieval import report
from satchel.assembler import assemble
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite.vectors import VectorTable
from satchel.workspace.project import Project

QUESTIONS = 60
BUDGET = 4000
_WORDS = 14
"""Of a definition's documentation, taken as a question."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of percentiles."""
    parser = argparse.ArgumentParser(prog="python -m bench.serving.answering", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder; its index is brought up to date")
    parser.add_argument("--rounds", type=int, default=3, help="times each question is asked")
    options = parser.parse_args(arguments)
    project = Project.at(options.folder, {"SATCHEL_VECTORS_ENGINE": "exact"})
    project.refresh(lambda _: None)
    project.build_vectors()
    project.connections.n_kept = 1  # as a server keeps them
    print("\n\n".join(answering(project, options.rounds)))
    return 0


def answering(project: Project, rounds: int) -> tuple[str, str]:
    """What an up-to-date index was asked, and a table of percentiles."""
    with project.snapshot() as snapshot:
        table = project.vector_table(snapshot)
        names, sentences = questions(snapshot)
        n_files, n_chunks = snapshot.files.count(), table.n_chunks
    rows = [["ms a question", "wall p50", "wall p95", "cpu p50", "cpu p95"]]
    asked = {"names": names, "sentences": sentences}
    gc.freeze()
    for (kind, texts), ask in itertools.product(asked.items(), (_search, _context)):
        label = f"{ask.__name__.removeprefix('_')}, {kind}"
        rows.append([label, *_percentiles(project, table, ask, texts * (1 + rounds))])
    what = f"{n_files:,} files, {n_chunks:,} chunks, {len(names)} + {len(sentences)} questions"
    return what, report.markdown(rows)


def questions(snapshot: Snapshot) -> tuple[list[str], list[str]]:
    """Names and sentences, spread evenly over the documented definitions of product code."""
    documented = [
        symbol
        for file in snapshot.files.all()
        if not file.is_test
        for symbol in snapshot.symbols.of_file(file.path)
        if len(symbol.doc.split()) >= _WORDS // 2
    ]
    step = max(1, len(documented) // QUESTIONS)
    chosen = documented[::step][:QUESTIONS]
    return [s.name for s in chosen], [" ".join(s.doc.split()[:_WORDS]) for s in chosen]


Ask = Callable[[Project, VectorTable, str], object]


def _search(project: Project, table: VectorTable, text: str) -> object:
    with project.snapshot() as snapshot:
        vectors, _ = project.vector_search(snapshot)
        return search(snapshot, Question(text), 10, vectors=vectors)


def _context(project: Project, table: VectorTable, text: str) -> object:
    with project.snapshot() as snapshot:
        vectors, _ = project.vector_search(snapshot)
        return assemble.context(
            snapshot, Question(text), BUDGET, assemble.PackOptions(vectors=vectors)
        )


def _percentiles(
    project: Project, table: VectorTable, ask: Ask, texts: Sequence[str]
) -> tuple[str, ...]:
    times: list[tuple[float, float]] = []
    for text in texts:
        wall, processor = time.perf_counter(), time.process_time()
        ask(project, table, text)
        times.append((time.perf_counter() - wall, time.process_time() - processor))
    measured = np.array(times[len(texts) // 4 :]) * 1000  # the first are to warm up
    return tuple(f"{np.percentile(measured[:, i], p):.1f}" for i in (0, 1) for p in (50, 95))


if __name__ == "__main__":
    sys.exit(main())
