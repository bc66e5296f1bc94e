"""A command that a server runs for a caller: the folder it runs in, and where its output goes.

A command reads the place it runs in from here, and from the process where nobody is served. What
only the process of a person has (standard input, a terminal) raises `NotServed`: that person then
runs the command themselves.
"""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.cli.screen import Screen

if TYPE_CHECKING:
    from satchel.workspace.project import Project

OUT, ERR = 1, 2


class NotServed(Exception):
    """The command needs the terminal or the input of its caller, which a server does not have."""


class Served:
    """One command: the project it is about, where it runs, for which terminal, and what it has
    printed."""

    def __init__(self, project: Project, here: Path, screen: Screen) -> None:
        self.project, self.here, self.screen = project, here, screen
        self.parts: list[tuple[int, bytes]] = []
        """(OUT or ERR, bytes), in the order they were printed."""


# Variables of a context and not of the process: a server runs several commands at a time.
current: ContextVar[Served | None] = ContextVar("served", default=None)


root: ContextVar[Path | None] = ContextVar("root", default=None)
"""The root that paths in the output of this command are relative to."""

held: ContextVar[list[tuple[int, bytes]] | None] = ContextVar("held", default=None)
"""What this command has printed for a pager, in order; None where it prints at once."""

colour: ContextVar[str] = ContextVar("colour", default="auto")
"""What --color says."""


def here() -> Path:
    """The folder that a command runs in, links in its path resolved."""
    served = current.get()
    return served.here if served else Path.cwd().resolve()


def expect_own() -> None:
    """Raises: NotServed: a server runs this command for another process."""
    if current.get() is not None:
        raise NotServed
