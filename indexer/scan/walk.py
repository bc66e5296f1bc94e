"""The files under a root, all of them or those at some paths, and the bytes of one file.

`walk` yields each path once, in the order of the full path's bytes; a folder counts with its
trailing slash, as in a git tree. `list_paths` gives the same for a few paths without walking the
rest. Sizes are bytes, times nanoseconds. Nothing is opened through a symbolic link.

Not here: opening (`indexer.scan.open_below`), which rules are in force
(`indexer.scan.ignore_rules`), what content is refused (`satchel.indexer.scan.classify`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from satchel.indexer.languages import notebook_size
from satchel.indexer.scan.folder_marks import MARKS, mark_of
from satchel.indexer.scan.ignore_rules import (
    RULE_FILES,
    Folder,
    Tree,
    WalkOptions,
    apply_rules,
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
from satchel.store.platform.folders import OpenFolder, open_folder, scan, status_in
from satchel.store.secret_files import file_kind


class FoundFile(Value, frozen=True):
    """A regular file that is to be indexed, as it was when its folder was listed."""

    path: RepoPath
    size: int
    mtime_ns: int
    inode: int


class _Entry(NamedTuple):
    """A name in a folder. `lstat` asks for its status, links not followed, and may raise."""

    sort_key: bytes
    """The name, with "/" behind it when it is a folder."""
    name: bytes
    is_dir: bool
    lstat: Callable[[], os.stat_result]


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
    try:
        os.scandir(root).close()
    except OSError as error:
        raise UsageError(f"cannot list {root}: {error.strerror}", "name another folder") from None
    tree = tree_at(root, options)
    return _descend(tree, tree.top, on_folder)


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
        if any(above in listings for above in (raw, *_above(raw))):
            continue
        at, item = _reach(tree, raw, known, on_folder)
        items: Iterable[FoundFile | Skipped] = ()
        if isinstance(item, Folder):
            items = _descend(tree, item, on_folder)
        elif item is not None:
            items = (item,)
        listings[at] = PathListing(RepoPath(os.fsdecode(at)), list(items))
    # A folder that could not be entered is listed in place of a path below it, and may come after
    # other listings that lie below it: those go.
    ordered = sorted(listings)
    return [listings[at] for at in ordered if not any(above in listings for above in _above(at))]


def _above(raw: bytes) -> Iterator[bytes]:
    """The folders above a path, the root first."""
    if raw:
        yield b""
    yield from (raw[:end] for end, byte in enumerate(raw) if byte == ord("/"))


def _reach(
    tree: Tree, raw: bytes, known: dict[bytes, Folder], on_folder: OnFolder
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
            if whole := _left_out_whole(folder, partial(exists, opened)):
                return whole
            folder = with_own_rules(folder, len(tree.prefix + folder.path), opened)
            status = status_in(opened, name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return skipped_for_error(folder.path, error)
    entry = _Entry(b"", name, stat.S_ISDIR(status.st_mode), lambda: status)
    return _outcome(tree, folder, entry)


def _descend(tree: Tree, folder: Folder, on_folder: OnFolder) -> Iterator[FoundFile | Skipped]:
    # A stack of its own instead of recursion: trees of files can be deeper than Python's stack.
    pending: list[FoundFile | Skipped | Folder] = [folder]
    while pending:
        item = pending.pop()
        if isinstance(item, Folder):
            on_folder(item.path)
            pending.extend(reversed(_list(tree, item)))
        else:
            yield item


def _list(tree: Tree, folder: Folder) -> list[FoundFile | Skipped | Folder]:
    """What a folder holds, in order; one failure when it cannot be listed whole."""
    try:
        with open_folder(tree.root, folder.path.rstrip(b"/")) as opened, scan(opened) as listed:
            entries = []
            for found in listed:
                name, is_dir = os.fsencode(found.name), found.is_dir(follow_symlinks=False)
                lstat = partial(found.stat, follow_symlinks=False)
                entries.append(_Entry(name + b"/" if is_dir else name, name, is_dir, lstat))
            entries.sort(key=lambda entry: entry.sort_key)
            names = {entry.name for entry in entries}
            whole = None if MARKS.isdisjoint(names) else _left_out_whole(folder, names.__contains__)
            if whole:
                return [whole]
            if not RULE_FILES.isdisjoint(names):
                folder = with_own_rules(folder, len(tree.prefix + folder.path), opened)
            # While the folder is open: `lstat` of an entry asks through its descriptor.
            return [_outcome(tree, folder, entry) for entry in entries]
    except OSError as error:
        return [skipped_for_error(folder.path, error)]


def _left_out_whole(folder: Folder, has: Callable[[bytes], bool]) -> Skipped | None:
    """The record of a folder that what lies in it leaves out; `has` is asked for names in it."""
    # Whoever names a folder as the root, or keeps it by a rule, wants what is in it.
    mark = mark_of(folder.path, has) if folder.path and not folder.is_reincluded else None
    return skipped(folder.path, mark.reason, mark.detail) if mark else None


def _outcome(tree: Tree, folder: Folder, entry: _Entry) -> FoundFile | Skipped | Folder:
    """What becomes of one name in a folder."""
    path = folder.path + entry.name
    key = path + b"/" if entry.is_dir else path
    if entry.name in folder.cut:
        return skipped(key, SkipReason.RULES_CUT, folder.cut[entry.name])
    below = apply_rules(tree, folder, entry.name, is_dir=entry.is_dir)
    if isinstance(below, str):
        return skipped(key, SkipReason.IGNORED, below)
    return below or _outcome_of_file(tree, path, entry)


def _outcome_of_file(tree: Tree, path: bytes, entry: _Entry) -> FoundFile | Skipped:
    """What becomes of something that no rule leaves out and that is no folder."""
    try:
        status = entry.lstat()
    except OSError as error:
        return skipped_for_error(path, error)
    if stat.S_ISLNK(status.st_mode):
        return skipped_link(tree.root, path)
    if not stat.S_ISREG(status.st_mode):
        return skipped(path, SkipReason.SPECIAL)
    name = RepoPath(os.fsdecode(path))
    if kind := file_kind(name):
        return skipped(path, SkipReason.SECRET, kind)
    if status.st_size > max_bytes(name, tree.max_file_bytes):
        return skipped(path, SkipReason.TOO_LARGE, f"{status.st_size} bytes")
    return FoundFile(name, status.st_size, status.st_mtime_ns, status.st_ino)


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
