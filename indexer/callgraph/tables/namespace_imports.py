"""Imports that name a namespace: the definition whose file's path agrees with it best. Pure.

Java, Rust, C# and others let a file lie where it wants; in practice the trailing parts of its path
are those of the namespace.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from satchel.indexer.callgraph.tables.bindings import SEPARATORS, Definition, Namesakes, Place
from satchel.store.model import Import


def in_module(known: Namesakes, binding: Import, user: Place) -> Definition | None:
    """The top-level definition that lies in the imported module."""
    return _best(known.top_level, _parts(binding.module), user)


def in_member_module(known: Namesakes, binding: Import, user: Place) -> Definition | None:
    """The top-level definition in an imported member that is a module: `from pkg import util`."""
    member = _parts(binding.name)
    if not member or binding.name == "*":
        return None
    inside = [d for d in known.top_level if d.place.module[-1:] == member[-1:]]
    return _best(inside, _parts(binding.module) + member, user)


def member_of(known: Namesakes, binding: Import, user: Place) -> Definition | None:
    """The member of an imported type."""
    owner = SEPARATORS.split(binding.name)[-1] if binding.name else ""
    inner = f".{owner}"
    members = [d for d in known.all if owner and (d.scope == owner or d.scope.endswith(inner))]
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
        if definition.place.language == "java" and agreement < _whole(definition.place, module):
            continue
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


def _whole(place: Place, module: tuple[str, ...]) -> int:
    """How many parts agree when all do: Java's folders are its packages, as far up as they are."""
    return min(len(module), len(place.module) - 1)


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
