"""The messages between a server and its answering processes, pickled by either.

A process is asked (`Asked`) and tells (`Told`). In between it may ask for what only the server
knows (`SentTo`) and say what is to be kept (`Remember`). `STOP` says that nobody waits any more.
The process that forks the others is told to `FORK` one, to `End` one, or to `READ` the index.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from satchel.mcp_server.arguments import Arguments
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.assembler.values import Sent
    from satchel.mcp_server.tool import Answer

CAN_FORK = sys.platform == "linux"
"""Elsewhere libraries that every process has may not survive a fork."""
STOP = "stop"
FORK = "fork"
READ = "read"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a process comes to the project of the server: `make`, called in the folder `here`."""

    make: Callable[[], Project]
    here: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a tool, with what the server found when it waited for a fresh index."""

    tool: str
    arguments: Arguments
    caller: str
    notices: tuple[str, ...]
    seconds: float
    """What is left of the time of the call."""


@dataclass(frozen=True, slots=True)
class Told:
    """The outcome of a question: an answer or an error, the other is None."""

    answer: Answer | None = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class SentTo:
    """What was this reader sent in earlier packs? The reply is a `Sent`."""

    reader: str


@dataclass(frozen=True, slots=True)
class Remember:
    """Everything that a reader was sent so far, which the server is to remember."""

    reader: str
    sent: Sent


@dataclass(frozen=True, slots=True)
class End:
    """The process with this id is not needed any more."""

    pid: int
