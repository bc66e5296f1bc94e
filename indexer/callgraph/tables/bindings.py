"""What name resolution works on: places, definitions, uses, and what a file brings into scope.

Frozen values; `indexer.callgraph.resolve` has the rules, `indexer.callgraph.linker` fills them from
the store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from msgspec import Struct

from satchel.store.model import FUNCTIONS, Import, ReferenceKind, RepoPath, SymbolKind

TYPES = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.STRUCT,
     SymbolKind.ENUM, SymbolKind.TYPE}
)  # fmt: skip
CALLABLES = TYPES | {
    SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.MACRO,
}  # fmt: skip
MEMBERS = frozenset(
    {SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.PROPERTY, SymbolKind.FIELD}
)
"""Kinds that belong to a type even where its body is elsewhere, as in Go."""
_FAMILIES = (
    ("javascript", "jsx", "typescript", "tsx"),
    ("java", "kotlin", "scala"),
    ("c", "cpp"),
    ("ruby", "erb"),
)
_FAMILY = {language: family[0] for family in _FAMILIES for language in family}
ENTRY_STEMS = frozenset({"__init__", "index", "mod", "lib", "init"})
_SOURCES = re.compile(r"^(?:.*/)?src/\w+/(?:java|kotlin|scala)(?:/|$)")
_LAMBDA = re.compile(r"=\s*lambda\b([^:]*)")
_TYPED_FIRST = frozenset({"java", "csharp", "c", "cpp", "php"})
_LAST_WORD = re.compile(r"(\$?[^\W\d]\w*)[\s\[\]]*$")
_PARAMETER = re.compile(
    r"\s*(?:(?:public|private|protected|readonly|final|mut|this)\s+)*(\*{0,2}|\.{3}|&)([^\W\d][\w$]*)"
)
_MAJOR = re.compile(r"v\d+")
_MAJOR_SUFFIX = re.compile(r"\.v\d+$|\.go$")
SEPARATORS = re.compile(r"[./\\:]+")


@dataclass(frozen=True, slots=True)
class Place:
    """A file as the rules see it."""

    path: RepoPath
    language: str
    family: str
    directory: str
    module: tuple[str, ...]
    """Path parts without the extension; the directory's for an entry file such as `__init__`."""
    package: str
    """What shares its names without imports: the folder, of Java below the root of its sources."""

    @classmethod
    def of(cls, path: RepoPath, language: str) -> Place:
        """The place of a file."""
        directory, _, name = path.rpartition("/")
        folders = tuple(directory.split("/")) if directory else ()
        stem = name.split(".", 1)[0]
        module = folders if stem in ENTRY_STEMS and folders else (*folders, stem)
        family = _FAMILY.get(language, language)
        package = _SOURCES.sub("", directory) if family == "java" else directory
        return cls(path, language, family, directory or ".", module, package)


class Definition(Struct, frozen=True, gc=False):
    """A symbol as a target."""

    id: int
    name: str
    scope: str
    """The qualified name of what holds it; "" at top level."""
    top_level: bool
    """Held by its file or by namespaces alone, so that it can be used without a receiver."""
    kind: SymbolKind
    place: Place
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
class Namesakes:
    """The definitions of one name that a use of one kind, in one language family, can mean."""

    all: tuple[Definition, ...]
    by_path: dict[RepoPath, list[Definition]]
    product: tuple[Definition, ...]
    """Those outside test code, or all of them when there are none."""
    top_level: tuple[Definition, ...]

    @classmethod
    def of(cls, found: Iterable[Definition]) -> Namesakes:
        """Group definitions of one name, given in a stable order."""
        definitions = tuple(found)
        by_path: dict[RepoPath, list[Definition]] = {}
        for definition in definitions:
            by_path.setdefault(definition.place.path, []).append(definition)
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


class Resolution(Struct, frozen=True):
    """The definition a use means, by which rule, and how often that rule is right."""

    target: Definition
    rule: str
    confidence: float


