"""Whether a bare name can mean what lies inside of a type. Pure.

A nested and an associated type are visible by their bare names in their type, in what extends or
inherits from it, and where an import names the type. Members are not judged: helpers are mixed in,
and a lambda may run on an object that its file does not name.
"""

from collections.abc import Iterable

from satchel.indexer.callgraph.tables.bindings import SEPARATORS, Definition, FileImports
from satchel.store.model import TYPES


def is_visible(
    only: Definition, scope: str, imports: FileImports, bases: Iterable[str] = ()
) -> bool:
    """Whether a bare name in a scope, by its qualified name, can mean a definition of another one.

    `bases` are the names of types that those around the scope inherit from.
    """
    if only.top_level or not only.scope or only.kind not in TYPES:
        return True
    owner = SEPARATORS.split(only.scope)[-1]
    if owner in SEPARATORS.split(scope) or owner in bases:
        return True
    named = (*imports.by_local_name.get(only.name, ()), *imports.stars)
    return any(owner in SEPARATORS.split(f"{each.module}.{each.name}") for each in named)
