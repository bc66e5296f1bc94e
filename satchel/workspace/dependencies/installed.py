"""What is installed for a code base: where package managers put the source of its dependencies.

A place below the root counts only if its real path is below the root; a link that leads out does
not count. Other places are those that the user's environment names, or the package manager's usual
ones in the home folder. A repository's files (go.mod, Cargo.lock) select packages in these places
by name and version, and cannot name anything outside.

All of this may come from strangers, so it is bounded; what exceeds a bound is left out, with a
notice.

Not here: versions (`dependencies.versions`), what is read of a package (`dependencies.source`), and
its index (`dependencies.indexes`).
"""

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from satchel.indexer.scan.open_below import content
from satchel.store.platform.user import home_of

_MAX_GO_MOD_BYTES = 1 << 20
_MAX_LOCK_BYTES = 4 << 20
"""Longer files are not read; lock files of the largest projects have a quarter of this."""
_MAX_MANIFESTS = 50
"""Folders of a monorepo whose packages are looked for; each costs a listing."""
MAX_LISTED = 20_000
"""Entries of one folder, and packages of one lock file: each costs questions to the system."""
_MAX_REQUIRED = 2_000
"""Modules that one go.mod may require, four times as many as the largest have."""
_VENVS = (".venv", "venv", "env")
PYTHON, NPM, _GO, _CARGO = "python", "npm", "go", "cargo"
_KIND_OF = {
    "python": PYTHON,
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte"), NPM),
    "go": _GO,
    "rust": _CARGO,
}
"""What manages the packages that files of a language import."""
_NO_CODE = re.compile(r"\..*|__.*|.*\.(?:dist-info|egg-info|data|libs|pth)|.*[^\w.-].*")
# Blanks and no line breaks: over empty lines it would take the square of their number.
_GO_REQUIRED = re.compile(r"^[ \t]*(?:require[ \t]+)?([\w.~/-]+)[ \t]+(v[\w.+-]+)", re.MULTILINE)
_LOCKED = re.compile(r"""(name|version) = "([\w.+-]{1,200})"|\[""", re.ASCII)
"""What is read of a lock file of Cargo, which Cargo writes one key a line."""


class Package(Struct, frozen=True):
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


class Installed(Struct, frozen=True):
    """The packages that are installed, by kind and name; `notices` say what was left out."""

    packages: tuple[Package, ...]
    notices: tuple[str, ...]


def packages(root: Path, environment: Mapping[str, str], manifests: Iterable[str]) -> Installed:
    """Everything that is installed for a code base; versions are left out.

    `manifests` are the paths of its files that may be manifests, from the root on.
    """
    folders = sorted({path.rpartition("/")[0] for path in manifests} | {""})
    notices: list[str] = []
    if len(folders) > _MAX_MANIFESTS:
        notices.append(f"of {len(folders):,} folders with manifests {_MAX_MANIFESTS} are looked at")
    found = [
        *_python(root, environment, notices),
        *(each for folder in folders[:_MAX_MANIFESTS] for each in _npm(root, folder, notices)),
        *(
            each
            for folder in folders[:_MAX_MANIFESTS]
            for each in _go_modules(root, folder, environment, notices)
        ),
        *_cargo(root, environment, notices),
    ]
    # Two packages of a monorepo may each have the same name installed; the first by path is used
    # for both, or the root's own if there is one.
    chosen: dict[tuple[str, str], Package] = {}
    for each in found:
        chosen.setdefault((each.kind, each.name), each)
    return Installed(tuple(chosen[key] for key in sorted(chosen)), tuple(notices))


def imported(every: Sequence[Package], modules: Iterable[tuple[str, str]]) -> list[Package]:
    """Those of the packages that (language, module) pairs name, in the order given."""
    by_key = {(each.kind, each.name): each for each in every}
    used: set[tuple[str, str]] = set()
    for language, module in modules:
        kind = _KIND_OF.get(language, "")
        used.update((kind, name) for name in _names(kind, module) if (kind, name) in by_key)
    return [each for each in every if (each.kind, each.name) in used]


def _names(kind: str, module: str) -> Iterator[str]:
    """The names of packages that an import may mean, the longest first."""
    if kind == PYTHON:
        yield module.partition(".")[0]
    elif kind == NPM:
        parts = module.split("/")
        yield "/".join(parts[:2]) if module.startswith("@") else parts[0]
    elif kind == _GO:
        parts = module.split("/")
        yield from ("/".join(parts[:n]) for n in range(len(parts), 0, -1))
    elif kind == _CARGO:
        yield module.partition("::")[0]


def _python(root: Path, environment: Mapping[str, str], notices: list[str]) -> Iterator[Package]:
    for site, prefix in _sites(root, environment):
        for name in names_in(site, notices):
            if _NO_CODE.fullmatch(name):
                continue
            place = _within(site, site / name)
            if place is None or (root / name).exists() or (root / "src" / name).exists():
                continue  # the code base itself may be installed into its own environment
            if place.is_dir():
                yield Package(PYTHON, name, "", place, f"{prefix}{name}/")
            elif name.endswith(".py"):
                yield Package(PYTHON, name.removesuffix(".py"), "", place, prefix)


