"""A pool of worker processes that analyse files: no input can crash, hang or exhaust the indexer.

Files travel in batches and come back together; of each file a worker says when it is analysed. One
on which a worker dies twice or overruns its deadline is cut into lines without its grammar and says
so; the rest of its batch goes on.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, TypeAlias

import msgspec

from satchel.indexer.extract import process_limits
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.extract.worker import (
    Task,
    perform,
    read_frames,
    serve_forked,
    write_frame,
)
from satchel.store.platform import isolation
from satchel.store.records import Analyzed

BATCH_FILES = 48
BATCH_BYTES = 160 * 1024
BATCHES_AHEAD = 12
"""Batches a worker may be ahead of the writer: enough work to do while a transaction commits."""
WORKER_BATCHES = 8
"""Batches that each further worker must be worth: some 0.5 s of work, as its start takes."""
WARM_BYTES = BATCH_BYTES // 40
"""Source of a language from which on several workers may meet it, and would compile its queries."""
_WORKER = f"{__package__}.worker"
_START_SECONDS = 60.0
_END_SECONDS = 10.0
_TEXT_SECONDS = 60.0
_SOON_SECONDS = 0.02
_STARVED_SECONDS = 60.0
"""How far beyond its deadline a process may be that has not had the processor for that long."""
_SPENT_SHARE = 0.9
"""The share of a deadline that a process which never rests has surely used when it is over."""
_OUTCOMES = msgspec.msgpack.Decoder(list[Analyzed])
_Process: TypeAlias = "subprocess.Popen[bytes] | _Forked"


class WorkerFailed(Exception):
    """A worker died or overran its deadline behind `n_analyzed` files of its batch."""

    def __init__(self, n_analyzed: int, *, overran: bool) -> None:
        super().__init__()
        self.n_analyzed = n_analyzed
        self.overran = overran


def start_process(limits: WorkerLimits) -> _Process:
    """A process that analyses what it reads from its standard input."""
    return _start_process(limits, (), ())


def _start_process(
    limits: WorkerLimits, languages: Sequence[str], pipes: Sequence[int]
) -> _Process:
    """One that prepares for `languages` first, and then forks a process for every two of `pipes`.

    These are where the forked one reads and where it writes.
    """
    # Starting Python and loading NumPy again takes as long as compiling the queries of Python. What
    # other threads do at that moment would be half done in a forked process for ever.
    if process_limits.has_one_thread() and _can_fork():
        return _Child(limits, languages, pipes)
    words = (str(limits.memory_bytes), str(limits.nice), " ".join(languages), *map(str, pipes))
    # The project being indexed may have an `indexer` of its own, or a `subprocess`.
    return subprocess.Popen(
        isolation.command(_WORKER, *words),
        cwd=isolation.NEUTRAL,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=pipes,
    )


class _Forked:
    """A process that another worker forks: what a `_Worker` needs of a `Popen`."""

    def __init__(self, stdin: int, stdout: int) -> None:
        self.stdin: IO[bytes] = os.fdopen(stdin, "wb")
        self.stdout: IO[bytes] = os.fdopen(stdout, "rb")
        self.pid = 0
        """The id of the process that forks it, until it has started."""
        self._handle = -1

    def started(self, pid: int) -> None:
        """Take hold of the process, which says that it has this id; a second call does nothing."""
        # It is not our child, so its id may be another's once it has ended; a handle never is.
        if sys.platform == "linux" and self._handle < 0:
            self.pid, self._handle = pid, os.pidfd_open(pid)

    def kill(self) -> None:
        """End it at once; one that has not started yet ends when its pipe is closed."""
        if sys.platform == "linux" and self._handle >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> None:
        """Return when it has ended."""
        handle, self._handle = self._handle, -1
        if sys.platform == "linux" and handle >= 0:
            ended = select.poll()
            ended.register(handle, select.POLLIN)
            ended.poll()
            os.close(handle)


class _Child(_Forked):
    """A process that this one forks."""

    def __init__(
        self, limits: WorkerLimits, languages: Sequence[str], pipes: Sequence[int]
    ) -> None:
        if sys.platform == "win32":
            raise OSError("Windows cannot fork")
        (reads, ours_in), (ours_out, writes) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            serve_forked((reads, writes), limits, languages, pipes)
        os.close(reads)
        os.close(writes)
        super().__init__(ours_in, ours_out)
        self.started(pid)

    def wait(self) -> None:
        """Return when it has ended, and let what it used be counted."""
        super().wait()
        if self.pid:
            os.waitpid(self.pid, 0)
            self.pid = 0


def _start_family(
    limits: WorkerLimits, n_processes: int, languages: Sequence[str]
) -> list[_Process]:
    """Several processes, of which the first loads and compiles everything for all of them."""
    theirs: list[int] = []
    forked: list[_Forked] = []
    for _ in range(n_processes - 1):
        (reads, ours_in), (ours_out, writes) = os.pipe(), os.pipe()
        theirs += (reads, writes)
        forked.append(_Forked(ours_in, ours_out))
    try:
        first = _start_process(limits, languages, theirs)
    finally:
        for descriptor in theirs:
            os.close(descriptor)
    for process in forked:
        process.pid = first.pid
    return [first, *forked]


def _can_fork() -> bool:
    """Whether workers are forked: on Linux, unless it is old or a sandbox that lacks handles."""
    # Elsewhere forking what has loaded libraries of the system is not safe (macOS) or not there.
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            os.close(os.pidfd_open(os.getpid()))
            return True
    return False


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, limits: WorkerLimits, prepared: _Process | None) -> None:
        self._limits = limits
        self._prepared = prepared
        self._process: _Process | None = None
        self._frames: SimpleQueue[bytes | None] = SimpleQueue()

    def run(self, tasks: Sequence[Task], seconds: float) -> list[Analyzed]:
        """Analyse a batch: an outcome for each task.

        Raises:
            WorkerFailed: the process died, or took longer than `seconds` for a file, or for all.
        """
        n_analyzed = 0
        try:
            process = self._process or self._start()
            assert process.stdin
            write_frame(process.stdin, msgspec.msgpack.encode(tasks))
            for _ in tasks:
                _next_frame(process.pid, self._frames, seconds)
                n_analyzed += 1
            return _OUTCOMES.decode(_next_frame(process.pid, self._frames, seconds))
        except (OSError, ValueError) as error:
            self.stop()
            raise WorkerFailed(n_analyzed, overran=isinstance(error, TimeoutError)) from error

    def _start(self) -> _Process:
        # What takes the place of one that died is started alone: nothing is left of its family.
        process, self._prepared = self._prepared or start_process(self._limits), None
        self._process = process
        assert process.stdout
        # Of this process alone: what one that was killed still wrote must not reach its successor.
        self._frames = SimpleQueue()
        reading = (process.stdout, self._frames)
        threading.Thread(target=read_frames, args=reading, daemon=True).start()
        pid = int(_next_frame(process.pid, self._frames, _START_SECONDS))  # it says who is ready
        if isinstance(process, _Forked):
            process.started(pid)
        return process

    def end(self) -> None:
        """Let the process end, which has nothing to do; kill it should it not."""
        if self._process is not None and self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()
            # It closes its end when it ends, and `read_frames` says so.
            with suppress(Empty):
                self._frames.get(timeout=_END_SECONDS)
        self.stop()

    def stop(self) -> None:
        """Kill the process, if there is one."""
        process = self._process or self._prepared
        self._process = self._prepared = None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was buffered for a dead process cannot be flushed
                if pipe is not None:
                    pipe.close()


def _next_frame(pid: int, frames: SimpleQueue[bytes | None], seconds: float) -> bytes:
    """The next frame, for which the process may take `seconds` of its own time.

    The deadline is processor time: what a file's facts are must not depend on how busy the machine
    is. Where the system does not tell, the clock decides.

    Raises:
        TimeoutError: the process has used `seconds`, or rests for much longer than that.
        ConnectionError: the process ended.
    """
    with suppress(Empty):  # most files: asking the system costs more than they do
        return _require_frame(frames.get(timeout=_SOON_SECONDS))
    began, patience = process_limits.processor_seconds(pid), seconds + _STARVED_SECONDS
    wait = seconds
    while True:
        with suppress(Empty):
            return _require_frame(frames.get(timeout=wait))
        used = process_limits.processor_seconds(pid) - began
        patience -= wait
        if not used < _SPENT_SHARE * seconds or patience <= 0:  # not a number: nobody tells
            raise TimeoutError
        wait = min(patience, seconds - used)


def _require_frame(frame: bytes | None) -> bytes:
    if frame is None:
        raise ConnectionError
    return frame


class Pool:
    """A few workers, started when first needed; use as a context manager."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._closed = False
        self._n_workers = limits.processes
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._workers: list[_Worker] = []
        self._prepared: list[_Process] = []
        self._threads = ThreadPoolExecutor(self._n_workers, thread_name_prefix="analyze")

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._closed = True  # nobody waits for the outcomes any more
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._stop()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._stop()

    def _stop(self) -> None:
        forked = [_Worker(self._limits, process) for process in self._prepared]
        forked += self._workers[1:]
        for worker in forked:
            worker.stop()
        # Last, so that it waits for those that it forked: they are its children.
        for worker in self._workers[:1]:
            if forked and not self._closed:
                worker.end()
            worker.stop()

    def analyze(
        self, tasks: Iterable[Task], expected: Mapping[str, int] | None = None
    ) -> Iterator[Analyzed]:
        """One outcome for each task, in the order of the tasks; reads only a little ahead.

        `expected` is about how many bytes of code there are, by language.
        """
        ahead: list[Future[list[Analyzed]]] = []
        for number, batch in enumerate(_batches(tasks)):
            if not self._workers:
                self._prepare(expected or {})
            # A small tree starts one process: each imports numpy, loads a tokenizer and compiles
            # the queries of its languages, 0.3 to 1 s of processor time.
            if len(self._workers) < min(self._n_workers, 1 + number // WORKER_BATCHES):
                prepared = self._prepared.pop(0) if self._prepared else None
                self._workers.append(_Worker(self._limits, prepared))
                self._idle.put(self._workers[-1])
            ahead.append(self._threads.submit(self._run, batch))
            while ahead and (ahead[0].done() or len(ahead) > BATCHES_AHEAD * self._n_workers):
                yield from ahead.pop(0).result()
        for future in ahead:
            yield from future.result()

    def _prepare(self, expected: Mapping[str, int]) -> None:
        """Start all workers at once, as many as will be needed."""
        n_worth = 1 + sum(expected.values()) // (WORKER_BATCHES * BATCH_BYTES)
        n_workers = min(self._n_workers, n_worth)
        with suppress(OSError):  # then each is started when it is needed, and says so
            if n_workers > 1 and _can_fork():
                languages = sorted(name for name, size in expected.items() if size >= WARM_BYTES)
                self._prepared = _start_family(self._limits, n_workers, languages)
            else:
                # Here and not by the thread that needs it: only what has one thread can fork.
                self._prepared = [start_process(self._limits)]

    def _run(self, batch: Sequence[Task]) -> list[Analyzed]:
        """The outcomes of a batch; a file on which the worker fails is tried again by itself."""
        worker = self._idle.get()
        try:
            return self._run_by(worker, batch)
        finally:
            self._idle.put(worker)

    def _run_by(self, worker: _Worker, batch: Sequence[Task]) -> list[Analyzed]:
        try:
            return worker.run(batch, self._limits.seconds) if batch else []
        except WorkerFailed as failure:
            if self._closed:
                raise
            at = failure.n_analyzed
            if len(batch) == 1:
                return [self._retry(worker, batch[0], failure)]
            if at == len(batch):  # on what is made of all together
                return [each for task in batch for each in self._run_by(worker, [task])]
            before, behind = batch[:at], batch[at + 1 :]
            tried = self._retry(worker, batch[at], failure)
            return [*self._run_by(worker, before), tried, *self._run_by(worker, behind)]

    def _retry(self, worker: _Worker, task: Task, failure: WorkerFailed) -> Analyzed:
        """Analyse a file on which a worker failed: alone, then without its grammar."""
        why = f"took more than {self._limits.seconds:g} s" if failure.overran else "died"
        as_text = msgspec.structs.replace(task, failure=f"the process that parsed it {why}")
        attempts = [(as_text, max(_TEXT_SECONDS, self._limits.seconds))]
        # A worker can also die of something else, so a death is believed when it happens twice. A
        # deadline is counted in the process's own time and means the same a second time.
        if not failure.overran:
            attempts.insert(0, (task, self._limits.seconds))
        for attempt, seconds in attempts:
            with suppress(WorkerFailed):
                return worker.run([attempt], seconds)[0]
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
