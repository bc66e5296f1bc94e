"""The messages between a server, its workers and the process that forks them; all are pickled.

A worker gets a `Request` and sends a `Reply`; one that nobody waits for any more is ended.
The fork server is told to `FORK` a worker or to `READ` the index; a process id ends that worker.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from satchel.questions.arguments import Arguments
from satchel.workspace.project import Project

if TYPE_CHECKING:
    from satchel.assembler.values import Sent
    from satchel.mcp_server.tool import Answer

CAN_FORK = sys.platform == "linux"
"""Elsewhere libraries that every process has may not survive a fork."""
FORK = "fork"
READ = "read"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the fork server opens the project of the server: it calls `make` in the folder `here`."""

    make: Callable[[], Project]
    here: str


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a tool, with what the server found when it waited for a fresh index."""

    tool: str
    arguments: Arguments
    caller: str
    client: str
    notices: tuple[str, ...]
    seconds: float
    """What is left of the time of the call."""
    sent: Sent
    """What the reader was sent in earlier packs."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of a request: an answer or an error, the other is None."""

    answer: Answer | None = None
    error: Exception | None = None
    stages: tuple[tuple[str, float], ...] = ()
    sent: Sent | None = None
    """What the reader was sent by now, which the server is to remember."""
