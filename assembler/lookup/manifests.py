"""Manifests of packages: what each kind declares, runs and needs, by the name of its file. Pure.

A manifest is anybody's text. It may not parse, may have other types than usual, or be nested as
deep as it likes: then it says nothing. Names are those of the ecosystem's registry, as written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from satchel.assembler.lookup import setup_scripts
from satchel.store.platform import toml_text

# Every command reads paths, and those that need no index do not wait for what reads one.
if TYPE_CHECKING:
    from satchel.store.reading.snapshot import Snapshot
    from satchel.store.records import KnownFile

_UNREADABLE = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
"""What reading a manifest, and taking things out of it, may raise."""
_MAX_BYTES = 200_000
"""The largest manifest that is read; a longer one is data."""
_MAX_NAME = 200
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:[\[(<>=!~;@,]|$)")

Reader = Callable[[str], Iterable[Any]]


def _nothing(_text: str) -> Iterable[Any]:
    return ()


class Format(Struct, frozen=True):
    """A kind of manifest: the ecosystem that it is of, and what reads its text."""

    kind: str
    names: Reader = _nothing
    """What the package may be called, the likeliest first."""
    commands: Reader = _nothing
    """(command, what it runs)."""
    needs: Reader = _nothing
    """The names of packages that it is built on."""
    is_named_by_file: bool = False
    """Whether a package without a name is called like the file."""


def manifests(
    snapshot: Snapshot, files: Iterable[KnownFile]
) -> Iterator[tuple[KnownFile, Format, str]]:
    """The manifests among some files, those of tests aside, with their text."""
    for file in files:
        found = None if file.is_test else of_file(file.path)
        if found is not None and file.stat.size <= _MAX_BYTES:
            source = snapshot.files.source(file.digest, file.language)
            yield file, found, source.decode("utf-8", "replace")


def of_file(path: str) -> Format | None:
    """What reads a file of this name, None for one that is no manifest."""
    name = PurePosixPath(path).name
    if re.fullmatch(r"requirements[\w.-]*\.(?:txt|in)", name):
        return _REQUIREMENTS
    return _BY_NAME.get(name) or _BY_ENDING.get(PurePosixPath(name).suffix)


def names(read: Reader, text: str) -> list[str]:
    """The names that a reader finds."""
    return [n for n in _listed(read, text) if isinstance(n, str) and 0 < len(n) <= _MAX_NAME]


def commands(declared: Format, text: str) -> list[tuple[str, str]]:
    """The commands of a manifest with what they run, in order."""
    every = _listed(declared.commands, text)
    return sorted((n, run) for n, run in every if isinstance(n, str) and isinstance(run, str))


def _listed(read: Reader, text: str) -> list[Any]:
    """What a reader finds in a text; nothing where it cannot be read."""
    try:
        return list(read(text))
    except _UNREADABLE:
        return []


def _table(text: str, *, is_json: bool) -> dict[str, Any]:
    """The table of a manifest in JSON, else in TOML."""
    if not is_json:
        return toml_text.table(text)
    import json

    found: dict[str, Any] = json.loads(text)
    return found


def _at(*places: str, is_json: bool = False) -> Reader:
    """What a table has at some places, as "tool.poetry.name"."""

    def read(text: str) -> Iterator[Any]:
        table = _table(text, is_json=is_json)
        for place in places:
            found: Any = table
            for key in place.split("."):
                found = found.get(key) or {}
            if found:
                yield found

    return read


def _in_each(read: Reader, entries: Callable[[Any], Iterable[Any]]) -> Reader:
    """What is in all tables that a reader finds."""
    return lambda text: [each for table in read(text) for each in entries(table)]


def _matches(pattern: str) -> Reader:
    return re.compile(pattern, re.MULTILINE).findall


def _requirements(text: str) -> Iterator[str]:
    found = map(_REQUIREMENT.match, text.splitlines())
    return (match[1] for match in found if match)


def _pyproject_needs(text: str) -> Iterator[str]:
    manifest = _table(text, is_json=False)
    project = manifest.get("project", {})
    groups = (*project.get("optional-dependencies", {}).values(),
              *manifest.get("dependency-groups", {}).values())  # fmt: skip
    lines = [*project.get("dependencies", ())]
    lines += [line for group in groups for line in group]
    yield from _requirements("\n".join(line for line in lines if isinstance(line, str)))
    poetry = manifest.get("tool", {}).get("poetry", {})
    yield from (name for name in poetry.get("dependencies", {}) if name != "python")


def _npm_commands(text: str) -> list[tuple[str, str]]:
    manifest = _table(text, is_json=True)
    programs, name = manifest.get("bin", {}), str(manifest.get("name", "package"))
    found = [(name, programs)] if isinstance(programs, str) else list(programs.items())
    main = manifest.get("main")
    return [*found, (name, main)] if isinstance(main, str) else found


def _cargo_needs(table: dict[str, Any]) -> Iterator[str]:
    for name, wanted in table.items():
        # A dependency may have another name here than where it is published.
        yield wanted.get("package", name) if isinstance(wanted, dict) else name


def _maven_names(text: str) -> Iterable[str]:
    # What a project is built on, and what it is built with, have names of the same form.
    for other in ("parent", "dependencies", "dependencyManagement", "build", "profiles"):
        text = _without(text, f"<{other}>", f"</{other}>")
    return _ARTIFACT(text)


def _without(text: str, begin: str, end: str) -> str:
    """A text without all that stands between two marks."""
    kept, position = [], 0
    # Not by a pattern, which takes the square of as many beginnings as have no end.
    while (start := text.find(begin, position)) >= 0 and (stop := text.find(end, start)) >= 0:
        kept.append(text[position:start])
        position = stop + len(end)
    return "".join((*kept, text[position:]))


def _maven_needs(text: str) -> Iterator[str]:
    # Cut and not matched from one mark to the other, which takes the square of marks never closed.
    for part in text.split("<dependency>")[1:]:
        yield from [*_ARTIFACT(part.partition("</dependency>")[0])][:1]


_ARTIFACT = _matches(r"<artifactId>\s*([\w.-]+)\s*</artifactId>")
_SETUP = _matches(r"""^[ \t]*name\s*=\s*["']?([\w.-]+)["']?""")
_NAME_IN_JSON = _at("name", is_json=True)
_REQUIREMENTS = Format("python", needs=_requirements)
_DOTNET = Format(
    "dotnet", _matches(r"<AssemblyName>\s*([\w.-]+)\s*</AssemblyName>"),
    needs=_matches(r"""<PackageReference\b[^<>]*\bInclude\s*=\s*["']([\w.-]+)["']"""),
    is_named_by_file=True,
)  # fmt: skip
_BY_NAME = {
    "pyproject.toml": Format(
        "python", _at("project.name", "tool.poetry.name"),
        _in_each(_at("project.scripts", "project.gui-scripts"), dict.items), _pyproject_needs,
    ),
    "setup.cfg": Format("python", _SETUP, setup_scripts.of_setup_cfg),
    "setup.py": Format("python", _SETUP, setup_scripts.of_setup_py),
    "package.json": Format(
        "npm", _NAME_IN_JSON, _npm_commands,
        # A list is what no npm writes, and a name in it would be anybody's.
        _in_each(_at("dependencies", "peerDependencies", "devDependencies", "optionalDependencies",
                     is_json=True), dict),
    ),
    "composer.json": Format("composer", _NAME_IN_JSON),
    "Cargo.toml": Format(
        "cargo", _at("package.name"),
        _in_each(_at("bin"), lambda bins: [(b["name"], b.get("path", b["name"])) for b in bins]),
        _in_each(_at("dependencies", "dev-dependencies", "build-dependencies"), _cargo_needs),
    ),
    "go.mod": Format(
        "go", _matches(r"^module\s+(\S+)"),
        needs=_matches(r"^(?:require)?[ \t]*([\w-]+\.[\w.-]+/\S+)[ \t]+v\d\S*"),
    ),
    "pom.xml": Format("maven", _maven_names, needs=_maven_needs),
    "mix.exs": Format("mix", _matches(r"\bapp:\s*:(\w+)")),
}  # fmt: skip
_BY_ENDING = {
    ".csproj": _DOTNET,
    ".fsproj": _DOTNET,
    ".gemspec": Format("gem", _matches(r"""\.name\s*=\s*["']([\w.-]+)["']"""),
                       is_named_by_file=True),
}  # fmt: skip
