"""Where the index of a root lies and its owner listens, as text.

A command that asks a server loads this and little else, so it imports almost nothing; the rest
of the workspace asks it too, so that both mean the same folders.
"""

import os
import stat
from collections.abc import Mapping

from satchel.store.platform.blake2 import blake2b
from satchel.store.sqlite.schema import FACTS_VERSION, FORMAT_VERSION

CHECKOUT_FOLDER = ".satchel"
"""In the working tree: what a team commits on purpose."""
MARKS = (CHECKOUT_FOLDER, ".git", ".hg", ".svn")
"""What a folder holds that is the root of a code base."""
INDEX_NAME = "index.db"
SOCKET_NAME = "owner.sock"
INDEXES = "index"
APP_FOLDER = "satchel"
"""Its folder in the user's cache, data and configuration folders; that of sockets begins so."""
MAX_ADDRESS_BYTES = 100
"""A socket's address holds 104 to 108 bytes, depending on the system."""
_FORMAT = f"@{FORMAT_VERSION}.{FACTS_VERSION}"
"""At the end of the name of an index: two versions of Satchel would else take turns in rebuilding
the same one. A plain name holds no such sign."""
DESCRIPTORS = "/proc/self/fd"
"""Where Linux shows what is open, which gives a file with a long path a short one as well."""
_MAX_CONFIGURATION = 1 << 20


class IndexPlace:
    """A root, the folder of its index, and the socket where the owner of that listens."""

    __slots__ = ("folder", "root", "socket")

    def __init__(self, root: str, folder: str, socket: str) -> None:
        self.root, self.folder, self.socket = root, folder, socket


def place_around(here: str, environment: Mapping[str, str]) -> IndexPlace | None:
    """Where the index of the code base around a folder lies, as far as that is known unread.

    None where the user's settings, which are not read here, may name another folder for it, and
    where the folder of the index is not this user's alone, or is not there.
    """
    home, named = environment.get("HOME", ""), environment.get("SATCHEL_STATE_FOLDER", "")
    configured = environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    # Reading settings takes their module, which is most of what a short command saves to load.
    settings = os.path.join(configured, APP_FOLDER, "config.toml")
    if not home or (not named and _may_name_folder(settings)):
        return None
    indexes, runtime = base_folders(environment, home, named)
    root = root_above(here, indexes)
    if not root:
        return None
    index = os.path.join(indexes, index_name(root))
    socket = socket_of(index, runtime)
    folders_of_it = {index, os.path.dirname(socket)}
    return IndexPlace(root, index, socket) if all(map(_is_private, folders_of_it)) else None


def _may_name_folder(path: str) -> bool:
    """Whether the user's settings may name another folder for all state."""
    try:
        opened = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        return b"folder" in os.read(opened, _MAX_CONFIGURATION)
    except OSError:
        return True
    finally:
        os.close(opened)


def _is_private(folder: str) -> bool:
    """Whether a folder is this user's own and closed to others; Windows' profile is."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    if os.name == "nt":
        return stat.S_ISDIR(status.st_mode)
    # Somebody who may write there could listen in the server's place.
    closed = not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(status.st_mode) and closed and status.st_uid == user_id()


def base_folders(environment: Mapping[str, str], home: str, named: str = "") -> tuple[str, str]:
    """Where indexes lie, and sockets whose own path is too long; `named` moves the first.

    Variables of the XDG specification mean nothing when they are relative.
    """

    def absolute(variable: str, usual: str) -> str:
        configured = environment.get(variable, "")
        return os.path.realpath(configured if os.path.isabs(configured) else usual)

    if named:
        cache = os.path.realpath(named)
        indexes = os.path.join(cache, INDEXES)
    else:
        cache = absolute("XDG_CACHE_HOME", os.path.join(home, ".cache"))
        indexes = os.path.join(cache, APP_FOLDER, INDEXES)
    runtime = absolute("XDG_RUNTIME_DIR", cache if os.name == "nt" else "/tmp")
    return indexes, os.path.join(runtime, f"{APP_FOLDER}-{user_id()}")


def user_id() -> int:
    """Who runs this process, 0 where files do not say whose they are."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def root_above(start: str, indexes: str) -> str:
    """The nearest folder at or above `start` that is indexed or under version control, "" for none.

    `indexes` is the folder of all indexes.
    """
    root = start
    while True:
        if any(os.path.exists(os.path.join(root, mark)) for mark in MARKS):
            return root
        if any(
            os.path.exists(os.path.join(indexes, name, INDEX_NAME))
            for name in (index_name(root), *names_of_other_versions(root, indexes))
        ):
            return root
        above = os.path.dirname(root)
        if above == root:
            return ""
        root = above


def names_of_other_versions(root: str, indexes: str) -> list[str]:
    """The names of indexes of a root that other versions of Satchel made, in order."""
    own = index_name(root)
    try:
        listed = sorted(os.listdir(indexes))
    except OSError:
        return []
    return [name for name in listed if plain_name(name) == plain_name(own) and name != own]


def plain_name(name: str) -> str:
    """The name of an index without the format that it has."""
    return name.partition("@")[0]


def is_ours(name: str) -> bool:
    """Whether an index of this name has the format of this version."""
    return name.endswith(_FORMAT)


def formatted(name: str) -> str:
    """The name of an index with the format that this version gives it."""
    return name + _FORMAT


def index_name(root: str) -> str:
    """The name of the folder of a root's index."""
    # The name is for people. The digest tells roots apart that have the same name.
    plain = "".join(
        c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in os.path.basename(root)
    )
    digest = blake2b(os.fsencode(root), digest_size=8).hexdigest()
    return formatted(f"{plain[:40].lstrip('.') or 'root'}-{digest}")


def socket_of(index: str, runtime: str) -> str:
    """Where the owner listens: beside the index, or under a short name where that is too long."""
    path = os.path.join(index, SOCKET_NAME)
    # On Linux a long path is reached by way of a descriptor (`workspace.serving.local_socket`).
    if len(os.fsencode(path)) <= MAX_ADDRESS_BYTES or os.path.isdir(DESCRIPTORS):
        return path
    short = blake2b(os.fsencode(index), digest_size=8).hexdigest()
    return os.path.join(runtime, f"{short}.sock")
