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
from collections.abc import Iterable
from functools import lru_cache

from indexer import languages
from indexer.bindings import (
    SEPARATORS,
    Definition,
    FileScope,
    Named,
    Namesakes,
    Place,
    Resolution,
    Use,
)
from store.model import Import, ReferenceKind, SymbolKind

_PACKAGE_DIRECTORIES = frozenset({"go", "java", "kotlin", "scala", "csharp", "swift"})
Memory = dict[tuple[str, str, ReferenceKind], Resolution | None]
"""What (name, receiver, kind) meant elsewhere in a file."""
_HEAD = re.compile(r"^[&*(]*([\w$]+)")


def resolve(use: Use, scope: FileScope, named: Named, memory: Memory) -> Resolution | None:
    """The best answer of the rules above.

    `memory` belongs to the file of `scope`: most rules do not care where in a file a use stands,
    and files repeat themselves.
    """
    known = named(use.name, use.kind, scope.place.family)
    if not known.all and use.name not in scope.by_local_name:
        return None
    inside = _self if use.receiver else _local
    found = inside(use, scope, known)
    if found is not None:
        return found
    key = (use.name, use.receiver, use.kind)
    if key not in memory:
        memory[key] = _outside(use, scope, known, named)
    return memory[key]


def _outside(use: Use, scope: FileScope, known: Namesakes, named: Named) -> Resolution | None:
    for rule in _RECEIVER_RULES if use.receiver else _BARE_RULES:
        found = rule(use, scope, known, named)
        if found is not None:
            return found
    return None


def _local(use: Use, scope: FileScope, known: Namesakes) -> Resolution | None:
    implicit = _implicit_receiver(scope)
    own = [
        d
        for d in known.by_path.get(scope.place.path, ())
        if _encloses(d.scope, use.scope) and (implicit or d.kind != SymbolKind.METHOD)
    ]
    return _innermost(own, "local", 0.95)


def _self(use: Use, scope: FileScope, known: Namesakes) -> Resolution | None:
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
    owner = SEPARATORS.split(use.receiver)[-1]
    members = [d for d in own if d.scope and d.scope.rsplit(".", 1)[-1] == owner]
    return Resolution(members[0], "qualified", 0.9) if members else None


def _imported(use: Use, scope: FileScope, known: Namesakes, named: Named) -> Resolution | None:
    for binding in scope.by_local_name.get(use.name, ()):
        original = SEPARATORS.split(binding.name)[-1] if binding.name else use.name
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
        found = _in_member_module(known, binding, scope.place)
        found = found or _in_module(known, binding, scope.place)
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


_BARE_RULES = (_imported, _package, _unique)
_RECEIVER_RULES = (_qualified, _imported_receiver, _unique)


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


def _in_member_module(known: Namesakes, binding: Import, user: Place) -> Definition | None:
    """The top-level definition in an imported member that is a module: `from pkg import util`."""
    member = _parts(binding.name)
    if not member or binding.name == "*":
        return None
    inside = [d for d in known.top_level if d.place.module[-1:] == member[-1:]]
    return _best(inside, _parts(binding.module) + member, user)


def _member_of(known: Namesakes, binding: Import, user: Place) -> Definition | None:
    """The member of an imported type."""
    owner = SEPARATORS.split(binding.name)[-1] if binding.name else ""
    members = [d for d in known.all if owner and d.scope.rsplit(".", 1)[-1] == owner]
    return _best(members, _parts(binding.module), user)


@lru_cache(maxsize=1 << 16)
def _parts(module: str) -> tuple[str, ...]:
    return tuple(part for part in SEPARATORS.split(module) if part)


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
