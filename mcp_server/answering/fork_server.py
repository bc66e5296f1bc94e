"""The fork server: the process from which workers are forked, after it has read what all need.

Modules, vocabulary and the arrays of the index are in memory once, however many workers there are,
since forks share unchanged memory. Nothing is open and no thread runs here while one is forked.
"""

import gc
import os
import signal
import sys
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle

from satchel.assembler.values import Sent
from satchel.mcp_server import surface
from satchel.mcp_server.answering.messages import FORK, READ, Recipe, Request
from satchel.mcp_server.answering.worker import WorkerServing, answer_all
from satchel.mcp_server.serving import CALL_SECONDS
from satchel.questions.arguments import checked
from satchel.store.platform import isolation
from satchel.workspace.project import Project

_CONTEXT = next(tool for tool in surface.tools() if tool.name == "context")
_QUESTION = "where does it start"
"""A question whose answer is discarded; asking it loads what questions need."""


def main() -> None:
    """Fork workers until the server hangs up; then they end as well."""
    # Ctrl-C reaches all processes of a terminal, and the server says what is to become of ours.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = Connection(int(sys.argv[1]))
    recipe: Recipe = control.recv()
    os.chdir(recipe.here)
    project = recipe.make()
    os.chdir(isolation.NEUTRAL)
    children: set[int] = set()
    try:
        while True:
            _carry_out(control.recv(), control, project, children)
    except (EOFError, OSError):  # the server has gone
        for pid in children:
            _end(pid)


def _carry_out(asked: object, control: Connection, project: Project, children: set[int]) -> None:
    if asked == FORK:
        pid = _fork_worker(control, project)
        children.add(pid)
        control.send(pid)
    elif asked == READ:
        _read_index(project)
        control.send(True)
    elif isinstance(asked, int) and asked in children:
        children.discard(asked)
        _end(asked)


def _fork_worker(control: Connection, project: Project) -> int:
    if sys.platform != "linux":  # see `CAN_FORK`
        raise NotImplementedError
    theirs = recv_handle(control)
    pid = os.fork()
    if pid:
        os.close(theirs)
        return pid
    code = 0
    try:
        control.close()
        answer_all(project, Connection(theirs))
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        # The parent's exit handlers and the like must not run here.
        os._exit(code)


def _end(pid: int) -> None:
    if sys.platform != "linux":  # see `CAN_FORK`
        raise NotImplementedError
    # It is our child and not waited for yet: its id cannot be another's.
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _read_index(project: Project) -> None:
    """Load what questions need from the present index, by asking one."""
    # Where there is no index yet there is nothing to read, and the next look finds more.
    asked = checked(_CONTEXT.params, {"query": _QUESTION}, project.settings)
    WorkerServing(project).reply_to(Request(_CONTEXT.name, asked, "", "", (), CALL_SECONDS, Sent()))
    # What is collected later would be written to by the collector in each process, and copied.
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main()
