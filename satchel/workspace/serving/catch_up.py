"""Catching up before an answer: by this process, by the one that owns the index, or by waiting.

A question is answered from the text of the whole tree or not at all. One that comes while the tree
is being read waits for `index.patience_seconds`, and is then refused with how far the work is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from satchel.indexer.refresh_values import OnProgress
from satchel.store.errors import Incomplete, Interrupted, Locked, Unwritable, UsageError
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.project import Project
from satchel.workspace.serving import build_progress
from satchel.workspace.serving.build_progress import BuildState, Patience

HandOver = Callable[[Project, BuildState | None], None]
"""Has another process go on with an index that this one brought as far as the state says."""

FILES_AT_ONCE = 500
"""Edges of fewer files are followed before a command answers, which takes about half a second; more
are left to a process in the background."""
CHUNKS_AT_ONCE = 20_000
"""Chunks that are encoded before an answer, about two seconds of work; more wait until after."""
_LOOK_SECONDS = 0.1
_OWNER_SECONDS = 10.0
"""How long a command waits for the process that owns the index to bring it up to date."""


def catch_up(
    project: Project, on_progress: OnProgress, hand_over: HandOver | None = None
) -> tuple[str, ...]:
    """Refresh, or let the owner of the index do it; say what a reader should know otherwise.

    Where another process is reading the tree for the first time it is waited for. With `hand_over`
    patience ends the work of this process as well: it calls `hand_over` to have another process go
    on, and edges of many files are left for later. Of a workspace each member is caught up with, by
    name, and notices say whose they are.

    Raises:
        Incomplete: the text of the whole tree is not there in time; it says how far it is.
    """
    if not project.members:
        return _catch_up_one(project, on_progress, hand_over)
    project.prepare()  # packs are kept in a folder of its own
    return tuple(
        f"{member.name}: {notice}"
        for member in project.members
        for notice in catch_up(member.project, on_progress, hand_over)
    )


def _catch_up_one(
    project: Project, on_progress: OnProgress, hand_over: HandOver | None
) -> tuple[str, ...]:
    patience = Patience(project.settings.index.patience_seconds, on_progress)
    fewer = None if hand_over is None else FILES_AT_ONCE
    while True:
        try:
            project.refresh(patience if hand_over else on_progress, link_if_fewer=fewer)
        except Interrupted:
            assert hand_over is not None
            hand_over(project, patience.state)
            if not project.has_whole_text:
                raise incomplete(project, patience.state) from None
            return ("the index is being brought up to date; this answer is of an older one",)
        except Locked as error:
            if project.has_whole_text:
                # What is to be known of an index that another process keeps, brought up to date by
                # it. The holder of the lock may be a command, which listens on no socket; then the
                # answer is from what it has committed.
                from satchel.workspace.serving import channel
                from satchel.workspace.serving.inbox import Request

                with suppress(OSError, Locked):
                    return channel.ask(project.places.socket, Request(), _OWNER_SECONDS).notices
                return (f"{error.message}; this answer is from what it has committed so far",)
            _wait(project, patience, on_progress)
        except (OSError, Unwritable) as error:
            return _out_of_date(project, error)
        else:
            return ()


def has_background_work(project: Project, snapshot: Snapshot) -> bool:
    """Whether so much is left to do after an answer that a process in the background does it."""
    return not snapshot.linked or project.chunks_without_vectors() > CHUNKS_AT_ONCE


def incomplete(project: Project, state: BuildState | None) -> Incomplete:
    """The refusal to answer from a part of the tree: how far it is, and when to ask again."""
    how_far = build_progress.in_words(state.progress) if state else "it has just begun"
    seconds = state.seconds_left() if state else build_progress.LEAST_WAIT
    return Incomplete(
        f"{project.root} is being indexed: {how_far}; nothing is answered from a part of it",
        f"ask again in about {seconds} s; `satchel status` shows how far it is",
    )


def _out_of_date(project: Project, error: OSError | Unwritable) -> tuple[str, ...]:
    """What is to be known of an index that cannot be written; without one, the error is raised."""
    try:
        # One that is there and cannot be read says more of itself than its folder does.
        with project.snapshot() as snapshot:
            is_whole = snapshot.complete
    except UsageError:  # there is none yet
        is_whole = False
    if not is_whole:
        raise error
    why = error.strerror if isinstance(error, OSError) else error.message
    return (f"the index could not be updated ({why}); it may be out of date",)


def _wait(project: Project, patience: Patience, on_progress: OnProgress) -> None:
    """Wait a moment for the process that reads the tree; it may die, so the lock is tried again.

    Raises:
        Incomplete: the patience is over.
    """
    state = build_progress.read(project.directory)
    if patience.is_over:
        raise incomplete(project, state) from None
    if state is not None:
        on_progress(state.progress)
    time.sleep(_LOOK_SECONDS)
