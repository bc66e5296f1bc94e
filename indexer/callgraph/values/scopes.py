"""What names stand for: from the scope of a use outwards, then what the module imports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.expressions import Expression, declared, is_type
from satchel.indexer.callgraph.tables.bindings import MEMBERS, Definition, chosen, parameters
from satchel.indexer.callgraph.tables.file_table import CLASS_LIKE, FileTable
from satchel.indexer.callgraph.values.members import CLASS_NAMES
from satchel.indexer.callgraph.values.solver import EMPTY, Value, Values
from satchel.indexer.languages import detect
from satchel.store.model import SymbolKind

if TYPE_CHECKING:
    from satchel.indexer.callgraph.values.evaluate import Evaluator

_METHODS = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.PROPERTY}
)
_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.FIELD})
_SUPER = frozenset({"super", "parent", "base"})


class Scopes:
    """Lookups of names for an evaluator, which answers what they were given."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._tables = evaluator.tables

    def self_names(self, language: str) -> tuple[str, ...]:
        """What a language calls the receiver."""
        return detect.by_name(language).self_names

    def name(self, file_id: int, scope: int, name: str) -> Values:
        """A name, as seen from a scope."""
        table = self._tables.file(file_id)
        if scope == table.module:
            return self._evaluator.solver.ask(("module", file_id, name))
        innermost = scope
        while True:
            found = self._in(table, scope, name, is_innermost=scope == innermost)
            if found is not None:
                return found
            scope = table.definitions[scope].parent
            if scope == table.module or not scope:
                # Most names are the module's: found once for all of its functions.
                return self._evaluator.solver.ask(("module", file_id, name))

    def _in(self, table: FileTable, scope: int, name: str, *, is_innermost: bool) -> Values | None:
        definition = table.definitions[scope]
        language = definition.place.language
        if definition.kind in CLASS_LIKE and not is_innermost:
            if language == "python":
                return None  # functions do not see the names of the class around them
            return self._evaluator.members.implicit(definition, name)
        self._tables.read(table.id, scope)
        found = self._bound(table, scope, name)
        if found is None and (name in self.self_names(language) or name in _SUPER):
            return self._receiver(table, scope, name)
        return found

    def _receiver(self, table: FileTable, scope: int, name: str) -> Values | None:
        definition = table.definitions[scope]
        if definition.kind not in _METHODS:
            return None
        around = self._evaluator.classes.around(table.id, scope)
        if around is None:
            return None
        if name in _SUPER:
            return frozenset({("super", around.id, 0, rules.PLAIN)})
        is_class = name in CLASS_NAMES or (definition.place.language == "php" and name == "self")
        return frozenset({("def" if is_class else "inst", around.id, 0, rules.PLAIN)})

    def _bound(self, table: FileTable, scope: int, name: str) -> Values | None:
        """What a scope itself binds a name to; None when it does not bind it."""
        inside: Sequence[Definition] = table.children.get((scope, name), ())
        if scope == table.module:  # methods written outside of their type
            inside = [d for d in inside if d.kind not in MEMBERS]
        flows = table.flows.get((scope, name), ())
        definition = table.definitions[scope]
        takes = name in parameters(definition)
        if takes and name in self.self_names(definition.place.language):
            return None
        if not inside and not flows and not takes:
            return None
        found: set[Value] = set()
        for inner in chosen(inside):
            found |= self.defined(inner)
        # Go's closures share a scope here, and what `:=` gives a name is its type as well.
        for value in flows if definition.place.family == "go" else declared(flows):
            found |= self._given(table, scope, value)
        if takes and not any(is_type(value) for value in flows):
            found |= self._evaluator.solver.ask(("argument", scope, name))
        return frozenset(found)

    def _given(self, table: FileTable, scope: int, value: Expression) -> Values:
        rule = rules.DECLARED if is_type(value) else rules.ASSIGNED
        values = self._evaluator.of(table.id, scope, value)
        around = None
        if any(kind == "self" for kind, *_ in values):
            around = self._evaluator.classes.around(table.id, scope)
        return self._evaluator.received(values, around.id if around else 0, rule)

    def defined(self, definition: Definition) -> Values:
        """What a definition's own name stands for, with what its decorators make of it."""
        table = self._tables.read(definition.file_id, definition.id)
        if definition.kind in _VALUES:
            # An object whose members are definitions, as in JavaScript.
            holds = definition.id in table.holders
            return frozenset({("def", definition.id, 0, rules.PLAIN)}) if holds else EMPTY
        decorators = table.flows.get((definition.id, "@"), ())
        own: Values = frozenset({("def", definition.id, 0, rules.PLAIN)})
        return own | self.decorated(definition, decorators) if decorators else own

    def decorated(
        self, definition: Definition, decorators: list[Expression] | tuple[Expression, ...]
    ) -> Values:
        """What the outermost of some decorators makes of a function, where that can be seen."""
        found: set[Value] = set()
        for decorator in decorators[:1]:
            made = self._evaluator.of(definition.file_id, definition.parent, decorator)
            for value in made:
                if value[0] in ("def", "bound") and not self._is_class(value):
                    found |= self._evaluator.received(
                        self._evaluator.result(value), 0, rules.DECORATED
                    )
        return frozenset(value for value in found if value[0] in ("def", "bound", "inst"))

    def _is_class(self, value: Value) -> bool:
        return value[0] == "def" and self._tables.definition(value[1]).kind in CLASS_LIKE

    def in_module(self, file_id: int, name: str) -> Values:
        """A name of a module, as its functions see it."""
        table = self._tables.read(file_id, self._tables.file(file_id).module)
        found = self._in(table, table.module, name, is_innermost=True)
        return self._or_imported(table, name, found)

    def _or_imported(self, table: FileTable, name: str, found: Values | None) -> Values:
        """What is bound, and what is imported under the same name, as by `try` and `except`."""
        if found is not None and name not in table.scope.by_local_name:
            return found
        imported = self._evaluator.members.imported(table.id, name)
        return imported if found is None else found | imported

    def of_module(self, file_id: int, name: str) -> Values:
        """What a module has under a name, as seen from outside."""
        table = self._tables.file(file_id)
        self._tables.read(file_id, table.module)
        found = self._bound(table, table.module, name)
        if found is not None:
            return self._or_imported(table, name, found)
        below = self._tables.submodules(table.scope.place, name)
        inside = frozenset(("mod", child, 0, rules.PLAIN) for child in below)
        return inside | self._evaluator.members.imported(file_id, name)
