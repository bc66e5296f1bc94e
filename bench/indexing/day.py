"""A day of saves, as fast as they go: `python -m bench.indexing.day --saves 100000`.

One process keeps an index (`workspace.serving.owner`) and is told of every save, as its watch
would tell it; as a server does, it looks at the whole tree now and then. Files grow and shrink,
names change, sometimes a file goes and another comes. Every tenth of the day the sizes of the index
and its journal, the rows and ids of the lexical index, the memory of the process, and the processor
time that a save and a question cost it are printed; the last line says what grew with the day.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

from bench.indexing.live_tree import grow
from bench.state import beside
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.store.model import RepoPath
from satchel.store.sqlite import database
from satchel.store.sqlite.database import INDEX_NAME
from satchel.workspace.project import Project
from satchel.workspace.serving.owner import IndexOwner
from satchel.workspace.serving.work_queue import Work, WorkQueue

_WORDS = "alpha beta gamma delta send load signal model router queue retry parse".split()
_RECONCILE_SAVES = 1_000
_SLACK = 1.15
"""What counts as flat: the last tenths of the day against the third, by the larger of each."""
_SHIFTS = 10


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How it stands; bytes in MB."""

    index: float
    journal: float
    rows: float
    ids: float
    memory: float
    save_ms: float
    question_ms: float


def main() -> int:
    """Live the day, print what grew; 1 when anything did."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.day", description=__doc__)
    parser.add_argument("--saves", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=100, help="files that nobody touches")
    parser.add_argument("--touched", type=int, default=40, help="files that are saved")
    parser.add_argument("--functions", type=int, default=12, help="at most, in a file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return _live(Path(folder) / "tree", options)


def _live(root: Path, options: argparse.Namespace) -> int:
    grow(root, options.files)
    (root / "day").mkdir(parents=True)
    project, random = Project.at(root, beside(root)), Random(6)
    project.prepare()
    owner = IndexOwner(project, WorkQueue(), lambda _progress: None, lambda: None)
    owner.reconcile()
    owner.update_edges_and_vectors()
    paths = [root / f"day/m{number}.py" for number in range(options.touched)]
    print("   saves  index MB  journal MB     rows      ids  memory MB  ms a save  ms a question")
    found: list[_Sizes] = []
    started, shift = time.process_time(), max(1, options.saves // _SHIFTS)
    for number in range(options.saves + 1):
        if number % shift == 0:
            found.append(_look(project, (time.process_time() - started) / shift * 1000))
            _show(number, found[-1])
            started = time.process_time()
        path = random.choice(paths)
        _save(path, random, options.functions)
        owner.serve(Work((RepoPath(path.relative_to(root).as_posix()),), (), git=False))
        owner.update_edges_and_vectors()
        if number % _RECONCILE_SAVES == 0:
            owner.reconcile()
    owner.close()
    return _judged(found)


def _save(path: Path, random: Random, n_functions: int) -> None:
    if path.exists() and random.random() < 0.05:
        path.unlink()
        return
    lines = []
    for number in range(random.randrange(2, n_functions + 1)):
        name, other = random.choices(_WORDS, k=2)
        lines.append(f"def {name}_{random.randrange(200)}(x):\n    return {other}_{number}(x)\n")
    path.write_text("\n\n".join(lines), encoding="utf-8")


def _look(project: Project, save_ms: float) -> _Sizes:
    index, journal = (
        file.stat().st_size / 1e6 if file.exists() else 0.0
        for file in (project.directory / INDEX_NAME, project.directory / f"{INDEX_NAME}-wal")
    )
    taken = []
    for _ in range(5):
        started = time.process_time()
        with project.snapshot() as snapshot:
            search(snapshot, Question("where is the queue of signals retried"), 10)
        taken.append((time.process_time() - started) * 1000)
    connection = database.connect(project.directory, writable=False)
    rows, ids = (
        database.scalar(connection, sql) or 0
        for sql in ("SELECT count(*) FROM postings", "SELECT max(id) FROM chunks")
    )
    connection.close()
    return _Sizes(index, journal, rows, ids, _memory(), save_ms, median(taken))


def _memory() -> float:
    """What the process holds now, in MB."""
    status = Path("/proc/self/status").read_text("ascii", "replace")
    return next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line) / 1024


def _show(number: int, now: _Sizes) -> None:
    row = (
        f"{number:>8} {now.index:>9.1f} {now.journal:>11.1f} {now.rows:>8.0f} {now.ids:>8.0f}"
        f" {now.memory:>10.0f} {now.save_ms:>10.1f} {now.question_ms:>14.1f}"
    )
    print(row, flush=True)


def _judged(found: list[_Sizes]) -> int:
    """Whether the second half of the day is what its start was, times apart."""
    early, late = found[2 : _SHIFTS // 2 + 1], found[_SHIFTS // 2 + 1 :]
    grown = [
        f"{name} {before:.1f} to {after:.1f}"
        for name in ("index", "journal", "rows", "ids", "memory")
        for before, after in [[max(getattr(s, name) for s in half) for half in (early, late)]]
        if after > _SLACK * before
    ]
    print(f"grew: {', '.join(grown)}" if grown else "nothing grew after the first half")
    return bool(grown)


if __name__ == "__main__":
    sys.exit(main())