def _sites(root: Path, environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """The folders of installed modules of one environment, with what paths there begin with."""
    inside = [venv for name in _VENVS if (venv := _within(root, root / name)) is not None]
    # Only variables may name other folders, since the user sets them; a folder of the tree may not.
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
            yield from ((site, _display_path(root, site)) for site in found)
            return


def _npm(root: Path, folder: str, notices: list[str]) -> Iterator[Package]:
    modules = root / folder / "node_modules"
    for name in names_in(modules, notices):
        scope = names_in(modules / name, notices) if name[0] == "@" else []
        scoped = [f"{name}/{below}" for below in scope]
        for full in scoped or [name]:
            # Links stay within the tree (pnpm, workspaces), or they are not followed.
            place = None if full[0] in ".@" and not scoped else _within(root, modules / full)
            # A package of the monorepo itself is linked here, and is indexed where it lies.
            if place is None or not place.is_dir():
                continue
            if "node_modules" in place.relative_to(root).parts:
                shown = "/".join(filter(None, (folder, "node_modules", full)))
                yield Package(NPM, full, "", place, f"{shown}/")


def _go_modules(
    root: Path, folder: str, environment: Mapping[str, str], notices: list[str]
) -> Iterator[Package]:
    home = environment.get("GOPATH", "").partition(os.pathsep)[0] or str(
        home_of(environment) / "go"
    )
    cache = Path(environment.get("GOMODCACHE") or Path(home) / "pkg" / "mod")
    manifest = (Path(folder) / "go.mod").as_posix()
    text = _read_manifest(root, manifest, _MAX_GO_MOD_BYTES, notices)
    if not text or not cache.is_absolute():
        return
    # What is required indirectly is not imported by this code, and is found by name all the same.
    required = dict(_GO_REQUIRED.findall(text))
    if len(required) > _MAX_REQUIRED:
        notices.append(
            f"of {len(required):,} modules in {manifest} {_MAX_REQUIRED:,} are looked for"
        )
    for name, version in islice(required.items(), _MAX_REQUIRED):
        # The cache writes a capital as "!" and the small letter.
        escaped = re.sub(r"[A-Z]", lambda match: f"!{match[0].lower()}", f"{name}@{version}")
        place = _within(cache, cache / escaped)
        if ".." not in escaped and place is not None and place.is_dir():
            yield Package(_GO, name, version, place, _display_path(root, place))


def _cargo(root: Path, environment: Mapping[str, str], notices: list[str]) -> Iterator[Package]:
    home = Path(environment.get("CARGO_HOME") or home_of(environment) / ".cargo")
    if not home.is_absolute():
        return
    registries = sorted(home.glob("registry/src/*"))
    locked = list(_locked_packages(_read_manifest(root, "Cargo.lock", _MAX_LOCK_BYTES, notices)))
    if len(locked) > MAX_LISTED:
        notices.append(f"of {len(locked):,} crates in Cargo.lock {MAX_LISTED:,} are looked for")
    for name, version in locked[:MAX_LISTED]:
        for registry in registries:
            place = _within(registry, registry / f"{name}-{version}")
            if place is not None and place.is_dir():
                # Code writes "_" for each "-" of a crate's name.
                known = name.replace("-", "_")
                yield Package(_CARGO, known, version, place, _display_path(root, place))
                break


def _locked_packages(text: str) -> Iterator[tuple[str, str]]:
    """Names and versions of the packages of a lock file of Cargo."""
    name = ""
    for line in text.splitlines():
        found = _LOCKED.match(line)
        if found is None:
            continue
        if found[1] == "version" and name:
            yield name, found[2]
        name = found[2] if found[1] == "name" else ""


def _within(base: Path, path: Path) -> Path | None:
    """The real path; None if nothing is there or it is outside of `base`."""
    try:
        found = path.resolve(strict=True)
        return found if found.is_relative_to(base.resolve()) else None
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a loop of links
        return None


def _display_path(root: Path, place: Path) -> str:
    inside = place.is_relative_to(root)
    return (place.relative_to(root) if inside else place).as_posix() + "/"


def names_in(folder: Path, notices: list[str] | None = None) -> list[str]:
    """The names in a folder, in order; none where it cannot be listed, `MAX_LISTED` of more."""
    try:
        # All are taken before they are cut, since the system gives them in any order.
        names = sorted(each.name for each in folder.iterdir())
    except OSError:
        return []
    if len(names) > MAX_LISTED and notices is not None:
        notices.append(f"of {len(names):,} entries in {folder.name} {MAX_LISTED:,} are looked at")
    return names[:MAX_LISTED]


def _read_manifest(root: Path, path: str, max_bytes: int, notices: list[str]) -> str:
    """A file below the root that may not be there, followed through no link."""
    try:
        return content(root / path, max_bytes, below=root).decode()
    except UnicodeDecodeError:
        return ""
    except OSError as error:
        if error.errno == errno.EFBIG:
            notices.append(f"{path} is not read: {error.strerror}")
        return ""
