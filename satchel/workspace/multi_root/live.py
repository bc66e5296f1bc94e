"""The members of a workspace kept fresh by one process, as `workspace.serving.live` does for one.

Each member has its own owner, which may be another process.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from satchel.indexer.refresh_values import Progress
from satchel.store.reading.snapshot import Snapshot
from satchel.store.sqlite import database
from satchel.workspace.project import Project
from satchel.workspace.serving.build_progress import BuildState
from satchel.workspace.serving.channel import Run, run_nothing
from satchel.workspace.serving.live import LiveIndex, LiveState, Role, Stop

if TYPE_CHECKING:
    from satchel.assembler.ranking.candidates import VectorSearch


class Live(Protocol):
    """How a process that serves a project keeps it up to date: one index, or those of a workspace.

    `LiveIndex` says what the methods do.
    """

    def start(self) -> None:
        """Begin; returns at once."""

    def state(self) -> LiveState:
        """The present state."""

    @property
    def building(self) -> BuildState | None:
        """What the process that writes an index is doing; None for nothing."""

    @property
    def progress(self) -> Progress | None:
        """How far that is."""

    def wait_fresh(
        self, *, seconds: float, stop: Stop = database.never, waits_for_saves: bool = False
    ) -> tuple[str, ...]:
        """Wait until the index agrees with the disk; returns a reason if it may not."""

    def vector_search(self, snapshot: Snapshot) -> tuple[VectorSearch | None, tuple[str, ...]]:
        """What answers for vectors in this snapshot; see `Project.vector_search`."""

    def close(self) -> None:
        """Let go of the index."""


class LiveWorkspace:
    """All members, for as long as a process serves them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._each = [(member.name, LiveIndex(member.project)) for member in project.members]

    def start(self) -> None:
        """Begin to own the indexes, or to follow their owners. Returns at once."""
        for _, live in self._each:
            live.start()

    def state(self) -> LiveState:
        """The common state: a member that cannot be written makes the whole a reader."""
        states = [(name, live.state()) for name, live in self._each]
        notices = tuple(f"{name}: {said}" for name, state in states for said in state.notices)
        # The first that is still waited for says for what.
        found = next((s for _, s in states if s.role is Role.READER), states[0][1])
        return replace(
            found,
            notices=notices,
            edges_and_vectors_current=all(state.edges_and_vectors_current for _, state in states),
            progress=self.progress,
        )

    @property
    def building(self) -> BuildState | None:
        """What a process is doing to the first index that one is at; None for nothing."""
        return next((state for _, live in self._each if (state := live.building)), None)

    @property
    def progress(self) -> Progress | None:
        """How far the first index is that a process is at; None when none is."""
        return next((found for _, live in self._each if (found := live.progress)), None)

    def wait_fresh(
        self, *, seconds: float, stop: Stop = database.never, waits_for_saves: bool = False
    ) -> tuple[str, ...]:
        """Wait until all indexes agree with the disk; `seconds` are for all together."""
        deadline = time.monotonic() + seconds
        return tuple(
            f"{name}: {notice}"
            for name, live in self._each
            for notice in live.wait_fresh(
                seconds=max(0.0, deadline - time.monotonic()), stop=stop,
                waits_for_saves=waits_for_saves,
            )
        )  # fmt: skip

    def vector_search(self, snapshot: Snapshot) -> tuple[VectorSearch | None, tuple[str, ...]]:
        """What answers for vectors in this snapshot; see `Project.vector_search`."""
        return self.project.vector_search(snapshot)

    def close(self) -> None:
        """Let go of all of them."""
        for _, live in self._each:
            live.close()


def live_for(project: Project, run: Run = run_nothing) -> Live:
    """What keeps a project fresh, be it of several members; `run` answers commands about one."""
    return LiveWorkspace(project) if project.members else LiveIndex(project, run)
