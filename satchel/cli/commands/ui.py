"""`ui`: a local page in the browser."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping

from satchel.cli import options, terminal
from satchel.store.errors import UsageError
from satchel.store.platform import isolation


def add(commands: options.Commands) -> None:
    """Add the command."""
    command: ArgumentParser = options.plain_command(commands, "ui")
    command.set_defaults(run=_ui)
    command.add_argument(
        "--port", type=int, metavar="N", help="serve on this port of 127.0.0.1 (default: near 7423)"
    )
    command.add_argument(
        "--no-browser", action="store_true", help="print the address and open nothing"
    )
    options.add_root(command)


def _ui(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.api import CodeBase
    from satchel.ui import serve

    if args.port is not None and not 0 <= args.port <= 65_535:
        raise UsageError(f"port is {args.port}", "give one of 0 to 65535; 0 takes any that is free")
    project = options.project_of(args, environment)
    project.prepare()  # the file that opens the browser lies beside the index
    code = CodeBase(project)
    os.chdir(
        isolation.NEUTRAL
    )  # what is imported or started from now on finds nothing of a checkout
    terminal.note(f"serving {code.root} on this machine alone; Ctrl-C ends it")
    serve.run(code, args.port, terminal.out, None if args.no_browser else project.directory)
