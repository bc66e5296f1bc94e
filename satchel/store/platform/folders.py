"""Folders opened one below the other, so that no link is followed; files opened in such a folder.

Where the system opens relative to a descriptor, an open folder is one: what is swapped for a link
meanwhile leads nowhere. Windows has no such thing. There an open folder is its path, and links and
junctions are refused one step at a time. Between looking and opening, somebody who may write there
could swap a folder; what lies in a repository cannot.

Names are bytes, as the file system has them. Descriptors are not inherited by children (PEP 446).
"""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

OpenFolder = int | bytes
"""A descriptor, or a path where the system does not open relative to one."""
Entry = os.DirEntry[str] | os.DirEntry[bytes]
"""A name in a folder: text where that is open by a descriptor, else bytes."""
BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.scandir in os.supports_fd

# Where a system lacks a flag, it lacks what the flag asks for, or does it always. Without O_BINARY,
# Windows would read "\r\n" as "\n".
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
# Opening a pipe would wait for somebody to write to it, and a terminal could become ours.
NO_WAIT: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
READ: int = os.O_RDONLY | getattr(os, "O_BINARY", 0)
CREATE: int = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_FOLDER: int = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


@contextmanager
def open_folder(root: bytes, folder: bytes) -> Iterator[OpenFolder]:
    """A folder below root, "/"-separated, reached without following a link. Raises: OSError."""
    here = open_root(root)
    try:
        for part in folder.split(b"/") if folder else ():
            below = open_below(here, part)
            close(here)
            here = below
        yield here
    finally:
        close(here)


def open_root(path: bytes) -> OpenFolder:
    """A folder by its path, which may lead through links; to be closed. Raises: OSError."""
    if BY_DESCRIPTOR:
        return os.open(path, _FOLDER)
    if not stat.S_ISDIR(os.stat(path).st_mode):
        raise NotADirectoryError(path)
    return path


def open_below(folder: OpenFolder, name: bytes) -> OpenFolder:
    """A folder in another one, no link; to be closed. Raises: OSError."""
    if isinstance(folder, int):
        return os.open(name, _FOLDER | NO_FOLLOW, dir_fd=folder)
    if not stat.S_ISDIR(status_in(folder, name).st_mode):
        raise NotADirectoryError(name)
    return os.path.join(folder, name)


def status_in(folder: OpenFolder | None, name: bytes, *, follow: bool = False) -> os.stat_result:
    """What is called `name` in a folder; without one, at the path `name`. Raises: OSError."""
    if isinstance(folder, int):
        return os.stat(name, dir_fd=folder, follow_symlinks=follow)
    path = name if folder is None else os.path.join(folder, name)
    status = os.stat(path, follow_symlinks=follow)
    # A junction of Windows is a folder to `stat`, and yet leads elsewhere.
    if sys.platform == "win32" and not follow and status.st_reparse_tag:
        if stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(path)
    return status


def open_in(folder: OpenFolder | None, name: bytes, flags: int) -> int:
    """A descriptor of a file in a folder; without one, at the path `name`. Raises: OSError."""
    if folder is None or isinstance(folder, int):
        return os.open(name, flags, dir_fd=folder)
    if stat.S_ISLNK(status_in(folder, name).st_mode):
        raise NotADirectoryError(name)
    return os.open(os.path.join(folder, name), flags)


def scan(folder: OpenFolder) -> AbstractContextManager[Iterator[Entry]]:
    """What is in a folder, in no order; its entries may be asked while this is open.

    Raises: OSError.
    """
    return os.scandir(folder)


def make_below(folder: OpenFolder, name: bytes) -> None:
    """Make a folder in another one, closed to others. Raises: OSError."""
    if isinstance(folder, int):
        os.mkdir(name, 0o700, dir_fd=folder)
    else:
        os.mkdir(os.path.join(folder, name), 0o700)


def status_of(folder: OpenFolder) -> os.stat_result:
    """What an open folder is itself. Raises: OSError."""
    return os.stat(folder)


def set_mode(folder: OpenFolder, mode: int) -> None:
    """Give an open folder a mode. Raises: OSError."""
    os.chmod(folder, mode)


def sync(folder: OpenFolder) -> None:
    """Wait until the names in a folder are on the disk; Windows does so by itself."""
    if isinstance(folder, int):
        os.fsync(folder)


def close(folder: OpenFolder) -> None:
    """Let go of a folder."""
    if isinstance(folder, int):
        os.close(folder)
