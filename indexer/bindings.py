"""What name resolution works on: places, definitions, uses, and what a file brings into scope.

Frozen values; `indexer.resolve` has the rules, `indexer.derive` fills them from the store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from store.model import Import, ReferenceKind, RepoPath, SymbolKind

_TYPES = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.STRUCT,
     SymbolKind.ENUM, SymbolKind.TYPE}
)  # fmt: skip
_CALLABLES = _TYPES | {
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
_ENTRY_STEMS = frozenset({"__init__", "index", "mod", "lib", "init"})
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

    @classmethod
    def of(cls, path: RepoPath, language: str) -> Place:
        """The place of a file."""
        pure = PurePosixPath(path)
        parts = (*pure.parent.parts, pure.name.split(".", 1)[0])
        module = parts[:-1] if parts[-1] in _ENTRY_STEMS and len(parts) > 1 else parts
        family = _FAMILY.get(language, language)
        return cls(path, language, family, str(pure.parent), module)


@dataclass(frozen=True, slots=True)
class Definition:
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


@dataclass(frozen=True, slots=True)
class Use:
    """A reference inside the symbol `scope_id`, whose qualified name is `scope`."""

    scope_id: int
    scope: str
    name: str
    receiver: str
    kind: ReferenceKind
    line: int


@dataclass(frozen=True, slots=True)
class Resolution:
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

    @classmethod
    def of(cls, place: Place, imports: Iterable[Import]) -> FileScope:
        """Index the imports by the name that each one binds."""
        by_local_name: dict[str, list[Import]] = {}
        stars: list[Import] = []
        for binding in imports:
            by_local_name.setdefault(local_name(binding), []).append(binding)
            if binding.name == "*":
                stars.append(binding)
        return cls(place, by_local_name, tuple(stars))


Named = Callable[[str, ReferenceKind, str], Namesakes]
"""Looks up (name, kind of use, language family)."""


def can_mean(use: ReferenceKind, kind: SymbolKind) -> bool:
    """Whether a use of one kind can mean a definition of the other."""
    return kind in (_CALLABLES if use == ReferenceKind.CALL else _TYPES)


def local_name(binding: Import) -> str:
    """The name that an import puts into scope."""
    if binding.alias:
        return binding.alias
    if binding.name and binding.name != "*":
        return SEPARATORS.split(binding.name)[-1]
    parts = [part for part in SEPARATORS.split(binding.module) if part]
    return parts[-1] if parts else ""
