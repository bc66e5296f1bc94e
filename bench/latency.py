"""How long after a save a search finds it, while questions are asked: `python -m bench.latency`.

A tree of `--files` Python files is served by one process (`workspace.live`). A file is saved with a
function of a new name, at random moments, while `--askers` threads of the same process ask
questions without a pause, and one other process that follows asks too. A save counts as found when
a search for that name, begun afterwards, returns the file; the time of that search is included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random

from assembler import assemble
from assembler.assemble import Question
from bench.live_tree import grow
from workspace.live import Live
from workspace.project import Project

_QUESTIONS = (
    "how are connections closed when a request times out",
    "parse command line arguments",
    "where is the cache invalidated",
    "decode utf-8 with replacement characters",
    "class that schedules retries",
)
_GIVE_UP = 30.0
_EDGES_MS = (25, 50, 75, 100, 150, 200, 250, 500, 1000, 5000, 30_000)


def main() -> None:
    """Measure, and print a histogram."""
    parser = argparse.ArgumentParser(prog="python -m bench.latency", description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--saves", type=int, default=200)
    parser.add_argument("--askers", type=int, default=1, help="threads that ask in the owner")
    parser.add_argument("--tree", type=Path, help="where the tree is or will be (default: nowhere)")
    parser.add_argument("--follow", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.follow:
        _follow(options.tree)
        return
    with tempfile.TemporaryDirectory() as folder:
        _measure(options, options.tree or Path(folder) / "tree")


def _measure(options: argparse.Namespace, tree: Path) -> None:
    files = grow(tree, options.files)
    live = Live(Project.at(tree, {}))
    live.start()
    while live.wait_fresh(seconds=600):
        pass
    print(f"{len(files)} files, {options.saves} saves, {options.askers} askers and one follower")
    command = [sys.executable, "-m", "bench.latency", "--follow", "--tree", str(tree)]
    follower = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    done = threading.Event()
    asked: list[float] = []
    askers = [
        threading.Thread(target=_ask, args=(live, done, asked, seed))
        for seed in range(options.askers)
    ]
    for asker in askers:
        asker.start()
    try:
        latencies = _save(live, tree, files, options.saves)
    finally:
        done.set()
        for asker in askers:
            asker.join()
        said, _ = follower.communicate()
    live.close()
    print(f"questions: {len(asked)} in the owner, p50 {_share(asked, 0.5):.0f} ms; {said.strip()}")
    _show(latencies)


def _save(live: Live, tree: Path, files: list[Path], n_saves: int) -> list[float]:
    """Milliseconds from each save until a search has found it."""
    random, latencies = Random(5), []
    run = time.time_ns()
    for number in range(n_saves):
        path, name = random.choice(files), f"probe_{run}_{number}"
        text = path.read_text("utf-8", "replace")
        path.write_text(f"{text}\n\ndef {name}():\n    return {number}\n", encoding="utf-8")
        started = time.perf_counter()
        wanted = path.relative_to(tree).as_posix()
        while not _found(live, name, wanted) and time.perf_counter() < started + _GIVE_UP:
            time.sleep(0.002)
        latencies.append((time.perf_counter() - started) * 1000)
        time.sleep(random.uniform(0, 0.3))
    return latencies


def _found(live: Live, name: str, path: str) -> bool:
    with live.snapshot() as snapshot:
        if not snapshot.symbols.named(name):
            return False
        reply = assemble.search(snapshot, Question(name), 5)
    return any(item.chunk.path == path for item in reply.results)


def _ask(live: Live, done: threading.Event, asked: list[float], seed: int) -> None:
    random = Random(seed)
    while not done.is_set():
        started = time.perf_counter()
        with live.snapshot() as snapshot:
            vectors, _ = live.vector_search(snapshot)
            assemble.search(snapshot, Question(random.choice(_QUESTIONS)), 10, vectors=vectors)
        asked.append((time.perf_counter() - started) * 1000)


def _follow(tree: Path) -> None:
    """Ask until stdin closes."""
    live = Live(Project.at(tree, {}))
    live.start()
    done, asked = threading.Event(), list[float]()
    asker = threading.Thread(target=_ask, args=(live, done, asked, 99))
    asker.start()
    sys.stdin.read()
    done.set()
    asker.join()
    live.close()
    print(f"{len(asked)} in the follower, p50 {_share(asked, 0.5):.0f} ms")


def _show(latencies: list[float]) -> None:
    shares = ", ".join(f"p{p} {_share(latencies, p / 100):.0f} ms" for p in (50, 90, 95, 99))
    print(f"save to found: {shares}, worst {max(latencies):.0f} ms")
    low = 0
    for high in _EDGES_MS:
        n = sum(low <= value < high for value in latencies)
        if n:
            print(f"{low:>6} to {high:>6} ms {n:>5} {'#' * round(60 * n / len(latencies))}")
        low = high


def _share(values: list[float], share: float) -> float:
    """The value that `share` of all are at most."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


if __name__ == "__main__":
    main()
