"""What lies under a root, all of it or at some paths, and the bytes of one file.

`walk` yields each path once, in the order of the full path's bytes; a folder counts with its
trailing slash, as in a git tree. `look` says the same of a few paths without walking the rest.
Sizes are bytes, times nanoseconds. Nothing is opened through a symbolic link.

Not here: opening (`indexer.scan.open_below`), which rules are in force
(`indexer.scan.ignore_rules`), what content is refused (`satchel.indexer.scan.classify`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from satchel.indexer.scan.ignore_rules import (
    DEFAULT,
    MARKS,
    RULE_FILES,
    Folder,
    Tree,
    WalkOptions,
    enter,
    tree_at,
    with_rules,
)
from satchel.indexer.scan.open_below import failure, link, opened, skipped, slurp
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath, Skipped, SkipReason, Value


class Found(Value, frozen=True):
    """A regular file that wants indexing, as it was when its folder was listed."""

    path: RepoPath
    size: int
    mtime_ns: int
    inode: int


class _Entry(Protocol):
    """What is asked of a name in a folder: what `os.DirEntry` answers."""

    def is_symlink(self) -> bool: ...
    def stat(self, *, follow_symlinks: bool) -> os.stat_result: ...


_Row = tuple[bytes, bytes, bool, _Entry]  # sort key, name, is a folder, entry
OnFolder = Callable[[bytes], None]
"""Told of a folder just before it is listed: "" or a path that ends with "/"."""


def nothing(_folder: bytes) -> None:
    """Nobody wants to know which folders are listed."""


def walk(
    root: Path, options: WalkOptions, on_folder: OnFolder = nothing
) -> Iterator[Found | Skipped]:
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
    raw = below(path)
    folder, _, name = raw.rpartition(b"/")
    try:
        with opened(os.fsencode(root), folder) as fd:
            if stat.S_ISLNK(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
                return link(os.path.realpath(os.fsencode(root)), raw)
            content = slurp(name, options.max_file_bytes, fd, os.O_NOFOLLOW)
    except OSError as error:
        return failure(raw, error)
    return content if isinstance(content, bytes) else Skipped(path, content)


@dataclass(frozen=True, slots=True)
class Look:
    """`found` is everything there is at `path` and below it, as `walk` would have said.

    `path` is the one that was asked for, or one above it that cannot be entered ("" is the root).
    """

    path: RepoPath
    found: list[Found | Skipped]


def look(tree: Tree, paths: Iterable[RepoPath], on_folder: OnFolder = nothing) -> list[Look]:
    """What there is now at some paths and below them, each path once, by path.

    Raises: UsageError as `read`; OSError as `walk`.
    """
    looks: dict[bytes, Look] = {}
    known: dict[bytes, Folder] = {}
    for raw in sorted({below(path) if path else b"" for path in paths}):
        if any(above in looks for above in (raw, *_above(raw))):
            continue
        at, item = _reach(tree, raw, known, on_folder)
        items: Iterable[Found | Skipped] = ()
        if isinstance(item, Folder):
            items = _descend(tree, item, on_folder)
        elif item is not None:
            items = (item,)
        looks[at] = Look(RepoPath(os.fsdecode(at)), list(items))
    # One that could not be entered takes those below it along.
    return [looks[at] for at in sorted(looks) if not any(above in looks for above in _above(at))]


def _above(raw: bytes) -> Iterator[bytes]:
    """The folders above a path, the root first."""
    if raw:
        yield b""
    yield from (raw[:end] for end, byte in enumerate(raw) if byte == ord("/"))


def _reach(
    tree: Tree, raw: bytes, known: dict[bytes, Folder], on_folder: OnFolder
) -> tuple[bytes, Found | Skipped | Folder | None]:
    """The way down to `raw`, as far as it leads, and what is there; None for nothing."""
    folder, way = tree.top, b""
    for name in raw.split(b"/") if raw else ():
        at = folder.path + name
        item: Found | Skipped | Folder | None = known.get(at)
        if item is None:
            on_folder(folder.path)
            item = _one(tree, folder, name)
        if isinstance(item, Skipped) and os.fsencode(item.path) == folder.path:
            return way, item
        if not isinstance(item, Folder):
            return at, item
        known[at] = folder = item
        way = at
    return way, folder


def _one(tree: Tree, folder: Folder, name: bytes) -> Found | Skipped | Folder | None:
    """What a folder's listing would say of one name in it; None when there is no such name."""
    try:
        with opened(tree.root, folder.path.rstrip(b"/")) as fd:
            if folder.path and not folder.kept and any(_exists(mark, fd) for mark in MARKS):
                return skipped(folder.path, SkipReason.IGNORED, DEFAULT)
            folder = with_rules(folder, len(tree.prefix + folder.path), fd)
            status = os.stat(name, dir_fd=fd, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return failure(folder.path, error)
    is_dir = stat.S_ISDIR(status.st_mode)
    return _outcome(tree, folder, (b"", name, is_dir, _Status(status)))


def _exists(name: bytes, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Status:
    """A name whose status is known already."""

    status: os.stat_result

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self.status.st_mode)

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        assert not follow_symlinks
        return self.status


def _descend(tree: Tree, folder: Folder, on_folder: OnFolder) -> Iterator[Found | Skipped]:
    pending: list[Found | Skipped | Folder] = [folder]
    while pending:
        item = pending.pop()
        if isinstance(item, Folder):
            on_folder(item.path)
            pending.extend(reversed(_list(tree, item)))
        else:
            yield item


def _list(tree: Tree, folder: Folder) -> list[Found | Skipped | Folder]:
    """What a folder holds, in order; one failure when it cannot be listed whole."""
    try:
        with opened(tree.root, folder.path.rstrip(b"/")) as fd, os.scandir(fd) as entries:
            rows = sorted(map(_row, entries))
            names = {name for _, name, _, _ in rows}
            if folder.path and not folder.kept and not MARKS.isdisjoint(names):
                return [skipped(folder.path, SkipReason.IGNORED, DEFAULT)]
            if not RULE_FILES.isdisjoint(names):
                folder = with_rules(folder, len(tree.prefix + folder.path), fd)
            return [_outcome(tree, folder, row) for row in rows]
    except OSError as error:
        return [failure(folder.path, error)]


def _row(entry: os.DirEntry[str]) -> _Row:
    name = os.fsencode(entry.name)
    is_dir = entry.is_dir(follow_symlinks=False)
    return name + b"/" if is_dir else name, name, is_dir, entry


def _outcome(tree: Tree, folder: Folder, row: _Row) -> Found | Skipped | Folder:
    _, name, is_dir, entry = row
    below = enter(tree, folder, name, is_dir=is_dir)
    if isinstance(below, str):
        key = folder.path + name + (b"/" if is_dir else b"")
        return skipped(key, SkipReason.IGNORED, below)
    return below or _file(tree, folder.path + name, entry)


def _file(tree: Tree, path: bytes, entry: _Entry) -> Found | Skipped:
    try:
        if entry.is_symlink():
            return link(tree.root, path)
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return failure(path, error)
    if not stat.S_ISREG(status.st_mode):
        return skipped(path, SkipReason.SPECIAL)
    if status.st_size > tree.max_file_bytes:
        return skipped(path, SkipReason.TOO_LARGE, f"{status.st_size} bytes")
    name = RepoPath(os.fsdecode(path))
    return Found(name, status.st_size, status.st_mtime_ns, status.st_ino)


def below(path: RepoPath) -> bytes:
    """The path as the file system knows it.

    Raises: UsageError when `path` is not relative or has "." or ".." in it.
    """
    raw = os.fsencode(path)
    if b"\0" in raw or not {b"", b".", b".."}.isdisjoint(raw.split(b"/")):
        raise UsageError(f"not a path below the root: {path!r}")
    return raw
