"""Which packages a code base is made of, by the manifests that declare them. Pure.

A package is the folder of its manifest and all below it. Manifests of test data do not count. Its
name is what the manifest says; a manifest that cannot be read, or names nothing, declares none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler import quoting
from satchel.assembler.survey import manifests
from satchel.store import path_filter
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath

# Every command reads paths, and those that need no index do not wait for what reads one.
if TYPE_CHECKING:
    from satchel.store.reading.snapshot import Snapshot
    from satchel.store.records import KnownFile

MARK = "package:"
"""What a path begins with that means a package by its name."""
_MAX_NAME = 200


class Package(Struct, frozen=True):
    """A package: its name, what declares it, and its folder, "" for the root, else with a "/"."""

    name: str
    kind: str
    folder: RepoPath
    manifest: RepoPath


def packages(snapshot: Snapshot, prefix: str = "") -> tuple[Package, ...]:
    """The packages whose manifest lies below a path, by folder, name and kind."""
    found: dict[tuple[RepoPath, str, str], Package] = {}
    for file in snapshot.files.all():
        reader = _reader(file)
        if reader is None or file.is_test or not file.path.startswith(prefix):
            continue
        kind, read = reader
        name = _name(snapshot, file, read)
        if name:
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


_Reader = Callable[[str, str], str | None]
"""The name of a package by the text of its manifest and the stem of that."""


def _reader(file: KnownFile) -> tuple[str, _Reader] | None:
    name = PurePosixPath(file.path).name
    return _BY_NAME.get(name) or _BY_ENDING.get(PurePosixPath(name).suffix)


def _name(snapshot: Snapshot, file: KnownFile, read: _Reader) -> str:
    text = manifests.read(snapshot, file)
    try:
        name = read(text, PurePosixPath(file.path).stem) if text else ""
    except manifests.UNREADABLE:
        return ""
    return name if isinstance(name, str) and 0 < len(name) <= _MAX_NAME else ""


def _pyproject(text: str, _stem: str) -> str | None:
    manifest = manifests.table(text, is_json=False)
    poetry = manifest.get("tool", {}).get("poetry", {})
    name: str | None = manifest.get("project", {}).get("name") or poetry.get("name")
    return name


def _cargo(text: str, _stem: str) -> str | None:
    # The manifest of a workspace alone has no package, and declares none.
    name: str | None = manifests.table(text, is_json=False).get("package", {}).get("name")
    return name


def _named_json(text: str, _stem: str) -> str | None:
    name: str | None = manifests.table(text, is_json=True).get("name")
    return name


def _maven(text: str, _stem: str) -> str | None:
    # What a project is built on, and what it is built with, have names of the same form.
    for other in ("parent", "dependencies", "dependencyManagement", "build", "profiles"):
        text = _without(text, f"<{other}>", f"</{other}>")
    return _matched(r"<artifactId>\s*([\w.-]+)\s*</artifactId>")(text, "")


def _without(text: str, begin: str, end: str) -> str:
    """A text without all that stands between two marks."""
    kept, position = [], 0
    # Not by a pattern, which takes the square of as many beginnings as have no end.
    while (start := text.find(begin, position)) >= 0 and (stop := text.find(end, start)) >= 0:
        kept.append(text[position:start])
        position = stop + len(end)
    return "".join((*kept, text[position:]))


def _dotnet(text: str, stem: str) -> str | None:
    found = re.search(r"<AssemblyName>\s*([\w.-]+)\s*</AssemblyName>", text)
    return found[1] if found else stem


def _gem(text: str, stem: str) -> str | None:
    return _matched(r"""\.name\s*=\s*["']([\w.-]+)["']""")(text, stem) or stem


def _matched(pattern: str) -> _Reader:
    expression = re.compile(pattern, re.MULTILINE)

    def read(text: str, _stem: str) -> str | None:
        found = expression.search(text)
        return found[1] if found else None

    return read


_SETUP = _matched(r"""^[ \t]*name\s*=\s*["']?([\w.-]+)["']?""")
_BY_NAME: dict[str, tuple[str, _Reader]] = {
    "pyproject.toml": ("python", _pyproject),
    "setup.cfg": ("python", _SETUP),
    "setup.py": ("python", _SETUP),
    "package.json": ("npm", _named_json),
    "composer.json": ("composer", _named_json),
    "Cargo.toml": ("cargo", _cargo),
    "go.mod": ("go", _matched(r"^module\s+(\S+)")),
    "pom.xml": ("maven", _maven),
    "mix.exs": ("mix", _matched(r"\bapp:\s*:(\w+)")),
}
_BY_ENDING: dict[str, tuple[str, _Reader]] = {
    ".csproj": ("dotnet", _dotnet),
    ".fsproj": ("dotnet", _dotnet),
    ".gemspec": ("gem", _gem),
}
