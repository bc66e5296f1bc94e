"""A process that serves a project and does nothing else, for tests that end it from outside.

Says its role on stdout whenever that changes; on each line of stdin it waits until the index is
fresh and says how many files it holds.
"""

import os
import sys
import threading
import time
from pathlib import Path

from satchel.workspace.project import Project
from satchel.workspace.serving.live import LiveIndex, Role
from tests.support.satchel import TIMEOUT_S


def main() -> None:
    live = LiveIndex(Project.at(Path(sys.argv[1]), {"SATCHEL_INDEX_WORKERS": "1"}))
    live.start()
    threading.Thread(target=_tell_roles, args=(live,), daemon=True).start()
    for _ in sys.stdin:
        notices = live.wait_fresh(seconds=TIMEOUT_S)
        with live.project.snapshot() as snapshot:
            say(f"fresh {snapshot.files.count()} {notices}")
    live.close()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _tell_roles(live: LiveIndex) -> None:
    told = Role.STARTING
    while True:
        role = live.state().role
        if role != told:
            told = role
            say(f"role {role} {os.getpid()}")
        time.sleep(0.005)


if __name__ == "__main__":
    main()
