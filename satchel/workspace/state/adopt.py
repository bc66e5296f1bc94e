"""Taking over what earlier versions kept in `.satchel/knowledge.db` of the working tree.

Nothing there is believed unasked: an archive may hold such a file as well, and it looks like one's
own. When the user asks, the file is copied into the user's data folder, if it is the user's own, is
no link and is not tracked by git; the copy is opened, and its rows are merged into what is known by
then, in one transaction. The file in the tree is only read. Ended at any moment, nothing is lost,
and asking again completes it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.knowledge.storage.schema import NAME
from satchel.store import private
from satchel.store.errors import Locked, UsageError
from satchel.store.platform import ownership
from satchel.store.platform.folders import (
    NO_FOLLOW,
    NO_WAIT,
    READ,
    OpenFolder,
    open_folder,
    open_in,
    status_in,
)
from satchel.workspace.lock import explained_write_errors, writer_lock
from satchel.workspace.project import Project
from satchel.workspace.state import state_folder
from satchel.workspace.state.index_place import CHECKOUT_FOLDER
from satchel.workspace.state.state_folder import StateFolders

if TYPE_CHECKING:
    from satchel.knowledge.transfer.merge import Merged

_DRAFT = "adopting"
_MAX_BYTES = 2 << 30
_TRIES = 5
_PIECE = 1 << 20
_FILES = (NAME, f"{NAME}-wal")
_HINT = "export it with the version that wrote it, and use `satchel knowledge import`"
_DERIVED = (
    *("index.db", "index.db-wal", "index.db-shm", "usage.db", "lock", "owner.sock", "token"),
    *("packs", "chroma", "known", "watch", "rebuild"),
)
"""What else earlier versions kept there; it is made anew elsewhere."""


class Older(Struct, frozen=True):
    """A file of knowledge in the working tree that was not taken over.

    `refusal` says why it will not be, "" when it can be. `stamp` tells it from what it was before.
    """

    path: Path
    stamp: str
    refusal: str = ""


class Adopted(Struct, frozen=True):
    """What was taken over from which file."""

    path: Path
    merged: Merged


def older(folders: StateFolders) -> Older | None:
    """The file of knowledge in the working tree that is still to be taken over."""
    path = folders.team / NAME
    if not os.path.lexists(path):  # a link to nothing is there as well
        return None
    try:
        with _folder(folders) as folder:
            stamp = _stamp(folder)
            refusal = _refusal(folders, folder)
    except OSError as error:
        return Older(path, "", f"it cannot be read without following a link ({error.strerror})")
    record = state_folder.read(folders.knowledge)
    return None if record and record.adopted == stamp else Older(path, stamp, refusal)


def leftovers(folders: StateFolders) -> list[Path]:
    """What earlier versions made in the working tree that can be made again, by name."""
    found = (folders.team / name for name in sorted(_DERIVED))
    return [path for path in found if os.path.lexists(path)]


def adopt(project: Project) -> Adopted:
    """Take over the file of knowledge in the working tree.

    Raises:
        UsageError: there is none, or it is not one to be taken over.
        CorruptIndex: it is no sound file of knowledge.
        Locked: it is being written, or somebody else takes it over.
        Unwritable: there is no room for it.
    """
    import shutil

    from satchel.knowledge.storage import database
    from satchel.knowledge.transfer.merge import merge

    folders = project.folders
    found = older(folders)
    if found is None:
        raise UsageError(
            f"{folders.team / NAME} is not there, or was taken over before",
            "`satchel recall` shows what is known",
        )
    if found.refusal:
        raise UsageError(f"{found.path} is not taken over: {found.refusal}", _HINT)
    with explained_write_errors(folders.knowledge):
        state_folder.make_knowledge(folders)
    with writer_lock(folders.knowledge):
        draft = folders.knowledge / _DRAFT
        with explained_write_errors(draft):
            shutil.rmtree(draft, ignore_errors=True)
            private.make(folders.bases.data, draft)
            stamp = _copied(folders, draft)
        with (
            database.explained_errors(),
            closing(database.connect(draft)) as other,
            closing(database.connect(folders.knowledge)) as db,
        ):
            # Rows are merged, because a copied file would bring its triggers and views along.
            merged = merge(db, other)
        with explained_write_errors(draft):
            shutil.rmtree(draft)
            state_folder.note_adopted(folders, stamp)
    return Adopted(found.path, merged)


@contextmanager
def _folder(folders: StateFolders) -> Iterator[OpenFolder]:
    """`.satchel` in the tree, open. Raises: OSError for a link."""
    with open_folder(os.fsencode(folders.root), os.fsencode(CHECKOUT_FOLDER)) as folder:
        yield folder


def _stamp(folder: OpenFolder) -> str:
    """Inode, size and time of the file and its journal, by which a change is seen."""
    return "-".join(
        f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}" if status else ""
        for status in (_status(name, folder) for name in _FILES)
    )


def _status(name: str, folder: OpenFolder) -> os.stat_result | None:
    try:
        return status_in(folder, os.fsencode(name))
    except FileNotFoundError:
        return None


def _refusal(folders: StateFolders, folder: OpenFolder) -> str:
    """Why what lies there is not taken over, "" when it may be."""
    for name in _FILES:
        status = _status(name, folder)
        if status is not None and (reason := _not_ours(name, status)):
            return reason
    if folders.checkout.is_git:
        # Every command asks whether there is something to take over; what starts programs loads
        # slowly, and there hardly ever is.
        from satchel.indexer.scan.git_checkout import run_git

        root = os.fsencode(folders.root)
        # A git that fails says nothing, which must not pass for "tracks nothing".
        if run_git(root, "rev-parse", "--is-inside-work-tree").strip() != b"true":
            return "git does not say whether it tracks it"
        if run_git(root, "ls-files", "-z", "--", *(f"{CHECKOUT_FOLDER}/{name}" for name in _FILES)):
            return "git tracks it, so whoever made the repository may have written it"
    return ""


def _not_ours(name: str, status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return f"{name} is a link or no file"
    if not ownership.is_mine(status):
        return f"{name} belongs to another user ({status.st_uid})"
    # Its other name may lie in a folder where somebody else can write.
    if status.st_nlink > 1:
        return f"{name} has another name elsewhere"
    return f"{name} is too large" if status.st_size > _MAX_BYTES else ""


def _copied(folders: StateFolders, draft: Path) -> str:
    """Copy the file and its journal as they are at one moment; returns their stamp.

    Raises:
        Locked: they change all the while.
        OSError: one of them cannot be read or written.
    """
    with _folder(folders) as folder:
        for _ in range(_TRIES):
            # File and journal belong together: the copy counts only when neither changed while both
            # were read.
            before = _stamp(folder)
            for name in _FILES:
                (draft / name).unlink(missing_ok=True)
                if _status(name, folder) is not None:
                    _copy(name, folder, draft / name)
            if _stamp(folder) == before and not _refusal(folders, folder):
                return before
    raise Locked(f"{folders.team / NAME} is being written", "stop what uses it, try again")


def _copy(name: str, folder: OpenFolder, target: Path) -> None:
    import shutil

    source = open_in(folder, os.fsencode(name), READ | NO_FOLLOW | NO_WAIT)
    # The copy is closed to others before the first byte is in it.
    private.touch(target)
    with os.fdopen(source, "rb") as stream, target.open("r+b") as copy:
        shutil.copyfileobj(stream, copy, _PIECE)
