"""A pool of workers: processes to which a server hands the requests that take long.

A request takes an idle worker, and waits for one where none is. A worker that ends in the middle of
a request is replaced, and the client is told to ask again; so is one whose client waits no more.
When the index has changed the workers are exchanged, one after another, for those that share the
arrays of the index as it is now.
"""

from __future__ import annotations

import logging
import multiprocessing
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle

from satchel.mcp_server.answering.messages import FORK, READ, Recipe, Reply, Request
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import Answer, Call, Tool
from satchel.store.errors import Interrupted, SatchelError
from satchel.store.platform import isolation

_logger = logging.getLogger("satchel.mcp")
_FORK_SERVER = "satchel.mcp_server.answering.fork_server"
_LOOK_SECONDS = 0.1
_GRACE_SECONDS = 2.0
"""How long the process that forks may take to end, before it is killed."""
_EXCHANGE_SECONDS = 30.0
"""How often processes are exchanged at most, while files are being saved."""
_PAUSE_SECONDS = 1.0


@contextmanager
def answering(recipe: Recipe, n_processes: int, serving: Serving) -> Iterator[WorkerPool]:
    """So many workers for `serving`, at least one, until the block ends."""
    pool = WorkerPool(recipe, n_processes, serving.moment)
    try:
        yield pool
    finally:
        pool.close()


