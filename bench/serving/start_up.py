"""What it takes to answer one command: processor and wall time of a whole process.

    python -m bench.serving.start_up TREE            on a warm index of TREE
    python -m bench.serving.start_up TREE --served   and with a server running for it

Prints a Markdown table: the median of nine runs of each command, after one that is not counted.
Processor time is user and system time of the process and of the children it waited for, as the
kernel counts them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench import processes
from bench.processes import SATCHEL

RUNS = 9
_WAIT_SECONDS = 120.0
PLAIN = (("--version",), ("--help",), ("__complete", "sym"), ("context", "--help"))
"""Commands that read no index."""
_ANSWERED = (0, 1)
"""Exit codes; 1 says that nothing was found."""


def asked_of(symbol: str) -> tuple[tuple[str, ...], ...]:
    """Commands that read an index, about a symbol that is in it."""
    question = f"how is {symbol} used"
    return (
        ("__complete", "symbols", symbol[:3]),
        ("symbols", symbol), ("show", symbol), ("search", question),
        ("search", "--exact", symbol), ("deps", symbol), ("context", question),
    )  # fmt: skip


def measured(
    commands: Sequence[Sequence[str]], root: Path, environment: dict[str, str], title: str
) -> Iterator[str]:
    """A row for each command: processor milliseconds, and wall milliseconds."""
    for command in commands:
        words = (*SATCHEL, *command)
        _, *runs = (processes.run(words, root, environment, _ANSWERED) for _ in range(1 + RUNS))
        processor = 1_000 * median(run.processor for run in runs)
        wall = 1_000 * median(run.wall for run in runs)
        yield f"| `satchel {' '.join(command)}` | {title} | {processor:.0f} | {wall:.0f} |"


@contextmanager
def served(root: Path, environment: dict[str, str]) -> Iterator[None]:
    """A server for the tree, once it owns the index and has nothing left to do."""
    process = subprocess.Popen(
        (*SATCHEL, "serve"), cwd=root, env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < deadline:
            if list(Path(environment["SATCHEL_STATE_FOLDER"]).rglob("owner.sock")):
                break
            time.sleep(0.1)
        time.sleep(5.0)  # what it reads ahead for the first question
        yield
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tree", type=Path)
    options.add_argument("--symbol", default="main", help="one that the tree defines")
    options.add_argument("--served", action="store_true")
    args = options.parse_args()
    root = args.tree.resolve()
    with tempfile.TemporaryDirectory(prefix="satchel-start-") as state:
        # Compiled modules are kept, as they are for whoever installed Satchel.
        environment = {**os.environ, "SATCHEL_STATE_FOLDER": state}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run((*SATCHEL, "reindex", "--quiet"), cwd=root, env=environment, check=True)
        # A file that was written just now is read again by the next command.
        time.sleep(2.5)
        rows = list(measured(PLAIN, root, environment, "none"))
        rows += measured(asked_of(args.symbol), root, environment, "none")
        if args.served:
            with served(root, environment):
                rows += measured(asked_of(args.symbol), root, environment, "running")
    print(f"load {processes.load():.1f}, {os.cpu_count()} processors, median of {RUNS}")
    print("| command | server | processor ms | wall ms |\n|---|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
