"""A first index by several tools in turn: processor seconds, memory, and ratios with their spread.

    python -m bench.indexing.versus TREE … \\
        --tool 'before=OLD/bin/satchel reindex --quiet --yes --state {state} {tree}' \\
        --tool 'satchel=satchel reindex --quiet --yes --state {state} {tree}' \\
        --tool 'codegraph=codegraph init {tree}'

Every run has a fresh copy of the tree and an empty folder for state. The tools take turns, A B C
A B C …, so that a machine which gets slower meets all of them. Processor time is user and system
time of the command and of every process that it waited for (wait4), memory the peak of all its
processes together (`bench.processes.Run`). A ratio is that of the first tool to another in the same
turn: median, and from the least to the greatest. Linux and macOS.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from bench import processes
from bench.processes import Run


def run_once(command: str, tree: Path) -> Run:
    """One run on a copy of the tree. Raises: RuntimeError when the command fails."""
    with tempfile.TemporaryDirectory(prefix="satchel-versus-") as scratch:
        copy, state = Path(scratch, tree.name), Path(scratch, "state")
        shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".codegraph"))
        words = [word.format(tree=copy, state=state) for word in shlex.split(command)]
        # Settings, caches and statistics of whoever runs this stay out of it.
        environment = {**os.environ, "HOME": scratch, "DO_NOT_TRACK": "1"}
        # Compiled modules are kept, as they are for whoever installed Satchel.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return processes.run(words, Path(scratch), environment, (0,))


def in_turn(tools: Mapping[str, str], tree: Path, n_runs: int) -> dict[str, list[Run]]:
    """The runs of each tool, a turn of all of them after the other."""
    runs: dict[str, list[Run]] = {name: [] for name in tools}
    for _ in range(n_runs):
        for name, command in tools.items():
            runs[name].append(run_once(command, tree))
    return runs


def rows(tree: str, runs: Mapping[str, Sequence[Run]]) -> list[str]:
    """The lines of the table for one tree, the first tool against itself and the others."""
    first = next(iter(runs.values()))
    lines = []
    for name, taken in runs.items():
        pairs = zip(first, taken, strict=True)
        ratios = sorted(mine.processor / other.processor for mine, other in pairs)
        cells = (
            tree, name,
            f"{median(run.processor for run in taken):.2f}",
            f"{median(run.wall for run in taken):.1f}",
            f"{median(run.memory for run in taken):.0f}",
            f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _tool(text: str) -> tuple[str, str]:
    name, sign, command = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=COMMAND")
    return name, command


def main() -> None:
    """Measure and print, a tree at a time."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.versus", description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--tool", action="append", type=_tool, required=True)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    tools: dict[str, str] = dict(options.tool)
    print("| tree | tool | processor s | clock s | all processes MB | first ÷ this |")
    print("|---|---|---:|---:|---:|---:|")
    for tree in options.trees:
        runs = in_turn(tools, tree.resolve(), options.runs)
        print("\n".join(rows(tree.name, runs)), flush=True)
    print(f"\n{options.runs} runs each, load {processes.load():.1f}, {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
