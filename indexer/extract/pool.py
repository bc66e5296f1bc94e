"""A pool of worker processes that analyse files: no input can crash, hang or exhaust the indexer.

Files travel in batches and come back one by one. A file on which a worker dies twice or overruns
its deadline is cut into lines without its grammar and says so; the rest of its batch goes on.
"""

from __future__ import annotations

import math
import os
import select
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType

import msgspec

from satchel.indexer.extract.worker import HEADER_BYTES, Task, perform, write_frame
from satchel.store import isolation
from satchel.store.records import Analyzed

BATCH_FILES = 48
BATCH_BYTES = 160 * 1024
BATCHES_AHEAD = 12
"""Batches a worker may be ahead of the writer: enough work to do while a transaction commits."""
_WORKER = f"{__package__}.worker"
_START_SECONDS = 60.0
_TEXT_SECONDS = 60.0
_SOON_MS = 20
_STARVED_SECONDS = 60.0
"""How far beyond its deadline a process may be that has not had the processor for that long."""
_SPENT_SHARE = 0.9
"""The share of a deadline that a process which never rests has surely used when it is over."""
_OUTCOME = msgspec.msgpack.Decoder(Analyzed)


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What one worker may use."""

    n_workers: int = 0
    """Processes; 0 means one for each processor, at most 8."""
    seconds: float = 10.0
    """For a single file."""
    memory_bytes: int = 2 << 30
    """Of address space, which is what a system can limit."""
    nice: int = 0
    """How far it stands back for other work, 0 to 19."""

    @property
    def processes(self) -> int:
        """How many workers there are."""
        return self.n_workers or min(8, os.cpu_count() or 1)


class WorkerFailed(Exception):
    """A worker died or overran its deadline; internal to this file."""

    def __init__(self, *, overran: bool) -> None:
        super().__init__("overran its deadline" if overran else "died")
        self.overran = overran


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, tasks: tuple[Task, ...], seconds: float) -> Iterator[Analyzed]:
        """Analyse a batch: an outcome for each task, as soon as it is there.

        Raises:
            WorkerFailed: the process died, or took longer than `seconds` for the next outcome.
        """
        try:
            process = self._process or self._start()
            assert process.stdin
            write_frame(process.stdin, msgspec.msgpack.encode(tasks))
            for _ in tasks:
                yield _OUTCOME.decode(_read_frame(process, seconds))
        except (OSError, ValueError) as error:
            self.stop()
            raise WorkerFailed(overran=isinstance(error, TimeoutError)) from error

    def _start(self) -> subprocess.Popen[bytes]:
        limits = self._limits
        # The project being indexed may have an `indexer` of its own, or a `subprocess`.
        self._process = subprocess.Popen(
            isolation.command(_WORKER, str(limits.memory_bytes), str(limits.nice)),
            cwd=isolation.NEUTRAL,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        _read_frame(self._process, _START_SECONDS)  # it says when it is ready
        return self._process

    def stop(self) -> None:
        """Kill the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was buffered for a dead process cannot be flushed
                if pipe is not None:
                    pipe.close()


def _read_frame(process: subprocess.Popen[bytes], seconds: float) -> bytes:
    header = _read(process, HEADER_BYTES, seconds)
    return _read(process, int.from_bytes(header, "big"), seconds)


def _read(process: subprocess.Popen[bytes], size: int, seconds: float) -> bytes:
    """Exactly `size` bytes; each piece of them may take `seconds` of the process's own time.

    Raises:
        TimeoutError: nothing came.
        ConnectionError: the process ended.
    """
    assert process.stdout
    pieces: list[bytes] = []
    while size:
        _wait(process, seconds)
        # Read below the buffered stream: what it held back, the poll would not know of.
        piece = os.read(process.stdout.fileno(), size)
        if not piece:
            raise ConnectionError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until there is something to read.

    The deadline is processor time: what a file's facts are must not depend on how busy the machine
    is. Where the system does not tell, the clock decides.

    Raises:
        TimeoutError: the process has used `seconds`, or rests for much longer than that.
    """
    assert process.stdout
    poll = select.poll()
    poll.register(process.stdout.fileno(), select.POLLIN | select.POLLHUP)
    if poll.poll(_SOON_MS):  # most files: asking the system costs more than they do
        return
    began, patience = _processor_seconds(process.pid), seconds + _STARVED_SECONDS
    wait = seconds
    while not poll.poll(wait * 1000):
        used = _processor_seconds(process.pid) - began
        patience -= wait
        if not used < _SPENT_SHARE * seconds or patience <= 0:  # not a number: nobody tells
            raise TimeoutError
        wait = min(patience, seconds - used)


def _processor_seconds(pid: int) -> float:
    """What a process has used, its threads included; not a number where the system does not say."""
    try:
        # Behind the program's name, which may hold anything, brackets included; see proc(5). Fields
        # 14 and 15 are the ticks in user and in kernel mode.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return math.nan


class Pool:
    """A few workers, started when first needed; use as a context manager."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._closed = False
        self._n_workers = limits.processes
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._workers = [_Worker(limits) for _ in range(self._n_workers)]
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(self._n_workers, thread_name_prefix="analyze")

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._closed = True  # nobody waits for the outcomes any more
            for worker in self._workers:
                worker.stop()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.stop()

    def analyze(self, tasks: Iterable[Task]) -> Iterator[Analyzed]:
        """One outcome for each task, in the order of the tasks; reads only a little ahead."""
        ahead: list[Future[tuple[Analyzed, ...]]] = []
        for batch in _batches(tasks):
            ahead.append(self._threads.submit(self._run, batch))
            if len(ahead) > BATCHES_AHEAD * self._n_workers:
                yield from ahead.pop(0).result()
        for future in ahead:
            yield from future.result()

    def _run(self, batch: tuple[Task, ...]) -> tuple[Analyzed, ...]:
        """The outcomes of a batch; a file on which the worker fails is tried again by itself."""
        outcomes: list[Analyzed] = []
        worker = self._idle.get()
        try:
            while len(outcomes) < len(batch):
                left = batch[len(outcomes) :]
                try:
                    for outcome in worker.run(left, self._limits.seconds):
                        outcomes.append(outcome)  # noqa: PERF402 - those before a failure stay
                except WorkerFailed as failure:
                    if self._closed:
                        raise
                    outcomes.append(self._retry(worker, batch[len(outcomes)], failure))
        finally:
            self._idle.put(worker)
        return tuple(outcomes)

    def _retry(self, worker: _Worker, task: Task, failure: WorkerFailed) -> Analyzed:
        """Analyse a file on which a worker failed: alone, then without its grammar."""
        as_text = msgspec.structs.replace(task, as_text=True)
        attempts = [(as_text, max(_TEXT_SECONDS, self._limits.seconds))]
        # A worker can also die of something else, so a death is believed when it happens twice. A
        # deadline is counted in the process's own time and means the same a second time.
        if not failure.overran:
            attempts.insert(0, (task, self._limits.seconds))
        for attempt, seconds in attempts:
            with suppress(WorkerFailed):
                return next(worker.run((attempt,), seconds))
        # No worker lives long enough. Cutting lines needs no grammar, and is safe in this process.
        return perform(as_text)


def _batches(tasks: Iterable[Task]) -> Iterator[tuple[Task, ...]]:
    batch: list[Task] = []
    size = 0
    for task in tasks:
        batch.append(task)
        size += len(task.data)
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)
