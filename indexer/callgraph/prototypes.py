"""From a declaration of C or C++ to the definition that it announces.

What a call names is found in a header or in the body of a class, and often that is a prototype. An
edge to it would show one line where a reader wants the code, and the code would have no callers.
"""

import posixpath
from collections.abc import Sequence

from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.store.model import FUNCTIONS
from satchel.store.reading.prototypes import is_prototype, is_static, parameter_types


class Prototypes:
    """Finds what prototypes announce; each answer is computed once, its lookups are logged each
    time."""

    def __init__(self, tables: IndexTables) -> None:
        self._tables = tables
        self._known: dict[int, Definition] = {}

    def defined(self, found: Definition) -> Definition:
        """The one definition of a prototype; the prototype itself where there is none, or where
        several fit. Anything else is its own definition."""
        if not is_prototype(found.kind, found.signature):
            return found
        named = self._tables.definitions_named(found.name)  # leaves its key, for who asks again
        known = self._known.get(found.id)
        if known is None:
            known = self._known[found.id] = _defined(found, named) or found
        return known


def _defined(declared: Definition, named: Sequence[Definition]) -> Definition | None:
    """The definition of a prototype among all that have its name."""
    functions = [d for d in named if d.kind in FUNCTIONS and d.file.family == declared.file.family]
    bodies = [d for d in functions if not is_prototype(d.kind, d.signature)]
    meant = [d for d in bodies if d.qualified == declared.qualified and _is_visible(d, declared)]
    # `using namespace outer;` lets a file define `Class::member` without the namespace.
    meant = meant or [d for d in bodies if d.scope and declared.scope.endswith("." + d.scope)]
    # The heads of most functions are read by nobody: one body, and one prototype or two alike.
    heads = {
        d.signature
        for d in functions
        if d.qualified == declared.qualified and is_prototype(d.kind, d.signature)
    }
    types = {parameter_types(declared.name, head) for head in heads} if len(heads) > 1 else heads
    return _nearest_body(declared, _fitting(declared, meant, len(types) > 1))


def _is_visible(body: Definition, declared: Definition) -> bool:
    """Whether linkage lets a body be that of a prototype: `static` at top level is of its file."""
    if body.file_id == declared.file_id:
        return True
    # In a class `static` means something else, and stands at the prototype alone.
    is_own = declared.top_level and is_static(declared.signature)
    return not is_own and not is_static(body.signature)


def _fitting(
    declared: Definition, bodies: Sequence[Definition], has_overloads: bool
) -> Sequence[Definition]:
    """Those that take as many parameters; where that is not enough, those of the same types."""
    wanted = parameter_types(declared.name, declared.signature)
    types = {d.id: parameter_types(d.name, d.signature) for d in bodies}
    if wanted is None or None in types.values():  # a signature that is cut tells no overloads apart
        return bodies if len(bodies) == 1 and not has_overloads else []
    alike = [d for d in bodies if types[d.id] == wanted]
    if alike or has_overloads:
        return alike
    # Types may be written in two ways; then the number decides, if one body alone has it.
    as_many = [d for d in bodies if len(types[d.id] or ()) == len(wanted)]
    return as_many if len(as_many) == 1 else []


def _nearest_body(declared: Definition, bodies: Sequence[Definition]) -> Definition | None:
    """The one body; of copies in a tree that of the same file, else of the same folder.

    Several in one file are variants behind conditions, of which the first stands for all.
    """
    path = declared.file.path
    product = [d for d in bodies if not d.is_test] if not declared.is_test else bodies
    for found in (
        [d for d in bodies if d.file_id == declared.file_id],
        product or bodies,
        [d for d in bodies if posixpath.splitext(d.file.path)[0] == posixpath.splitext(path)[0]],
        [d for d in bodies if d.file.directory == declared.file.directory],
    ):
        if found and len({d.file_id for d in found}) == 1:
            return found[0]
    return None
