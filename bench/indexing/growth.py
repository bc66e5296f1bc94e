"""An index as it grows: `python -m bench.indexing.growth REPOSITORIES --lines 1000000 10000000`.

REPOSITORIES holds a folder for each repository. For each number of lines a tree is put together
from them, in the order of their names, until it has so many; it is indexed from nothing by the
installed command, vectors included, and then asked by one process as `bench.serving.answering`
asks. The trees are made in `--work`, of hard links, so that they take no room; the index of each
lies beside it and stays. Linux and macOS.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import processes
from bench.serving.answering import answering
from bench.state import beside, index_of
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database
from satchel.workspace.project import Project

_ROUNDS = 3


def main() -> int:
    """Measure a size after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.growth", description=__doc__)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--lines", type=int, nargs="+", required=True)
    parser.add_argument("--work", type=Path, required=True, help="on the disk of the repositories")
    executable = Path(sys.executable).with_name("satchel")
    parser.add_argument("--satchel", default=str(executable), help="the executable to measure")
    parser.add_argument("--keep", action="store_true", help="ask an index that is there already")
    options = parser.parse_args()
    for n_lines in sorted(options.lines):
        tree = options.work.resolve() / f"{n_lines}-lines"
        if not (options.keep and index_of(tree).exists()):
            _put_together(options.repositories, tree, n_lines)
            print(_indexed(tree, options.satchel), flush=True)
        print(_asked(tree), flush=True)
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
    command = [satchel, "reindex", "--quiet", "--yes", str(tree)]
    run = processes.run(command, tree, {**os.environ, **beside(tree)}, (0,))
    size = sum(file.stat().st_size for file in index_of(tree).rglob("*") if file.is_file())
    connection = database.connect(index_of(tree), writable=False)
    with SqliteSnapshot(connection) as snapshot:
        n_lines = snapshot.files.counts().lines
    connection.close()
    return (
        f"{n_lines:,} lines indexed in {run.wall:.0f} s, {run.processor:.0f} s of processor time,"
        f" load {processes.load():.0f}; all processes {run.memory:.0f} MB;"
        f" {size / 1e6:.0f} MB on disk"
    )


def _asked(tree: Path) -> str:
    """What questions take, in one process with the index open."""
    project = Project.at(tree, beside(tree, SATCHEL_VECTORS_ENGINE="exact"))
    what, table = answering(project, _ROUNDS)
    return f"{what}, the process that asks {processes.peak_memory():.0f} MB\n\n{table}\n"


if __name__ == "__main__":
    sys.exit(main())
