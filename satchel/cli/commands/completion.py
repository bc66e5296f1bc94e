"""`completion`: the script that lets a shell complete commands, options, symbols and paths."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.cli import terminal
from satchel.cli.completion import SCRIPTS

if TYPE_CHECKING:
    from satchel.cli.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    about = "Print what lets bash, zsh or fish complete commands, options, symbols and paths."
    command: ArgumentParser = commands.add_parser("completion", help=about, description=about)
    command.set_defaults(run=_completion)
    command.add_argument("shell", choices=list(SCRIPTS))


def _completion(args: Namespace, _environment: Mapping[str, str]) -> None:
    terminal.out(SCRIPTS[args.shell], end="")
