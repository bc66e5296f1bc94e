"""`serve`: the MCP server that editors and agents start."""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from types import FrameType
from typing import TYPE_CHECKING

from cli import options

if TYPE_CHECKING:
    from cli.options import Commands

_ROOT_VARIABLES = ("CLAUDE_PROJECT_DIR",)
"""Where clients say which project they have open, when they do not start us inside it."""


def add(commands: Commands) -> None:
    """Add the command."""
    about = "Serve this code base to an agent or editor over MCP (standard input and output)."
    command: ArgumentParser = commands.add_parser("serve", help=about, description=about)
    command.set_defaults(run=_serve)
    options.add_root(command)


def _serve(args: Namespace, environment: Mapping[str, str]) -> None:
    from mcp_server import stdio
    from mcp_server.serving import Serving

    project = options.project_of(args, environment)
    serving = Serving(project)

    def end(code: int) -> None:
        os._exit(code)  # a thread may be waiting for input that never comes

    def interrupted(number: int, _frame: FrameType | None) -> None:
        end(128 + number)

    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGINT, interrupted)
    serving.start()
    stdio.run(serving, end)
