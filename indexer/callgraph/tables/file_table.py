"""What one file says, as the evaluation of expressions asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from satchel.indexer.callgraph.expressions.expressions import Expression
from satchel.indexer.callgraph.tables.bindings import Definition, FileScope, parameters
from satchel.indexer.callgraph.tables.flow_places import Site
from satchel.store.model import SymbolKind

CLASS_LIKE = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.STRUCT, SymbolKind.ENUM,
     SymbolKind.EXTENSION}
)  # fmt: skip


@dataclass(slots=True)
class FileTable:
    """One file: its symbols, what it imports, and what its names may hold."""

    id: int
    module: int
    scope: FileScope
    definitions: dict[int, Definition]
    children: dict[tuple[int, str], list[Definition]]
    holders: frozenset[int] = frozenset()
    """Symbols that hold others."""
    flows: dict[tuple[int, str], list[Expression]] = field(default_factory=dict)
    """By scope and name; "return" and "yield" are names here."""
    attributes: dict[tuple[int, str], list[tuple[int, Expression]]] = field(default_factory=dict)
    """By class and attribute: (scope, value)."""
    sites: dict[str, list[Site]] = field(default_factory=dict)
    """Calls with arguments that may lead somewhere, by the last name of what is called."""
    given: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    """Argument lists by scope and name of what is called, where that tells overloads apart."""
    item_names: set[str] = field(default_factory=set)
    """Words that may be keys of dictionaries, which read as members of them."""
    bases: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    """By class: (receiver, name) of what it inherits, in order."""
    keys: dict[int, int] = field(default_factory=dict)  # of scopes that were asked about
    elsewhere: list[Site] | None = None
    """Calls of local names, for `satchel.indexer.callgraph.values.arguments`."""
    _parameters: frozenset[str] | None = None

    def takes(self, name: str) -> bool:
        """Whether a function here has a parameter called so."""
        if self._parameters is None:
            self._parameters = frozenset(
                parameter for d in self.definitions.values() for parameter in parameters(d)
            )
        return name in self._parameters

    def holder(self, scope: int) -> int:
        """The class around a scope, or that a method written elsewhere belongs to; 0 for none."""
        while scope != self.module:
            definition = self.definitions[scope]
            if definition.kind in CLASS_LIKE:
                return scope
            scope = definition.parent
        return 0
