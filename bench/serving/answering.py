"""How long a warm process takes to answer: `python -m bench.serving.answering FOLDER`.

    python -m bench.serving.answering FOLDER          searches and packs in this process
    python -m bench.serving.answering FOLDER --mcp    packs of `satchel serve`, over its pipes

One process as `satchel serve` is one: each question gets a snapshot of its own, the table of
vectors is loaded once. Questions are made of what the index holds, the same for the same index:
names of definitions, and the words of their documentation. Over MCP twenty of the latter warm the
server up, and forty others are asked once, without a budget. Wall-clock and processor milliseconds
a question; on a busy machine only the latter can be trusted.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from bench.processes import SATCHEL
from bench.retrieval import report
from satchel.assembler import assemble
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.project import Project
from tests.support.stdio_server import StdioServer

QUESTIONS = 60
_COLUMNS = ("wall p50", "wall p95", "cpu p50", "cpu p95")
BUDGET = 4000
_WORDS = 14
"""Of a definition's documentation, taken as a question."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of percentiles."""
    parser = argparse.ArgumentParser(prog="python -m bench.serving.answering", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder; its index is brought up to date")
    parser.add_argument("--rounds", type=int, default=3, help="times each question is asked")
    parser.add_argument("--mcp", action="store_true", help="ask a server for packs")
    options = parser.parse_args(arguments)
    project = Project.at(options.folder, {**os.environ, "SATCHEL_VECTORS_ENGINE": "exact"})
    project.refresh(lambda _: None)
    project.build_vectors()
    project.connections.n_kept = 1  # as a server keeps them
    shown = over_mcp(project) if options.mcp else answering(project, options.rounds)
    print("\n\n".join(shown))
    return 0


def over_mcp(project: Project) -> tuple[str, str]:
    """What a server was asked, and a table of percentiles: of its client's clock, and of its
    processor time."""
    with project.snapshot() as snapshot:
        sentences = questions(snapshot)[1]
        n_files = snapshot.files.count()
    warming = sentences[::3]
    asked = [text for text in sentences if text not in warming]
    with StdioServer(project.root, command=SATCHEL) as server:

        def ask(text: str) -> None:
            arguments = {"query": text}
            server.ask("tools/call", {"name": "context", "arguments": arguments})

        times = _timed([*warming, *asked], ask, server.process.pid)[len(warming) :]
    rows = [["ms a question", *_COLUMNS], ["context, sentences", *_percentiles(times)]]
    return f"{n_files:,} files, {len(asked)} questions", report.markdown(rows)


def answering(project: Project, rounds: int) -> tuple[str, str]:
    """What an up-to-date index was asked, and a table of percentiles."""
    with project.snapshot() as snapshot:
        table = project.vector_table(snapshot)
        names, sentences = questions(snapshot)
        n_files, n_chunks = snapshot.files.count(), table.n_chunks
    rows = [["ms a question", *_COLUMNS]]
    asked = {"names": names, "sentences": sentences}
    gc.freeze()
    for (kind, texts), ask in itertools.product(asked.items(), (_search, _context)):
        label = f"{ask.__name__.removeprefix('_')}, {kind}"
        asked_of = partial(ask, project)
        times = _timed(texts * (1 + rounds), asked_of, os.getpid())
        rows.append([label, *_percentiles(times[len(texts) :])])  # the first round is to warm up
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


Ask = Callable[[Project, str], object]


def _search(project: Project, text: str) -> object:
    with project.snapshot() as snapshot:
        vectors, _ = project.vector_search(snapshot)
        return search(snapshot, Question(text), 10, vectors=vectors)


def _context(project: Project, text: str) -> object:
    with project.snapshot() as snapshot:
        vectors, _ = project.vector_search(snapshot)
        return assemble.context(
            snapshot, Question(text), BUDGET, assemble.PackOptions(vectors=vectors)
        )


def _timed(
    texts: Sequence[str], ask: Callable[[str], object], pid: int
) -> list[tuple[float, float]]:
    """Seconds by the wall clock, and of processor time of a process, for each question."""
    clock = (~pid << 3) | 2  # as `clock_getcpuclockid` gives it: `/proc` counts in 10 ms
    times: list[tuple[float, float]] = []
    for text in texts:
        wall, processor = time.perf_counter(), time.clock_gettime(clock)
        ask(text)
        times.append((time.perf_counter() - wall, time.clock_gettime(clock) - processor))
    return times


def _percentiles(times: Sequence[tuple[float, float]]) -> tuple[str, ...]:
    measured = np.array(times) * 1000
    return tuple(f"{np.percentile(measured[:, i], p):.1f}" for i in (0, 1) for p in (50, 95))


if __name__ == "__main__":
    sys.exit(main())
