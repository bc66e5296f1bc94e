"""Opens files below a root without following links or blocking; each failure has a reason.

How folders are opened one below the other depends on the system: `satchel.store.platform.folders`.
Paths are bytes, sizes bytes.
"""

import errno
import os
import stat
from pathlib import Path

from satchel.store.model import ROOT_TARGET, RepoPath, Skipped, SkipReason
from satchel.store.platform.folders import (
    NO_FOLLOW,
    NO_WAIT,
    READ,
    OpenFolder,
    open_folder,
    open_in,
    status_in,
)

_VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE})
# The process is out of something: skipping the file would look as if it had been deleted.
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})


def read_regular_file(
    name: bytes,
    max_bytes: int,
    folder: OpenFolder | None,
    *,
    follow: bool = False,
    cut: bool = False,
) -> bytes | SkipReason:
    """The content of a regular file in a folder; links are refused unless `follow`.

    A file of more than `max_bytes` is refused, or with `cut` read up to one byte more.

    Raises: OSError.
    """
    # Asked before opening too, because opening a device can have effects of its own.
    if not stat.S_ISREG(status_in(folder, name, follow=follow).st_mode):
        return SkipReason.SPECIAL
    flags = READ | NO_WAIT if follow else READ | NO_WAIT | NO_FOLLOW
    with os.fdopen(open_in(folder, name, flags), "rb") as file:
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
        way = b"/".join(map(os.fsencode, path.parent.relative_to(below).parts))
        with open_folder(os.fsencode(below), way) as folder:
            if stat.S_ISLNK(status_in(folder, os.fsencode(path.name)).st_mode):
                raise OSError(errno.ELOOP, "it is a link, which is not followed", str(path))
            found = read_regular_file(os.fsencode(path.name), max_bytes, folder)
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
    # Windows resolves to other slashes than the paths of an index have.
    target = target.replace(os.fsencode(os.sep), b"/")
    root = real_root.replace(os.fsencode(os.sep), b"/").rstrip(b"/") + b"/"
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
