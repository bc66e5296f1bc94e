"""Satchel as tests use it: the library on a folder, and the command as a user runs it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from satchel.indexer.extract import pool
from satchel.indexer.refresh_values import OnProgress, Progress, RefreshReport
from satchel.workspace.project import Project
from satchel.workspace.state.state_folder import StateFolders, make_index, make_knowledge
from tests.support import warm, warm_client, warm_workers

COMMAND = Path(sys.executable).with_name("satchel")
ROOT = Path(__file__).parents[2]
FOLDERS = ("satchel", "indexer", "assembler", "mcp_server")
"""Where the package's source lies: three rooms at the top, linked into `satchel/`."""
TIMEOUT_S = 900
"""After which a command counts as hung. The longest, a first index of the hostile tree, takes 30 s
of processor time, and 300 s were too few on a machine that ran twenty other programs."""


def silent(_progress: Progress) -> None:
    """Ignores progress."""


def refresh(root: Path, on_progress: OnProgress = silent, *, full: bool = False) -> RefreshReport:
    """Brings the index of `root` up to date, with one worker to start quickly."""
    return Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"}).refresh(on_progress, full=full)


def index(root: Path) -> Project:
    """The project at `root`, indexed."""
    refresh(root)
    return Project.at(root, {})


def state_folders(root: Path, environment: Mapping[str, str] | None = None) -> StateFolders:
    """Where everything of `root` lies."""
    return Project.at(root, environment or {}).folders


def index_folder(root: Path) -> Path:
    """The folder of the index of `root`; made, so that a test may lay something into it."""
    found = state_folders(root)
    make_index(found)
    return found.index


def copy_with_index(root: Path, copy: Path) -> Path:
    """Copies a tree with the times of its files, and its index as that of the copy."""
    shutil.copytree(root, copy)
    shutil.copytree(state_folders(root).index, index_folder(copy), dirs_exist_ok=True)
    return copy


def knowledge_folder(root: Path) -> Path:
    """The folder of what is known of `root`; made, as above."""
    found = state_folders(root)
    make_knowledge(found)
    return found.knowledge


STORE = ("satchel/store",)
"""Sixty files of our own, for what has to be asked of real code and of no particular amount."""


def copy_of_our_source(
    folder: Path,
    parts: Sequence[str] = ("satchel/store", "assembler", "tests/support", "tests/packing"),
) -> Path:
    """Some of our own packages and tests as a project to index: 200 files, unless `parts` say so.

    All of them, which take five times as long, with `SATCHEL_LONG=1`. Of the whole checkout CI
    makes an index of its own after the tests and validates it.
    """
    is_long = os.environ.get("SATCHEL_LONG") == "1"
    for name in (*FOLDERS, "tests", "bench") if is_long else parts:
        ignore = shutil.ignore_patterns("__pycache__", "vocab", "table", "fixtures", "static")
        shutil.copytree(ROOT / name, folder / name, ignore=ignore, symlinks=True)
    return folder


def satchel(
    *arguments: str | Path,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Runs the command in `cwd` and waits for it, in a process that has loaded it already."""
    words = [os.fspath(word) for word in arguments]
    # `tests/conftest.py` puts its own function there.
    is_warm = pool.start_process is warm_workers.start  # type: ignore[comparison-overlap]
    workers = warm_workers.place() if is_warm else ""
    settings = {**os.environ, **(environment or {})}
    return warm.run(words, cwd, settings, stdin, TIMEOUT_S, workers)


def warm_command() -> Path:
    """An executable that does what the command does, in a process that has loaded it already.

    For who needs a program to start, where the process itself is not what is tested: the command
    runs in another than the one that is started. SIGKILL reaches it a moment later.
    """
    return Path(warm.folder(), warm_client.SATCHEL)


def warm_upstream() -> Path:
    """The same for the server of `tests.support.upstream`."""
    return Path(warm.folder(), warm_client.UPSTREAM)


def started(
    *arguments: str | Path,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Runs the installed command in `cwd` and waits for it."""
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        input=stdin,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def workers_of(pid: int) -> list[int]:
    """The indexing processes that process `pid` started and that run just now."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state = entry.read_text("utf-8").rpartition(")")[2].split()
            if int(state[1]) != pid:
                continue
            command = (entry.parent / "cmdline").read_bytes()
            own = Path(f"/proc/{pid}/cmdline").read_bytes()
            is_forked = command == own and (entry.parent / "cwd").readlink() == Path("/")
        except OSError:  # it ended meanwhile
            continue
        if is_forked or b"satchel.indexer.extract.worker" in command:
            found.append(int(entry.parent.name))
    return found
