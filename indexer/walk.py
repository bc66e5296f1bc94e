"""What lies under a root, and the bytes of one file: the only place that looks at source files.

`walk` yields each path once, in the order of the full path's bytes; a folder counts with its
trailing slash, as in a git tree. Sizes are bytes, times nanoseconds. Nothing is opened through a
symbolic link: every component is opened below the one before, so a folder swapped for a link
meanwhile leads nowhere.

A path is left out by the first of these that has an opinion:
  1. `.git`, `.satchel`, `.hg`, `.svn`: always                                       "default"
  2. `extra_ignore`, then the nearest .satchelignore that matches; "!" overrides what follows
  3. dependency and cache folders, by name or by a pyvenv.cfg or CACHEDIR.TAG inside  "default"
  4. git: the nearest .gitignore, info/exclude, core.excludesFile; a tracked file stays
Ignore files count outside a checkout too; above the root up to the top of its checkout, unless
they ignore the root itself. A nested repository is an ordinary folder: its .gitignore counts, its
info/exclude and tracked files are not asked for.

Not here: rule syntax (`indexer.ignore`), git (`indexer.checkout`), content (`indexer.classify`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.checkout import checkout, excludes_file, tracked
from indexer.ignore import RuleFile, decide, parse
from store.errors import UsageError
from store.model import RepoPath, Skipped, SkipReason, Value

_DEFAULT = "default"
_NEVER = frozenset({b".git", b".satchel", b".hg", b".svn"})
_DEPENDENCIES = frozenset(
    b"node_modules bower_components jspm_packages __pycache__ __pypackages__ .venv .tox .nox .eggs"
    b" .mypy_cache .pytest_cache .ruff_cache .gradle .terraform .dart_tool .bundle".split()
)
_RULE_FILES = frozenset({b".gitignore", b".satchelignore"})
_MARKS = frozenset({b"pyvenv.cfg", b"CACHEDIR.TAG"})
_VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE})
# The process is out of something: skipping the file would look as if it had been deleted.
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_FILE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_RULES_MAX_BYTES = 1 << 20  # an ignore file beyond this is not read: it would cost seconds


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """`extra_ignore` holds gitignore patterns relative to the root, stronger than any file."""

    max_file_bytes: int = 1_000_000
    extra_ignore: tuple[str, ...] = ()


class Found(Value, frozen=True):
    """A regular file that wants indexing, as it was when its folder was listed."""

    path: RepoPath
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class _Tree:
    """What stays the same during one walk.

    `prefix` leads from the top of the checkout to root. `tracked` has the files git tracks although
    a rule ignores them, and the folders above them.
    """

    root: bytes
    prefix: bytes
    max_file_bytes: int
    extra: tuple[RuleFile, ...]
    tracked: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to be listed: `path` is "" or ends with "/", rule files come strongest first.

    `ignored_by` is the rule against it when it is entered only for the tracked files in it;
    `kept` says that a rule of Satchel's asks for it.
    """

    path: bytes
    own: tuple[RuleFile, ...]
    git: tuple[RuleFile, ...]
    ignored_by: str = ""
    kept: bool = False


_Row = tuple[bytes, bytes, bool, os.DirEntry[str]]  # sort key, name, is a folder, entry


def walk(root: Path, options: WalkOptions) -> Iterator[Found | Skipped]:
    """Yields every file under `root`; an ignored folder is one `Skipped` that ends with "/".

    Raises: UsageError when `root` cannot be listed; OSError when descriptors or memory run out.
    """
    real = os.path.realpath(os.fsencode(root))
    try:
        os.scandir(real).close()
    except OSError as error:
        raise UsageError(f"cannot list {root}: {error.strerror}", "name another folder") from None
    return _descend(real, options)


