"""The values of name resolution: files, definitions, uses, and the imports of a file.

Frozen values; `indexer.callgraph.resolve` has the rules, `tables.index_tables` fills them from the
store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from msgspec import Struct

from satchel.indexer.languages import detect
from satchel.indexer.languages.name_rules import ImportStyle, NameRules
from satchel.indexer.languages.spec import Language
from satchel.store.model import FUNCTIONS, TYPES, Import, ReferenceKind, RepoPath, SymbolKind

CALLABLES = TYPES | {
    SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.MACRO,
}  # fmt: skip
READABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
"""Kinds of what runs, or is handed on, where its name is read."""
_MEANT = {
    ReferenceKind.CALL: CALLABLES,
    ReferenceKind.INHERIT: TYPES,
    ReferenceKind.IMPLEMENT: TYPES | {SymbolKind.MODULE},  # what Ruby mixes in
    ReferenceKind.TYPE: TYPES,
    ReferenceKind.READ: READABLE,
}
"""Kinds of definitions that a use of each kind can mean."""
MEMBERS = frozenset(
    {SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.PROPERTY, SymbolKind.FIELD}
)
"""Kinds that belong to a type even where its body is elsewhere, as in Go."""
CALLBACKS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
"""Kinds of what is handed to others, who call it."""
ENTRY_STEMS = frozenset({"__init__", "index", "mod", "lib", "init"})
"""Names of files that stand for their folder."""
# `v5` at the end of a Go import path is a version, and no name.
_MAJOR = re.compile(r"v\d+")
_MAJOR_SUFFIX = re.compile(r"\.v\d+$|\.go$")
SEPARATORS = re.compile(r"[./\\:]+")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as the rules see it."""

    path: RepoPath
    language: Language
    rules: NameRules
    """How names of its language find their definitions."""
    family: str
    """Whose definitions it can use: the first of the languages that share theirs."""
    directory: str
    module: tuple[str, ...]
    """Path parts without the extension; the directory's for an entry file such as `__init__`."""
    package: str
    """What shares its names without imports: the folder, of Java below the root of its sources."""

    @classmethod
    def of(cls, path: RepoPath, language: str) -> SourceFile:
        """The file at a path."""
        row = detect.by_name(language)
        directory, _, name = path.rpartition("/")
        folders = tuple(directory.split("/")) if directory else ()
        stem = name.split(".", 1)[0]
        if row.names.files_are_modules:
            stem = stem[:1].upper() + stem[1:]
        # `pkg/__init__.py` is the module `pkg`; one at the root has no folder to stand for.
        module = folders if stem in ENTRY_STEMS and folders else (*folders, stem)
        root = row.names.source_root
        package = re.sub(f"^{root}", "", directory) if root else directory
        family = detect.family_name(language)
        return cls(path, row, row.names, family, directory or ".", module, package)


class Definition(Struct, frozen=True, gc=False):
    """A symbol as a target."""

    id: int
    name: str
    scope: str
    """The qualified name of what holds it; "" at top level."""
    top_level: bool
    """Held by its file or by namespaces alone, so that it can be used without a receiver."""
    kind: SymbolKind
    file: SourceFile
    is_test: bool
    file_id: int = 0
    parent: int = 0
    """The symbol that holds it, which is its file's module at top level; 0 for the module."""
    signature: str = ""

    @property
    def qualified(self) -> str:
        """Its own qualified name."""
        return f"{self.scope}.{self.name}" if self.scope else self.name


