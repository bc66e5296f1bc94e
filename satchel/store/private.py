"""Folders and files that belong to one user: made, opened and checked without following links.

A base folder is the user's own word (a home folder, what `--state` names). Every folder below it is
opened below the one before, must belong to this user or to the administrator, and must be closed to
what others write. Folders are made 0700, files 0600. Once that holds, nobody else can exchange what
lies there, so that paths may be used from then on.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

from satchel.store.errors import ConfigError
from satchel.store.platform import folders, ownership
from satchel.store.platform.folders import OpenFolder
from satchel.store.platform.replace_file import replace_file

_HINT = "remove it, or name another place with --state or SATCHEL_STATE_FOLDER"


def check(base: Path, folder: Path) -> bool:
    """Whether `folder`, somewhere below `base`, is there, and is this user's alone.

    Raises:
        ConfigError: a folder between them is a link, or belongs or is open to somebody else.
    """
    try:
        descriptor = _opened(base, folder, make=False)
    except OSError:
        return False  # nothing is there, or nothing that we may look at
    folders.close(descriptor)
    return True


def is_there(path: Path) -> bool:
    """Whether there is a file or folder that this user may reach."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises for a folder that is closed


def is_folder(path: Path) -> bool:
    """Whether this is a folder that this user may reach."""
    return os.path.isdir(path)  # noqa: PTH112  Path.is_dir raises for a name that is too long


def make(base: Path, folder: Path) -> None:
    """Make `folder` and every folder between it and `base`, unless they are there.

    Raises:
        ConfigError: as `check` does.
        OSError: one of them cannot be made.
    """
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    folders.close(_opened(base, folder, make=True))


def touch(path: Path) -> None:
    """Make an empty file of mode 0600, unless there is a file. Raises: OSError."""
    with suppress(FileExistsError):
        os.close(os.open(path, folders.CREATE | folders.NO_FOLLOW, 0o600))


def write(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put a file of mode 0600 in place at once, see `replace_file`. Raises: OSError."""
    replace_file(path, data, durable=durable)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk. Raises: OSError."""
    opened = folders.open_root(os.fsencode(folder))
    try:
        folders.sync(opened)
    finally:
        folders.close(opened)


def _opened(base: Path, folder: Path, *, make: bool) -> OpenFolder:
    """`folder`, open; the caller closes it."""
    path = base
    descriptor = folders.open_root(os.fsencode(base))
    for part in folder.relative_to(base).parts:
        path = path / part
        try:
            below = _open_below(descriptor, os.fsencode(part), make=make)
        except NotADirectoryError:
            raise ConfigError(f"{path} is a link or no folder", _HINT) from None
        finally:
            folders.close(descriptor)
        descriptor = below
        try:
            # See that a folder is this user's alone, and close it to others who might read.
            status = folders.status_of(descriptor)
            if status.st_uid not in (ownership.user_id(), ownership.ADMINISTRATOR):
                raise ConfigError(f"{path} belongs to another user ({status.st_uid})", _HINT)
            # Who can write may have planted something already, so that is refused. Who can only
            # read is shut out below.
            if ownership.others_may_write(status):
                raise ConfigError(f"others may write to {path}", _HINT)
            if ownership.others_may_read(status) and ownership.is_mine(status):
                with suppress(PermissionError, OSError):  # a file system that is read-only
                    folders.set_mode(descriptor, stat.S_IMODE(status.st_mode) & stat.S_IRWXU)
        except BaseException:
            folders.close(descriptor)
            raise
    return descriptor


def _open_below(folder: OpenFolder, name: bytes, *, make: bool) -> OpenFolder:
    """Open a folder in another one. Raises: NotADirectoryError for a link as well."""
    if make:
        with suppress(FileExistsError):
            folders.make_below(folder, name)
    try:
        return folders.open_below(folder, name)
    except OSError:
        # Systems differ in the error that a link gives here, so the entry itself is looked at.
        if stat.S_ISLNK(folders.status_in(folder, name).st_mode):
            raise NotADirectoryError(name) from None
        raise
