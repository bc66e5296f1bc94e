"""Processes that benches start, fork and end, and what they took as the kernel counts it.

The one place here that knows what only Linux and macOS have.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

SATCHEL = (sys.executable, "-P", "-c", "from satchel.cli.main import main; main()")
"""This checkout's own command."""
KILLED = -9
"""The exit code of a process that was ended at once, as `subprocess` tells it."""
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
_MB = 1_000_000
_LOOK_SECONDS = 0.1
_WINDOWS = "this bench needs Linux or macOS"


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took: seconds of the processors, seconds of the clock, MB of memory.

    Processor time is user and system time of the process and of those that it waited for. Memory is
    the peak of all of them together, looked at ten times a second, where what processes share
    counts once (proportional set size); on macOS that of the largest.
    """

    processor: float
    wall: float
    memory: float


def run(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], expected: Collection[int]
) -> Run:
    """One run of a command. Raises: RuntimeError when it ends with no expected exit code."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    began = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    peak = _Peak(process.pid)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    together = peak.end()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expected:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    largest = used.ru_maxrss * _RSS_UNIT / _MB
    return Run(used.ru_utime + used.ru_stime, wall, together or largest)


class _Peak:
    """The most memory that a process and all below it hold together, in MB; 0 outside Linux."""

    def __init__(self, pid: int) -> None:
        self._pid, self._most = pid, 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        if sys.platform == "linux":
            self._thread.start()

    def end(self) -> float:
        """The most until now."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        return self._most

    def _look(self) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            with suppress(OSError):  # a process ended while it was looked at
                now = sum(memory(each, ("Pss",)) for each in family(self._pid))
                self._most = max(self._most, now)


def processor_seconds(pid: int) -> float:
    """User and system time of a process that runs, and of those that it waited for. Linux."""
    if sys.platform != "linux":
        raise NotImplementedError("this bench needs Linux")
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


def peak_memory(*, of_children: bool = False) -> float:
    """The most memory that this process has held, or the largest of those it waited for, in MiB."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    import resource

    whose = resource.RUSAGE_CHILDREN if of_children else resource.RUSAGE_SELF
    return resource.getrusage(whose).ru_maxrss * _RSS_UNIT / (1 << 20)


def load() -> float:
    """How many processes wanted a processor in the last minute."""
    return float(psutil.getloadavg()[0])


def fork() -> int:
    """As `os.fork`."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    return os.fork()


def kill(pid: int) -> None:
    """End a process at once: it cannot tidy up."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    os.kill(pid, signal.SIGKILL)


def waited_for(pid: int) -> int:
    """The exit code of a forked process, when it has ended."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def limit_memory(n_bytes: int) -> None:
    """Let this process, and what it starts, hold no more."""
    if sys.platform == "win32":
        raise NotImplementedError(_WINDOWS)
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
