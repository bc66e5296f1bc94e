"""One process that runs to its end, and what it took as the kernel counts it. Linux and macOS."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SATCHEL = (sys.executable, "-P", "-c", "from satchel.cli.main import main; main()")
"""This checkout's own command."""
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took: seconds of the processors, seconds of the clock, MB of memory.

    Processor time is user and system time of the process and of those that it waited for, memory
    the peak of the largest of them.
    """

    processor: float
    wall: float
    memory: float


def run(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], expected: Collection[int]
) -> Run:
    """One run of a command. Raises: RuntimeError when it ends with no expected exit code."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expected:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return Run(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * _RSS_UNIT / _MB)


def processor_seconds(pid: int) -> float:
    """User and system time of a process that runs, and of those that it waited for. Linux."""
    # The name of a program may hold spaces and brackets; the fields follow the last one.
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """A process and all below it. Linux."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(number) for task in tasks for number in task.read_text().split()]
    return [pid, *(each for child in children for each in family(child))]


def memory(pid: int, kinds: Collection[str]) -> float:
    """Memory of some kinds (`Pss`, `Private_Dirty`, …) of a process, in MB. Linux."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return sum(int(row.split()[1]) for row in rows if row.split(":")[0] in kinds) * 1024 / _MB
