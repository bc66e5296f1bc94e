"""Paths of all state of a code base; `index_place` has those that asking a server needs.

What is derived lies in the user's cache folder, what people know in the user's data folder:

    ~/.cache/satchel/index/KEY@FORMAT    index.db and what belongs to it; KEY is of the root's path
    ~/.local/share/satchel/knowledge/KEY    knowledge.db and its copies; KEY is of the checkout
    ~/.cache/satchel/dependency/KEY@FORMAT    that of an installed package; KEY is of its bytes
    ROOT/.satchel                     what a team commits: config.toml, golden.jsonl, baseline.json

`$XDG_CACHE_HOME` and `$XDG_DATA_HOME` move the first two; `--state DIR`, `SATCHEL_STATE_FOLDER` or
`state.folder` put them into DIR/index and DIR/knowledge. Each folder holds `checkout.json`, which
says what it is of. An index is found by path: it is a cache and is compared with the tree anyway.
Knowledge is found by identity (`state.identity`), since nothing can tell whose it is later.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import MsgspecError, Struct, json, structs
from msgspec.structs import replace

from satchel.knowledge.storage.schema import NAME as KNOWLEDGE_NAME
from satchel.store import private
from satchel.store.errors import ConfigError
from satchel.store.platform import folders as opening
from satchel.store.platform import processes, user
from satchel.store.platform.blake2 import blake2b
from satchel.workspace.state import index_place
from satchel.workspace.state.identity import Checkout, checkout_at, mark
from satchel.workspace.state.index_place import APP_FOLDER, CHECKOUT_FOLDER, index_name, socket_of

RECORD = "checkout.json"
TOKEN_NAME = "token"
_KNOWLEDGE = "knowledge"
_DEPENDENCIES = "dependency"
_MAX_RECORD_BYTES = 64 << 10
_SPECIAL = re.compile(r"([\\*?\[\]! #])")


class Record(Struct, frozen=True, omit_defaults=True):
    """What a folder of state is of, as `checkout.json` says.

    `root` is where it lay when it was last used, `folder` what tells the checkout from others, with
    its `inode` and `born_ns`. `origin` is the first commit of its history, "" while unknown.
    `adopted` tells which older file was taken over.
    """

    root: str
    folder: str
    inode: int
    born_ns: int
    origin: str = ""
    adopted: str = ""
    schema: int = 1

    @property
    def is_gone(self) -> bool:
        """Whether the folder that told the checkout from others is not where it was."""
        return mark(Path(self.folder)) != (self.inode, self.born_ns)


class Bases(Struct, frozen=True):
    """The folders that all state of a user is below; links in their own paths are resolved.

    `account` is the name of that user, by which they write where no setting says another one.
    """

    cache: Path
    data: Path
    indexes: Path
    knowledge: Path
    runtime: Path
    account: str

    def index_of(self, root: Path) -> Path:
        """Where the index of a root lies, or would."""
        return self.indexes / index_name(str(root))

    def of_other_versions(self, root: Path) -> list[Path]:
        """The indexes of a root that other versions of Satchel made."""
        names = index_place.names_of_other_versions(str(root), str(self.indexes))
        return [self.indexes / name for name in names]

    @property
    def dependencies(self) -> Path:
        """Where indexes of installed packages lie, which all code bases share."""
        return self.indexes.parent / _DEPENDENCIES


class StateFolders(Struct, frozen=True):
    """Where everything of one code base lies.

    `index` is the folder of index.db and all that is derived, `knowledge` that of knowledge.db and
    its copies, `team` the one in the working tree, `socket` where the owner of the index listens.
    """

    root: Path
    bases: Bases
    checkout: Checkout
    index: Path
    knowledge: Path
    team: Path
    socket: Path

    @property
    def inside(self) -> tuple[str, ...]:
        """State that lies below the root, as paths relative to it; usually there is none."""
        parents = {self.bases.indexes.parent, self.bases.knowledge.parent}
        below = (f for f in parents if f != self.root and f.is_relative_to(self.root))
        return tuple(sorted(folder.relative_to(self.root).as_posix() for folder in below))

    @property
    def ignore_rules(self) -> tuple[str, ...]:
        """Rules like those of a .gitignore that leave out the state below the root."""
        # A rule would read these characters of a path as something else.
        return tuple("/" + _SPECIAL.sub(r"\\\1", path) + "/" for path in self.inside)

    @property
    def has_knowledge(self) -> bool:
        """Whether anything was ever written down here; asking does not begin it."""
        return private.is_there(file_of_knowledge(self.knowledge))

    def aside(self, index: Path) -> StateFolders:
        """The same folders, but for an index in another folder."""
        return replace(self, index=index)


def bases_of(environment: Mapping[str, str], folder: str = "") -> Bases:
    """The folders of state that the environment means; `folder` names another place for both.

    Raises:
        ConfigError: `folder` is not absolute, or a home folder is needed and there is none.
    """
    home = Path()
    if folder:
        named = user.expanded(folder, environment)
        if not named.is_absolute():
            raise ConfigError(f"state.folder is {folder!r}", "name an absolute path")
        data, folder = named.resolve(), str(named)
        knowledge = data / _KNOWLEDGE
    else:
        home = user.home_of(environment)
        data = _absolute(environment.get("XDG_DATA_HOME"), home / ".local/share")
        knowledge = data / APP_FOLDER / _KNOWLEDGE
    indexes, runtime = map(Path, index_place.base_folders(environment, str(home), folder))
    cache = indexes.parent if folder else indexes.parent.parent
    return Bases(cache, data, indexes, knowledge, runtime, user.name_of(environment))


def folders_of(root: Path, bases: Bases) -> StateFolders:
    """Where everything of the code base at `root` lies.

    Raises:
        ConfigError: a folder of state is a link, somebody else's, or git tracks files in it.
    """
    checkout = checkout_at(root)
    index = bases.index_of(root)
    folders = StateFolders(
        root, bases, checkout, index, _knowledge_of(checkout, bases), root / CHECKOUT_FOLDER,
        Path(socket_of(str(index), str(bases.runtime))),
    )  # fmt: skip
    if folders.inside and _are_tracked(root, folders.inside):
        raise ConfigError(
            f"git tracks files in {bases.indexes.parent}, where state is to lie",
            "files from a repository are not trusted as state: name another folder",
        )
    for base, folder in ((bases.cache, folders.index), (bases.data, folders.knowledge)):
        private.check(base, folder)
    return folders


def make_index(folders: StateFolders) -> None:
    """Make the folder of the index, and note what it is of.

    Raises:
        ConfigError: it is not this user's alone.
        OSError: it cannot be made.
    """
    is_new = not private.is_there(folders.index)
    private.make(folders.bases.cache, folders.index)
    if is_new:
        _keep_token(folders)
    root = str(folders.root)
    _note(folders.index, Record(root, root, *mark(folders.root)))


def _keep_token(folders: StateFolders) -> None:
    """Take over the token of `serve --http` from an index of another version: clients have it."""
    for other in folders.bases.of_other_versions(folders.root):
        with suppress(OSError):
            opened = os.open(other / TOKEN_NAME, opening.READ | opening.NO_FOLLOW | opening.NO_WAIT)
            with os.fdopen(opened, "rb") as stream:
                private.write(folders.index / TOKEN_NAME, stream.read(_MAX_RECORD_BYTES))


def note_dependency(folder: Path, title: str) -> None:
    """Note that a folder holds the whole index of a package. Raises: OSError."""
    _note(folder, Record(title, str(folder), *mark(folder)))


def make_knowledge(folders: StateFolders) -> Record:
    """Make the folder of what is known, and note what it is of; returns what is noted.

    Raises:
        ConfigError: it is not this user's alone.
        OSError: it cannot be made.
    """
    private.make(folders.bases.data, folders.knowledge)
    record = read(folders.knowledge)
    now = _record_of(folders, record)
    if record is None:
        now = structs.replace(now, origin=origin_of(folders.root))
    _note(folders.knowledge, now)
    return now


def make_socket_folder(folders: StateFolders) -> None:
    """Make the folder of the socket, where it is not that of the index. Raises: as `make_index`."""
    if folders.socket.parent != folders.index:
        private.make(folders.bases.runtime.parent, folders.socket.parent)


def note_adopted(folders: StateFolders, adopted: str) -> None:
    """Note that an older file was taken over. Raises: OSError."""
    record = make_knowledge(folders)
    _note(folders.knowledge, structs.replace(record, adopted=adopted))


def rebind(folder: Path, folders: StateFolders) -> None:
    """Note that a folder of knowledge is now of another checkout. Raises: OSError."""
    _note(folder, _record_of(folders, read(folder)))


def read(folder: Path) -> Record | None:
    """What a folder of state says it is of; None when it says nothing."""
    with suppress(OSError, MsgspecError):
        descriptor = os.open(folder / RECORD, opening.READ | opening.NO_FOLLOW)
        with os.fdopen(descriptor, "rb") as stream:
            return json.decode(stream.read(_MAX_RECORD_BYTES), type=Record)
    return None


def state_folders(parent: Path) -> list[Path]:
    """The folders of state in one of the two bases, by name; those being deleted are left out."""
    with suppress(OSError):
        return sorted(
            Path(entry.path)
            for entry in os.scandir(parent)
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
        )
    return []


def left_behind(parent: Path) -> list[Path]:
    """What processes that are gone left half made or half deleted in one of the bases.

    Such folders are named `.WHAT.PID` or `.PID.WHAT`; those of processes that run are in use.
    """
    with suppress(OSError):
        return [path for path in sorted(parent.glob(".*.*")) if not _is_in_use(path.name)]
    return []


def _is_in_use(name: str) -> bool:
    """Whether a process runs whose id is first or last in the name of a folder."""
    _, first, *others = name.split(".")
    ids = {part for part in (first, *others[-1:]) if part.isascii() and part.isdecimal()}
    return any(processes.is_alive(int(part)) for part in ids)


def origin_of(root: Path) -> str:
    """The first commit of the history around a root; "" where git knows none."""
    from satchel.indexer.scan.git_checkout import run_git  # what starts programs loads slowly

    commits = run_git(os.fsencode(root), "rev-list", "--max-parents=0", "HEAD")
    # A history may have several first commits; the least of them does not depend on their order.
    return min(commits.decode("ascii", "replace").split(), default="")


def _are_tracked(root: Path, paths: tuple[str, ...]) -> bool:
    """Whether git tracks a file in some folders below a root."""
    from satchel.indexer.scan.git_checkout import run_git

    return bool(run_git(os.fsencode(root), "ls-files", "-z", "--", *paths))


def file_of_knowledge(folder: Path) -> Path:
    """The database in a folder of knowledge."""
    return folder / KNOWLEDGE_NAME


def _absolute(configured: str | None, usual: Path) -> Path:
    """What a variable of the XDG specification means, which is nothing when it is relative."""
    return Path(configured if configured and Path(configured).is_absolute() else usual).resolve()


def _knowledge_of(checkout: Checkout, bases: Bases) -> Path:
    """Where a checkout's knowledge lies, or would.

    A snapshot of a file system has the inode numbers of what it was taken of: where both are there
    at once, the one that was noted first keeps its knowledge.
    """
    folder = bases.knowledge / checkout.key
    record = read(folder) or _from_before_git(checkout, bases, folder)
    if record is None or (record.inode, record.born_ns) != (checkout.inode, checkout.born_ns):
        return folder
    # A checkout that was moved left its old path in the record; its knowledge goes with it.
    if record.is_gone or _same(Path(record.folder), checkout.folder):
        return folder
    digest = blake2b(os.fsencode(checkout.folder), digest_size=4).hexdigest()
    return folder.with_name(f"{checkout.key}-{digest}")


def _from_before_git(checkout: Checkout, bases: Bases, folder: Path) -> Record | None:
    """Bring along what was known of a folder before git came to it; the record of that."""
    plain = Checkout(checkout.root, checkout.root, "", False, *mark(checkout.root))
    earlier = bases.knowledge / plain.key
    record = read(earlier) if checkout.is_git else None
    if record is None:
        return None
    with suppress(OSError):  # refused where something is known already
        earlier.rename(folder)
        return record
    return None


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _record_of(folders: StateFolders, record: Record | None) -> Record:
    """What the folder of a checkout's knowledge is to say now."""
    of = folders.checkout
    top = of.folder.parent if of.folder.name == ".git" else of.folder
    now = Record(str(top / of.below), str(of.folder), of.inode, of.born_ns)
    return structs.replace(now, origin=record.origin, adopted=record.adopted) if record else now


def _note(folder: Path, record: Record) -> None:
    """Write what a folder is of, or only that it was used."""
    if read(folder) != record:
        private.write(folder / RECORD, json.format(json.encode(record), indent=2) + b"\n")
        return
    with suppress(OSError):
        # When state was last used is told by the newest time in its folder.
        os.utime(folder / RECORD)
