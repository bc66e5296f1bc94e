"""Where the command of this thread runs and prints: in a process of its own, or in a server.

A command reads the place it runs in from here, and from the process where nobody is served. What
only the process of a person has (standard input, a terminal) raises `NotServed`: that person then
runs the command themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.cli.screen import Screen

if TYPE_CHECKING:
    from satchel.workspace.project import Project

OUT, ERR = 1, 2

Parts = list[tuple[int, bytes]]
"""(OUT or ERR, bytes), in the order they were printed."""


class NotServed(Exception):
    """The command needs the terminal or the input of its caller, which a server does not have."""


# These are no structs: help and completion do without msgspec.
class Served(NamedTuple):
    """What a server runs a command with for a caller."""

    project: Project
    here: Path
    """The folder that the caller stands in."""
    screen: Screen
    """What their terminal shows."""


class CommandContext(NamedTuple):
    """Where one command runs and prints."""

    served: Served | None = None
    """None where the process is the caller's own."""
    parts: Parts | None = None
    """What it has printed for its caller or for a pager; None where it prints at once."""
    colour: str = "auto"
    """What --color says."""
    root: Path | None = None
    """The root that paths in its output are relative to; None until its project is known."""


# A variable of a context and not of the process: a server runs several commands at a time.
_context: ContextVar[CommandContext | None] = ContextVar("command", default=None)
_OWN = CommandContext()
"""That of a command in the process of its caller."""


def context() -> CommandContext:
    """The context of the command that runs here."""
    # A thread that draws a progress bar has no context of its own, and serves nobody.
    return _context.get() or _OWN


@contextmanager
def command(served: Served | None = None, parts: Parts | None = None) -> Iterator[None]:
    """Run a command for a caller, or with its output held in `parts`."""
    token = _context.set(CommandContext(served, parts))
    try:
        yield
    finally:
        _context.reset(token)


def note_colour(colour: str) -> None:
    """Note what --color says, for the rest of the command."""
    _context.set(context()._replace(colour=colour))


def note_root(root: Path) -> None:
    """Note the root of its project, for the rest of the command."""
    _context.set(context()._replace(root=root))


def here() -> Path:
    """The folder that a command runs in, links in its path resolved."""
    served = context().served
    return served.here if served else Path.cwd().resolve()


def expect_own() -> None:
    """Raises: NotServed: a server runs this command for another process."""
    if context().served is not None:
        raise NotServed
