"""How fast exact text and expressions are found: `… exact ROOT [--runs 20]`.

Asks an index of ROOT, made if it is not there, in this process: first with the signatures yet to be
read, as a command does, then as a server does. "read" is the share of files that are read. Each
question is also answered by reading every file, which is what signatures save. Times are those of
the processor, so that what else it does is not counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from bench import processes
from satchel.assembler.exact import patterns, search
from satchel.assembler.exact.search import Wanted
from satchel.assembler.kinds import TextMode
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite import database
from satchel.store.sqlite.database import scalar
from satchel.workspace.project import Project

_T = TypeVar("_T")

QUESTIONS: tuple[tuple[str, TextMode, str, bool], ...] = (
    ("text", TextMode.EXACT, "permission denied", False),
    ("text", TextMode.EXACT, "No such file or directory", False),
    ("text", TextMode.EXACT, "application/json", False),
    ("text", TextMode.EXACT, "zzyzx nowhere", False),
    ("text", TextMode.EXACT, "getUserName", True),
    ("text, common", TextMode.EXACT, "return", False),
    ("text, two bytes", TextMode.EXACT, "=>", False),
    ("regex, literal", TextMode.REGEX, r"raise \w+Error\(", False),
    ("regex, literal", TextMode.REGEX, r"(TODO|FIXME)\(\w+\)", False),
    ("regex, literal", TextMode.REGEX, r"^\s*func \(\w+ \*?\w+\) Close\(", False),
    ("regex, none", TextMode.REGEX, r"\b[A-Z]{4}_\d+\b", False),
    ("regex, none", TextMode.REGEX, r"(\w+\s?)+!!$", False),
    ("regex, none", TextMode.REGEX, r"[ab]*a[ab]{20}c", False),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.exact", description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args(arguments)
    project = Project.at(options.root, {"SATCHEL_VECTORS_ENGINE": "off"})
    if not project.is_indexed:
        project.refresh(lambda _progress: None)
    with project.snapshot() as snapshot:
        _sizes(project, snapshot)
        print("| question | lines | read | first ms | p50 | p95 | without signatures |")
        print("|---|--:|--:|--:|--:|--:|--:|")
    for kind, how, text, ignore_case in QUESTIONS:
        _measure(project, kind, Wanted(text, how, ignore_case), options.runs)
    peak = processes.peak_memory()
    print(f"peak memory {peak:.0f} MiB")
    return 0


def _sizes(project: Project, snapshot: Snapshot) -> None:
    files = snapshot.texts.holding(((),))
    connection = database.connect(project.directory, writable=False)
    signed = scalar(connection, "SELECT sum(length(signature)) FROM grams")
    kept = scalar(connection, "SELECT sum(length(source)) FROM contents")
    connection.close()
    n_bytes = sum(file.size for file in files)
    print(
        f"{len(files):,} files, {n_bytes / 1e6:.1f} MB; compressed {kept / 1e6:.1f} MB,"
        f" signatures {signed / 1e6:.1f} MB"
    )


def _measure(project: Project, kind: str, wanted: Wanted, n_runs: int) -> None:
    with project.snapshot() as snapshot:
        first, reply = _timed(lambda: search.find(snapshot, wanted, 10))
        times = sorted(_timed(lambda: search.find(snapshot, wanted, 10))[0] for _ in range(n_runs))
        pattern = patterns.compiled(wanted.text, wanted.mode, ignore_case=wanted.ignore_case)
        n_read = len(snapshot.texts.holding(pattern.any_of)) / reply.n_searched
        whole = replace(pattern, any_of=((),))

        def scan() -> None:
            search._Count(0, 10).run(snapshot, whole, wanted)

        slow = min(_timed(scan)[0] for _ in range(2))
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    more = "+" if reply.stopped else ""
    shown = wanted.text.replace("|", "\\|")
    print(
        f"| {kind}: `{shown}` | {reply.n_lines}{more} | {n_read:.3f} | {first:.0f}"
        f" | {p50:.0f} | {p95:.0f} | {slow:.0f} |",
        flush=True,
    )


def _timed(run: Callable[[], _T]) -> tuple[float, _T]:
    began = time.process_time()
    value = run()
    return (time.process_time() - began) * 1000, value


if __name__ == "__main__":
    raise SystemExit(main())