def read(root: Path, path: RepoPath, options: WalkOptions) -> bytes | Skipped:
    """The bytes of a regular file below `root`, or why not; never blocks, follows no link.

    Raises: UsageError when `path` is not relative or has "." or ".." in it; OSError as `walk`.
    """
    raw = os.fsencode(path)
    if b"\0" in raw or not {b"", b".", b".."}.isdisjoint(raw.split(b"/")):
        raise UsageError(f"not a path below the root: {path!r}")
    folder, _, name = raw.rpartition(b"/")
    try:
        with _opened(os.fsencode(root), folder) as fd:
            if stat.S_ISLNK(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
                return _link(os.path.realpath(os.fsencode(root)), raw)
            content = _slurp(name, options.max_file_bytes, fd, os.O_NOFOLLOW)
    except OSError as error:
        return _failure(raw, error)
    return content if isinstance(content, bytes) else Skipped(path, content)


def _descend(root: bytes, options: WalkOptions) -> Iterator[Found | Skipped]:
    prefix, top = _above(root)
    extra = parse(os.fsencode("\n".join(options.extra_ignore)), "extra_ignore", len(prefix))
    strongest = () if extra is None else (extra,)
    tree = _Tree(root, prefix, options.max_file_bytes, strongest, tracked(root))
    pending: list[Found | Skipped | _Folder] = [top]
    while pending:
        item = pending.pop()
        if isinstance(item, _Folder):
            pending.extend(reversed(_list(tree, item)))
        else:
            yield item


def _list(tree: _Tree, folder: _Folder) -> list[Found | Skipped | _Folder]:
    """What a folder holds, in order; one failure when it cannot be listed whole."""
    try:
        with _opened(tree.root, folder.path.rstrip(b"/")) as fd, os.scandir(fd) as entries:
            rows = sorted(map(_row, entries))
            names = {name for _, name, _, _ in rows}
            if folder.path and not folder.kept and not _MARKS.isdisjoint(names):
                return [_skipped(folder.path, SkipReason.IGNORED, _DEFAULT)]
            if not _RULE_FILES.isdisjoint(names):
                folder = _with_rules(folder, len(tree.prefix + folder.path), fd)
            return [_outcome(tree, folder, row) for row in rows]
    except OSError as error:
        return [_failure(folder.path, error)]


def _row(entry: os.DirEntry[str]) -> _Row:
    name = os.fsencode(entry.name)
    is_dir = entry.is_dir(follow_symlinks=False)
    return name + b"/" if is_dir else name, name, is_dir, entry


def _outcome(tree: _Tree, folder: _Folder, row: _Row) -> Found | Skipped | _Folder:
    key, name, is_dir, entry = row
    path = folder.path + name
    own = _own_rule(tree, folder, path, name, is_dir)
    if own:
        return _skipped(folder.path + key, SkipReason.IGNORED, own)
    git = folder.ignored_by
    if not git and own is None:
        rule = decide(folder.git, tree.prefix + path, name, is_dir=is_dir)
        git = "" if rule is None or rule.negated else rule.source
    if git and path not in tree.tracked:
        return _skipped(folder.path + key, SkipReason.IGNORED, git)
    if is_dir:
        return _Folder(folder.path + key, folder.own, folder.git, git, kept=own is not None)
    return _file(tree, path, entry)


def _own_rule(tree: _Tree, folder: _Folder, path: bytes, name: bytes, is_dir: bool) -> str | None:
    """What Satchel's rules say: where the ignoring one stands, "" to keep, None for no opinion."""
    if name in _NEVER:
        return _DEFAULT
    rule = decide(tree.extra + folder.own, tree.prefix + path, name, is_dir=is_dir)
    if rule is not None:
        return "" if rule.negated else rule.source
    return _DEFAULT if is_dir and name in _DEPENDENCIES else None


def _file(tree: _Tree, path: bytes, entry: os.DirEntry[str]) -> Found | Skipped:
    try:
        if entry.is_symlink():
            return _link(tree.root, path)
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return _failure(path, error)
    if not stat.S_ISREG(status.st_mode):
        return _skipped(path, SkipReason.SPECIAL)
    if status.st_size > tree.max_file_bytes:
        return _skipped(path, SkipReason.TOO_LARGE, f"{status.st_size} bytes")
    name = RepoPath(os.fsdecode(path))
    return Found(name, status.st_size, status.st_mtime_ns, status.st_ino)


def _link(real_root: bytes, path: bytes) -> Skipped:
    """Why a symbolic link is left out; where it leads is looked up, never opened."""
    try:
        target = os.path.realpath(real_root + b"/" + path, strict=True)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return _skipped(path, SkipReason.SYMLINK_LOOP)
        return _failure(path, error)
    inside = (target + b"/").startswith(real_root.rstrip(b"/") + b"/")
    return _skipped(path, SkipReason.SYMLINK if inside else SkipReason.SYMLINK_OUTSIDE)


@contextmanager
def _opened(root: bytes, folder: bytes) -> Iterator[int]:
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


def _slurp(name: bytes, max_bytes: int, fd: int | None, link: int) -> bytes | SkipReason:
    """The content of a regular file; `link` is O_NOFOLLOW, or 0 to follow. Raises: OSError."""
    # Asked before opening too, because opening a device can have effects of its own.
    if not stat.S_ISREG(os.stat(name, dir_fd=fd, follow_symlinks=not link).st_mode):
        return SkipReason.SPECIAL
    with os.fdopen(os.open(name, _FILE_FLAGS | link, dir_fd=fd), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return SkipReason.SPECIAL
        # One byte too many tells a file that is too large or growing, whatever its size says.
        content = file.read(max_bytes + 1)
    return content if len(content) <= max_bytes else SkipReason.TOO_LARGE


def _failure(path: bytes, error: OSError) -> Skipped:
    if error.errno in _EXHAUSTED:
        raise error
    reason = SkipReason.VANISHED if error.errno in _VANISHED else SkipReason.UNREADABLE
    return _skipped(path, reason, errno.errorcode.get(error.errno or 0, str(error.errno)))


def _skipped(path: bytes, reason: SkipReason, detail: str = "") -> Skipped:
    return Skipped(RepoPath(os.fsdecode(path)), reason, detail)


def _with_rules(folder: _Folder, base: int, fd: int | None, at: bytes = b"") -> _Folder:
    """The folder with the rules it brings itself in front of those from above."""
    label = os.fsdecode(folder.path)
    own = _load(at + b".satchelignore", fd, f"{label}.satchelignore", base)
    git = _load(at + b".gitignore", fd, f"{label}.gitignore", base)
    return replace(folder, own=own + folder.own, git=git + folder.git) if own or git else folder


def _load(
    file: bytes, fd: int | None, origin: str, base: int = 0, link: int = os.O_NOFOLLOW
) -> tuple[RuleFile, ...]:
    """The rules of one file; none when it cannot be read, git goes on without them too."""
    try:
        content = _slurp(file, _RULES_MAX_BYTES, fd, link)
    except OSError as error:
        _failure(file, error)
        return ()
    rule_file = parse(content, origin, base) if isinstance(content, bytes) else None
    return () if rule_file is None else (rule_file,)


def _above(root: bytes) -> tuple[bytes, _Folder]:
    """The way from the top of the checkout to root, and root under the rules in force above it."""
    top, shared = checkout(root)
    # git follows links to its own files, never to those of a working tree.
    user = _load(excludes_file(root), None, "core.excludesFile", link=0)
    exclude = _load(shared + b"/info/exclude", None, ".git/info/exclude", link=0)
    parts = root[len(top) :].strip(b"/").split(b"/") if root != top else []
    above, way = _Folder(b"", (), exclude + user if shared else user), b""
    for depth, part in enumerate(parts):
        up = replace(above, path=b"../" * (len(parts) - depth))
        above = _with_rules(up, len(way), None, top.rstrip(b"/") + b"/" + way)
        # Someone who names an ignored folder as the root wants what is in it.
        rule = decide(above.own, way + part, part, is_dir=True)
        if rule is None:
            rule = decide(above.git, way + part, part, is_dir=True)
            above = replace(above, git=user) if rule and not rule.negated else above
        elif not rule.negated:
            above = replace(above, own=())
        way += part + b"/"
    return way, replace(above, path=b"")
