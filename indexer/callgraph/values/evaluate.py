"""What an expression of the source may stand for: functions, classes, instances, modules.

Values are sets without order or time: whatever was assigned anywhere in a scope may be there.

    ("def", symbol, 0)        a function or a class itself
    ("inst", class, 0)        an instance of a class
    ("bound", method, class)  a method of an instance
    ("super", class, 0)       the receiver, seen from its base classes
    ("mod", file, 0)          a module              ("path", file, "a.b")  one that is named by path
    ("box", scope, value)     a collection literal  ("items", scope, type) one of declared elements
    ("self", 0, 0)            in results: the receiver
    ("out", 0, 0)             something that is not in the tree

The fourth part of a value is the rule that is least sure on the way to it
(`indexer.callgraph.edge_rules`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.expressions import Expression, declared, read
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.file_table import CLASS_LIKE
from satchel.indexer.callgraph.tables.index_tables import Tables
from satchel.indexer.callgraph.values.arguments import argument_values
from satchel.indexer.callgraph.values.classes import Classes
from satchel.indexer.callgraph.values.elements import Elements
from satchel.indexer.callgraph.values.members import OUT, Members
from satchel.indexer.callgraph.values.scopes import Scopes
from satchel.indexer.callgraph.values.solver import EMPTY, Question, Solver, Value, Values
from satchel.store.model import ReferenceKind, SymbolKind

_SELF = frozenset({"Self", "self", "static", "this"})
_PARAMETER = re.compile(r"[A-Z][A-Z\d]?")
_DECLARING = frozenset({"go", "java"})
"""Families where every value has a type that is known when it is compiled."""
_OWN_RESULTS = frozenset({("name", "cls"), ("name", "Self"), ("name", "static")})


_SAME = frozenset(
    "unwrap expect clone as_ref as_mut borrow borrow_mut lock to_owned unwrap_or_default ok"
    .split()
)  # fmt: skip
"""What Rust calls on wrappers, which types are seen through to what they hold."""


class Evaluator:
    """Answers what expressions stand for, over the tables of one index."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.classes = Classes(tables)
        self.solver = Solver(self._answer, tables)
        self.members = Members(self)
        self.scopes = Scopes(self)
        self.elements = Elements(self)
        self._answers: dict[str, Callable[..., Values]] = {
            "name": self.scopes.name,
            "module": self.scopes.in_module,
            "global": self.scopes.of_module,
            "result": self._result,
            "inside": self.elements.of_literal,
            "argument": self._argument,
        }

    def of(self, file_id: int, scope: int, expression: Expression) -> Values:
        """What an expression in a scope may stand for."""
        kind = expression[0]
        if kind == "name":
            return self.solver.ask(("name", file_id, scope, expression[1]))
        if kind == "attr":
            held = self.of(file_id, scope, expression[1])
            found = union([self.members.of(v, expression[2]) for v in held])
            return found if found or held else self.members.nearest_type(file_id, expression[2])
        if kind == "call":
            return self._called(file_id, scope, expression)
        if kind == "either":
            return union(self.of(file_id, scope, choice) for choice in expression[1])
        if kind == "instance":
            return self._instances(file_id, scope, expression[1])
        return self.elements.of(file_id, scope, expression)

    def _instances(self, file_id: int, scope: int, of: Expression) -> Values:
        if of[0] == "name" and of[1] in _SELF:
            return frozenset({("self", 0, 0, rules.DECLARED)})
        found = self.classes.named(file_id, scope, of) or self._bounds(file_id, scope, of)
        if not found and self._is_foreign(file_id, of):
            return OUT
        return frozenset(("inst", d.id, 0, rules.DECLARED) for d in found)

    def _bounds(self, file_id: int, scope: int, of: Expression) -> list[Definition]:
        """What a signature around binds a type parameter to: `<T: Reader>`, `<T extends X>`."""
        if of[0] != "name" or not _PARAMETER.fullmatch(of[1]):
            return []
        table = self.tables.file(file_id)
        while scope != table.module:
            definition = table.definitions[scope]
            self.tables.read(file_id, scope)
            bound = re.search(rf"\b{of[1]}\s*(?::|extends\b)\s*([\w.:]+)", definition.signature)
            if bound:
                return self.classes.named(file_id, definition.parent, read(bound[1]))
            scope = definition.parent
        return []

    def _is_foreign(self, file_id: int, of: Expression) -> bool:
        """Whether a declared type is none of the tree, so that its members are none either."""
        family = self.tables.place(file_id).family
        name = of[2] if of[0] == "attr" else of[1] if of[0] == "name" else ""
        return family in _DECLARING and not self.tables.named(name, ReferenceKind.TYPE, family).all

    def _called(self, file_id: int, scope: int, call: Expression) -> Values:
        of = call[1]
        if of == ("name", "super"):
            around = self.classes.around(file_id, scope)
            return frozenset({("super", around.id, 0, rules.PLAIN)}) if around else EMPTY
        if of[0] == "attr" and of[2] in _SAME and self.tables.place(file_id).language == "rust":
            return self.of(file_id, scope, of[1])
        inside = self.elements.called(file_id, scope, call) if of[0] == "attr" else EMPTY
        return inside or union(self.result(v) for v in self.of(file_id, scope, of))

    def result(self, value: Value) -> Values:
        """What calling a value gives."""
        kind, target, extra, rule = value
        if kind in ("any", "out"):
            return frozenset({value})
        if kind == "def":
            definition = self.tables.definition(target)
            if definition.kind in CLASS_LIKE or definition.kind == SymbolKind.TYPE:
                return frozenset({("inst", target, 0, max(rule, rules.CONSTRUCTED))})
            held = self.solver.ask(("result", target))
            around = self.classes.around(definition.file_id, target)
            return self.received(held, around.id if around else 0, max(rule, rules.RETURNED))
        if kind == "bound":
            receiver = extra if isinstance(extra, int) else 0
            held = self.solver.ask(("result", target))
            return self.received(held, receiver, max(rule, rules.RETURNED))
        if kind == "inst":
            return union(self.result(m) for m in self.members.of(value, "__call__"))
        return EMPTY

    def received(self, held: Values, receiver: int, rule: int) -> Values:
        """Values with the receiver, an instance of `receiver`, put in; none surer than `rule`."""
        if all(own >= rule and kind != "self" for kind, _, _, own in held):
            return held
        found: set[Value] = set()
        for kind, target, extra, own in held:
            if kind == "self" and receiver:
                found.add(("inst", receiver, 0, max(rule, own)))
            elif kind != "self":
                found.add((kind, target, extra, max(rule, own)))
        return frozenset(found)

    def _answer(self, question: Question) -> Values:
        kind = question[0]
        answer = self._answers.get(kind)
        return answer(*question[1:]) if answer else self.members.answer(question)

    def _argument(self, function_id: int, name: str) -> Values:
        return argument_values(self, function_id, name)

    def _result(self, symbol_id: int) -> Values:
        definition = self.tables.definition(symbol_id)
        table = self.tables.read(definition.file_id, symbol_id)
        found: set[Value] = set()
        for returned in declared(table.flows.get((symbol_id, "return"), ())):
            if self._is_receiver(returned, definition.place.language):
                found.add(("self", 0, 0, rules.PLAIN))
            else:
                found |= self.of(definition.file_id, symbol_id, returned)
        yields = table.flows.get((symbol_id, "yield"), ())
        if yields:
            literal = ("list", tuple(yields))
            found.add(("box", symbol_id, (definition.file_id, literal), rules.PLAIN))
        return frozenset(found)

    def _is_receiver(self, returned: Expression, language: str) -> bool:
        """Whether a function returns what it was called on, or another of its class."""
        if returned[0] == "name":
            return returned[1] in self.scopes.self_names(language)
        return returned[0] == "call" and returned[1] in _OWN_RESULTS


def union(several: Iterable[Values]) -> Values:
    """All values of several sets."""
    found = EMPTY
    for values in several:
        found = found | values if found else values
    return found
