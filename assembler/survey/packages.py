"""Which packages a code base is made of, by the manifests that declare them. Pure.

A package is the folder of its manifest and all below it. Manifests of test data do not count. Its
name is what the manifest says; a manifest that cannot be read, or names nothing, declares none.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler import quoting
from satchel.assembler.lookup import manifests
from satchel.store import path_filter
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath

# Every command reads paths, and those that need no index do not wait for what reads one.
if TYPE_CHECKING:
    from satchel.store.reading.snapshot import Snapshot

MARK = "package:"
"""What a path begins with that means a package by its name."""


class Package(Struct, frozen=True):
    """A package: its name, what declares it, and its folder, "" for the root, else with a "/"."""

    name: str
    kind: str
    folder: RepoPath
    manifest: RepoPath


def packages(snapshot: Snapshot, prefix: str = "") -> tuple[Package, ...]:
    """The packages whose manifest lies below a path, by folder, name and kind."""
    found: dict[tuple[RepoPath, str, str], Package] = {}
    below = (file for file in snapshot.files.all() if file.path.startswith(prefix))
    for file, manifest, text in manifests.manifests(snapshot, below):
        known = manifests.names(manifest.names, text)
        if manifest.is_named_by_file:
            known.append(PurePosixPath(file.path).stem)
        if known:
            name, kind = known[0], manifest.kind
            folder = RepoPath(file.path.rpartition("/")[0] + "/" if "/" in file.path else "")
            # Of several manifests of a kind that name the same thing, such as setup.py and
            # setup.cfg, the first by path stands for all.
            found.setdefault((folder, name, kind), Package(name, kind, folder, file.path))
    return tuple(found[key] for key in sorted(found))


def folders_of(snapshot: Snapshot, name: str) -> str:
    """The filter of paths that a package's name means; the last part of a name is enough.

    Raises:
        UsageError: no package is called so.
    """
    every = packages(snapshot)
    chosen = [each for each in every if each.name == name] or [
        each for each in every if re.split(r"[/:]", each.name)[-1] == name
    ]
    if not chosen:
        from difflib import get_close_matches

        names = sorted({each.name for each in every})
        near = get_close_matches(name, names, n=3) or names[:10]
        listed = ", ".join(quoting.path(each) for each in near)
        hint = f"there are {listed}" if near else "no manifest here names a package"
        raise UsageError(f"no package is called {name!r}", hint)
    return path_filter.any_of([each.folder for each in chosen])


def resolved(snapshot: Snapshot, path: str) -> str:
    """A filter of paths in which each `package:NAME` stands for the package's folder.

    A path that is a folder means that folder, and not those whose names begin with its name.

    Raises:
        UsageError: no package is called so.
    """
    lines = [
        folders_of(snapshot, line.removeprefix(MARK))
        if line.startswith(MARK)
        else _as_folder(snapshot, line)
        for line in path.split("\n")
    ]
    return path_filter.any_of(lines)


def _as_folder(snapshot: Snapshot, path: str) -> str:
    """A path with a slash at its end if it is that of a folder."""
    folder = path.rstrip("/")
    return f"{folder}/" if path and path_filter.is_folder(snapshot.files, folder) else path
