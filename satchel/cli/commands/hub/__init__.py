"""`hub`: a team's repositories on PostgreSQL: added, built by Dask, asked over all of them."""

from satchel.cli import options
from satchel.cli.commands.hub import build, keep, rights


def add(commands: options.Commands) -> None:
    """Add the command and its actions."""
    command = options.plain_command(commands, "hub")
    actions = command.add_subparsers(required=True, metavar="ACTION", dest="action")
    build.add(actions)
    keep.add(actions)
    rights.add(actions)
