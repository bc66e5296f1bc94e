"""Which definition does a use mean? Pure rules, tried in order; the first that answers wins.

    local      defined in this file, in a scope around the use             0.95
    self       `self.name` / `this.name` in the enclosing class            0.95
    qualified  `Type.name` where this file defines Type                    0.90
    import     the name, or its receiver, was imported from there          0.90
    package    defined in this directory, where directories share names    0.80
    unique     the only definition of that name in languages that mix      0.60, 0.40 on a receiver

A use that no rule answers stays unresolved. What a rule says about a use of `n` depends on the
file of the use and on the definitions called `n` (or, through `import m as n`, called `m`) and on
nothing else: `indexer.derive` relies on that to resolve again no more than it must.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from indexer import languages
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
_PACKAGE_DIRECTORIES = frozenset({"go", "java", "kotlin", "scala", "csharp", "swift"})
_ENTRY_STEMS = frozenset({"__init__", "index", "mod", "lib", "init"})
_SEPARATORS = re.compile(r"[./\\:]+")
_HEAD = re.compile(r"^[&*(]*([\w$]+)")


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
        return _SEPARATORS.split(binding.name)[-1]
    parts = [part for part in _SEPARATORS.split(binding.module) if part]
    return parts[-1] if parts else ""


def resolve(use: Use, scope: FileScope, named: Named) -> Resolution | None:
    """The best answer of the rules above."""
    known = named(use.name, use.kind, scope.place.family)
    if not known.all and use.name not in scope.by_local_name:
        return None
    for rule in _RECEIVER_RULES if use.receiver else _BARE_RULES:
        answer = rule(use, scope, known, named)
        if answer is not None:
            return answer
    return None


def _local(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    implicit = _implicit_receiver(scope)
    own = [
        d
        for d in known.by_path.get(scope.place.path, ())
        if _encloses(d.scope, use.scope) and (implicit or d.kind != SymbolKind.METHOD)
    ]
    return _innermost(own, "local", 0.95)


def _self(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    if use.receiver not in languages.by_name(scope.place.language).self_names:
        return None
    own = [
        d
        for d in known.by_path.get(scope.place.path, ())
        if d.scope and _encloses(d.scope, use.scope)
    ]
    return _innermost(own, "self", 0.95)


def _qualified(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    own = known.by_path.get(scope.place.path)
    if not own:
        return None
    owner = _SEPARATORS.split(use.receiver)[-1]
    members = [d for d in own if d.scope and d.scope.rsplit(".", 1)[-1] == owner]
    return Resolution(members[0], "qualified", 0.9) if members else None


def _imported(use: Use, scope: FileScope, known: Namesakes, named: Named) -> Resolution | None:
    for binding in scope.by_local_name.get(use.name, ()):
        original = _SEPARATORS.split(binding.name)[-1] if binding.name else use.name
        renamed = original != use.name
        targets = named(original, use.kind, scope.place.family) if renamed else known
        found = _in_module(targets, binding, scope.place)
        if found is not None:
            return Resolution(found, "import", 0.9)
    for binding in scope.stars:
        found = _in_module(known, binding, scope.place)
        if found is not None:
            return Resolution(found, "import", 0.8)
    return None


def _imported_receiver(
    use: Use, scope: FileScope, known: Namesakes, _n: Named
) -> Resolution | None:
    head = _HEAD.match(use.receiver)
    if head is None:
        return None
    for binding in scope.by_local_name.get(head[1], ()):
        found = _in_module(known, binding, scope.place)
        found = found or _member_of(known, binding, scope.place)
        if found is not None:
            return Resolution(found, "import", 0.9)
    return None


def _package(_u: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    if scope.place.language not in _PACKAGE_DIRECTORIES:
        return None
    near = [d for d in known.all if d.place.directory == scope.place.directory and d.top_level]
    return Resolution(near[0], "package", 0.8) if len(near) == 1 else None


def _unique(use: Use, scope: FileScope, known: Namesakes, _n: Named) -> Resolution | None:
    if len(known.product) != 1:
        return None
    only = known.product[0]
    if not use.receiver and not only.top_level and not _implicit_receiver(scope):
        return None  # a member needs a receiver here, and this use has none
    return Resolution(only, "unique", 0.4 if use.receiver else 0.6)


def _implicit_receiver(scope: FileScope) -> bool:
    return languages.by_name(scope.place.language).implicit_receiver


_BARE_RULES = (_local, _imported, _package, _unique)
_RECEIVER_RULES = (_self, _qualified, _imported_receiver, _unique)


def _encloses(outer: str, inner: str) -> bool:
    return not outer or inner == outer or inner.startswith(outer + ".")


def _innermost(found: list[Definition], rule: str, confidence: float) -> Resolution | None:
    """The definition of the innermost scope, the first one there."""
    if not found:
        return None
    return Resolution(max(found, key=lambda d: (len(d.scope), -d.id)), rule, confidence)


def _in_module(known: Namesakes, binding: Import, user: Place) -> Definition | None:
    """The top-level definition that lies in the imported module."""
    return _best(known.top_level, _parts(binding.module), user)


def _member_of(known: Namesakes, binding: Import, user: Place) -> Definition | None:
    """The member of an imported type."""
    owner = _SEPARATORS.split(binding.name)[-1] if binding.name else ""
    members = [d for d in known.all if owner and d.scope.rsplit(".", 1)[-1] == owner]
    return _best(members, _parts(binding.module), user)


@lru_cache(maxsize=1 << 16)
def _parts(module: str) -> tuple[str, ...]:
    return tuple(part for part in _SEPARATORS.split(module) if part)


def _best(found: Iterable[Definition], module: tuple[str, ...], user: Place) -> Definition | None:
    """The one candidate whose file agrees with `module` in the most trailing parts.

    Of several the nearest to the user; of equally near ones in different files, none.
    """
    agreeing: list[Definition] = []
    top = 1
    for definition in found:
        agreement = _agreement(definition.place, module)
        if agreement > top:
            agreeing, top = [definition], agreement
        elif agreement == top:
            agreeing.append(definition)
    if len(agreeing) > 1:
        nearest = max(_nearness(d.place, user) for d in agreeing)
        agreeing = [d for d in agreeing if _nearness(d.place, user) == nearest]
    if len({d.place.path for d in agreeing}) != 1:
        return None
    return min(agreeing, key=lambda d: d.id)


def _agreement(place: Place, module: tuple[str, ...]) -> int:
    """How many trailing parts of the module path the file's own path ends with.

    A package directory counts as well as the file (`import pkg` means `pkg/anything.go`), and an
    imported member may itself be a module (`from pkg import util`).
    """
    own = place.module
    best = 0
    for parts in (own, own[:-1]):
        n = 0
        for left, right in zip(reversed(parts), reversed(module), strict=False):
            if left != right:
                break
            n += 1
        best = max(best, n)
    return best


def _nearness(place: Place, user: Place) -> int:
    n = 0
    for left, right in zip(place.path.split("/"), user.path.split("/"), strict=False):
        if left != right:
            break
        n += 1
    return n
