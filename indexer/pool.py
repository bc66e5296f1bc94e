"""Analyse many files in worker processes, so that no input can crash, hang or exhaust the indexer.

Files travel in batches. When a worker dies or overruns its deadline, the batch is tried again file
by file, and a file that fails alone is cut into lines without its grammar and says so.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType

import msgspec

from indexer.worker import Task, read_frame, write_frame
from store.records import Analyzed

BATCH_FILES = 48
BATCH_BYTES = 384 * 1024
BATCHES_AHEAD = 12
"""Batches a worker may be ahead of the writer: enough work to do while a transaction commits."""
_OUTCOMES = msgspec.msgpack.Decoder(tuple[Analyzed, ...])


@dataclass(frozen=True, slots=True)
class Limits:
    """What one worker may use."""

    n_workers: int = 0
    """Processes; 0 means one for each processor, at most 8."""
    seconds: float = 10.0
    """For a single file; a batch may take four times as long."""
    memory_bytes: int = 4 << 30


class WorkerFailed(Exception):
    """A worker died or overran its deadline; internal to this file."""


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, tasks: tuple[Task, ...], seconds: float) -> tuple[Analyzed, ...]:
        """Analyse a batch.

        Raises:
            WorkerFailed: the process died or took longer than `seconds`.
        """
        process = self._process or self._start()
        assert process.stdin and process.stdout
        try:
            write_frame(process.stdin, msgspec.msgpack.encode(tasks))
            self._await(process, seconds)
            frame = read_frame(process.stdout)
        except (OSError, ValueError) as error:
            self.stop()
            raise WorkerFailed from error
        if not frame:
            self.stop()
            raise WorkerFailed
        return _OUTCOMES.decode(frame)

    def _await(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        poll = select.poll()
        poll.register(process.stdout.fileno(), select.POLLIN | select.POLLHUP)  # type: ignore[union-attr]
        if not poll.poll(seconds * 1000):
            raise TimeoutError

    def _start(self) -> subprocess.Popen[bytes]:
        home = str(Path(__file__).resolve().parent.parent)
        # -P keeps the project being indexed off the path: it may have an `indexer` of its own.
        start = f"import sys; sys.path.insert(0, {home!r}); from indexer.worker import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", start, str(self._limits.memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
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


class Pool:
    """A few workers, started when first needed; use as a context manager."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._n_workers = limits.n_workers or min(8, os.cpu_count() or 1)
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
        worker = self._idle.get()
        try:
            return self._run_on(worker, batch)
        finally:
            self._idle.put(worker)

    def _run_on(self, worker: _Worker, batch: tuple[Task, ...]) -> tuple[Analyzed, ...]:
        seconds = self._limits.seconds
        try:
            return worker.run(batch, seconds if len(batch) == 1 else 4 * seconds)
        except WorkerFailed:
            if len(batch) > 1:
                return tuple(outcome for task in batch for outcome in self._run_on(worker, (task,)))
        return worker.run((_as_text(batch[0]),), seconds)


def _as_text(task: Task) -> Task:
    return msgspec.structs.replace(task, as_text=True)


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
