"""Identifies a checkout so that no clone, copy or archive can pass for another one.

A checkout is told by a folder that only its user's system made: git's own folder, which worktrees
share, or where there is none the folder itself. Its inode number and the moment it was made stay
when it is moved or renamed. Neither travels: a clone, a copy and an unpacked archive get new ones.

What a checkout says of itself is believed only where the other side says the same
(`indexer.scan.git_folder`).
"""

import ctypes
import os
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path

from msgspec import Struct

from satchel.indexer.scan.git_folder import of_checkout
from satchel.store.platform.blake2 import blake2b

_AT_FDCWD, _NO_FOLLOW, _BIRTH = -100, 0x100, 0x800
_STATX_BYTES, _MASK_AT, _BIRTH_AT = 256, 0, 80


class Checkout(Struct, frozen=True):
    """The checkout that a root lies in.

    `folder` is what tells it from others and `below` the root's place in it ("" for its top).
    `born_ns` is 0 where the system does not say when a folder was made.
    """

    root: Path
    folder: Path
    below: str
    is_git: bool
    inode: int
    born_ns: int

    @property
    def key(self) -> str:
        """A name for it, the same for as long as the folder exists, wherever it is moved."""
        # An inode number alone may come back, so where no birth is known the path counts too. A
        # checkout that is moved is then only offered its knowledge.
        where = "" if self.born_ns else str(self.folder)
        parts = f"{self.inode}\0{self.born_ns}\0{self.below}\0{where}"
        return blake2b(os.fsencode(parts), digest_size=12).hexdigest()


def checkout_at(root: Path) -> Checkout:
    """The checkout around `root`, an absolute path without links."""
    for top in (root, *root.parents):
        found = of_checkout(top)
        if found is not None:
            below = root.relative_to(top).as_posix().removeprefix(".")
            return Checkout(root, found.shared, below, True, *mark(found.shared))
    return Checkout(root, root, "", False, *mark(root))


def mark(folder: Path) -> tuple[int, int]:
    """A folder's inode number and when it was made, in ns since 1970; 0 for what is not known."""
    try:
        status = folder.stat(follow_symlinks=False)
    except OSError:
        return 0, 0
    born = getattr(status, "st_birthtime", 0.0)  # macOS
    return status.st_ino, int(born * 1e9) or _birth(folder)


@cache
def _statx() -> Callable[..., int] | None:
    """The system's call, None where it has none."""
    try:
        # Python's own `stat` does not tell on Linux when a folder was made.
        found: Callable[..., int] = ctypes.CDLL(None).statx
    except (OSError, AttributeError):
        return None
    return found


def _birth(folder: Path) -> int:
    """When Linux says that a folder was made, 0 where it does not."""
    buffer = ctypes.create_string_buffer(_STATX_BYTES)
    asked = _statx()
    if asked is None or asked(_AT_FDCWD, os.fsencode(folder), _NO_FOLLOW, _BIRTH, buffer):
        return 0
    # The mask says what the file system knows; a birth that it does not know reads as zero.
    (found,) = struct.unpack_from("I", buffer.raw, _MASK_AT)
    seconds, nanoseconds = struct.unpack_from("qI", buffer.raw, _BIRTH_AT)
    return int(seconds * 1_000_000_000 + nanoseconds) if found & _BIRTH else 0
