"""Which packages a repository publishes and which it needs, by its manifests.

Names are those of the ecosystem's registry, Python's normalised as PEP 503 says; versions do not
count, since a hub holds one version of each repository. Manifests of tests say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from satchel.assembler.survey import manifests
from satchel.assembler.survey.packages import packages
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

_MAX_NAME = 200
_MOST = 5_000
"""Names that one repository needs; what lists more is data."""
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:[\[(<>=!~;@,]|$)")


@dataclass(frozen=True, slots=True, order=True)
class Named:
    """A package that a manifest publishes, or needs from elsewhere."""

    ecosystem: str
    name: str
    is_needed: bool
    manifest: RepoPath


def named_packages(snapshot: Snapshot) -> list[Named]:
    """Every package that is published or needed, in order, each manifest's once."""
    found = {
        Named(each.kind, normal(each.kind, each.name), False, each.manifest)
        for each in packages(snapshot)
    }
    for file in snapshot.files.all():
        reader = _reader(file.path)
        if reader is None or file.is_test:
            continue
        ecosystem, read = reader
        text = manifests.read(snapshot, file)
        found |= {
            Named(ecosystem, normal(ecosystem, name), True, file.path)
            for name in _names(read, text)
        }
    # JSON can name half a character, which PostgreSQL does not take, and no registry either.
    found = {each for each in found if each.name.isprintable()}
    # What a repository publishes itself it does not need from others.
    own = {(each.ecosystem, each.name) for each in found if not each.is_needed}
    kept = (each for each in found if not each.is_needed or (each.ecosystem, each.name) not in own)
    # Sorted before it is cut, since a set has no order of its own.
    return sorted(kept)[:_MOST]


def normal(ecosystem: str, name: str) -> str:
    """A name as the registry compares it."""
    return re.sub(r"[-_.]+", "-", name).lower() if ecosystem == "python" else name


def _names(read: Callable[[str], Iterable[object]], text: str) -> list[str]:
    try:
        return [n for n in read(text) if isinstance(n, str) and 0 < len(n) <= _MAX_NAME]
    except manifests.UNREADABLE:
        return []


def _reader(path: str) -> tuple[str, Callable[[str], Iterable[object]]] | None:
    name = PurePosixPath(path).name
    if re.fullmatch(r"requirements[\w.-]*\.(?:txt|in)", name):
        return "python", _requirements
    return _BY_NAME.get(name) or _BY_ENDING.get(PurePosixPath(name).suffix)


def _requirements(text: str) -> Iterator[str]:
    for line in text.splitlines():
        found = _REQUIREMENT.match(line)
        if found:
            yield found[1]


def _pyproject(text: str) -> Iterator[str]:
    manifest = manifests.table(text, is_json=False)
    project = manifest.get("project", {})
    groups = (*project.get("optional-dependencies", {}).values(),
              *manifest.get("dependency-groups", {}).values())  # fmt: skip
    lines = [*project.get("dependencies", ())]
    lines += [line for group in groups for line in group]
    yield from _requirements("\n".join(line for line in lines if isinstance(line, str)))
    poetry = manifest.get("tool", {}).get("poetry", {})
    yield from (name for name in poetry.get("dependencies", {}) if name != "python")


def _package_json(text: str) -> Iterator[str]:
    manifest = manifests.table(text, is_json=True)
    for section in ("dependencies", "peerDependencies", "devDependencies", "optionalDependencies"):
        # A list is what no npm writes, and a name in it would be anybody's.
        yield from dict(manifest.get(section) or {})


def _cargo(text: str) -> Iterator[str]:
    manifest = manifests.table(text, is_json=False)
    for section in ("dependencies", "dev-dependencies", "build-dependencies"):
        for name, wanted in (manifest.get(section) or {}).items():
            # A dependency may have another name here than where it is published.
            yield wanted.get("package", name) if isinstance(wanted, dict) else name


def _matches(pattern: str) -> Callable[[str], Iterable[str]]:
    return re.compile(pattern, re.MULTILINE).findall


def _maven(text: str) -> Iterator[str]:
    # Cut and not matched from one mark to the other, which takes the square of marks never closed.
    for part in text.split("<dependency>")[1:]:
        block, _, _ = part.partition("</dependency>")
        yield from re.findall(r"<artifactId>\s*([\w.-]+)\s*</artifactId>", block)[:1]


_DOTNET = _matches(r"""<PackageReference\b[^<>]*\bInclude\s*=\s*["']([\w.-]+)["']""")
_BY_NAME: dict[str, tuple[str, Callable[[str], Iterable[object]]]] = {
    "pyproject.toml": ("python", _pyproject),
    "package.json": ("npm", _package_json),
    "Cargo.toml": ("cargo", _cargo),
    "go.mod": ("go", _matches(r"^(?:require)?[ \t]*([\w-]+\.[\w.-]+/\S+)[ \t]+v\d\S*")),
    "pom.xml": ("maven", _maven),
}
_BY_ENDING: dict[str, tuple[str, Callable[[str], Iterable[object]]]] = {
    ".csproj": ("dotnet", _DOTNET),
    ".fsproj": ("dotnet", _DOTNET),
}
