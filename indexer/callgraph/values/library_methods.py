"""Methods of collections and wrappers of the library: what they hand to a function without a name,
and what wrappers give back.

A method of a collection hands its elements over, one of a wrapper that types are seen through
(`Optional`, `Promise`) what it holds, and some hand over the very value that they are called on.
"""

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import Argument, Attribute, Call, GivenBy
from satchel.indexer.callgraph.values.elements import element
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    Collection,
    Instance,
    Interpreter,
    TypedCollection,
    Value,
    Values,
    in_order,
    union,
)

_THE_VALUE = frozenset("let also run apply with takeIf takeUnless tap then yield_self".split())
"""Methods that hand over what they are called on, whatever that is."""
_GIVE_RECEIVER = frozenset("also apply tap takeIf takeUnless onSuccess onFailure inspect".split())
"""Methods that return what they are called on, whatever they are handed."""
_GIVE_CALLED = frozenset(
    "let run then yield_self map flatMap and_then thenApply thenCompose mapNotNull with".split()
)
"""Methods that return what the function makes of what they hand over."""
_HELD = frozenset(
    "map flatMap filter forEach foreach each ifPresent ifPresentOrElse is_some_and is_ok_and"
    " and_then inspect thenAccept thenApply thenCompose subscribe exists contains fold when_some"
    " map_or map_or_else".split()
)
"""Methods of wrappers that hand over what they hold."""
_ELEMENT_SECOND = frozenset(
    "forEach reduce reduceRight reduceIndexed fold foldLeft foldRight forEachIndexed mapIndexed"
    " mapIndexedNotNull filterIndexed onEachIndexed sort sorted sortWith sortedWith sort_by"
    " sorted_by max_by min_by maxWith minWith Aggregate Sort Zip inject scan".split()
)
"""Methods that hand an element to the second parameter; the first of most is something else."""
_BOTH = frozenset(
    "reduce sort sorted sortWith sortedWith sort_by sorted_by maxWith minWith Sort".split()
)
"""Those of them whose first parameter gets an element too."""
_NOT_FIRST = _ELEMENT_SECOND - _BOTH - {"forEach", "max_by", "min_by"}
_UNWRAPPING = frozenset(
    "get orElse orElseThrow orElseGet getOrNull getOrThrow getOrElse value Value getValue second"
    " join await block result Result GetAwaiter GetResult ConfigureAwait GetValueOrDefault toFuture"
    " wrappedValue".split()
)
"""Members of wrappers, and of entries of maps, that give what is in them."""


def evaluate_given(interpreter: Interpreter, file_id: int, scope: int, given: GivenBy) -> Values:
    """What a parameter of a function may get from the method that the function is handed to."""
    if given.parameter and given.method not in _ELEMENT_SECOND:
        return EMPTY
    receivers = in_order(interpreter.evaluate(file_id, scope, given.of))
    return union([_given_by(interpreter, value, given) for value in receivers])


def _given_by(interpreter: Interpreter, value: Value, given: GivenBy) -> Values:
    what = value.what
    if given.method in _THE_VALUE and given.parameter == 0:
        return _unless_own(interpreter, value, given.method)
    if type(what) is Collection or type(what) is TypedCollection:
        is_element = given.parameter > 0 or given.method not in _NOT_FIRST
        return element(interpreter, value, None) if is_element else EMPTY
    if type(what) is Instance and given.method in _HELD:
        return _unless_own(interpreter, value, given.method)
    return EMPTY


def held_by_wrapper(
    interpreter: Interpreter, file_id: int, scope: int, member: Attribute
) -> Values:
    """What a member of a wrapper gives, which is seen as what it holds: `found.get()`."""
    if member.name not in _UNWRAPPING:
        return EMPTY
    held = in_order(interpreter.evaluate(file_id, scope, member.of))
    return union(
        _unless_own(interpreter, value, member.name)
        for value in held
        if type(value.what) is Instance
    )


def made_of_held(
    interpreter: Interpreter, file_id: int, scope: int, call: Call, callee: Attribute
) -> Values:
    """The result of a method that hands what it is called on, or what that holds, to a function
    without a name: the function's result, or the value itself."""
    name = callee.name
    if name not in _GIVE_RECEIVER and not (name in _GIVE_CALLED and call.arguments):
        return EMPTY
    held = interpreter.evaluate(file_id, scope, callee.of)
    kept = union(_unless_own(interpreter, value, name) for value in in_order(held))
    if not kept or name in _GIVE_RECEIVER:
        return kept
    made = Call(call.arguments[-1].value, (Argument("", callee.of),))
    return interpreter.evaluate(file_id, scope, made)


def _unless_own(interpreter: Interpreter, value: Value, method: str) -> Values:
    """The value, unless its class has such a method itself, which may hand over anything."""
    own = type(value.what) is Instance and interpreter.member(value, method)
    return EMPTY if own else frozenset({Value(value.what, max(value.rule, rules.RETURNED))})