@dataclass(frozen=True, slots=True)
class FileScope:
    """What a use can see without leaving its file: where it is and what was imported."""

    place: Place
    by_local_name: dict[str, list[Import]]
    stars: tuple[Import, ...]
    """Imports of everything that a module holds."""
    dotted: dict[str, list[Import]]
    """Imports of modules by path, `import a.b.c`, by the first part."""

    @classmethod
    def of(cls, place: Place, imports: Iterable[Import]) -> FileScope:
        """Index the imports by the name that each one binds."""
        by_local_name: dict[str, list[Import]] = {}
        stars: list[Import] = []
        dotted: dict[str, list[Import]] = {}
        for binding in imports:
            if binding.name == "*":
                stars.append(binding)
            if binding.name != "*" or binding.alias:
                for name in _local_names(binding, place.family):
                    by_local_name.setdefault(name, []).append(binding)
            if not binding.name and not binding.alias:
                dotted.setdefault(binding.module.partition(".")[0], []).append(binding)
        return cls(place, by_local_name, tuple(stars), dotted)


Named = Callable[[str, ReferenceKind, str], Namesakes]
"""Looks up (name, kind of use, language family)."""


def can_mean(use: ReferenceKind, kind: SymbolKind) -> bool:
    """Whether a use of one kind can mean a definition of the other."""
    if use == ReferenceKind.IMPLEMENT and kind == SymbolKind.MODULE:
        return True  # what Ruby mixes in
    return kind in (CALLABLES if use == ReferenceKind.CALL else TYPES)


def _local_names(binding: Import, family: str) -> tuple[str, ...]:
    """The name that an import puts into scope; of a Go package the likely ones: its files say it.

    `gopkg.in/yaml.v3`, `example.org/chi/v5` and `example.org/go-isatty` are `yaml`, `chi` and
    `isatty`.
    """
    if binding.alias or family != "go":
        return (local_name(binding),)
    parts = binding.module.strip("/").split("/")
    last = parts[-2] if len(parts) > 1 and _MAJOR.fullmatch(parts[-1]) else parts[-1]
    words = [word for word in _MAJOR_SUFFIX.sub("", last).split("-") if word != "go"]
    return tuple(dict.fromkeys(("-".join(words), "".join(words), *words[-1:])))


def local_name(binding: Import) -> str:
    """The name that an import puts into scope."""
    if binding.alias:
        return binding.alias
    if binding.name and binding.name != "*":
        return SEPARATORS.split(binding.name)[-1]
    parts = [part for part in SEPARATORS.split(binding.module) if part]
    return parts[-1] if parts else ""


def chosen(same: Sequence[Definition]) -> Sequence[Definition]:
    """Of several functions of one name in one scope, the one that stands for all.

    In Python and JavaScript the last one defined is what runs, and overloads come before it.
    """
    if len(same) < 2 or any(d.kind not in FUNCTIONS for d in same):
        return same
    return same[-1:] if same[0].place.family in ("python", "javascript") else same[:1]


def parameters(function: Definition) -> tuple[str, ...]:
    """The names of a function's parameters in order, as its signature lists them."""
    if function.place.language in _TYPED_FIRST:
        return _last_words(function.signature)
    return _first_words(function.signature)


@lru_cache(maxsize=1 << 14)
def _last_words(signature: str) -> tuple[str, ...]:
    """Those of languages where the type of a parameter stands before its name."""
    named = [_LAST_WORD.search(part.split("=")[0]) for part in top_level(in_parentheses(signature))]
    return tuple(found[1] if found else "" for found in named)


@lru_cache(maxsize=1 << 15)
def _first_words(signature: str) -> tuple[str, ...]:
    """Those of other languages.

    One that takes the rest keeps its star; what is taken apart has no name ("").
    """
    listed = _LAMBDA.search(signature)
    text = listed[1] if listed else in_parentheses(signature)
    names = []
    for part in top_level(text):
        found = _PARAMETER.match(part)
        if part.strip() not in ("/", "*"):
            star = "*" if found and found[1] not in ("", "&") else ""
            names.append(star + found[2] if found else "")
    return tuple(names)


def in_parentheses(text: str) -> str:
    """What the first parentheses hold; of Go's methods, those after the receiver's."""
    start = text.find("(", 6 if text.startswith("func (") else 0) + 1
    depth = 1
    for i in range(start, len(text) if start else 0):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return text[start:i]
    return text[start:] if start else ""


def top_level(text: str) -> list[str]:
    """Parts between commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth <= 0:
            parts.append(text[start:i])
            start = i + 1
    last = text[start:]
    return [*parts, last] if last.strip() else parts
