"""Opening what lies below a root: no link is followed, nothing blocks, every failure has a reason.

Every component is opened below the one before, so a folder swapped for a link meanwhile leads
nowhere. Paths are bytes, sizes bytes.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel.store.model import ROOT_TARGET, RepoPath, Skipped, SkipReason

_VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE})
# The process is out of something: skipping the file would look as if it had been deleted.
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
# O_NONBLOCK: opening a pipe would wait for somebody to write to it. O_NOCTTY: opening a terminal
# could make it ours.
_FILE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def open_folder(root: bytes, folder: bytes) -> Iterator[int]:
    """A descriptor of a folder below root, reached without following a link."""
    fd = os.open(root, _FOLDER_FLAGS)
    try:
        for part in folder.split(b"/") if folder else ():
            below = os.open(part, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=fd)
            os.close(fd)
            fd = below
        yield fd
    finally:
        os.close(fd)


def read_regular_file(
    name: bytes, max_bytes: int, fd: int | None, *, follow: bool = False, cut: bool = False
) -> bytes | SkipReason:
    """The content of a regular file in the folder `fd`; links are refused unless `follow`.

    A file of more than `max_bytes` is refused, or with `cut` read up to one byte more.

    Raises: OSError.
    """
    # Asked before opening too, because opening a device can have effects of its own.
    if not stat.S_ISREG(os.stat(name, dir_fd=fd, follow_symlinks=follow).st_mode):
        return SkipReason.SPECIAL
    flags = _FILE_FLAGS if follow else _FILE_FLAGS | os.O_NOFOLLOW
    with os.fdopen(os.open(name, flags, dir_fd=fd), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return SkipReason.SPECIAL
        # One byte too many tells a file that is too large or growing, whatever its size says.
        content = file.read(max_bytes + 1)
    return content if cut or len(content) <= max_bytes else SkipReason.TOO_LARGE


def content(path: Path, max_bytes: int, *, below: Path | None = None) -> bytes:
    """The bytes of a regular file that somebody else may have written; never blocks.

    With `below`, no link is followed on the way from that folder to the file.

    Raises:
        OSError: there is none, it is too large, or it is no regular file; `strerror` says which.
    """
    if below is None:
        found = read_regular_file(os.fsencode(path), max_bytes, None, follow=True)
    else:
        folder = b"/".join(map(os.fsencode, path.parent.relative_to(below).parts))
        with open_folder(os.fsencode(below), folder) as fd:
            if stat.S_ISLNK(os.stat(path.name, dir_fd=fd, follow_symlinks=False).st_mode):
                raise OSError(errno.ELOOP, "it is a link, which is not followed", str(path))
            found = read_regular_file(os.fsencode(path.name), max_bytes, fd)
    if found == SkipReason.TOO_LARGE:
        raise OSError(errno.EFBIG, f"it has more than {max_bytes:,} bytes", str(path))
    if not isinstance(found, bytes):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return found


def skipped_link(real_root: bytes, path: bytes) -> Skipped:
    """A symbolic link left out; where it leads is looked up, never opened."""
    try:
        target = os.path.realpath(real_root + b"/" + path, strict=True)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return skipped(path, SkipReason.SYMLINK_LOOP)
        return skipped_for_error(path, error)
    root = real_root.rstrip(b"/") + b"/"
    if not (target + b"/").startswith(root):
        return skipped(path, SkipReason.SYMLINK_OUTSIDE)
    try:
        inside = target[len(root) :].decode("utf-8") or ROOT_TARGET
    except UnicodeDecodeError:  # an import cannot name it either
        inside = ""
    return skipped(path, SkipReason.SYMLINK, inside)


def skipped_for_error(path: bytes, error: OSError) -> Skipped:
    """A path that could not be opened. Raises: OSError when the process is out of something."""
    if error.errno in _EXHAUSTED:
        raise error
    reason = SkipReason.VANISHED if error.errno in _VANISHED else SkipReason.UNREADABLE
    return skipped(path, reason, errno.errorcode.get(error.errno or 0, str(error.errno)))


def skipped(path: bytes, reason: SkipReason, detail: str = "") -> Skipped:
    """A path left out."""
    return Skipped(RepoPath(os.fsdecode(path)), reason, detail)
