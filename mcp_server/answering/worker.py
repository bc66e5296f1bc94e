"""A worker: a process that receives a request, computes the answer, and receives the next.

It reads the index and writes nothing to it. That the index is fresh, and who is told what, is the
business of the server that asks.
"""

from __future__ import annotations

import logging
import pickle
import select
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from satchel.mcp_server import surface
from satchel.mcp_server.answering.messages import Reply, Request
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import Call
from satchel.store import tokens
from satchel.store.errors import SatchelError
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite import database
from satchel.workspace.project import Project
from satchel.workspace.serving import live
from satchel.workspace.serving.live import LiveState, Role

if TYPE_CHECKING:
    from satchel.assembler.ranking.candidates import VectorSearch
    from satchel.indexer.refresh_values import Progress
    from satchel.workspace.serving.build_progress import BuildState

_logger = logging.getLogger("satchel.mcp")


def answer_all(project: Project, connection: Connection) -> None:
    """Answer the requests that come over `connection` until its other end is closed."""
    serving = _WorkerServing(project, connection)
    while True:
        try:
            request = connection.recv()
            # A `STOP` may come after the answer was sent.
            if isinstance(request, Request):
                connection.send(serving.reply_to(request))
        except (EOFError, OSError):
            return


class ReadOnly:
    """The `Live` of a worker, which only reads: the server waits for a fresh index."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.notices: tuple[str, ...] = ()
        """What the server found when it waited for a fresh index, as notices of the reply."""

    def start(self) -> None:
        """Nothing is to be done."""

    def state(self) -> LiveState:
        """The state of a process that only reads the index."""
        return LiveState(Role.READER, notices=self.notices)

    @property
    def building(self) -> BuildState | None:
        """Nothing that this process knows of."""
        return None

    @property
    def progress(self) -> Progress | None:
        """Nothing that this process knows of."""
        return None

    def wait_fresh(
        self, *, seconds: float, stop: live.Stop = database.never, waits_for_saves: bool = False
    ) -> tuple[str, ...]:
        """The notices of the server, which has waited already."""
        return self.notices

    def vector_search(self, snapshot: Snapshot) -> tuple[VectorSearch | None, tuple[str, ...]]:
        """What answers for vectors in this snapshot; see `Project.vector_search`."""
        return self._project.vector_search(snapshot)

    def close(self) -> None:
        """Nothing is held."""


class _WorkerServing(Serving):
    """The project in a worker; what was sent to a reader comes with the request."""

    def __init__(self, project: Project, connection: Connection) -> None:
        self._read_only = ReadOnly(project)
        # The server that asks has the upstreams.
        super().__init__(project, live=self._read_only, mounts_upstreams=False)
        self._connection = connection
        self._tools = {tool.name: tool for tool in surface.tools(of_several=bool(project.members))}

    def reply_to(self, request: Request) -> Reply:
        """Run the tool that a request names; an error that it raises is an outcome too."""
        self._read_only.notices = request.notices
        stop = _RemoteStop(request.seconds, request.client, self._connection)
        tool = self._tools[request.tool]
        call = Call(request.arguments, self, stop, request.caller)
        self.remember_sent(call.reader, request.sent)
        try:
            answer = tool.run(call)
            # Counted here, where nobody else waits for the processor.
            counted = replace(answer, n_tokens=tokens.count(answer.text))
            return Reply(counted, stages=tuple(stop.stages), sent=self.sent_to(call.reader))
        except SatchelError as error:
            return Reply(error=error)
        except Exception as error:
            return Reply(error=_portable(error))


class _RemoteStop(Stop):
    """Tells work to end when the server sends anything, or hangs up."""

    _poll: Callable[[int], Sequence[object]]

    def __init__(self, seconds: float, client: str, connection: Connection) -> None:
        if sys.platform != "linux":  # see `CAN_FORK`
            raise NotImplementedError
        super().__init__(seconds, client)
        # Asked every 20,000 steps of SQLite, which a poll of the connection would slow by some 4 %.
        server = select.poll()
        server.register(connection.fileno(), select.POLLIN | select.POLLHUP)
        self._poll = server.poll

    def __call__(self) -> bool:
        """Whether to stop."""
        return super().__call__() or bool(self._poll(0))


def _portable(error: Exception) -> Exception:
    """An error that nobody foresaw, with its traceback as text, as far as it can be handed over."""
    error.add_note(traceback.format_exc())
    try:
        pickle.dumps(error)
    except Exception:  # whatever a library puts into its errors
        _logger.exception("an error that cannot be handed over")
        return RuntimeError(type(error).__name__)
    return error
