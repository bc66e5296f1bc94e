"""A day of saves, as fast as they go: `python -m bench.day --saves 100000`.

One process keeps an index (`workspace.keeper`) and is told of every save, as its watch would tell
it. Files grow and shrink, names change, now and then a file goes and another comes. Every tenth of
the day the sizes of the index and its journal, the memory of the process and the time a save took
are printed; they must not grow with the day.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from random import Random

from bench.live_tree import grow
from store.database import INDEX_NAME
from store.model import RepoPath
from workspace.inbox import Inbox, Work
from workspace.keeper import Keeper
from workspace.project import Project

_WORDS = "alpha beta gamma delta send load signal model router queue retry parse".split()


def main() -> None:
    """Live the day, print what grew."""
    parser = argparse.ArgumentParser(prog="python -m bench.day", description=__doc__)
    parser.add_argument("--saves", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _live(Path(folder) / "tree", options)


def _live(root: Path, options: argparse.Namespace) -> None:
    grow(root, options.files)
    project, random = Project.at(root, {}), Random(6)
    project.prepare()
    keeper = Keeper(project, Inbox(), lambda _progress: None)
    keeper.reconcile()
    keeper.encode()
    paths = [root / f"day/m{number}.py" for number in range(40)]
    (root / "day").mkdir()
    print("   saves   index MB  journal MB   memory MB   ms a save (mean)")
    started, tenth = time.perf_counter(), max(1, options.saves // 10)
    for number in range(options.saves + 1):
        if number % tenth == 0:
            _show(project, number, (time.perf_counter() - started) / tenth)
            started = time.perf_counter()
        path = random.choice(paths)
        _save(path, random)
        keeper.serve(Work((RepoPath(path.relative_to(root).as_posix()),), (), git=False))
    keeper.close()


def _save(path: Path, random: Random) -> None:
    if path.exists() and random.random() < 0.05:
        path.unlink()
        return
    lines = []
    for number in range(random.randrange(2, 40)):
        name, other = random.choices(_WORDS, k=2)
        lines.append(f"def {name}_{random.randrange(200)}(x):\n    return {other}_{number}(x)\n")
    path.write_text("\n\n".join(lines), encoding="utf-8")


def _show(project: Project, number: int, seconds: float) -> None:
    sizes = [
        file.stat().st_size / 1e6 if file.exists() else 0.0
        for file in (project.directory / INDEX_NAME, project.directory / f"{INDEX_NAME}-wal")
    ]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row = f"{number:>8} {sizes[0]:>10.1f} {sizes[1]:>11.1f} {memory:>11.0f} {seconds * 1000:>12.1f}"
    print(row, flush=True)


if __name__ == "__main__":
    main()
