"""Which files does an import mean? Pure: from the paths of the tree and the text of an import.

Python, JavaScript and Go say so by path, and are looked up here. In other languages an import names
a namespace that files need not follow: `tables.namespace_imports` compares trailing parts there.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from satchel.indexer.callgraph.tables.bindings import ENTRY_STEMS, SEPARATORS, SourceFile
from satchel.indexer.callgraph.tables.folder_links import FolderLinks
from satchel.indexer.languages.name_rules import ImportStyle

_SCRIPTS = (
    ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".astro",
    ".gd",
)  # fmt: skip
"""What an import of a script may write though the file is called otherwise: `./a.js` for `a.ts`."""
_DECLARATIONS = ".d.ts"
TEST_OF_PACKAGE = "_test.go"
"""How files of a Go package end that others cannot import."""
_MAIN_FOLDERS = ("", "/src", "/lib")
"""Where a package of a repository has its entry file."""


class GoModule(NamedTuple):
    """A Go module: the name that import paths begin with, and the folder of its go.mod."""

    name: str
    folder: str


@dataclass(slots=True)
class ModuleIndex:
    """File ids by what an import can call them; ids in one entry are in path order."""

    by_stem: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """By family and path without the last extension; a folder means its entry file."""
    by_folder: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """By family and folder, tests left out."""
    by_last_part: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """By family and last part: the stems and folders that end in it."""
    go_modules: tuple[GoModule, ...] = ()
    """The longest name first, so that a module within another one is found before it."""
    links: FolderLinks = field(default_factory=FolderLinks)
    """Python and Node import through linked folders; Go does not."""

    @classmethod
    def of(cls, go_modules: Iterable[GoModule], links: FolderLinks) -> ModuleIndex:
        """An index without files."""
        ordered = sorted(go_modules, key=lambda m: (-len(m.name), *m))
        return cls(go_modules=tuple(ordered), links=links)

    def add(self, file_id: int, file: SourceFile) -> None:
        """Add the next file in path order."""
        style = file.rules.imports
        if style is ImportStyle.NAMESPACE and not file.rules.files_are_classes:
            return
        stem = posixpath.splitext(file.path)[0]
        if file.path.endswith(_DECLARATIONS):
            stem = file.path[: -len(_DECLARATIONS)]
        # `a/b/__init__.py` is imported as `a/b` too. Go imports folders, and no file of them.
        names = [stem]
        folder, name = posixpath.split(stem)
        if name in ENTRY_STEMS and style is not ImportStyle.MODULE:
            names.append(folder)
        for each in names:
            self._note(self.by_stem, file.family, each, file_id)
        if style is ImportStyle.MODULE and not file.path.endswith(TEST_OF_PACKAGE):
            self._note(self.by_folder, file.family, folder, file_id)

    def _note(
        self, index: dict[tuple[str, str], list[int]], family: str, path: str, file_id: int
    ) -> None:
        known = index.setdefault((family, path), [])
        if not known:  # two files may share a stem: `a.js` beside `a.d.ts`
            last = posixpath.basename(path)
            self.by_last_part.setdefault((family, last), []).append(path)
        known.append(file_id)

    def find(self, user: SourceFile, module: str) -> list[int]:
        """The files that `module` means in the file `user`; none when it is not in the tree."""
        style = user.rules.imports
        if style is ImportStyle.DOTTED:
            return self._dotted(user, module)
        if style is ImportStyle.SCRIPT or user.rules.files_are_classes:
            return self._script(user, module)
        return self._go_package(user, module)

    def names_for(self, user: SourceFile, module: str) -> set[str]:
        """The last parts of the paths of all modules on which it depends what `find` answers."""
        style = user.rules.imports
        names = {SEPARATORS.split(module.rstrip("./"))[-1]}
        is_path = style in (ImportStyle.SCRIPT, ImportStyle.MODULE) or user.rules.files_are_classes
        if is_path:  # `./a.js`, `socket.io`
            name = posixpath.basename(module)
            names.update((name, posixpath.splitext(name)[0]))
        elif style is ImportStyle.DOTTED and not module.startswith("."):
            # Below a folder that is a package itself an absolute import is not found.
            path = module.replace(".", "/")
            roots = (stem[: -len(path)].rstrip("/") for stem in self._ending_in(user.family, path))
            names.update(posixpath.basename(root) for root in roots if root)
        return names

    def child(self, file: SourceFile, name: str) -> list[int]:
        """The module `name` in the package whose entry file is `file`."""
        folder, stem = posixpath.split(posixpath.splitext(file.path)[0])
        if stem not in ENTRY_STEMS:
            return []
        return self._files_of_stem(file.family, posixpath.join(folder, name))

    def _files_of_stem(self, family: str, stem: str) -> list[int]:
        """The files of a stem, which may be written through a linked folder."""
        found = self.by_stem.get((family, stem))
        if found is None and self.links.targets:
            found = self.by_stem.get((family, self.links.real(stem)))
        return found or []

    def _ending_in(self, family: str, path: str) -> Iterator[str]:
        """The stems that are `path` or end in it, part for part, those through links included."""
        for stem in self.by_last_part.get((family, posixpath.basename(path)), ()):
            if stem == path or stem.endswith("/" + path):
                yield stem
        yield from (
            stem for stem in self.links.ending_in(path) if self._files_of_stem(family, stem)
        )

    def _dotted(self, user: SourceFile, module: str) -> list[int]:
        path = module.lstrip(".").replace(".", "/")
        level = len(module) - len(module.lstrip("."))
        if not level:
            # An absolute import: below any folder that is no package itself, the nearest to
            # `user`. No file tells which folders are on the interpreter's path: `src/` may be, or
            # the root.
            best: tuple[int, int, str] | None = None
            for stem in self._ending_in(user.family, path):
                root = stem[: -len(path)].rstrip("/")
                if root and self._files_of_stem(user.family, root):
                    continue  # a package itself, so that the import would begin with its name
                # Nearest first: of two copies of a package each one's tests mean their own.
                shared = len(posixpath.commonprefix([root + "/", user.path])) if root else 0
                rank = (-shared, len(root), stem)
                best = rank if best is None or rank < best else best
            return self._files_of_stem(user.family, best[2]) if best else []
        # A package in a linked folder has the package around the link above it.
        for own_path in (user.path, *self.links.other_paths(user.path)):
            folder = posixpath.dirname(own_path)
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            if found := self._files_of_stem(user.family, posixpath.join(folder, path).rstrip("/")):
                return found
        return []

    def _script(self, user: SourceFile, module: str) -> list[int]:
        if module.startswith("."):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(user.path), module))
            path = "" if path == "." else path
            found = self._files_of_stem(user.family, path)
            stem, extension = posixpath.splitext(path)
            if not found and extension in _SCRIPTS:
                found = self._files_of_stem(user.family, stem)
            return found
        # `@/x`, `~/x`, `#x`, `$lib/x` are aliases by habit; `@scope/x` is a package or one of them.
        # `res://x` of Godot begins at the folder of a project.
        path = module.removeprefix("res:").lstrip("@~#$").lstrip("/")
        is_path = module[:1] in "@~#$" or "/" in path or path.endswith(".gd")
        inside = self._script_alias(user, path) if is_path else []
        return inside or self._script_package(user, path)

    def _script_alias(self, user: SourceFile, path: str) -> list[int]:
        """An alias such as `@/components/x`: the nearest file whose path ends so.

        Aliases are defined in the configuration of bundlers, which is not read.
        """
        stem, extension = posixpath.splitext(path)
        path = stem if extension in _SCRIPTS else path
        package, _, inside = path.partition("/")
        paths = [path, f"{package}/src/{inside}", f"{package}/lib/{inside}"]
        ending = [
            stem
            for stem in self.by_last_part.get((user.family, posixpath.basename(path)), ())
            if stem == path or any(stem.endswith("/" + each) for each in paths)
        ]
        if not ending:
            return []
        nearest = min(ending, key=lambda s: (-len(posixpath.commonprefix([s, user.path])), s))
        return self.by_stem[user.family, nearest]

    def _script_package(self, user: SourceFile, path: str) -> list[int]:
        """A package of the same repository, `@scope/name` or `name`: the entry of its folder."""
        name = path.rpartition("/")[2]
        found: list[str] = []
        for main in _MAIN_FOLDERS:
            entry = posixpath.basename(main) or name
            found += [
                stem
                for stem in self.by_last_part.get((user.family, entry), ())
                if stem.endswith(f"packages/{name}{main}")
            ]
        if not found:
            return []
        return self.by_stem[user.family, min(found, key=lambda s: (len(s), s))]

    def _go_package(self, user: SourceFile, module: str) -> list[int]:
        """A Go package: by its module, or the folder whose whole path the import path ends with."""
        for root, folder in self.go_modules:
            if module == root or module.startswith(root + "/"):
                inside = posixpath.join(folder, module[len(root) + 1 :]).rstrip("/")
                return self.by_folder.get((user.family, inside), [])
        # Inside a module that is known, what is not below a known module is not in the tree.
        if any(not folder or user.path.startswith(folder + "/") for _, folder in self.go_modules):
            return []
        parts = module.strip("/").split("/")
        # Paths of the standard library begin with no host: the last part alone of `net/http` is the
        # name of a folder in many trees.
        is_standard = "." not in parts[0]
        for start in range(len(parts)):
            folder = "/".join(parts[start:])
            if is_standard and len(parts) - start < 2 and len(parts) > 1:
                return []
            if (found := self.by_folder.get((user.family, folder))) is not None:
                return found
        return []
