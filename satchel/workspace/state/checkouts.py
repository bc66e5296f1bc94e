"""Lists all checkouts that have state, and moves or deletes it.

Indexes and knowledge are listed apart, each under a name of its own (`index/…`, `knowledge/…`).
An index can be made again. Knowledge cannot, so it is deleted by its own name alone.
"""

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from satchel.store import private
from satchel.store.errors import NotFound, UsageError
from satchel.workspace.lock import LOCK_NAME, explained_write_errors, writer_lock
from satchel.workspace.project import Project
from satchel.workspace.state import state_folder
from satchel.workspace.state.index_place import is_ours
from satchel.workspace.state.state_folder import Bases, StateFolders

_LISTED = "`satchel state` lists them"


class StateKind(StrEnum):
    """What is stored."""

    INDEX = "index"
    DEPENDENCY = "dependency"
    """An index of an installed package, which all checkouts share."""
    KNOWLEDGE = "knowledge"


class StoredState(Struct, frozen=True):
    """State of one checkout or package.

    `used` is in seconds since 1970. `root` is where the checkout lay, or which package it is, ""
    when the folder does not say; `is_gone` whether it is not there any more, `is_of_another`
    whether it is an index that another version of Satchel made.
    """

    kind: StateKind
    folder: Path
    root: str
    n_bytes: int
    used: float
    is_gone: bool
    is_of_another: bool

    @property
    def used_at(self) -> str:
        """When it was last used, in UTC."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.used))

    @property
    def name(self) -> str:
        """The name by which `state move` and `state delete` take it."""
        return f"{self.kind}/{self.folder.name}"


def all_state(bases: Bases) -> list[StoredState]:
    """All state there is, by root, indexes first."""
    found = [
        _stored_state(StateKind.INDEX, folder)
        for folder in state_folder.state_folders(bases.indexes)
    ]
    found += [
        _stored_state(StateKind.DEPENDENCY, folder)
        for folder in state_folder.state_folders(bases.dependencies)
    ]
    found += [
        _stored_state(StateKind.KNOWLEDGE, folder)
        for folder in state_folder.state_folders(bases.knowledge)
    ]
    return sorted(found, key=lambda each: (each.root, each.kind, each.name))


def elsewhere(folders: StateFolders) -> list[StoredState]:
    """Knowledge that may be this checkout's and was not found for it, likeliest first.

    It lay at the same path, or it is of a checkout that is gone and has the same first commit.
    Neither proves anything, so it is offered and never taken.
    """
    if private.is_there(state_folder.file_of_knowledge(folders.knowledge)):
        return []
    here: list[Path] = []
    others: list[tuple[Path, str]] = []
    for folder in state_folder.state_folders(folders.bases.knowledge):
        record = state_folder.read(folder)
        if record is None or not record.is_gone or folder == folders.knowledge:
            continue
        if record.root == str(folders.root):
            here.append(folder)
        elif record.origin:
            others.append((folder, record.origin))
    # Git is asked only where there is something to compare its answer with.
    origin = state_folder.origin_of(folders.root) if others else ""
    found = here + [folder for folder, first in others if first == origin]
    return [_stored_state(StateKind.KNOWLEDGE, folder) for folder in found]


def chosen(bases: Bases, names: Sequence[str]) -> list[StoredState]:
    """State by its names. Without names: indexes of checkouts that are gone, or of other versions.

    Raises:
        NotFound: there is none of a name.
    """
    found = all_state(bases)
    if not names:
        # An index of a package is of no checkout, and never gone.
        return [
            each for each in found
            if each.is_of_another or (each.is_gone and each.kind == StateKind.INDEX)
        ]  # fmt: skip
    by_name = {each.name: each for each in found}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise NotFound(f"there is no state called {unknown[0]}", _LISTED)
    # A name that is given twice is meant once.
    return [by_name[name] for name in dict.fromkeys(names)]


def delete(which: Iterable[StoredState]) -> None:
    """Delete state for good.

    Raises:
        Locked: a process is at it.
        Unwritable: it cannot be deleted.
    """
    import shutil

    for each in which:
        with writer_lock(each.folder), explained_write_errors(each.folder):
            # A name that nobody looks for: what an interruption leaves is no half of anything.
            aside = each.folder.with_name(f".{each.folder.name}.{os.getpid()}")
            each.folder.rename(aside)
        with explained_write_errors(aside):
            shutil.rmtree(aside)
        for left in state_folder.left_behind(each.folder.parent):
            shutil.rmtree(left, ignore_errors=True)


def move(project: Project, name: str, *, even_if_there: bool = False) -> StoredState:
    """Make the knowledge of another checkout that of this one.

    Args:
        project: whose it is to be.
        name: what to move, as `knowledge/…` or as the root of the checkout that it was of.
        even_if_there: take it from a checkout that still exists.

    Raises:
        NotFound: there is none of that name.
        UsageError: this checkout knows something already, or the other one is not gone.
        Locked: a process is at it.
    """
    folders = project.folders
    root = str(Path(name).absolute())
    each = next(
        (
            each
            for each in all_state(folders.bases)
            if each.kind == StateKind.KNOWLEDGE and (each.name == name or each.root == root)
        ),
        None,
    )
    if each is None:
        raise NotFound(f"no knowledge is stored for a checkout called {name}", _LISTED)
    if not each.is_gone and not even_if_there:
        raise UsageError(f"{each.root} is still there", "--yes moves it all the same")
    if private.is_there(state_folder.file_of_knowledge(folders.knowledge)):
        raise UsageError(
            f"knowledge of {folders.root} is stored already",
            "`satchel knowledge export` there and `import` here brings both together",
        )
    with writer_lock(each.folder), explained_write_errors(folders.knowledge):
        private.make(folders.bases.data, folders.knowledge)
        # These two are all that a folder holds in which nothing is known yet.
        for name in (state_folder.RECORD, LOCK_NAME):
            (folders.knowledge / name).unlink(missing_ok=True)
        each.folder.rename(folders.knowledge)  # refused unless that folder is empty
        # The new name must be on the disk before the record there says whose it is.
        private.sync_folder(folders.knowledge.parent)
        state_folder.rebind(folders.knowledge, folders)
    return each


def _stored_state(kind: StateKind, folder: Path) -> StoredState:
    record = state_folder.read(folder)
    n_bytes, used = 0, 0.0
    for path in folder.rglob("*"):
        with suppress(OSError):
            status = path.lstat()
            n_bytes += status.st_size if path.is_file() else 0
            used = max(used, status.st_mtime)
    is_gone = record is not None and record.is_gone
    is_of_another = kind != StateKind.KNOWLEDGE and not is_ours(folder.name)
    root = record.root if record else ""
    return StoredState(kind, folder, root, n_bytes, used, is_gone, is_of_another)
