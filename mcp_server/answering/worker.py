"""A worker: a process that receives a request, computes the answer, and receives the next.

It reads the index and writes nothing to it. That the index is fresh, and who is told what, is the
business of the server that asks.
"""

import logging
import pickle
import traceback
from dataclasses import replace
from multiprocessing.connection import Connection

from satchel.mcp_server import surface
from satchel.mcp_server.answering.messages import Reply, Request
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import Call
from satchel.store import tokens
from satchel.store.errors import SatchelError
from satchel.workspace.project import Project

_logger = logging.getLogger("satchel.mcp")


def answer_all(project: Project, connection: Connection) -> None:
    """Answer the requests that come over `connection` until its other end is closed."""
    serving = WorkerServing(project)
    while True:
        try:
            connection.send(serving.reply_to(connection.recv()))
        except (EOFError, OSError):
            return


class WorkerServing(Serving):
    """The project in a worker; what was sent to a reader comes with the request."""

    def __init__(self, project: Project) -> None:
        # The server that asks has the upstreams.
        super().__init__(project, mounts_upstreams=False)
        self._notices: tuple[str, ...] = ()
        self._tools = {tool.name: tool for tool in surface.tools(of_several=bool(project.members))}

    def wait(self, _stop: Stop) -> tuple[str, ...]:
        """What the server found, which has waited for a fresh index already."""
        return self._notices

    def reply_to(self, request: Request) -> Reply:
        """Run the tool that a request names; an error that it raises is an outcome too."""
        self._notices = request.notices
        stop = Stop(request.seconds, request.client)
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


def _portable(error: Exception) -> Exception:
    """An error that nobody foresaw, with its traceback as text, as far as it can be handed over."""
    error.add_note(traceback.format_exc())
    try:
        pickle.dumps(error)
    except Exception:  # whatever a library puts into its errors
        _logger.exception("an error that cannot be handed over")
        return RuntimeError(type(error).__name__)
    return error
