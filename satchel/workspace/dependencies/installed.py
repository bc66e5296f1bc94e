"""What is installed for a code base: where package managers put the source of its dependencies.

A place below the root counts only where it really lies there: a link that leads out is no place.
Places elsewhere are those that the user's environment names, or the package manager's usual ones
in their home. What a repository writes (go.mod, Cargo.lock) picks among what lies in such a place
by name and version, and can name nothing outside of it.

Not here: what is read of a package (`dependencies.source`), and its index (`dependencies.indexes`).
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from satchel.indexer.scan.open_below import content
from satchel.workspace.state.state_folder import home_of

_MAX_MANIFEST_BYTES = 4 << 20
"""Of a manifest, a lock file or a list of installed files; what is longer is not read."""
_MAX_MANIFESTS = 50
"""Folders of a monorepo whose packages are looked for; each costs a listing."""
_VENVS = (".venv", "venv", "env")
_PYTHON, _NPM, _GO, _CARGO = "python", "npm", "go", "cargo"
_KIND_OF = {
    "python": _PYTHON,
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte"), _NPM),
    "go": _GO,
    "rust": _CARGO,
}
"""What manages the packages that files of a language import."""
_NO_CODE = re.compile(r"\..*|__.*|.*\.(?:dist-info|egg-info|data|libs|pth)|.*[^\w.-].*")
_GO_REQUIRED = re.compile(r"^\s*(?:require\s+)?([\w.~/-]+)\s+(v[\w.+-]+)", re.MULTILINE)
_CRATE = re.compile(r"[\w-]+"), re.compile(r"[\w.+-]+")


@dataclass(frozen=True, slots=True)
class Package:
    """A package that is installed.

    Attributes:
        kind: what manages it: python, npm, go or cargo.
        name: as code imports it.
        version: "" where nothing says which.
        place: its folder, or the file that is all of it; links are resolved.
        shown: what its paths begin with in answers: from the root on, absolute where it lies
            elsewhere; ends with "/".
    """

    kind: str
    name: str
    version: str
    place: Path
    shown: str

    @property
    def stamp(self) -> str:
        """What changes when the package manager replaces the package: no content is read."""
        try:
            status = self.place.stat()
        except OSError:
            return ""
        return f"{status.st_ino}:{status.st_mtime_ns}:{self.version}"


def packages(root: Path, environment: Mapping[str, str], manifests: Iterable[str]) -> list[Package]:
    """Everything that is installed for a code base, by kind and name; versions are left out.

    `manifests` are the paths of its files that may be manifests, from the root on.
    """
    folders = sorted({path.rpartition("/")[0] for path in manifests} | {""})[:_MAX_MANIFESTS]
    found = [
        *_python(root, environment),
        *(each for folder in folders for each in _npm(root, folder)),
        *(each for folder in folders for each in _go(root, folder, environment)),
        *_cargo(root, environment),
    ]
    # The same name may be installed for two packages of a monorepo; the first by path stands for
    # both, as the root's own does where there is one.
    chosen: dict[tuple[str, str], Package] = {}
    for each in found:
        chosen.setdefault((each.kind, each.name), each)
    return [chosen[key] for key in sorted(chosen)]


def imported(every: Sequence[Package], modules: Iterable[tuple[str, str]]) -> list[Package]:
    """Those of the packages that (language, module) pairs name, in the order given."""
    by_key = {(each.kind, each.name): each for each in every}
    used: set[tuple[str, str]] = set()
    for language, module in modules:
        kind = _KIND_OF.get(language, "")
        used.update((kind, name) for name in _names(kind, module) if (kind, name) in by_key)
    return [each for each in every if (each.kind, each.name) in used]


def with_version(package: Package) -> Package:
    """The same with its version, which takes a look into what is installed beside it."""
    if package.kind == _PYTHON:
        return replace(package, version=_python_version(package))
    if package.kind == _NPM:
        with suppress(OSError, ValueError, AttributeError, RecursionError):
            manifest = package.place / "package.json"
            said = json.loads(content(manifest, _MAX_MANIFEST_BYTES, below=package.place))
            version = said.get("version")
            if isinstance(version, str) and len(version) < 100:
                return replace(package, version=version)
    return package


def _names(kind: str, module: str) -> Iterator[str]:
    """The names of packages that an import may mean, the longest first."""
    if kind == _PYTHON:
        yield module.partition(".")[0]
    elif kind == _NPM:
        parts = module.split("/")
        yield "/".join(parts[:2]) if module.startswith("@") else parts[0]
    elif kind == _GO:
        parts = module.split("/")
        yield from ("/".join(parts[:n]) for n in range(len(parts), 0, -1))
    elif kind == _CARGO:
        yield module.partition("::")[0]


def _python(root: Path, environment: Mapping[str, str]) -> Iterator[Package]:
    for site, prefix in _sites(root, environment):
        for name in _listed(site):
            if _NO_CODE.fullmatch(name):
                continue
            place = _within(site, site / name)
            if place is None or (root / name).exists() or (root / "src" / name).exists():
                continue  # the code base itself may be installed into its own environment
            if place.is_dir():
                yield Package(_PYTHON, name, "", place, f"{prefix}{name}/")
            elif name.endswith(".py"):
                yield Package(_PYTHON, name.removesuffix(".py"), "", place, prefix)


def _sites(root: Path, environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """The folders of installed modules of one environment, with what paths there begin with."""
    inside = [venv for name in _VENVS if (venv := _within(root, root / name)) is not None]
    # Variables are the user's word; a folder of the tree must not be able to name another one.
    named = [environment.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    outside = [Path(name).resolve() for name in named if Path(name).is_absolute()]
    for venv in (*inside, *outside):
        if venv in inside and not (venv / "pyvenv.cfg").is_file():
            continue
        found = [
            site
            for pattern in ("lib/python3*/site-packages", "Lib/site-packages")
            for each in sorted(venv.glob(pattern))
            if (site := _within(venv, each)) is not None
        ]
        if found:
            yield from ((site, _shown(root, site)) for site in found)
            return


def _python_version(package: Package) -> str:
    """The version of the distribution of a module, by its name or by its list of files."""
    site = package.place.parent
    infos = [name for name in _listed(site) if name.endswith(".dist-info")]
    wanted = _plain(package.name)
    for info in infos:
        name, _, version = info.removesuffix(".dist-info").partition("-")
        if _plain(name) == wanted:
            return version
    # Distributions need not be called like their modules (PyYAML has `yaml`).
    begins = f"{package.place.name}/" if package.place.is_dir() else f"{package.place.name},"
    for info in infos:
        with suppress(OSError, UnicodeDecodeError):
            record = content(site / info / "RECORD", _MAX_MANIFEST_BYTES, below=site).decode()
            if any(line.startswith(begins) for line in record.splitlines()):
                return info.removesuffix(".dist-info").partition("-")[2]
    return ""


def _npm(root: Path, folder: str) -> Iterator[Package]:
    modules = root / folder / "node_modules"
    for name in _listed(modules):
        scoped = [f"{name}/{below}" for below in _listed(modules / name)] if name[0] == "@" else []
        for full in scoped or [name]:
            # Links stay within the tree (pnpm, workspaces), or they are not followed.
            place = None if full[0] in ".@" and not scoped else _within(root, modules / full)
            # A package of the monorepo itself is linked here, and is indexed where it lies.
            if place is None or not place.is_dir():
                continue
            if "node_modules" in place.relative_to(root).parts:
                shown = "/".join(filter(None, (folder, "node_modules", full)))
                yield Package(_NPM, full, "", place, f"{shown}/")


def _go(root: Path, folder: str, environment: Mapping[str, str]) -> Iterator[Package]:
    home = environment.get("GOPATH", "").partition(os.pathsep)[0] or str(
        home_of(environment) / "go"
    )
    cache = Path(environment.get("GOMODCACHE") or Path(home) / "pkg" / "mod")
    text = _read(root, (Path(folder) / "go.mod").as_posix())
    if not text or not cache.is_absolute():
        return
    # What is required indirectly is not imported by this code, and is found by name all the same.
    for name, version in dict(_GO_REQUIRED.findall(text)).items():
        # The cache writes a capital as "!" and the small letter.
        escaped = re.sub(r"[A-Z]", lambda match: f"!{match[0].lower()}", f"{name}@{version}")
        place = _within(cache, cache / escaped)
        if ".." not in escaped and place is not None and place.is_dir():
            yield Package(_GO, name, version, place, _shown(root, place))


def _cargo(root: Path, environment: Mapping[str, str]) -> Iterator[Package]:
    home = Path(environment.get("CARGO_HOME") or home_of(environment) / ".cargo")
    if not home.is_absolute():
        return
    registries = sorted(home.glob("registry/src/*"))
    try:
        locked = tomllib.loads(_read(root, "Cargo.lock")).get("package", [])
    except (ValueError, RecursionError):
        return
    for entry in locked if isinstance(locked, list) else []:
        name, version = (str(entry.get(key, "")) for key in ("name", "version"))
        if not (_CRATE[0].fullmatch(name) and _CRATE[1].fullmatch(version)):
            continue
        for registry in registries:
            place = _within(registry, registry / f"{name}-{version}")
            if place is not None and place.is_dir():
                # Code writes "_" for each "-" of a crate's name.
                known = name.replace("-", "_")
                yield Package(_CARGO, known, version, place, _shown(root, place))
                break


def _within(base: Path, path: Path) -> Path | None:
    """Where a path really lies, None where nothing is there or it lies outside of `base`."""
    try:
        found = path.resolve(strict=True)
        return found if found.is_relative_to(base.resolve()) else None
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a loop of links
        return None


def _shown(root: Path, place: Path) -> str:
    inside = place.is_relative_to(root)
    return (place.relative_to(root) if inside else place).as_posix() + "/"


def _listed(folder: Path) -> list[str]:
    """The names in a folder, in order; none where it cannot be listed."""
    try:
        return sorted(each.name for each in folder.iterdir())
    except OSError:
        return []


def _read(root: Path, path: str) -> str:
    """A file below the root that may not be there, followed through no link."""
    with suppress(OSError, UnicodeDecodeError):
        return content(root / path, _MAX_MANIFEST_BYTES, below=root).decode()
    return ""


def _plain(name: str) -> str:
    """A name of a distribution, or of its module, so that both compare equal (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
