"""TypeScript's contextual typing: a parameter has the type that the place of its function expects.

Followed where a function is given to a name with a declared type, returned by a function with a
declared result, or handed to a parameter with a declared type; and where that type is an alias of a
function type, or a function type written at the parameter itself.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from satchel.indexer.callgraph.expressions.nodes import (
    CollectionOf,
    Contextual,
    Expression,
    InstanceOf,
    Name,
    Written,
    is_type,
)
from satchel.indexer.callgraph.expressions.parser import parse_expression
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.file_table import FileTable
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    BoundMethod,
    Def,
    Interpreter,
    Values,
    in_order,
    union,
)
from satchel.store.model import FUNCTIONS, SymbolKind


def parameter_by_context(
    interpreter: Interpreter, table: FileTable, function: Definition, name: str
) -> Values:
    """The values of a parameter of a named function, by the types of the places it is used in."""
    names = parameter_names(function)
    if name not in names or not function.parent:
        return EMPTY
    # The name of a function is noted inside of it.
    expected = [v for v in table.values.get((function.id, function.name), ()) if is_type(v)]
    # A function may be returned by its name, or where it is written.
    returned = table.results.get(function.parent, ())
    if Written(function.name) in returned or Name(function.name) in returned:
        expected += [value for value in returned if is_type(value)]
    return union(
        _parameter_of_type(interpreter, table, function.parent, each, names.index(name))
        for each in expected
    )


def evaluate_contextual(
    interpreter: Interpreter, file_id: int, scope: int, parameter: Contextual
) -> Values:
    """The values of a parameter of an anonymous function, by the type that its place expects."""
    table = interpreter.tables.table_at(file_id, scope)
    # A function that is returned: the declared result of the function around it says its type.
    if parameter.callee is None:
        expected = [value for value in table.results.get(scope, ()) if is_type(value)]
        return union(
            _parameter_of_type(interpreter, table, scope, each, parameter.parameter)
            for each in expected
        )
    found: Values = EMPTY
    for value in in_order(interpreter.evaluate(file_id, scope, parameter.callee)):
        if type(value.what) is Def or type(value.what) is BoundMethod:
            called = interpreter.tables.definition(value.what.symbol_id)
            if called.kind in FUNCTIONS:
                found |= _parameter_of_argument(interpreter, called, parameter)
    return found


def _parameter_of_argument(
    interpreter: Interpreter, called: Definition, expected: Contextual
) -> Values:
    """The values of a parameter of a function that is an argument of a call of `called`."""
    names = [name.lstrip("*") for name in parameter_names(called)]
    if not names:
        return EMPTY
    # Arguments beyond the last parameter go into it, if it takes the rest.
    name = names[min(expected.argument, len(names) - 1)]
    table = interpreter.tables.table_at(called.file_id, called.id)
    declared: Sequence[Expression] = table.values.get((called.id, name), ())
    rest = re.search(rf"\.\.\.{re.escape(name)}\s*:\s*([\w.]+)", called.signature)
    if rest:  # whose type is noted nowhere else
        declared = [InstanceOf(parse_expression(rest[1]))]
    found = union(
        _parameter_of_type(interpreter, table, called.id, each, expected.parameter)
        for each in declared
        if is_type(each)
    )
    # A function type that is written at the parameter itself has no alias to follow.
    position = _Position(name, expected.parameter + 1)
    return found or _values_at(interpreter, table, called.id, position, names)


def _parameter_of_type(
    interpreter: Interpreter, table: FileTable, scope: int, expected: Expression, number: int
) -> Values:
    """The values of the n-th parameter of a function whose type is declared."""
    if type(expected) is CollectionOf:  # `...handlers: Handler[]`
        expected = expected.element
    if type(expected) is not InstanceOf:
        return EMPTY
    found: Values = EMPTY
    for alias in interpreter.classes.named(table.id, scope, expected.of)[:1]:
        if alias.kind == SymbolKind.TYPE:
            home = interpreter.tables.table_at(alias.file_id, alias.id)
            found |= _values_at(interpreter, home, alias.id, _Position("", number), ())
    return found


class _Position(NamedTuple):
    """A place among the names that a scope declares: `offset` names behind one, or the start."""

    behind: str
    offset: int


def _values_at(
    interpreter: Interpreter,
    table: FileTable,
    scope: int,
    position: _Position,
    others: list[str] | tuple[str, ...],
) -> Values:
    """The values of the declared name at a position; none for `others`, the scope's parameters."""
    # A function type has no scope of its own: its parameters are noted where it is written.
    behind, offset = position
    names = [name for holder, name in table.values if holder == scope]
    at = (names.index(behind) if behind in names else 0) + offset
    wanted = names[at] if at < len(names) else ""
    if not wanted or wanted in others or (behind and behind not in names):
        return EMPTY
    return union(
        interpreter.evaluate(table.id, scope, each)
        for each in table.values[scope, wanted]
        if is_type(each)
    )
