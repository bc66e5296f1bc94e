"""Paths of installed packages: which package a path belongs to, and where the checkout keeps it.

A trace of code that was installed names `…/site-packages/NAME/core.py`, `…/node_modules/NAME/…` or
`…/gems/NAME-1.2/…`. What follows the package's folder stands in the checkout too if the package is
developed there, which its manifest says, or for Python the folders. Pure.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from satchel.assembler.lookup import manifests
from satchel.store.model import RepoPath

ReadPath = Callable[[RepoPath], bytes]

# The first layout that matches counts, so a folder of packages is looked for before the standard
# library around it.
_LAYOUTS = (
    # Python, where what follows begins with the package itself. An egg may lie in a folder of
    # packages.
    ("import", r"^.*\.egg/(?P<rest>.+)$"),
    ("import", r"^(?:.*/)?(?:site|dist)-packages/(?P<rest>.+)$"),
    ("import", r"^.*/share/lua/[\d.]+/(?P<rest>.+)$"),
    ("standard", r"^.*/lib/(?:python|pypy)\d[\d.]*/(?P<rest>.+)$"),
    ("package.json",
     r"^(?:.*/)?node_modules/(?P<package>(?:@[^/]+/)?[^@./][^/]*)/(?P<rest>.+)$"),
    ("gemspec",
     r"^.*/gems/(?P<package>[\w-]+?)-(?:\d[\w.]*|[0-9a-f]{7,40})/(?P<rest>.+)$"),
    ("standard", r"^.*/lib/ruby/(?:site_ruby/)?[\d.]+/(?P<rest>.+)$"),
    ("go.mod", r"^.*/pkg/mod/(?P<package>[^@]+)@[^/]+/(?P<rest>.+)$"),
    ("standard", r"^.*/go(?:-[\d.]+|root)?/src/(?P<rest>[a-z]+/(?!.*\.\w+/).+)$"),
    ("Cargo.toml",
     r"^.*/registry/src/[^/]+/(?P<package>[\w-]+?)-\d[^/]*/(?P<rest>.+)$"),
    ("Cargo.toml", r"^.*/git/checkouts/(?P<package>[\w-]+?)-[0-9a-f]+/[0-9a-f]+/(?P<rest>.+)$"),
    ("standard", r"^.*/rustc/[0-9a-f]+/(?P<rest>.+)$"),
    ("composer.json",
     r"^(?:.*/)?vendor/(?P<package>[\w.-]+/[\w.-]+)/(?P<rest>.+\.php)$"),
    ("mix.exs", r"^(?:.*/)?deps/(?P<package>\w+)/(?P<rest>.+\.(?:exs?|erl))$"),
    ("standard", r"^.*/usr/(?:lib|include|src|share)/(?P<rest>.+)$"),
    ("standard", r"^node:(?P<rest>.+)$"),
)  # fmt: skip
"""Kinds of installation: the file that names a package there, "import" where folders do."""

_BUILT_FOLDER = r"(?:dist|build|lib|out|es|esm|cjs|umd|bin)"
_BUILT = re.compile(rf"^(?:{_BUILT_FOLDER}/)+")
_STDLIB_FOLDERS = ("Lib",)
"""Where a checkout of the language itself keeps its library."""
_IMPORT_ROOTS = ("", "src", "lib", "python")
"""Where a module that is one file may lie."""
_MAX_MANIFESTS = 300


class Installed(Struct, frozen=True):
    """A path below a package: `manifest` is how such packages are named; `rest` follows it."""

    manifest: str
    package: str
    rest: str

    @property
    def is_standard(self) -> bool:
        """Whether it belongs to a language's own library."""
        return self.manifest == "standard"

    def __str__(self) -> str:
        """As it is named to a reader: the package, or the module for a standard library."""
        return self.package or self.rest.split("/")[0].removesuffix(".py")


def read(written: str) -> Installed | None:
    """What a path says of the package that it was installed with; None for any other path."""
    for manifest, pattern in _LAYOUTS:
        if match := re.match(pattern, written):
            fields = match.groupdict()
            return Installed(manifest, fields.get("package") or "", fields["rest"])
    return None


