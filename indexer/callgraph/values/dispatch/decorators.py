"""Decorators of Python: what they return runs in the place of the function that they decorate."""

from collections.abc import Sequence

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import Expression
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    BoundMethod,
    Def,
    Instance,
    Interpreter,
    Value,
    Values,
    in_order,
    with_receiver,
)


def decorated_function(
    interpreter: Interpreter, definition: Definition, decorators: Sequence[Expression]
) -> Values:
    """What the outermost decorator returns for a function; empty where that cannot be seen."""
    found: set[Value] = set()
    # What the others return is what the outermost is given (`values.arguments`).
    for decorator in decorators[:1]:
        evaluated = interpreter.evaluate(definition.file_id, definition.parent, decorator)
        for value in in_order(evaluated):
            if isinstance(value.what, BoundMethod | Def | Instance):
                found |= with_receiver(interpreter.call(value), 0, rules.DECORATED)
    return frozenset(v for v in found if isinstance(v.what, Def | BoundMethod | Instance))


def decorated_method(interpreter: Interpreter, method: Definition, holder: Definition) -> Values:
    """The same for a method, bound to its receiver, an instance of `holder`."""
    table = interpreter.tables.table_of(method.file_id, method.id)
    decorators = table.decorators.get(method.id, ())
    if not decorators:
        return EMPTY
    return frozenset(
        Value(BoundMethod(value.what.symbol_id, holder.id), value.rule)
        if type(value.what) is Def
        else value
        for value in decorated_function(interpreter, method, decorators)
    )
