"""Which roots a workspace has: by the user's setting, by a folder of checkouts, or by a file.

What names them is always the user: their configuration, or an argument of their command line.
"""

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from satchel.assembler import quoting
from satchel.indexer.scan.open_below import content
from satchel.store.errors import ConfigError, UsageError, reason
from satchel.store.platform import toml_text
from satchel.workspace.state.index_place import MARKS

MAX_ROOTS = 50
"""Each is opened for every question."""
_MAX_BYTES = 1 << 20
_WILD = re.compile(r"[*?\[]")
_HINT = (
    "name folders in workspace.roots of your own configuration, or give --workspace a folder of"
    ' checkouts, or a TOML file with roots = ["../api", "../web"]'
)


class Roots(Struct, frozen=True):
    """Folders of code below a common one, each with its path from there as its name, by name."""

    common: Path
    names: tuple[tuple[str, Path], ...]


def find(asked: str | Sequence[str], configured: Sequence[str], home: Path) -> Roots:
    """The roots that `asked` means: a folder of checkouts, a file, "" for those `configured`, or a
    list of folders.

    Raises:
        UsageError: there is none, one is no folder, one lies in another, or there are too many.
        ConfigError: the file cannot be read.
    """
    found = _folders_named(asked, configured, home)
    roots = sorted({path.resolve() for path in found})
    if not roots:
        raise UsageError("the workspace has no roots", _HINT)
    if len(roots) > MAX_ROOTS:
        raise UsageError(f"the workspace has {len(roots)} roots", f"name at most {MAX_ROOTS}")
    # Paths are ordered by their parts, so what lies in a folder comes right behind it.
    for one, other in pairwise(roots):
        if other.is_relative_to(one):
            raise UsageError(f"{other} lies in {one}, which is a root too", "name one of them")
    try:
        # Of the folders around them, so that a single root has a name as well.
        common = Path(os.path.commonpath([root.parent for root in roots]))
    except ValueError as error:  # Windows: they lie on several drives
        raise UsageError("the roots lie on several drives", "keep them on one") from error
    names = sorted((root.relative_to(common).as_posix(), root) for root in roots)
    return Roots(common, tuple(names))


def _refuse_distant_roots(file: Path, found: Sequence[Path]) -> None:
    """Refuse a file in a checkout that names more than the checkouts around it.

    Whoever wrote the repository may have written the file.

    Raises:
        UsageError: it does.
    """
    top = next((above for above in file.parents if _is_checkout(above)), None)
    if top is None:
        return
    for path in found:
        if not path.resolve().is_relative_to(top.resolve().parent):
            raise UsageError(
                f"{file} lies in a checkout and names {path}, which is not beside it",
                "name that folder in workspace.roots of your own configuration",
            )


def matching(names: Sequence[str], pattern: str) -> list[str]:
    """The names that a pattern means: as a whole, or the last part of one. "" means all.

    Raises:
        UsageError: there is none.
    """
    found = [
        name
        for name in names
        if not pattern
        or fnmatchcase(name, pattern)
        or fnmatchcase(name.rpartition("/")[2], pattern)
    ]
    if not found:
        listed = ", ".join(quoting.path(name) for name in names)
        raise UsageError(f"no repository is called {pattern!r}", f"there are {listed}")
    return found


def _folders_named(
    asked: str | Sequence[str], configured: Sequence[str], home: Path
) -> Sequence[Path]:
    """The folders that are named, as they are written."""
    if not isinstance(asked, str):
        folders = (str(Path(entry).absolute()) for entry in asked)
        return [path for entry in folders for path in _entry(entry, home, home)]
    if not asked:
        return [path for entry in configured for path in _entry(entry, home, home)]
    if Path(asked).is_dir():
        return [path for path in sorted(Path(asked).iterdir()) if _is_checkout(path)]
    file = Path(asked).absolute()
    found = [path for entry in _of_file(file) for path in _entry(entry, file.parent, home)]
    _refuse_distant_roots(file, found)
    return found


def _entry(entry: str, base: Path, home: Path) -> Iterator[Path]:
    """The folders that an entry of a list means; of a glob those that are checkouts."""
    path = Path(entry)
    # `Path.expanduser` would read the environment, which is the caller's to read.
    if path.parts[:1] == ("~",):
        path = home.joinpath(*path.parts[1:])
    path = base / path
    if "**" in path.parts:
        raise UsageError(f"{entry!r} would search all folders", "name them with * and ?")
    wild = next((n for n, part in enumerate(path.parts) if _WILD.search(part)), None)
    if wild is None:
        if not path.is_dir():
            raise UsageError(f"{path} is not a folder", "correct the roots of the workspace")
        yield path
        return
    for found in sorted(Path(*path.parts[:wild]).glob("/".join(path.parts[wild:]))):
        if _is_checkout(found):
            yield found


def _is_checkout(path: Path) -> bool:
    return path.is_dir() and any((path / mark).exists() for mark in MARKS)


def _of_file(file: Path) -> list[str]:
    try:
        entries = toml_text.table(content(file, _MAX_BYTES).decode("utf-8")).get("roots", [])
    except RecursionError as error:
        raise ConfigError(f"{file} cannot be read: too deep", _HINT) from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {reason(error)}", _HINT) from error
    if not isinstance(entries, list) or not all(isinstance(each, str) for each in entries):
        raise ConfigError(f"{file}: roots is no list of texts", _HINT)
    return entries
