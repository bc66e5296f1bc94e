"""Paths as people and agents write them, made into paths of the index; many are absolute."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.store.reading.snapshot import Snapshot

_SYMBOL = "symbol:"
_BACKSLASH = "\\"
_RELATIVE = ("./", "../")
_WITH_BACKSLASHES = re.compile(r"(?![/\\])[^:]*\\[^:]*\.\w+")
"""The path of a file as Windows writes it; names of PHP have no dot."""


def inside(root: Path, written: str) -> str:
    """A path or the beginning of one, from the root on: "" is the root itself.

    The path need not exist. The disk is asked only where links lead, since the root or the path may
    be reached through one.

    Raises:
        UsageError: it lies elsewhere.
    """
    if not Path(written).is_absolute():
        if os.path.normpath(written).split(os.sep, 1)[0] == os.pardir:
            hint = "name it from the project's root on"
            raise UsageError(f"{written} lies outside the project", hint)
        return written.removeprefix("./")
    # `normpath` takes the last slash away, and without it a prefix would match what lies beside the
    # folder as well.
    ending = "/" if written.endswith("/") else ""
    plain = os.path.normpath(written)
    # The path as written comes first, since a link in it may be meant. The root itself may be
    # reached by a link, so the second try compares where both really lie.
    for base, path in ((str(root), plain), (os.path.realpath(root), _real(plain))):
        if path == base:
            return ""
        # The root of the file system ends in a slash already.
        if path.startswith(f"{base.rstrip('/')}/"):
            return path[len(base.rstrip("/")) + 1 :] + ending
    raise UsageError(f"{written} lies outside the project", "name it from the project's root on")


def path_in(snapshot: Snapshot, root: Path, written: str) -> str:
    """`inside`, where `package:NAME` stands for the folder of a package of the code base.

    Raises:
        UsageError: it lies elsewhere, or no package is called so.
    """
    from satchel.assembler.quoting import unquoted
    from satchel.assembler.survey import packages  # which loads what reads manifests

    written = unquoted(written)
    if _BACKSLASH in written and not snapshot.files.starting_with(written, 1):
        written = written.replace(_BACKSLASH, "/")  # as Windows writes a path
    return packages.resolved(snapshot, inside(root, written))


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a name that no file can have
        return path


def scope_inside(root: Path, written: str, place: Callable[[Path, str], str] = inside) -> str:
    """The scope of something known: a path, `symbol:Name` or `symbol:path#Name`, or "project".

    Its path is what `place` makes of it.

    Raises:
        UsageError: it names a path that lies elsewhere.
    """
    from satchel.assembler.kinds import PROJECT  # which loads what few commands need

    scope = written.strip()
    if scope.startswith(_SYMBOL):
        path, mark, name = scope.removeprefix(_SYMBOL).rpartition("#")
        return f"{_SYMBOL}{place(root, path)}#{name}" if mark else scope
    return place(root, scope) if scope.strip("/") and scope != PROJECT else scope


def symbol_inside(root: Path, written: str) -> str:
    """A symbol, where `path:name` or `path:line` may name its file by an absolute path or by one
    that begins with `./`.

    Raises:
        UsageError: that path lies elsewhere.
    """
    path, colon, name = written.rpartition(":")
    if _WITH_BACKSLASHES.fullmatch(path):
        return f"{path.replace(_BACKSLASH, '/')}:{name}"
    if path.startswith(_RELATIVE) or (colon and Path(path).is_absolute()):
        return f"{inside(root, path)}:{name}"
    return inside(root, written) if written.startswith(_RELATIVE) else written
