"""Whether a bare name can mean what lies inside of a type. Pure.

A nested type, an associated type and a member are visible by their bare names in their type, in
what extends or inherits from it, and where an import names the type.
"""

from __future__ import annotations

from collections.abc import Iterable

from satchel.indexer.callgraph.tables.bindings import SEPARATORS, Definition, FileImports
from satchel.store.model import TYPES


def is_visible(
    only: Definition, scope: str, imports: FileImports, bases: Iterable[str] = ()
) -> bool:
    """Whether a bare name in a scope, by its qualified name, can mean a definition of another one.

    `bases` are the names of types that those around the scope inherit from.
    """
    if only.top_level or not only.scope:
        return True
    if only.kind not in TYPES and _has_unknown_receiver(scope, imports):
        return True
    owner = SEPARATORS.split(only.scope)[-1]
    if owner in SEPARATORS.split(scope) or owner in bases:
        return True
    named = (*imports.by_local_name.get(only.name, ()), *imports.stars)
    return any(owner in SEPARATORS.split(f"{each.module}.{each.name}") for each in named)


def _has_unknown_receiver(scope: str, imports: FileImports) -> bool:
    """Whether a bare name may be a member of an object of which the file says nothing."""
    rules = imports.file.rules
    return rules.lambdas_have_receivers or (rules.files_have_receivers and not scope)