@dataclass(frozen=True, slots=True)
class Candidates:
    """The definitions of one name that a use of one kind, in one language family, can mean."""

    all: tuple[Definition, ...]
    by_path: dict[RepoPath, list[Definition]]
    product: tuple[Definition, ...]
    """Those outside test code, or all of them when there are none."""
    top_level: tuple[Definition, ...]

    @classmethod
    def of(cls, found: Iterable[Definition]) -> Candidates:
        """Group definitions of one name, given in a stable order."""
        definitions = tuple(found)
        by_path: dict[RepoPath, list[Definition]] = {}
        for definition in definitions:
            by_path.setdefault(definition.file.path, []).append(definition)
        # A test often defines a double of what it tests, and product code never means it.
        product = tuple(d for d in definitions if not d.is_test)
        top_level = tuple(d for d in definitions if d.top_level)
        return cls(definitions, by_path, product or definitions, top_level)


class Use(Struct, frozen=True, gc=False):
    """A reference inside the symbol `scope_id`, whose qualified name is `scope`."""

    file_id: int
    scope_id: int
    scope: str
    name: str
    receiver: str
    kind: ReferenceKind
    line: int
    lines: tuple[int, ...] = ()
    """Those of all calls in the scope that are written alike, this one first."""


class Resolution(Struct, frozen=True):
    """The definition a use means, by which rule, and how often that rule is right."""

    target: Definition
    rule: str
    confidence: float
    line: int = 0
    """That of another use which is written alike, where it is that one; 0 for the use itself."""


@dataclass(frozen=True, slots=True)
class FileImports:
    """A file and what it imports, by the names that this puts into its scope."""

    file: SourceFile
    by_local_name: dict[str, list[Import]]
    stars: tuple[Import, ...]
    """Imports of everything that a module holds."""
    dotted: dict[str, list[Import]]
    """Imports of modules by path, `import a.b.c`, by the first part."""

    @classmethod
    def of(cls, file: SourceFile, imports: Iterable[Import]) -> FileImports:
        """Index the imports by the name that each one binds."""
        by_local_name: dict[str, list[Import]] = {}
        stars: list[Import] = []
        dotted: dict[str, list[Import]] = {}
        for binding in imports:
            # `import * as name` binds a name and brings nothing else.
            if binding.name == "*":
                stars.append(binding)
            if binding.name != "*" or binding.alias or file.rules.star_imports_bind:
                for name in local_names(binding, file.rules.imports):
                    by_local_name.setdefault(name, []).append(binding)
            if not binding.name and not binding.alias:
                dotted.setdefault(binding.module.partition(".")[0], []).append(binding)
        return cls(file, by_local_name, tuple(stars), dotted)


FindCandidates = Callable[[str, ReferenceKind, str], Candidates]
"""Looks up (name, kind of use, language family)."""


def can_mean(use: ReferenceKind, kind: SymbolKind) -> bool:
    """Whether a use of one kind can mean a definition of the other."""
    return kind in _MEANT[use]


def local_names(binding: Import, style: ImportStyle) -> tuple[str, ...]:
    """The name that an import puts into scope; of a Go package the likely ones: its files say it.

    `gopkg.in/yaml.v3`, `example.org/chi/v5` and `example.org/go-isatty` are `yaml`, `chi` and
    `isatty`.
    """
    if binding.alias:
        return (binding.alias,)
    if style is ImportStyle.MODULE:
        parts = binding.module.strip("/").split("/")
        last = parts[-2] if len(parts) > 1 and _MAJOR.fullmatch(parts[-1]) else parts[-1]
        words = [word for word in _MAJOR_SUFFIX.sub("", last).split("-") if word != "go"]
        return tuple(dict.fromkeys(("-".join(words), "".join(words), *words[-1:])))
    if binding.name and binding.name != "*":
        return (SEPARATORS.split(binding.name)[-1],)
    parts = [part for part in SEPARATORS.split(binding.module) if part]
    return tuple(parts[-1:]) or ("",)


def effective(same: Sequence[Definition]) -> Sequence[Definition]:
    """The one that stands for several functions of one name in one scope.

    In Python and JavaScript the last one defined is what runs, and overloads come before it.
    """
    if len(same) < 2 or any(d.kind not in FUNCTIONS for d in same):
        return same
    return same[-1:] if same[0].file.rules.last_definition_wins else same[:1]
