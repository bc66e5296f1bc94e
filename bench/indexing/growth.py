"""An index as it grows: `python -m bench.indexing.growth REPOSITORIES --lines 1000000 10000000`.

REPOSITORIES holds a folder for each repository. For each number of lines a tree is put together
from them, in the order of their names, until it has so many; it is indexed from nothing by the
installed command, vectors included, and then asked by one process as `bench.serving.answering`
asks. The trees are made in `--work`, of hard links, so that they take no room; the index of each
lies beside it and stays. Linux and macOS.

With `--change` each index is worn as well: its first build is killed three times, then a thousand
files are rewritten, a hundred deleted and a hundred added with a kill in between, vectors are
switched off and on, and what is left is compared with a fresh index (`validate --level deep`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from bench import processes
from bench.serving.answering import answering
from bench.state import beside, index_of
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database
from satchel.workspace.project import Project

_ROUNDS = 3
_KILLS = (0.25, 0.5, 1.0)
"""Shares of so many seconds of a first index, after which it is killed."""
_BEFORE_KILL = 240.0
_REWRITTEN, _DELETED, _ADDED = 1_000, 100, 100
_ENDED_SECONDS = 30.0
"""Within which nothing of a killed command is left."""


def main() -> int:
    """Measure a size after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.growth", description=__doc__)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--lines", type=int, nargs="+", required=True)
    parser.add_argument("--work", type=Path, required=True, help="on the disk of the repositories")
    executable = Path(sys.executable).with_name("satchel")
    parser.add_argument("--satchel", default=str(executable), help="the executable to measure")
    parser.add_argument("--keep", action="store_true", help="ask an index that is there already")
    parser.add_argument("--change", action="store_true", help="kill, change, switch and validate")
    options = parser.parse_args()
    for n_lines in sorted(options.lines):
        tree = options.work.resolve() / f"{n_lines}-lines"
        if not (options.keep and index_of(tree).exists()):
            _put_together(options.repositories, tree, n_lines)
            for share in _KILLS if options.change else ():
                print(_killed(tree, options.satchel, share * _BEFORE_KILL), flush=True)
            print(_indexed(tree, options.satchel), flush=True)
        print(_asked(tree), flush=True)
        for line in _worn(tree, options.satchel) if options.change else ():
            print(line, flush=True)
    return 0


def _put_together(repositories: Path, tree: Path, n_lines: int) -> None:
    """A folder with as many repositories as have so many lines, or all of them."""
    tree.mkdir(parents=True)
    for repository in sorted(repositories.iterdir()):
        if n_lines <= 0:
            break
        shutil.copytree(repository, tree / repository.name, symlinks=True, copy_function=os.link)
        n_lines -= sum(_lines(path) for path in _files(repository))


def _files(folder: Path) -> Iterator[Path]:
    for directory, _, names in os.walk(folder):
        yield from (path for name in names if (path := Path(directory, name)).is_file())


def _lines(path: Path) -> int:
    data = path.read_bytes()
    return 0 if b"\0" in data else data.count(b"\n")


def _indexed(tree: Path, satchel: str) -> str:
    """What a first index takes."""
    run = _reindexed(tree, satchel)
    size = sum(file.stat().st_size for file in index_of(tree).rglob("*") if file.is_file())
    connection = database.connect(index_of(tree), writable=False)
    with SqliteSnapshot(connection) as snapshot:
        counts = snapshot.files.counts()
    connection.close()
    return (
        f"{counts.files:,} files, {counts.lines:,} lines indexed in {run.wall:.0f} s,"
        f" {run.processor:.0f} s of processor time, load {processes.load():.0f};"
        f" all processes {run.memory:.0f} MB; {size / 1e6:.0f} MB on disk"
    )


def _asked(tree: Path) -> str:
    """What questions take, in one process with the index open."""
    project = Project.at(tree, beside(tree, SATCHEL_VECTORS_ENGINE="exact"))
    what, table = answering(project, _ROUNDS)
    return f"{what}, the process that asks {processes.peak_memory():.0f} MB\n\n{table}\n"


def _reindexed(tree: Path, satchel: str, **settings: str) -> processes.Run:
    environment = {**os.environ, **beside(tree, **settings)}
    return processes.run(_reindex(tree, satchel), tree, environment, (0,))


def _reindex(tree: Path, satchel: str) -> list[str]:
    return [satchel, "reindex", "--quiet", "--yes", str(tree)]


def _killed(tree: Path, satchel: str, seconds: float) -> str:
    """Kill a command so long after it began; nothing that it started may go on without it."""
    environment = {**os.environ, **beside(tree)}
    running = subprocess.Popen(_reindex(tree, satchel), cwd=tree, env=environment)
    try:
        return f"done within {seconds:.0f} s: exit code {running.wait(seconds)}"
    except subprocess.TimeoutExpired:
        below = [psutil.Process(pid) for pid in processes.family(running.pid)[1:]]
        running.kill()
        running.wait()
        _, left = psutil.wait_procs(below, timeout=_ENDED_SECONDS)
        if left:
            raise RuntimeError(f"{len(left)} processes outlived the command") from None
        return f"killed after {seconds:.0f} s: exit code {running.returncode}"


def _worn(tree: Path, satchel: str) -> Iterator[str]:
    """What changes take, and whether the index equals a fresh one after them."""
    run = _reindexed(tree, satchel)
    yield f"nothing changed: {run.wall:.1f} s, {run.processor:.1f} s of processor time"
    files = sorted(_files(tree))
    for path in files[:: len(files) // _REWRITTEN][:_REWRITTEN]:
        # Written anew and renamed: a write through the hard link would reach the repository.
        new = path.with_name(path.name + ".new")
        new.write_bytes(path.read_bytes() + b"\n\n")
        new.replace(path)
    for path in files[1 :: len(files) // _DELETED][:_DELETED]:
        path.unlink()
    for number in range(_ADDED):
        text = f"def added_{number}(x):\n    return added_{number // 2}(x)\n"
        (tree / f"added_{number}.py").write_text(text, encoding="utf-8")
    yield _killed(tree, satchel, min(_KILLS) * _BEFORE_KILL / 10)
    run = _reindexed(tree, satchel)
    yield f"{_REWRITTEN + _DELETED + _ADDED:,} files changed: {run.wall:.1f} s"
    for engine in ("off", "exact"):
        run = _reindexed(tree, satchel, SATCHEL_VECTORS_ENGINE=engine)
        yield f"vectors {engine}: {run.wall:.1f} s, {run.processor:.1f} s of processor time"
    command = [satchel, "validate", "--level", "deep", "--quiet", "--yes", "--root", str(tree)]
    began = time.perf_counter()
    said = subprocess.run(
        command, env={**os.environ, **beside(tree)}, stdout=subprocess.PIPE, text=True, check=False
    )
    seconds = time.perf_counter() - began
    yield f"validate --level deep: exit code {said.returncode} after {seconds:.0f} s\n{said.stdout}"


if __name__ == "__main__":
    sys.exit(main())
