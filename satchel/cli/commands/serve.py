"""`serve`: the MCP server that editors and agents start."""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from satchel.cli import options, terminal
from satchel.store.errors import UsageError
from satchel.store.platform import isolation

if TYPE_CHECKING:
    from satchel.mcp_server.serving import Serving
    from satchel.workspace.project import Project
    from satchel.workspace.serving.channel import Run

_TOOLS = "SATCHEL_MCP_TOOLS"


def add(commands: options.Commands) -> None:
    """Add the command."""
    command: ArgumentParser = options.plain_command(commands, "serve")
    command.set_defaults(run=_serve)
    command.add_argument(
        "--http", type=int, metavar="PORT",
        help="streamable HTTP on this port of 127.0.0.1, instead of standard input and output",
    )  # fmt: skip
    options.add_tools(command)
    command.add_argument(
        "--workers", type=int, metavar="N",
        help="with --http, compute answers in so many processes (Linux; default: mcp.workers)",
    )  # fmt: skip
    options.add_root(command)
    options.add_workspace(command)


def _serve(args: Namespace, environment: Mapping[str, str]) -> None:
    # The parent is looked up before the slow imports: if it ended meanwhile, another process would
    # be taken for it.
    parent = os.getppid()
    from satchel.cli import served

    here = served.here()
    tools = {_TOOLS: args.tools} if args.tools else {}
    given = {**environment, **tools}
    project = options.project_of(args, given)
    n_processes = _n_processes(args, project.settings.mcp.workers)
    os.chdir(
        isolation.NEUTRAL
    )  # what is imported or started from now on finds nothing of a checkout
    from satchel.cli import command_server
    from satchel.mcp_server.serving import Serving

    run = command_server.runner(project, environment)
    serving = Serving(project, run, environment)
    if project.takes_a_word and args.root is None and args.http is None:
        serving.project_of = partial(_project_of, given)
    # Telemetry is set up before anything starts, so a missing exporter is an error and not a server
    # without traces.
    finish = _telemetry(serving.project.settings.telemetry.endpoint)
    serving.start()
    try:
        if args.http is None:
            _serve_stdio(serving, parent)
        else:
            # The variables of a process cannot be handed over, a copy of them can.
            asked = Namespace(**{**vars(args), "environment": given})
            make = partial(options.project_of, asked, given)
            _serve_http(serving, args.http, make, here, n_processes)
    finally:
        serving.close()
        finish()


def _project_of(
    environment: Mapping[str, str], addresses: Sequence[str]
) -> tuple[Project, Run] | None:
    """What folders that a client has open mean, and what runs commands for it."""
    from satchel.cli import command_server
    from satchel.workspace.multi_root import client_roots

    project = client_roots.project_of(addresses, environment)
    return (project, command_server.runner(project, environment)) if project else None


def _n_processes(args: Namespace, usual: int) -> int:
    """How many processes compute answers, 0 for this one. Raises: UsageError."""
    if args.workers is None and args.http is None:
        return 0
    from satchel.mcp_server.answering.messages import CAN_FORK
    from satchel.workspace.configuration.settings import MAX_WORKERS

    if args.workers is None:
        return usual if CAN_FORK else 0
    if args.workers and args.http is None:
        raise UsageError("--workers needs --http", "one client is answered by one process")
    if not 0 <= args.workers <= MAX_WORKERS:
        raise UsageError(
            f"--workers is {args.workers}", f"give 0 to {MAX_WORKERS}, one for each core"
        )
    if args.workers and not CAN_FORK:
        raise UsageError("--workers needs Linux", "leave it out")
    return int(args.workers)


def _serve_http(
    serving: Serving, port: int, make: Callable[[], Project], here: Path, n_processes: int
) -> None:
    """`make`, called in the folder `here`, gives a process that computes its project."""
    from satchel.mcp_server.answering.messages import Recipe
    from satchel.mcp_server.answering.pool import answering
    from satchel.mcp_server.transport import http
    from satchel.workspace.state.state_folder import TOKEN_NAME

    # Port 0 would let the system choose one, and then no client could know it.
    if not 1 <= port <= 65_535:
        raise UsageError(f"port is {port}", "give one of 1 to 65535")
    with http.listener(port) as listening:
        where = f"http://{http.HOST}:{port}{http.PATH}"
        terminal.note(f"serving {serving.project.root} at {where}")
        terminal.note(f"clients send the token in {serving.project.directory / TOKEN_NAME}")
        if not n_processes:
            http.run(serving, listening)
            return
        with answering(Recipe(make, str(here)), n_processes, serving) as pool:
            http.run(serving, listening, pool)


def _telemetry(endpoint: str) -> Callable[[], None]:
    if not endpoint:
        return lambda: None
    from satchel.mcp_server import telemetry

    return telemetry.export(endpoint)


def _serve_stdio(serving: Serving, parent: int) -> None:
    from satchel.mcp_server.transport import stdio

    def end(code: int) -> None:
        serving.close()
        os._exit(code)  # a thread may be waiting for input that never comes

    def interrupted(number: int, _frame: FrameType | None) -> None:
        end(128 + number)

    # Both signals end us at once and in order: what was counted is written and the lock is let go
    # of.
    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGINT, interrupted)
    stdio.run(serving, parent, end)
