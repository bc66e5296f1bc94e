"""Git's own folder of a checkout, where both sides say that it is, and whether git may be asked
there.

What is unpacked may have any `.git`: a file that names another repository of the user, objects that
lie in one, pipes on which git would wait. A `.git` file counts where the folder that it names lies
in the checkout or names it in turn, as git writes it for worktrees and submodules. Git is asked
where all that it reads is regular files in these folders.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from satchel.indexer.scan.open_below import content

LINE_BYTES = 10_000
"""More than `HEAD`, a ref, `commondir` or a `.git` that is a file can hold: each is one path."""
_CONFIG_BYTES = 1 << 20
_READ = ("HEAD", "commondir", "config", "config.worktree", "index", "info/exclude",
         "info/attributes", "info/grafts", "packed-refs", "shallow")  # fmt: skip
"""What any command of git's reads, beside what is in `_FOLDERS`."""
_FOLDERS = ("refs", "reftable", "objects")


class GitFolder(NamedTuple):
    """`own` is git's folder of one worktree, `shared` that of all worktrees of its repository."""

    own: Path
    shared: Path


def around(root: Path) -> tuple[Path, GitFolder | None]:
    """The top of the checkout around root, and its folder; root and None where there is none.

    Git would go on from the nearest `.git` that leads to a repository: where that is not proved to
    be this checkout's, there is none.
    """
    for top in (root, *root.parents):
        found = of_checkout(top)
        if found or _leads_somewhere(top):
            return (top, found) if found else (root, None)
    return root, None


def of_checkout(top: Path) -> GitFolder | None:
    """Git's folder of the checkout with a top; None where none is proved to be that."""
    top = top.resolve()
    git = top / ".git"
    with suppress(OSError, UnicodeError, ValueError):  # a NUL in a path is a ValueError
        mode = git.stat(follow_symlinks=False).st_mode
        own = git if stat.S_ISDIR(mode) else _named(git) if stat.S_ISREG(mode) else None
        if own is None or not (own / "HEAD").is_file():
            return None
        shared = _shared(own)
        is_within = all(each.resolve().is_relative_to(top) for each in (own, shared))
        return GitFolder(own, shared) if is_within or _names_back(own, shared, git) else None
    return None


def line(path: Path) -> bytes:
    """The one line of a small file of git's. Raises: OSError, also for a pipe or a device."""
    return content(path, LINE_BYTES).strip()


def _named(git: Path) -> Path:
    return (git.parent / os.fsdecode(line(git).removeprefix(b"gitdir:").strip())).resolve()


def _shared(own: Path) -> Path:
    try:
        return (own / os.fsdecode(line(own / "commondir"))).resolve()
    except FileNotFoundError:
        return own


def _names_back(own: Path, shared: Path, git: Path) -> bool:
    """Whether a folder says that it is that of a `.git` file: of a worktree, or a submodule."""
    if own != shared:
        # Where git puts those of worktrees, naming this very file.
        back = own / os.fsdecode(line(own / "gitdir"))
        return own.parent == shared / "worktrees" and back.resolve() == git
    return any((own / said).resolve() == git.parent for said in _settings(own, "worktree"))


def files_of(shared: Path) -> Path | None:
    """The top of a repository's own files, beside which its worktrees are copies; None where a
    folder is that of no repository, or of one without files of its own."""
    with suppress(OSError, ValueError):
        named = [shared / said for said in _settings(shared, "worktree")]
        top = named[-1].resolve() if named else shared.parent
        found = of_checkout(top)
        if found and found.own == shared and _settings(shared, "bare")[-1:] != ["true"]:
            return top
    return None


def _settings(own: Path, wanted: str) -> list[str]:
    """What a folder of git's own settings say for a name, the one that counts last."""
    said: list[str] = []
    for file in ("config", "config.worktree"):
        with suppress(FileNotFoundError):
            for line_of in content(own / file, _CONFIG_BYTES).splitlines():
                name, _, value = os.fsdecode(line_of).partition("=")
                said += [value.strip()] if name.strip().lower() == wanted else []
    return said


def _leads_somewhere(top: Path) -> bool:
    with suppress(OSError, ValueError):
        git = top / ".git"
        return ((_named(git) if git.is_file() else git) / "HEAD").exists()
    return False


def state_of(found: GitFolder) -> tuple[object, ...]:
    """What is another value when git has written there since."""
    return tuple(
        (folder, name, status.st_mtime_ns, status.st_size)
        for folder in dict.fromkeys(found)
        for name in (*_READ, *_FOLDERS)
        if (status := _status(folder / name))
    )


def is_plain(top: Path, found: GitFolder, included: Callable[[Path], list[Path]]) -> bool:
    """Whether git would read nothing but regular files in the folders of a checkout.

    `included` says what a file of settings includes, which may lie anywhere.
    """
    inside = (top, found.own.resolve(), found.shared.resolve())
    folders = tuple(dict.fromkeys(found))
    named = [folder / name for folder in folders for name in _READ]
    if not all(map(_is_regular, named)):
        return False
    files = (path for folder in folders for name in _FOLDERS for path in _files(folder / name))
    if not all(_is_inside(path, inside) for path in files):
        return False
    settings = [folder / name for folder in folders for name in ("config", "config.worktree")]
    return _are_objects_inside(found.shared / "objects", inside) and _are_settings_plain(
        settings, included
    )


def _files(folder: Path) -> Iterator[Path]:
    """What is in a folder of git's and below it, links and files, in no order."""
    pending = [folder]
    if folder.is_symlink():
        yield folder
        return
    while pending:
        with suppress(FileNotFoundError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(Path(entry.path))
                else:
                    yield Path(entry.path)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _is_regular(path: Path) -> bool:
    """Whether git reads a file: on a pipe it would wait, on a device for ever."""
    status = _status(path)
    return status is None or stat.S_ISREG(status.st_mode)


def _is_inside(path: Path, inside: tuple[Path, ...]) -> bool:
    mode = path.lstat().st_mode
    if not stat.S_ISLNK(mode):
        return stat.S_ISREG(mode)
    return any(path.resolve().is_relative_to(folder) for folder in inside) and _is_regular(path)


def _are_objects_inside(objects: Path, inside: tuple[Path, ...]) -> bool:
    """Whether the folders from which a repository borrows objects are its own."""
    pending, seen = [objects], set[Path]()
    while pending:
        at = pending.pop()
        seen.add(at)
        try:
            said = content(at / "info/alternates", _CONFIG_BYTES)
        except FileNotFoundError:
            continue
        if b"\\" in said:  # in quotes git reads escapes, by which a name may lead anywhere
            return False
        lent = [(at / os.fsdecode(named.strip(b'"'))).resolve() for named in said.splitlines()]
        if not all(any(each.is_relative_to(folder) for folder in inside) for each in lent):
            return False
        pending += (each for each in lent if each not in seen)
    return True


def _are_settings_plain(settings: list[Path], included: Callable[[Path], list[Path]]) -> bool:
    pending, seen = settings, set[Path]()
    while pending:
        at = pending.pop()
        if not _is_regular(at):
            return False
        seen.add(at)
        with suppress(FileNotFoundError):
            if b"include" in content(at, _CONFIG_BYTES).lower():
                pending += (path for path in included(at) if path not in seen)
    return True
