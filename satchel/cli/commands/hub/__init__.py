"""`hub`: a team's repositories on PostgreSQL: added, built by Dask, asked over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.cli import options
from satchel.cli.commands.hub import build, keep, rights

if TYPE_CHECKING:
    from satchel.cli.options import Commands


def add(commands: Commands) -> None:
    """Add the command and its actions."""
    command = options.plain_command(commands, "hub")
    actions = command.add_subparsers(required=True, metavar="ACTION", dest="action")
    build.add(actions)
    keep.add(actions)
    rights.add(actions)
