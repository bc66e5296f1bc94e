"""What a command costs: seconds, and memory with all the processes it starts.

Memory is peak resident size in MB (10⁶ bytes): of all processes together, sampled, where pages they
share count once for each; and of the largest one, exactly, as the kernel kept it. Linux.
"""

from __future__ import annotations

import mmap
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from satchel.store.errors import SatchelError
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database

SAMPLE_SECONDS = 0.02

# Run by a small process of its own: a child starts with the peak memory of whoever forked it.
_RUN = """
import resource, subprocess, sys, time
began = time.perf_counter()
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one command took."""

    seconds: float
    together_mb: float
    largest_mb: float


def run_measured(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a command to its end and say what it took.

    Raises:
        CalledProcessError: it failed; what it said is on standard error.
    """
    runner = [sys.executable, "-I", "-S", "-c", _RUN, *command]
    with subprocess.Popen(runner, env=environment, stdout=subprocess.PIPE, text=True) as process:
        peak = _Peak(process.pid)
        peak.start()
        output, _ = process.communicate()
        peak.finish()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    seconds, largest_kib = map(float, output.split())
    largest = largest_kib * 1024 / 1e6
    return Cost(seconds, max(peak.bytes / 1e6, largest), largest)


class _Sampler(threading.Thread):
    """Looks again and again until it has seen enough, or until `finish`."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._done = threading.Event()

    def run(self) -> None:
        """What the thread does."""
        while not self._done.wait(SAMPLE_SECONDS):
            self.look()

    def look(self) -> None:
        """One look."""
        raise NotImplementedError

    def finish(self) -> None:
        """Stop looking."""
        self._done.set()
        self.join()


class Watcher(_Sampler):
    """Sees when an index that is being made holds the whole text: `answered` seconds, else 0."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.answered = 0.0
        self._directory = directory
        self._began = time.perf_counter()

    def look(self) -> None:
        """See whether it does."""
        with suppress(SatchelError, OSError, database.SQLiteError):
            connection = database.connect(self._directory, writable=False)
            with closing(connection), SqliteSnapshot(connection) as snapshot:
                if snapshot.complete:
                    self.answered = time.perf_counter() - self._began
                    self._done.set()


class _Peak(_Sampler):
    """Samples the resident size of all that a process started, where /proc tells."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self.bytes = 0
        self._pid = pid

    def look(self) -> None:
        """One sample."""
        self.bytes = max(self.bytes, _resident(self._pid))


def _resident(pid: int) -> int:
    """Bytes of memory that the descendants of a process hold now."""
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _numbers(task):
            pages = _numbers(Path(f"/proc/{child}/statm"))
            total += pages[1] * mmap.PAGESIZE if pages else 0
            total += _resident(child)
    return total


def _numbers(path: Path) -> list[int]:
    """What a file of /proc says; nothing once its process is gone."""
    try:
        return [int(word) for word in path.read_text("ascii").split()]
    except OSError:
        return []
