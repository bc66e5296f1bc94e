"""What collections hold: literals, what is put into them, generators, declared element types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.expressions import Expression
from satchel.indexer.callgraph.values.solver import EMPTY, Value, Values

if TYPE_CHECKING:
    from satchel.indexer.callgraph.values.evaluate import Evaluator

_ELEMENT = frozenset({"get", "pop", "setdefault", "popleft", "first", "last", "at", "shift"})
_WHOLE = frozenset(
    {"values", "copy", "keys", "iter", "into_iter", "iter_mut", "filter", "reversed"}
)
_BOXES = frozenset({"box", "items"})


class Elements:
    """Collections for an evaluator, which answers what their parts are."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def of(self, file_id: int, scope: int, expression: Expression) -> Values:
        """What an expression about a collection may stand for."""
        kind = expression[0]
        if kind in ("list", "dict"):
            return frozenset({("box", scope, (file_id, expression), rules.PLAIN)})
        if kind == "items":
            return frozenset({("items", scope, (file_id, expression[1]), rules.DECLARED)})
        if kind == "entered":
            return self._entered(file_id, scope, expression[1])
        if kind not in ("item", "each", "slice"):
            return EMPTY
        held = self._evaluator.of(file_id, scope, expression[1])
        found: set[Value] = set()
        for value in held:
            if kind == "slice":
                found |= _slice(value, expression[2], expression[3])
            else:
                found |= self.inside(value, expression[2] if kind == "item" else None)
        return frozenset(found)

    def inside(self, value: Value, index: Expression | None) -> Values:
        """What a collection holds at an index, or anywhere."""
        kind, target, extra, rule = value
        found: set[Value] = set()
        if kind == "box":
            found |= self._evaluator.solver.ask(("inside", *extra, target, index))
        elif kind == "items":
            file_id, element = extra
            found |= self._evaluator.of(file_id, target, element)
        elif kind == "inst":
            found |= self._results(value, "__getitem__") if index else self._iterated(value)
        elif kind in ("any", "out"):
            found.add(value)
        return frozenset((k, t, e, max(rule, own)) for k, t, e, own in found)

    def of_literal(
        self, file_id: int, literal: Expression, scope: int, index: Expression | None
    ) -> Values:
        """What the parts of a literal in a scope may stand for."""
        found: set[Value] = set()
        for part in held(literal, index):
            found |= self._evaluator.of(file_id, scope, part)
        return frozenset(found)

    def _iterated(self, value: Value) -> Values:
        """What a loop over an instance gives."""
        found: set[Value] = set()
        for iterator in self._results(value, "__iter__"):
            if iterator[0] == "inst":
                found |= self._results(iterator, "__next__")
            else:
                found |= self.inside(iterator, None)
        return frozenset(found)

    def _results(self, value: Value, method: str) -> Values:
        found: set[Value] = set()
        for member in self._evaluator.members.of(value, method):
            found |= self._evaluator.result(member)
        return frozenset(found)

    def called(self, file_id: int, scope: int, call: Expression) -> Values:
        """The result of a method of a collection, where there is one."""
        _, (_, of, method), given = call
        if method not in _ELEMENT and method not in _WHOLE and method != "items":
            return EMPTY
        held_by = self._evaluator.of(file_id, scope, of)
        boxes = frozenset(value for value in held_by if value[0] in _BOXES)
        if method in _WHOLE or not boxes:
            return boxes
        if method == "items":
            pair = ("list", (("unknown",), ("each", of)))
            return frozenset({("box", scope, (file_id, ("list", (pair,))), rules.PLAIN)})
        found: set[Value] = set()
        for box in boxes:
            found |= self.inside(box, given[0][1] if given else None)
        return frozenset(found)

    def _entered(self, file_id: int, scope: int, of: Expression) -> Values:
        """What `with` gives a name: the value itself, and what its `__enter__` returns."""
        held_by = self._evaluator.of(file_id, scope, of)
        found: set[Value] = set(held_by)
        for value in held_by:
            if value[0] == "inst":
                found |= self._results(value, "__enter__")
            elif value[0] in _BOXES:
                found |= self.inside(value, None)
        return frozenset(found)


def held(literal: Expression, index: Expression | None) -> list[Expression]:
    """The parts of a collection literal that an index may mean."""
    known = index[1] if index is not None and index[0] == "text" else None
    if literal[0] == "dict":
        same = [value for key, value in literal[1] if index in (key, _bare(key))]
        if known is not None and same:
            return same
        return [value for key, value in literal[1] if known is None or key[0] != "text"]
    values: tuple[Expression, ...] = literal[1]
    plain = not any(value[0] in ("star", "each") for value in values)
    if known is not None and known.isdigit() and plain and len(values) > 1:
        return [values[int(known)]] if int(known) < len(values) else []
    return [value[1] if value[0] == "star" else value for value in values]


def has_key(literal: Expression, name: str) -> bool:
    """Whether a literal is a dictionary with `name` for a key, so that it reads as a member.

    What is put under a computed key is no member of every name.
    """
    wanted = ("text", f"'{name}")
    return literal[0] == "dict" and any(wanted in (key, _bare(key)) for key, _ in literal[1])


def _bare(key: Expression) -> Expression:
    """A key without quotes, as it is in JavaScript, as the text that it is."""
    return ("text", f"'{key[1]}") if key[0] == "name" else key


def _slice(value: Value, first: Expression, end: Expression) -> Values:
    """Part of a list literal, where its bounds are numbers; else all of it."""
    kind, scope, extra, rule = value
    if kind != "box":
        return frozenset({value})
    file_id, literal = extra
    bounds = [int(e[1]) if e[0] == "text" and e[1].isdigit() else None for e in (first, end)]
    if literal[0] != "list" or bounds == [None, None]:
        return frozenset({value})
    part = ("list", literal[1][bounds[0] : bounds[1]])
    return frozenset({("box", scope, (file_id, part), rule)})
