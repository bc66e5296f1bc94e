"""The tree of a commit in a folder of its own, indexed there, and gone afterwards.

Files are written as git has them: no filter runs, no link is made, nothing is checked out. What
the index of the checkout knows of the same contents is not parsed again.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from satchel.evaluation import commits
from satchel.indexer.refresh_values import OnProgress
from satchel.indexer.scan import walk
from satchel.store import secret_files
from satchel.store.errors import SatchelError
from satchel.store.model import RepoPath
from satchel.store.sqlite import database
from satchel.workspace.project import Project

_OWN = {
    # The shipped table needs no network, and an exact scan no second process.
    "SATCHEL_VECTORS_ENGINE": "exact",
    "SATCHEL_VECTORS_ENCODER": "table",
}
OnFiles = Callable[[int, int], None]
"""Told how many files of how many are written."""


@contextmanager
def indexed_commit(
    project: Project,
    like: Project,
    files: Mapping[str, commits.Blob],
    environment: Mapping[str, str],
    on_files: OnFiles,
    on_progress: OnProgress,
) -> Iterator[Project]:
    """A project over the files of a commit of `project`'s checkout, indexed, with vectors.

    `like` has an index of much the same files, with which the new one begins.
    """
    with tempfile.TemporaryDirectory(prefix="satchel-history-") as folder:
        root = Path(folder).resolve() / (project.root.name or "root")
        root.mkdir()
        write(project.root, files, root, on_files, project.settings.index.max_file_bytes)
        own = {**environment, **_OWN, "SATCHEL_STATE_FOLDER": str(Path(folder).resolve() / "state")}
        then = Project.at(root, own)
        # The tree lies in a folder that was made for it.
        then.confirm_root()
        then.prepare()
        if like.is_indexed:
            # A copy only saves work: whatever is wrong with the index, the refresh makes a new one.
            with suppress(SatchelError, OSError, database.SQLiteError):
                database.copy(like.directory, then.directory)
        then.refresh(on_progress)
        then.build_vectors()
        yield then


def write(
    source: Path, files: Mapping[str, commits.Blob], root: Path, on_files: OnFiles, max_bytes: int
) -> None:
    """Write the files of a commit below `root`; what nobody would index is left out."""
    wanted = {
        path: blob.name
        for path, blob in files.items()
        if is_plain(path)
        and not secret_files.file_kind(path)
        and blob.n_bytes <= walk.max_bytes(RepoPath(path), max_bytes)
    }
    paths: dict[str, list[str]] = {}
    for path, name in wanted.items():
        paths.setdefault(name, []).append(path)
    n_written = 0
    for name, data in commits.contents(source, list(paths)):
        for path in paths[name]:
            target = root / path
            # Names that differ in their case alone are one file to some systems, and what is a
            # folder here may be a file there.
            with suppress(OSError):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        n_written += len(paths[name])
        on_files(n_written, len(wanted))


def is_plain(path: str) -> bool:
    """Whether a path leads below a folder: trees can be made whose names lead elsewhere."""
    parts = path.split("/")
    return (
        PurePosixPath(path).parts == tuple(parts)
        and not {".", "..", ""} & set(parts)
        and not any(part.lower() == ".git" or "\0" in part for part in parts)
        and not any(os.sep != "/" and os.sep in part for part in parts)
    )
