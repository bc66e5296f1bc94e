"""Brings an index up to date before a command answers, or waits for the process that does.

A question is answered from the text of the whole tree or not at all. One that comes while the tree
is read for the first time waits up to `index.patience_seconds`. Then it is refused, with the
progress of the work and when to ask again.
"""

import time
from collections.abc import Callable
from contextlib import suppress

from satchel.indexer.refresh_values import OnProgress, RefreshReport
from satchel.store.errors import Incomplete, Interrupted, Locked, Unwritable, UsageError
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.project import Project
from satchel.workspace.serving import build_progress
from satchel.workspace.serving.build_progress import BuildState, Patience

HandOver = Callable[[Project, BuildState | None], None]
"""Starts another process that goes on with an index from the state that this one reached."""

FILES_AT_ONCE = 500
"""A command derives the edges of fewer files before it answers, which takes about half a second; of
more they are left to a process in the background."""
CHUNKS_AT_ONCE = 20_000
"""Chunks that are encoded before an answer, about two seconds of work; more wait until after."""
_LOOK_SECONDS = 0.1
_OWNER_SECONDS = 10.0
"""How long a command waits for the process that owns the index to bring it up to date."""


def catch_up(
    project: Project,
    on_progress: OnProgress,
    hand_over: HandOver | None = None,
    patience_seconds: float | None = None,
) -> tuple[str, ...]:
    """Refresh the index, or let its owner do it; returns notices, () if it is up to date.

    While another process reads the tree for the first time, this one waits. With `hand_over` the
    work of this process ends as well when the patience is over: `hand_over` starts another process
    to go on, and edges of many files are left to it. `patience_seconds` is that of the settings
    unless it is given: a person who watches waits for as long as they like. The members of a
    workspace are refreshed in turn; each notice begins with the name of its member.

    Raises:
        Incomplete: the text of the whole tree was not indexed in time; it says how far the work is.
    """
    if not project.members:
        if patience_seconds is None:
            patience_seconds = project.settings.index.patience_seconds
        return _catch_up_project(project, Patience(patience_seconds, on_progress), hand_over)
    project.prepare()  # packs of a workspace are stored in its own folder
    return tuple(
        f"{member.name}: {notice}"
        for member in project.members
        for notice in catch_up(member.project, on_progress, hand_over, patience_seconds)
    )


def refresh_after(
    project: Project, on_progress: OnProgress, *, full: bool = False
) -> RefreshReport:
    """Refresh once the process that writes the index has ended; meanwhile its progress is told.

    Raises:
        Locked: it has told of no progress for the patience of the settings.
    """
    heard = time.monotonic()
    while True:
        try:
            return project.refresh(on_progress, full=full)
        except Locked:
            if state := build_progress.read(project.directory):
                heard = time.monotonic()
                on_progress(state.progress)
            elif time.monotonic() - heard >= project.settings.index.patience_seconds:
                raise
        time.sleep(_LOOK_SECONDS)


def _catch_up_project(
    project: Project, patience: Patience, hand_over: HandOver | None
) -> tuple[str, ...]:
    fewer = None if hand_over is None else FILES_AT_ONCE
    while True:
        try:
            listener = patience if hand_over else patience.on_progress
            project.refresh(listener, link_if_fewer=fewer, is_awaited=True)
        except Interrupted:
            assert hand_over is not None
            hand_over(project, patience.state)
            if not project.has_whole_text:
                raise incomplete(project, patience.state) from None
            return ("the index is being brought up to date; this answer is of an older one",)
        except Locked as error:
            if project.has_whole_text:
                # The owner brings the index up to date. The holder of the lock may be a command
                # instead, which has no socket; then the answer is from what it has committed.
                from satchel.workspace.serving import channel
                from satchel.workspace.serving.work_queue import Request

                with suppress(OSError, Locked):
                    return channel.ask(project.folders.socket, Request(), _OWNER_SECONDS).notices
                return (f"{error.message}; this answer is from what it has committed so far",)
            _wait(project, patience)
        except (OSError, Unwritable) as error:
            return _out_of_date(project, error)
        else:
            return ()


def has_background_work(project: Project, snapshot: Snapshot) -> bool:
    """Whether a process in the background is needed for what an answer left to do."""
    return not snapshot.linked or project.chunks_without_vectors() > CHUNKS_AT_ONCE


def incomplete(project: Project, state: BuildState | None) -> Incomplete:
    """The error that refuses a partial answer: how far the index is, and when to ask again."""
    how_far = build_progress.in_words(state.progress) if state else "it has just begun"
    seconds = state.seconds_left() if state else build_progress.LEAST_WAIT
    return Incomplete(
        f"{project.root} is being indexed: {how_far}; nothing is answered from a part of it",
        f"ask again in about {seconds} s; `satchel status` shows how far it is",
    )


def _out_of_date(project: Project, error: OSError | Unwritable) -> tuple[str, ...]:
    """The notice about an index that cannot be written; if it is not complete, raises the error."""
    try:
        # An index that cannot be read raises an error that says more than that of its folder.
        with project.snapshot() as snapshot:
            is_whole = snapshot.complete
    except UsageError:  # there is none yet
        is_whole = False
    if not is_whole:
        raise error
    why = error.strerror if isinstance(error, OSError) else error.message
    return (f"the index could not be updated ({why}); it may be out of date",)


def _wait(project: Project, patience: Patience) -> None:
    """Wait a moment for the process that reads the tree; it may die, so the lock is tried again.

    Raises:
        Incomplete: the patience is over.
    """
    state = build_progress.read(project.directory)
    if patience.is_over:
        raise incomplete(project, state) from None
    if state is not None:
        patience.on_progress(state.progress)
    time.sleep(_LOOK_SECONDS)
