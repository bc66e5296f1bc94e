"""Where the index of a root lies and its owner listens, as text. Light: a command that asks a
server loads this and little else."""

from __future__ import annotations

import os
from hashlib import blake2b

TEAM = ".satchel"
"""In the working tree: what a team commits on purpose."""
MARKS = (TEAM, ".git", ".hg", ".svn")
"""What a folder holds that is the root of a code base."""
INDEX_NAME = "index.db"
SOCKET_NAME = "owner.sock"
INDEXES, OURS = "index", "satchel"
_MAX_SOCKET_BYTES = 100
"""A socket's address holds 104 to 108 bytes, depending on the system."""
_DESCRIPTORS = "/proc/self/fd"


def index_name(root: str) -> str:
    """The name of the folder of a root's index."""
    # The name is for people. The digest tells roots apart that have the same name.
    plain = "".join(
        c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in os.path.basename(root)
    )
    digest = blake2b(os.fsencode(root), digest_size=8).hexdigest()
    return f"{plain[:40].lstrip('.') or 'root'}-{digest}"


def socket_of(index: str, runtime: str) -> str:
    """Where the owner listens: beside the index, or under a short name where that is too long."""
    path = os.path.join(index, SOCKET_NAME)
    # On Linux a long path is reached by way of a descriptor (`workspace.serving.local_socket`).
    if len(os.fsencode(path)) <= _MAX_SOCKET_BYTES or os.path.isdir(_DESCRIPTORS):
        return path
    short = blake2b(os.fsencode(index), digest_size=8).hexdigest()
    return os.path.join(runtime, f"{short}.sock")
