"""Limits and usage of a process's memory and time, as far as the system provides them.

Windows and macOS limit no address space from within: there a worker that needs too much is ended by
its deadline or by the system.
"""

import math
import os
import sys
from contextlib import suppress
from pathlib import Path

from msgspec import Struct


class WorkerLimits(Struct, frozen=True):
    """What one worker may use."""

    n_workers: int = 0
    """Processes; 0 means one for each processor, at most 8."""
    seconds: float = 10.0
    """Time for a single file."""
    memory_bytes: int = 2 << 30
    """Address space of each process, which is what a system can limit."""
    nice: int = 0
    """How far it stands back for other work, 0 to 19."""

    @property
    def processes(self) -> int:
        """How many workers there are."""
        return self.n_workers or min(8, os.cpu_count() or 1)


def stand_back(niceness: int) -> None:
    """Let other processes go first, by 0 (not at all) to 19; Windows has two such classes."""
    if sys.platform == "win32":
        import psutil

        if niceness:
            psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        with suppress(OSError):
            os.nice(niceness)


def limit_memory(n_bytes: int) -> None:
    """Let this process have so much address space and no more, where the system can do that."""
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def has_one_thread() -> bool:
    """Whether this process certainly has no thread but the one that asks, native ones included."""
    with suppress(OSError):  # no such folder elsewhere than on Linux
        return len([*Path("/proc/self/task").iterdir()]) == 1
    return False


def processor_seconds(pid: int) -> float:
    """What a process has used, its threads included; not a number where the system does not say."""
    if sys.platform == "linux":
        try:
            # Behind the program's name, which may hold anything, brackets included; see proc(5).
            # Fields 14 and 15 are the ticks in user and in kernel mode.
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))
        except (OSError, ValueError, IndexError):
            return math.nan
    import psutil

    try:
        times = psutil.Process(pid).cpu_times()
    except (OSError, psutil.Error):
        return math.nan
    return float(times.user + times.system)