class _Worker:
    """One worker; `reading` is the number of the reading of the index that it was forked after."""

    def __init__(self, pid: int, connection: Connection, reading: int) -> None:
        self.pid, self.connection, self.reading = pid, connection, reading

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended while it had nothing to do."""
        try:
            return self.connection.poll()
        except OSError:
            return True

    def ask(self, request: Request, stop: Stop) -> Reply:
        """Send a request; returns its answer or its error.

        Raises:
            EOFError, OSError: it has ended.
            Interrupted: nobody waits any more, and it is still at it.
        """
        self.connection.send(request)
        while not self.connection.poll(_LOOK_SECONDS):
            if stop():
                raise Interrupted("the request was stopped", "ask for less, or again later")
        reply: Reply = self.connection.recv()
        return reply


class _ForkServer:
    """The process that forks workers (`fork_server`). One thread talks to it.

    Whatever is asked of it raises EOFError or OSError when it has ended, or `is_closing` is set.
    """

    def __init__(self, recipe: Recipe, is_closing: threading.Event) -> None:
        self._is_closing = is_closing
        self._control, theirs = multiprocessing.Pipe()
        with theirs:
            self._process = subprocess.Popen(
                isolation.command(_FORK_SERVER, str(theirs.fileno())),
                cwd=isolation.NEUTRAL,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # Linux shares processors out among sessions (autogroups), so that in ours those
                # who compute would use up the share of the server, which looks symbols up.
                start_new_session=True,
            )
        self._control.send(recipe)

    def read_index(self) -> None:
        """Wait until it has read the index as it is now."""
        self._control.send(READ)
        self._receive_number()

    def fork(self, reading: int) -> _Worker:
        """Fork another worker."""
        if sys.platform != "linux":  # see `CAN_FORK`
            raise NotImplementedError
        ours, theirs = multiprocessing.Pipe()
        with theirs:
            self._control.send(FORK)
            send_handle(self._control, theirs.fileno(), self._process.pid)
        return _Worker(self._receive_number(), ours, reading)

    def check(self) -> None:
        """Raises EOFError when it has ended."""
        if self._process.poll() is not None:
            raise EOFError

    def end(self, process: _Worker) -> None:
        """End a worker."""
        self._control.send(process.pid)

    def close(self) -> None:
        """End it, and all that it forked."""
        self._control.close()
        try:
            self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _receive_number(self) -> int:
        while not self._control.poll(_LOOK_SECONDS):
            if self._is_closing.is_set():
                raise EOFError
        number: int = self._control.recv()
        return number


class WorkerPool:
    """The workers of one server, `n_processes` of them.

    `moment` tells a state of the index from a later one.
    """

    def __init__(self, recipe: Recipe, n_processes: int, moment: Callable[[], Hashable]) -> None:
        self.n_processes = n_processes
        self._recipe, self._moment = recipe, moment
        self._is_closing = threading.Event()
        self._changed = threading.Condition()
        # These four are read and written while `_changed` is held.
        self._idle: list[_Worker] = []
        self._ended: list[_Worker] = []
        self._n_running = 0
        self._reading = 0
        self._thread = threading.Thread(target=self._keep_running, name="answering", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all of them."""
        self._is_closing.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join()
        for process in self._idle:  # one whose fork server has ended ends by this
            process.connection.close()

    def run(self, tool: Tool, call: Call) -> Answer:
        """What a tool answers, computed by one of the processes.

        Raises:
            SatchelError: the tool cannot answer, or the process ended.
            Exception: as the tool does.
        """
        # The wait for a fresh index needs no process, and this one knows the owner.
        notices = call.serving.wait(call.stop)
        call.stop.reached("index")
        process = self._take(call.stop)
        call.stop.reached("process")
        reply: Reply | None = None
        try:
            stop, sent = call.stop, call.serving.sent_to(call.reader)
            request = Request(
                tool.name, call.arguments, call.caller, stop.client, notices, stop.left, sent
            )
            reply = process.ask(request, stop)
        except (EOFError, OSError) as error:
            _logger.warning("process %d, which answered %s, has ended", process.pid, tool.name)
            hint = "ask again: another takes its place"
            raise SatchelError("the process that computed the answer has ended", hint) from error
        finally:
            # One that has not answered by now is ended: to stop it would be a second protocol.
            self._give_back(process, is_lost=reply is None)
        call.stop.stages += reply.stages
        if reply.sent is not None:
            call.serving.remember_sent(call.reader, reply.sent)
        if reply.error is not None:
            raise reply.error
        assert reply.answer is not None
        return reply.answer

    def _take(self, stop: Stop) -> _Worker:
        """One that has nothing to do. Raises: SatchelError: there is none, or `stop` says so."""
        with self._changed:
            while not self._is_closing.is_set():
                while self._idle:
                    process = self._idle.pop()
                    if not process.has_ended:
                        return process
                    self._lose(process)
                if stop():
                    raise Interrupted("the request was stopped", "ask for less, or again later")
                self._changed.wait(_LOOK_SECONDS)
        raise SatchelError("no process can answer at the moment", "ask again in a moment")

    def _give_back(self, process: _Worker, *, is_lost: bool) -> None:
        with self._changed:
            if is_lost or process.reading < self._reading:
                self._lose(process)
            else:
                self._idle.append(process)
            self._changed.notify()

    def _lose(self, process: _Worker) -> None:
        process.connection.close()
        self._n_running -= 1
        self._ended.append(process)
        self._changed.notify_all()

    # -- on the thread of its own

    def _keep_running(self) -> None:
        fork_server: _ForkServer | None = None
        seen: Hashable = None
        looked = 0.0
        while not self._is_closing.is_set():
            try:
                due = time.monotonic() - looked >= _EXCHANGE_SECONDS
                if fork_server is None or (due and self._moment() != seen):
                    fork_server = fork_server or _ForkServer(self._recipe, self._is_closing)
                    seen = self._moment()
                    fork_server.read_index()
                    looked = time.monotonic()
                    self._exchange()
                fork_server.check()
                self._fill(fork_server)
            except (EOFError, OSError) as error:
                # Those that it forked go on; they end with the connection that they are asked over.
                if not self._is_closing.is_set():
                    _logger.warning("the process that forks others has ended: %r", error)
                if fork_server is not None:
                    fork_server.close()
                fork_server = None
                self._is_closing.wait(_PAUSE_SECONDS)
            with self._changed:
                if not self._ended and self._n_running == self.n_processes:
                    self._changed.wait(_PAUSE_SECONDS)
        if fork_server is not None:
            fork_server.close()

    def _exchange(self) -> None:
        """Let go of those that were forked before, of the busy ones when they are done."""
        with self._changed:
            self._reading += 1
            for process in self._idle:
                self._lose(process)
            self._idle.clear()

    def _fill(self, fork_server: _ForkServer) -> None:
        """End what is not needed any more, and fork what is missing."""
        while True:
            with self._changed:
                # Those that wait for a question may have ended too: none is handed to them then.
                for process in [each for each in self._idle if each.has_ended]:
                    self._idle.remove(process)
                    self._lose(process)
                ended, self._ended = self._ended, []
                is_full = self._n_running >= self.n_processes
            for process in ended:
                fork_server.end(process)
            if is_full:
                return
            process = fork_server.fork(self._reading)
            with self._changed:
                self._idle.append(process)
                self._n_running += 1
                self._changed.notify()
