"""Which files does an import mean? Pure: from the paths of the tree and the text of an import.

Python, JavaScript and Go say so by path, and are looked up here. In other languages an import names
a namespace that files need not follow; `indexer.callgraph.resolve` compares trailing parts there.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field

from satchel.indexer.callgraph.tables.bindings import ENTRY_STEMS, Place

BY_PATH = frozenset({"python", "javascript", "go"})
"""Language families whose imports are paths."""
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte")
_MAIN_FOLDERS = ("", "/src", "/lib")


@dataclass(slots=True)
class Modules:
    """File ids by what an import can call them; ids in one entry are in path order."""

    by_stem: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """By family and path without the last extension; a folder means its entry file."""
    by_folder: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """By family and folder, tests left out."""
    ends: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """By family and last part: the stems and folders that end in it."""

    roots: tuple[tuple[str, str], ...] = ()
    """Go modules: (path that imports begin with, folder), the longest path first."""

    @classmethod
    def of(cls, places: Iterable[tuple[int, Place]], roots: Iterable[tuple[str, str]]) -> Modules:
        """Index the files of a tree, given in path order, and the Go modules in it."""
        modules = cls(roots=tuple(sorted(roots, key=lambda root: (-len(root[0]), *root))))
        for file_id, place in places:
            modules.add(file_id, place)
        return modules

    def add(self, file_id: int, place: Place) -> None:
        """Add the next file in path order."""
        if place.family not in BY_PATH:
            return
        stem, extension = posixpath.splitext(place.path)
        if place.path.endswith(".d.ts"):
            stem = place.path[: -len(".d.ts")]
        names = [stem]
        folder, name = posixpath.split(stem)
        if name in ENTRY_STEMS and extension != ".go":
            names.append(folder)
        for each in names:
            self._note(self.by_stem, place.family, each, file_id)
        if place.family == "go" and not stem.endswith("_test"):
            self._note(self.by_folder, place.family, folder, file_id)

    def _note(
        self, index: dict[tuple[str, str], list[int]], family: str, key: str, file_id: int
    ) -> None:
        known = index.setdefault((family, key), [])
        if not known:
            self.ends.setdefault((family, posixpath.basename(key)), []).append(key)
        known.append(file_id)

    def find(self, user: Place, module: str) -> list[int]:
        """The files that `module` means in the file `user`; none when it is not in the tree."""
        if user.family == "python":
            return self._python(user, module)
        if user.family == "javascript":
            return self._script(user, module)
        return self._package(user, module)

    def child(self, place: Place, name: str) -> list[int]:
        """The module `name` in the package whose entry file is at `place`."""
        stem = posixpath.splitext(place.path)[0]
        if posixpath.basename(stem) not in ENTRY_STEMS:
            return []
        return self.by_stem.get((place.family, posixpath.join(posixpath.dirname(stem), name)), [])

    def _python(self, user: Place, module: str) -> list[int]:
        path = module.lstrip(".").replace(".", "/")
        level = len(module) - len(module.lstrip("."))
        if level:
            folder = posixpath.dirname(user.path)
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            return self.by_stem.get(("python", posixpath.join(folder, path).rstrip("/")), [])
        return self._from_root(user, path)

    def _from_root(self, user: Place, path: str) -> list[int]:
        """An absolute import: below any folder that is no package itself, the nearest to `user`."""
        best: tuple[int, int, str] | None = None
        for stem in self.ends.get((user.family, posixpath.basename(path)), ()):
            if stem != path and not stem.endswith("/" + path):
                continue
            root = stem[: -len(path)].rstrip("/")
            if root and (user.family, root) in self.by_stem:
                continue
            shared = len(posixpath.commonprefix([root + "/", user.path])) if root else 0
            rank = (-shared, len(root), stem)
            best = rank if best is None or rank < best else best
        return self.by_stem.get((user.family, best[2]), []) if best else []

    def _script(self, user: Place, module: str) -> list[int]:
        if module.startswith("."):
            folder = posixpath.dirname(user.path)
            return self._script_at(posixpath.normpath(posixpath.join(folder, module)))
        path = module.lstrip("@~#$").lstrip("/")
        inside = self._script_ending(user, path) if module[:1] in "@~#$" or "/" in path else []
        return inside or self._workspace(user, path)

    def _script_at(self, path: str) -> list[int]:
        path = "" if path == "." else path
        found = self.by_stem.get(("javascript", path), [])
        stem, extension = posixpath.splitext(path)
        if not found and extension in _SCRIPTS:
            found = self.by_stem.get(("javascript", stem), [])
        return found

    def _script_ending(self, user: Place, path: str) -> list[int]:
        """An alias such as `@/components/x`: the nearest file whose path ends so."""
        stem, extension = posixpath.splitext(path)
        path = stem if extension in _SCRIPTS else path
        package, _, inside = path.partition("/")
        paths = [path, f"{package}/src/{inside}", f"{package}/lib/{inside}"]
        ending = [
            s
            for s in self.ends.get(("javascript", posixpath.basename(path)), ())
            if s == path or any(s.endswith("/" + each) for each in paths)
        ]
        if not ending:
            return []
        nearest = min(ending, key=lambda s: (-len(posixpath.commonprefix([s, user.path])), s))
        return self.by_stem[("javascript", nearest)]

    def _workspace(self, user: Place, path: str) -> list[int]:
        """A package of the same repository, `@scope/name` or `name`: the entry of its folder."""
        name = path.rpartition("/")[2]
        found: list[str] = []
        for main in _MAIN_FOLDERS:
            entry = posixpath.basename(main) or name
            found += [
                stem
                for stem in self.ends.get(("javascript", entry), ())
                if stem.endswith(f"packages/{name}{main}")
            ]
        if not found:
            return []
        nearest = min(found, key=lambda s: (len(s), s))
        return self.by_stem[("javascript", nearest)]

    def _package(self, user: Place, module: str) -> list[int]:
        """A Go package: by its module, or the folder whose whole path the import path ends with."""
        for root, folder in self.roots:
            if module == root or module.startswith(root + "/"):
                inside = posixpath.join(folder, module[len(root) + 1 :]).rstrip("/")
                return self.by_folder.get(("go", inside), [])
        if any(not folder or user.path.startswith(folder + "/") for _, folder in self.roots):
            return []
        parts = module.strip("/").split("/")
        foreign = "." not in parts[0]
        for start in range(len(parts)):
            folder = "/".join(parts[start:])
            if foreign and len(parts) - start < 2 and len(parts) > 1:
                return []
            if (found := self.by_folder.get(("go", folder))) is not None:
                return found
        return []
