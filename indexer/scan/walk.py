"""The files under a root, all of them or those at some paths, and the bytes of one file.

`walk` yields each path once, in the order of the full path's bytes; a folder counts with its
trailing slash, as in a git tree. `list_paths` gives the same for a few paths without walking the
rest. Sizes are bytes, times nanoseconds. Nothing is opened through a symbolic link.

Not here: opening (`indexer.scan.open_below`), which rules are in force
(`indexer.scan.ignore_rules`), what content is refused (`satchel.indexer.scan.classify`).
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from msgspec import Struct

from satchel.indexer.languages import notebook_size
from satchel.indexer.scan.folder_marks import MARKS
from satchel.indexer.scan.ignore_rules import (
    RULE_FILES,
    Folder,
    Tree,
    WalkOptions,
    apply_rules,
    left_out_whole,
    tree_at,
    with_own_rules,
)
from satchel.indexer.scan.open_below import (
    read_regular_file,
    skipped,
    skipped_for_error,
    skipped_link,
)
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath, Skipped, SkipReason, Value
from satchel.store.platform.folders import (
    OpenFolder,
    close,
    open_below,
    open_folder,
    open_root,
    scan,
    status_in,
)
from satchel.store.records import times_of
from satchel.store.secret_files import file_kind

_MAX_OPEN = 64
"""Folders that are open at once; deeper ones are opened from the root on."""


class FoundFile(Value, frozen=True):
    """A regular file that is to be indexed, as it was when its folder was listed."""

    path: RepoPath
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @property
    def times_ns(self) -> int:
        """Both times as `FileStat` has them."""
        return times_of(self.mtime_ns, self.ctime_ns)


class _Status(Protocol):
    """What can be asked for the status of a file, as an entry of `os.scandir` can."""

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        """The status. Raises: OSError."""


class _Known(NamedTuple):
    """A status that was asked for before."""

    status: os.stat_result

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        """The status."""
        return self.status


OnFolder = Callable[[bytes], None]
"""Called with a folder just before it is listed: "" or a path that ends with "/"."""


def ignore_folder(_folder: bytes) -> None:
    """An `OnFolder` for callers who do not need to know which folders are listed."""


def walk(
    root: Path, options: WalkOptions, on_folder: OnFolder = ignore_folder
) -> Iterator[FoundFile | Skipped]:
    """Yields every file under `root`; an ignored folder is one `Skipped` that ends with "/".

    Raises: UsageError when `root` cannot be listed; OSError when descriptors or memory run out.
    """
    check_listable(root)
    tree = tree_at(root, options)
    return descend(tree, tree.top, on_folder)


def check_listable(root: Path) -> None:
    """Raises: UsageError when `root` cannot be listed."""
    try:
        os.scandir(root).close()
    except OSError as error:
        raise UsageError(f"cannot list {root}: {error.strerror}", "name another folder") from None


def read(root: Path, path: RepoPath, options: WalkOptions) -> bytes | Skipped:
    """The bytes of a regular file below `root`, or why not; never blocks, follows no link.

    Raises: UsageError when `path` is not relative or has "." or ".." in it; OSError as `walk`.
    """
    raw = encode_path_below(path)
    if kind := file_kind(path):
        return skipped(raw, SkipReason.SECRET, kind)
    folder, _, name = raw.rpartition(b"/")
    try:
        with open_folder(os.fsencode(root), folder) as opened:
            if stat.S_ISLNK(status_in(opened, name).st_mode):
                return skipped_link(os.path.realpath(os.fsencode(root)), raw)
            content = read_regular_file(name, max_bytes(path, options.max_file_bytes), opened)
    except OSError as error:
        return skipped_for_error(raw, error)
    return content if isinstance(content, bytes) else Skipped(path, content)


class PathListing(Struct, frozen=True):
    """`found` is everything there is at `path` and below it, as `walk` would yield it.

    `path` is the one that was asked for, or one above it that cannot be entered ("" is the root).
    """

    path: RepoPath
    found: list[FoundFile | Skipped]


def list_paths(
    tree: Tree, paths: Iterable[RepoPath], on_folder: OnFolder = ignore_folder
) -> list[PathListing]:
    """What there is now at some paths and below them, each path once, by path.

    Raises: UsageError as `read`; OSError as `walk`.
    """
    listings: dict[bytes, PathListing] = {}
    known: dict[bytes, Folder] = {}
    for raw in sorted({encode_path_below(path) if path else b"" for path in paths}):
        if any(above in listings for above in (raw, *_parents(raw))):
            continue
        at, item = _reach(tree, raw, known, on_folder)
        items: Iterable[FoundFile | Skipped] = ()
        if isinstance(item, Folder):
            items = descend(tree, item, on_folder)
        elif item is not None:
            items = (item,)
        listings[at] = PathListing(RepoPath(os.fsdecode(at)), list(items))
    # A folder that could not be entered is listed in place of a path below it, and may come after
    # other listings that lie below it: those go.
    ordered = sorted(listings)
    return [listings[at] for at in ordered if not any(above in listings for above in _parents(at))]


def _parents(raw: bytes) -> Iterator[bytes]:
    """The folders above a path, the root first."""
    if raw:
        yield b""
    yield from (raw[:end] for end, byte in enumerate(raw) if byte == ord("/"))


def _reach(
    tree: Tree,
    raw: bytes,
    known: dict[bytes, Folder],
    on_folder: OnFolder,
) -> tuple[bytes, FoundFile | Skipped | Folder | None]:
    """The way down to `raw`, as far as it leads, and what is there; None for nothing.

    `known` are folders that were entered before; those entered now are added.
    """
    folder, way = tree.top, b""
    for name in raw.split(b"/") if raw else ():
        at = folder.path + name
        item: FoundFile | Skipped | Folder | None = known.get(at)
        if item is None:
            on_folder(folder.path)
            item = _find_name(tree, folder, name)
        # The folder itself is left out, by something that its listing shows.
        if isinstance(item, Skipped) and os.fsencode(item.path) == folder.path:
            return way, item
        if not isinstance(item, Folder):
            return at, item
        known[at] = folder = item
        way = at
    return way, folder


def _find_name(tree: Tree, folder: Folder, name: bytes) -> FoundFile | Skipped | Folder | None:
    """What a folder's listing would say of one name in it; None when there is no such name."""

    def exists(opened: OpenFolder, marker: bytes) -> bool:
        try:
            status_in(opened, marker)
        except OSError:
            return False
        return True

    try:
        with open_folder(tree.root, folder.path.rstrip(b"/")) as opened:
            if whole := left_out_whole(tree, folder, opened, partial(exists, opened)):
                return whole
            folder = with_own_rules(folder, len(tree.prefix + folder.path), opened)
            status = status_in(opened, name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return skipped_for_error(folder.path, error)
    is_dir = stat.S_ISDIR(status.st_mode)
    return _outcome(tree, folder, name, os.fsdecode(folder.path + name), _Known(status), is_dir)


def descend(tree: Tree, folder: Folder, on_folder: OnFolder) -> Iterator[FoundFile | Skipped]:
    """Everything in a folder of a tree, as `walk` yields it."""
    # A stack of its own instead of recursion: trees of files can be deeper than Python's stack.
    pending: list[FoundFile | Skipped | Folder] = [folder]
    with _OpenFolders(tree.root) as folders:
        while pending:
            item = pending.pop()
            if isinstance(item, Folder):
                on_folder(item.path)
                pending.extend(reversed(_list(tree, item, folders)))
            else:
                yield item


class _OpenFolders:
    """Open folders, each in the one before: the way to the folder that was listed last.

    A folder is opened from the one it is in, since opening all above it again would take as long as
    listing it.
    """

    def __init__(self, root: bytes) -> None:
        self._root = root
        self._open: list[tuple[bytes, OpenFolder]] = []
        self._far: ExitStack | None = None
        """Closes a folder that is not opened from the one it is in."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._close_to(b"")
        for _, opened in self._open:
            close(opened)

    def to(self, folder: bytes) -> OpenFolder:
        """A folder ("" or ending with "/"), reached without following a link.

        It stays open until the next one is asked for. Raises: OSError.
        """
        self._close_to(folder)
        above = self._open[-1][0] if self._open else b""
        names = folder[len(above) :].split(b"/")[:-1]
        if len(names) > 1 or len(self._open) >= _MAX_OPEN:
            self._far = ExitStack()
            return self._far.enter_context(open_folder(self._root, folder.rstrip(b"/")))
        if not self._open:
            self._open.append((b"", open_root(self._root)))
        for name in names:
            self._open.append((folder, open_below(self._open[-1][1], name)))
        return self._open[-1][1]

    def _close_to(self, folder: bytes) -> None:
        """Close what does not lead to a folder."""
        if self._far is not None:
            self._far.close()
            self._far = None
        while self._open and not folder.startswith(self._open[-1][0]):
            close(self._open.pop()[1])


def _list(tree: Tree, folder: Folder, folders: _OpenFolders) -> list[FoundFile | Skipped | Folder]:
    """What a folder holds, in order; one failure when it cannot be listed whole."""
    try:
        opened = folders.to(folder.path)
        with scan(opened) as listed:
            entries = []
            for found in listed:
                name, is_dir = os.fsencode(found.name), found.is_dir(follow_symlinks=False)
                entries.append((name + b"/" if is_dir else name, name, found, is_dir))
            entries.sort(key=itemgetter(0))
            names = set(map(itemgetter(1), entries))
            if not MARKS.isdisjoint(names) and (
                whole := left_out_whole(tree, folder, opened, names.__contains__)
            ):
                return [whole]
            if not RULE_FILES.isdisjoint(names):
                base = len(tree.prefix + folder.path)
                folder = with_own_rules(folder, base, opened)
            # While the folder is open: an entry is asked through its descriptor.
            at = os.fsdecode(folder.path)
            return [
                _outcome(tree, folder, name, at + os.fsdecode(found.name), found, is_dir)
                for _, name, found, is_dir in entries
            ]
    except OSError as error:
        return [skipped_for_error(folder.path, error)]


def _outcome(
    tree: Tree, folder: Folder, name: bytes, path: str, entry: _Status, is_dir: bool
) -> FoundFile | Skipped | Folder:
    """What becomes of one name in a folder; `path` is the whole one."""
    if name in folder.cut:
        return Skipped(
            RepoPath(f"{path}/" if is_dir else path), SkipReason.RULES_CUT, folder.cut[name]
        )
    below = apply_rules(tree, folder, name, is_dir=is_dir)
    if isinstance(below, str):
        return Skipped(RepoPath(f"{path}/" if is_dir else path), SkipReason.IGNORED, below)
    return below or _outcome_of_file(tree, RepoPath(path), entry)


def _outcome_of_file(tree: Tree, path: RepoPath, entry: _Status) -> FoundFile | Skipped:
    """What becomes of something that no rule leaves out and that is no folder."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return skipped_for_error(os.fsencode(path), error)
    if not stat.S_ISREG(status.st_mode):
        if stat.S_ISLNK(status.st_mode):
            return skipped_link(tree.root, os.fsencode(path))
        return Skipped(path, SkipReason.SPECIAL)
    if kind := file_kind(path):
        return Skipped(path, SkipReason.SECRET, kind)
    size = status.st_size
    if size > tree.max_file_bytes and size > max_bytes(path, tree.max_file_bytes):
        return Skipped(path, SkipReason.TOO_LARGE, f"{size} bytes")
    return FoundFile(path, size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def max_bytes(path: RepoPath, max_file_bytes: int) -> int:
    """How large a file may be on disk, when so much of it may be indexed."""
    is_notebook = path.endswith(notebook_size.EXTENSION)
    return max_file_bytes + notebook_size.MAX_OUTPUT_BYTES if is_notebook else max_file_bytes


def encode_path_below(path: RepoPath) -> bytes:
    """The path as the file system knows it.

    Raises: UsageError when `path` is not relative or has "." or ".." in it.
    """
    raw = os.fsencode(path)
    if b"\0" in raw or not {b"", b".", b".."}.isdisjoint(raw.split(b"/")):
        raise UsageError(f"not a path below the root: {path!r}", "write it without . and ..")
    return raw