class Packages:
    """What is developed in a checkout, by the manifests in it; each kind is read once."""

    def __init__(self, paths: Iterable[RepoPath], source: ReadPath) -> None:
        self._paths = frozenset(paths)
        self._source = source
        self._folders: dict[str, dict[str, str]] = {}

    def matching(self, place: Installed, same_name: Sequence[RepoPath]) -> list[RepoPath]:
        """Files of the checkout that an installed one is, of those with its name."""
        if place.manifest in ("import", "standard"):
            return [path for path in same_name if self._is_import(place, path)]
        folder = self._folders_by_package(place.manifest).get(place.package)
        if folder is None:
            return []
        for wanted in (
            folder + place.rest,
            place.rest,
        ):  # some name paths from the root all the same
            if wanted in self._paths and wanted.startswith(folder):
                return [RepoPath(wanted)]
        return (
            self._sources_of_compiled(folder, place.rest)
            if place.manifest == "package.json"
            else []
        )

    def built(self, written: str) -> list[RepoPath]:
        """The sources of a script that a package of the checkout is built into: `dist/a.js`."""
        match = _last_built(written)
        if match is None:
            return []
        above, rest = match
        for folder in sorted(
            set(self._folders_by_package("package.json").values()), key=lambda f: (-len(f), f)
        ):
            if f"{above}/".endswith(f"/{folder}") and (
                found := self._sources_of_compiled(folder, rest)
            ):
                return found
        return []

    def _is_import(self, place: Installed, path: RepoPath) -> bool:
        """Whether what follows the package folder ends a path, below no package of its own."""
        if not f"/{path}".endswith(f"/{place.rest}"):
            return False
        root = path[: len(path) - len(place.rest)].rstrip("/")
        if place.is_standard:
            return root in _STDLIB_FOLDERS
        if "/" not in place.rest:
            return root in _IMPORT_ROOTS
        return f"{root}/__init__.py".lstrip("/") not in self._paths

    def _sources_of_compiled(self, folder: str, rest: str) -> list[RepoPath]:
        """The sources of a compiled script: `dist/esm/router.js` of `src/router.ts`."""
        tail = "/" + re.sub(r"(?:\.d)?\.[cm]?[jt]sx?$", "", _BUILT.sub("", rest))
        below = (path for path in self._paths if path.startswith(folder))
        scripts = (path for path in below if re.search(r"\.[cm]?[jt]sx?$", path))
        found = [
            path
            for path in scripts
            # A folder of sources may be built into one of its own: `dist/source/core.js`.
            if re.sub(r"[.][cm]?[jt]sx?$", "", path)
            in (f"{folder}src{tail}", f"{folder}lib{tail}", f"{folder}{tail[1:]}")
        ]
        return sorted(found)

    def _folders_by_package(self, manifest: str) -> dict[str, str]:
        """Folders by package name, as "" or with a "/" at the end; the highest counts."""
        if manifest not in self._folders:
            named = (p for p in self._paths if p.endswith(f"/{manifest}") or p == manifest)
            if manifest == "gemspec":
                named = (p for p in self._paths if p.endswith(".gemspec"))
            found: dict[str, str] = {}
            # Of manifests with one name the one nearest to the root counts; a fixture or a
            # vendored copy lies deeper.
            for path in sorted(named, key=lambda p: (p.count("/"), p))[:_MAX_MANIFESTS]:
                text = self._source(path).decode("utf-8", "replace")
                declared = manifests.of_file(path)
                for name in manifests.names(declared.names, text)[:1] if declared else ():
                    found.setdefault(name, path[: path.rfind("/") + 1])
            self._folders[manifest] = found
        return self._folders[manifest]


def _last_built(written: str) -> tuple[str, str] | None:
    """The folder above the last folders of built scripts in a path, and what follows these."""
    parts = f"/{written}".split("/")
    built = [n for n, part in enumerate(parts[:-1]) if re.fullmatch(_BUILT_FOLDER, part)]
    if not built or not re.search(r"[.][cm]?js$", parts[-1]):
        return None
    first = last = built[-1]
    while first - 1 in built:
        first -= 1
    return "/".join(parts[:first]), "/".join(parts[last + 1 :])
