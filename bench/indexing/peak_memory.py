"""The peak memory of a first index, all its processes together, vectors and edges included. Linux.

    python -m bench.indexing.peak_memory TREE [--runs 3] [--satchel EXE …]

Ten times a second the proportional set size of the command and of all below it is added up: what
processes share counts once. Several `--satchel` take turns. A line a run: MB at the peak, and
processor seconds.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from bench import processes

_SAMPLE_SECONDS = 0.1


def peak(command: list[str], tree: Path) -> tuple[float, float]:
    """MB at the peak, and processor seconds, of one first index."""
    with tempfile.TemporaryDirectory(prefix="satchel-peak-") as scratch:
        environment = {**os.environ, "HOME": scratch, "SATCHEL_STATE_FOLDER": f"{scratch}/state"}
        began = os.times()
        process = subprocess.Popen(
            [*command, "reindex", "--quiet", "--yes"], cwd=tree, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        most = 0.0
        while process.poll() is None:
            most = max(most, _sample(process.pid))
            time.sleep(_SAMPLE_SECONDS)
        if process.returncode:
            raise RuntimeError(f"{command[0]} ended with {process.returncode}")
        ended = os.times()
    used = ended.children_user + ended.children_system
    return most, used - began.children_user - began.children_system


def _sample(pid: int) -> float:
    try:
        return sum(processes.memory(each, ("Pss",)) for each in processes.family(pid))
    except OSError:  # a process ended while it was looked at
        return 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.peak_memory",
                                     description=__doc__)  # fmt: skip
    parser.add_argument("tree", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--satchel", action="append", default=[], metavar="EXE")
    options = parser.parse_args()
    commands = [shlex.split(exe) for exe in options.satchel] or [[*processes.SATCHEL]]
    for _ in range(options.runs):
        for command in commands:
            memory, seconds = peak(command, options.tree.resolve())
            print(f"{command[0]}: {memory:.0f} MB, {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
