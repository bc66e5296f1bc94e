"""What a code base is, at a glance: its size, languages, ways in and most used symbols. Pure."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from satchel.assembler.values import SURE
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import FolderSize, KnownFile, LanguageSize, SymbolRecord

PROJECT = "project"
_LISTED = 15
_MAIN = ("main", "Main", "__main__")
_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD)


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """Where a run begins: `name` as it is called, `why` it counts as one."""

    path: RepoPath
    line: int
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Central:
    """A symbol with how many symbols of how many files use it, guesses not counted."""

    symbol: SymbolRecord
    n_users: int
    n_files: int


@dataclass(frozen=True, slots=True)
class Overview:
    """The answer to `overview`; lists have the largest, the surest or the most used first."""

    scope: str
    generation: int
    complete: bool
    languages: tuple[LanguageSize, ...]
    folders: tuple[FolderSize, ...]
    entry_points: tuple[EntryPoint, ...]
    central: tuple[Central, ...]
    n_references: int
    n_edges: int
    n_skipped: int
    n_problems: int

    @property
    def n_files(self) -> int:
        """Files in the scope."""
        return sum(language.files for language in self.languages)

    @property
    def n_lines(self) -> int:
        """Lines in the scope."""
        return sum(language.lines for language in self.languages)


def overview(snapshot: Snapshot, scope: str = PROJECT) -> Overview:
    """The whole project, or what lies below the path `scope`.

    Uses, edges, skipped paths and problems are counted for the whole project.

    Raises:
        UsageError: no indexed path begins with `scope`.
    """
    prefix = "" if scope in (PROJECT, ".", "") else scope.removeprefix("./")
    languages = tuple(snapshot.files.languages(prefix))
    if prefix and not languages:
        raise UsageError(f"no indexed file lies below {scope!r}", "give a folder, or 'project'")
    counts = snapshot.files.counts()
    files = [file for file in snapshot.files.all() if file.path.startswith(prefix)]
    central = [Central(*row) for row in snapshot.symbols.most_used(prefix, _LISTED, SURE)]
    return Overview(
        scope or PROJECT, snapshot.generation, snapshot.complete, languages,
        tuple(snapshot.files.folders(prefix)[:_LISTED]),
        tuple(_entry_points(snapshot, files))[:_LISTED], tuple(central),
        counts.references, counts.edges, counts.skipped, counts.problems,
    )  # fmt: skip


def _entry_points(snapshot: Snapshot, files: list[KnownFile]) -> Iterator[EntryPoint]:
    """Those a manifest names, then functions and modules that are called main, nearest first."""
    product = {file.path: file for file in files if not file.is_test}
    for file in product.values():
        if PurePosixPath(file.path).name in _MANIFESTS:
            yield from _declared(snapshot, file)
    found = [
        EntryPoint(s.path, s.line, s.qualified_name, f"{s.kind} {s.name}")
        for name in _MAIN
        for s in snapshot.symbols.named(name)
        if s.path in product and s.kind in _CALLABLE and not s.is_test
    ]
    found += [
        EntryPoint(path, 1, PurePosixPath(path).parent.name or path, "run as a module")
        for path in product
        if PurePosixPath(path).name == "__main__.py"
    ]
    # The list is cut to its first few, so a total order with those nearest the root first decides
    # which are shown.
    found.sort(key=lambda e: (e.path.count("/"), e.path, e.line, e.name))
    yield from found


def _declared(snapshot: Snapshot, file: KnownFile) -> Iterator[EntryPoint]:
    """What a manifest declares; nothing when it cannot be read."""
    text = snapshot.files.source(file.digest, file.language).decode("utf-8", "replace")
    name = PurePosixPath(file.path).name
    try:
        manifest = json.loads(text) if name.endswith(".json") else tomllib.loads(text)
        for command, target in sorted(_MANIFESTS[name](manifest)):
            line = next((n for n, s in enumerate(text.split("\n"), 1) if target in s), 1)
            yield EntryPoint(file.path, line, command, f"runs {target}")
    # A manifest is anybody's text: it may not parse, may have other types than usual, or be nested
    # as deep as it likes.
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return


def _pyproject(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    project = manifest.get("project", {})
    scripts = {**project.get("scripts", {}), **project.get("gui-scripts", {})}
    return list(scripts.items())


def _cargo(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["name"], each.get("path", each["name"])) for each in manifest.get("bin", [])]


def _package(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    programs, name = manifest.get("bin", {}), str(manifest.get("name", "package"))
    found = [(name, programs)] if isinstance(programs, str) else list(programs.items())
    main = manifest.get("main")
    return [*found, (name, main)] if isinstance(main, str) else found


_MANIFESTS: dict[str, Callable[[dict[str, Any]], list[tuple[str, str]]]] = {
    "pyproject.toml": _pyproject,
    "Cargo.toml": _cargo,
    "package.json": _package,
}
