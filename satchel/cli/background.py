"""A process that finishes an index after the command that began it has answered.

It owns the index like a server does (`satchel.workspace.serving.live`): questions that come
meanwhile are answered from fresh text. It ends when vectors and edges are there.
"""

import os
import subprocess
import sys
import time
from argparse import Namespace
from contextlib import suppress
from pathlib import Path

from satchel.cli import terminal
from satchel.indexer.extract import process_limits
from satchel.store.errors import SatchelError
from satchel.store.platform import isolation
from satchel.workspace.project import Project, ignore_progress

WORK = "a process in the background"
_LOOK_SECONDS = 0.2
_STUCK_SECONDS = 600.0
"""How long it may show no progress, as on a full disk, before it gives up."""


def start(project: Project, args: Namespace) -> int | None:
    """Start the process and return its id, which a person is told; None if one is at it already."""
    from satchel.workspace.serving import build_progress, local_socket

    # One that another command has just started does not answer yet.
    state = build_progress.read(project.directory)
    if state and state.work == WORK:
        return None
    with suppress(OSError):
        # Whoever answers there owns the index, and finishes it.
        local_socket.connect(project.folders.socket).close()
        return None
    command = isolation.command(__name__, str(project.root), *(["--yes"] * bool(args.yes)))
    with suppress(OSError):  # the next command goes on with what is left
        process = subprocess.Popen(
            command,
            cwd=isolation.NEUTRAL,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=isolation.environment(args.environment),
        )
        if not args.quiet:
            terminal.note(
                f"note: process {process.pid} finishes the index in the background;"
                " `satchel status` shows how far it is"
            )
        return process.pid
    return None


def main() -> None:
    """Finish the index of the folder that is named, then end."""
    from satchel.workspace.serving.live import LiveIndex, Role

    root, *flags = sys.argv[1:]
    project = Project.at(Path(root), os.environ)
    # Whoever started the command has agreed to this root, and nobody is there to be asked.
    if "--yes" in flags:
        project.confirm_root()
    project.work_as(WORK)
    if not project.has_whole_text:
        # Questions are refused until it is there, so this stands back for nothing yet.
        with suppress(SatchelError, OSError):  # which are met again below, and told
            project.refresh(ignore_progress, link_if_fewer=0, is_awaited=True)
    # Edges and vectors can wait: questions are answered without them.
    process_limits.stand_back(project.settings.index.nice)
    live = LiveIndex(project)
    live.start()
    seen, at = live.state(), time.monotonic()
    while not seen.edges_and_vectors_current and time.monotonic() - at < _STUCK_SECONDS:
        time.sleep(_LOOK_SECONDS)
        state = live.state()
        if state.role in (Role.FOLLOWER, Role.READER):  # somebody else owns it, or nobody can
            break
        if state != seen:
            seen, at = state, time.monotonic()
    live.close()
