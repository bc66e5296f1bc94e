"""Building many repositories with Dask: seconds by number of workers, and with workers killed.

python -m bench.hub.building FOLDER [--names A,B,…] [--workers N …] [--kill-every SECONDS]

FOLDER/NAME are trees. Each number of workers builds all of them into an empty hub; with
--kill-every one worker, chosen at random, is killed after so many seconds, again and again, in a
last run with the largest number. Prints seconds of the clock and of the processors (workers and
PostgreSQL; not what a killed worker's own parser did), rows, bytes, bytes a line, and how many
bytes of source the hub did not store since it had them; exit 1 unless every run is complete and
holds the same rows, none twice and none lost.

Workers are forked from a process that has read their modules: on a busy machine reading them takes
longer than a worker lives that is to be killed.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import distributed
import distributed.utils

from bench import processes
from bench.hub.team import new_database, spent
from satchel.hub import checks, creation, database, demo, repositories
from satchel.hub.building import build, cluster
from satchel.hub.building.build import BuildReport
from satchel.hub.database import Hub, rows

_SHARED = ("contents", "content_chunks", "content_symbols", "content_refs", "content_vectors")


@dataclass(frozen=True)
class Built:
    """One run: what it took, and what the hub holds after it, whatever ids its rows have."""

    seconds: float
    processor: float
    n_killed: int
    reports: list[BuildReport]
    held: tuple[tuple[object, ...], ...]
    problems: tuple[str, ...]
    lines: int
    n_rows: int
    size: int
    shared: tuple[int, int]
    """Files whose contents the hub had, and the bytes of their sources as it packs them."""


def run(url: str, trees: Sequence[Path], workers: int, kill_every: float, scratch: Path) -> Built:
    """Build trees into the empty hub at `url`."""
    scratch.mkdir(parents=True)
    with database.connected(url) as hub:
        sources = [repositories.Source(tree.name, str(tree)) for tree in trees]
        repositories.add(hub, sources)
        listed = repositories.repositories(hub)
        until_now = spent(url, os.getpid())
        with cluster.client("", workers, scratch) as client:
            began = time.monotonic()
            with _killing(client, kill_every) as killed:
                tasks = cluster.tasks(url, listed, str(scratch))
                reports = cluster.build_all(client, tasks, os.environ, lambda _: None)
            seconds = time.monotonic() - began
        # Once the workers have ended, who started them has their times.
        processor = spent(url, os.getpid()) - until_now
        with database.reading(hub):
            findings = [text for made in checks.validate(hub, deep=True) for text in made.findings]
        problems = tuple([each.problem for each in reports if each.problem] + findings)
        lines = sum(each.lines for each in repositories.repositories(hub))
        size = repositories.sizes(hub)[1]
        held = _held(hub)
        return Built(
            seconds, processor, len(killed), reports, held, problems, lines, _n_rows(hub), size,
            _shared(hub),
        )  # fmt: skip


@contextmanager
def _killing(client: distributed.Client, every: float) -> Iterator[list[int]]:
    """Kill a worker every so many seconds, 0 for never; gives the processes that were killed."""
    killed: list[int] = []
    over = threading.Event()

    def kills() -> None:
        chance = random.Random(7)
        while not over.wait(every):
            # Asked of the scheduler: one that died was replaced meanwhile.
            pids = sorted(client.run(os.getpid, on_error="ignore").values())
            # All may be starting just now.
            if pids:
                killed.append(chance.choice(pids))
                processes.kill(killed[-1])

    killer = threading.Thread(target=kills, daemon=True)
    if every:
        killer.start()
    try:
        yield killed
    finally:
        over.set()


def _held(hub: Hub) -> tuple[tuple[object, ...], ...]:
    """What a hub holds: the tree of each repository with its rows, and how much is shared."""
    sql = (
        "SELECT r.name, b.tree, b.n_files, b.n_chunks,"
        " (SELECT count(*) FROM files f WHERE f.build_id = b.id),"
        " (SELECT count(*) FROM edges e WHERE e.build_id = b.id),"
        " (SELECT coalesce(sum(n_chunks), 0)::bigint FROM postings p WHERE p.build_id = b.id)"
        " FROM repositories r LEFT JOIN builds b ON b.repository_id = r.id ORDER BY 1, 2"
    )
    counts = [(table, *rows(hub, f"SELECT count(*) FROM {table}")[0]) for table in _SHARED]
    return (*rows(hub, sql), *counts)


def _n_rows(hub: Hub) -> int:
    """How many rows all tables have together."""
    tables = rows(hub, "SELECT oid::regclass::text FROM pg_class"
                  " WHERE relnamespace = 'satchel'::regnamespace AND relkind = 'r'")  # fmt: skip
    return sum(int(rows(hub, f"SELECT count(*) FROM {table}")[0][0]) for (table,) in tables)


def _shared(hub: Hub) -> tuple[int, int]:
    sql = (
        "SELECT coalesce(sum(n - 1), 0)::bigint, coalesce(sum((n - 1) * length(source)), 0)::bigint"
        " FROM contents JOIN (SELECT content_id, count(*) AS n FROM files GROUP BY 1) f"
        " ON f.content_id = contents.id"
    )
    n_files, n_bytes = rows(hub, sql)[0]
    return n_files, n_bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--names", default="")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kill-every", type=float, default=0.0)
    options = parser.parse_args(arguments)
    names = (
        options.names.split(",")
        if options.names
        else sorted(each.name for each in options.folder.iterdir())
    )
    trees = [options.folder / name for name in names]
    runs = [(n, 0.0) for n in options.workers]
    if options.kill_every:
        runs.append((max(options.workers), options.kill_every))
    made: list[Built] = []
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    context: Callable[[], Any] = distributed.utils.get_mp_context
    context().set_forkserver_preload(["distributed.nanny", "distributed.worker", build.__name__])
    titles = ("workers", "killed", "seconds", "of the processors", "lines", "files", "rows", "MB",
              "bytes a line", "shared files", "shared KB")  # fmt: skip
    print(f"| {' | '.join(titles)} |\n|{'--:|' * len(titles)}", flush=True)
    with tempfile.TemporaryDirectory() as scratch, demo.server(None) as server:
        for number, (workers, every) in enumerate(runs):
            url = new_database(server, f"run{number}")
            creation.init(url)
            each = run(url, trees, workers, every, Path(scratch) / str(number))
            made.append(each)
            _print(workers, each)
    differ = {each.held for each in made} != {made[0].held}
    print("the runs differ" if differ else "every run holds the same")
    return int(differ or any(each.problems for each in made))


def _print(workers: int, each: Built) -> None:
    files = sum(report.files for report in each.reports)
    per_line = each.size / max(1, each.lines)
    print(f"| {workers} | {each.n_killed} | {each.seconds:.1f} | {each.processor:.0f} |"
          f" {each.lines:,} | {files:,} |"
          f" {each.n_rows:,} | {each.size / 1e6:,.0f} | {per_line:.0f} | {each.shared[0]:,} |"
          f" {each.shared[1] / 1e3:,.0f} |", flush=True)  # fmt: skip
    for problem in each.problems:
        print("PROBLEM", problem)


if __name__ == "__main__":
    raise SystemExit(main())
