"""Reflection with names that can be read: `Class.forName("p.A").getMethod("go").invoke(null)`.

A class object stands for the class and a method object for the method, so that calling
`newInstance` or `invoke` on one is calling what it stands for.
"""

from collections.abc import Iterable

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import (
    NOTHING,
    Attribute,
    Call,
    Expression,
    MemberByKey,
    Name,
    Text,
)
from satchel.indexer.callgraph.expressions.parser import parse_expression
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.values.dispatch.overriders import subclasses_of_uninstantiated
from satchel.indexer.callgraph.values.keys import keys, known_texts
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    ClassMember,
    Def,
    Instance,
    InstanceMember,
    Interpreter,
    Value,
    Values,
    in_order,
    union,
    weakened,
    with_receiver,
)
from satchel.store.model import FUNCTIONS, TYPES

_GETATTR_METHOD = "__getattr__"
_GETATTR = Name("getattr")
_MIN_PREFIX = 3
"""A shorter beginning is that of too many names."""
_METHODS_BY_NAME = frozenset({"getMethod", "getDeclaredMethod"})
_HANDLES = frozenset({"findStatic", "findVirtual", "findSpecial"})
_SAME_CLASS = frozenset(
    {"getConstructor", "getDeclaredConstructor", "asSubclass", "findConstructor", "getSuperclass"}
)
_REFLECTING = _METHODS_BY_NAME | _HANDLES | _SAME_CLASS | {"forName", "getClass", "loadClass"}


def call_of_reflection(
    interpreter: Interpreter, file_id: int, scope: int, call: Call, callee: Attribute
) -> Values:
    """The class or the method that a call of reflection gives; nothing for any other call."""
    name = callee.name
    if name not in _REFLECTING:
        return EMPTY
    given = [argument.value for argument in call.arguments]
    if name in ("forName", "loadClass"):
        return _class_by_name(interpreter, file_id, scope, given)
    if name == "getClass":
        owners = interpreter.evaluate(file_id, scope, callee.of)
        return frozenset(
            Value(Def(v.what.class_id), v.rule) for v in owners if type(v.what) is Instance
        )
    if name in _HANDLES or name == "findConstructor":
        owners = interpreter.evaluate(file_id, scope, given[0]) if given else EMPTY
        given = given[1:]
    else:
        owners = interpreter.evaluate(file_id, scope, callee.of)
    # A method is looked up in every class that the object may stand for.
    classes = [value for value in in_order(owners) if type(value.what) is Def]
    if name in _SAME_CLASS:
        return frozenset(classes)
    found = union(
        _member(interpreter, value.what.symbol_id, key.text)
        for value in classes
        if type(value.what) is Def
        for key in (keys(interpreter, file_id, scope, given[0]) if given else ())
        if type(key) is Text
    )
    return frozenset(Value(value.what, max(value.rule, rules.RETURNED)) for value in found)


def _member(interpreter: Interpreter, class_id: int, name: str) -> Values:
    # Static methods first: an instance has them as well, but by a less sure way.
    through_class = interpreter.ask(ClassMember(class_id, name))
    return through_class or interpreter.ask(InstanceMember(class_id, name))


def _class_by_name(
    interpreter: Interpreter, file_id: int, scope: int, given: list[Expression]
) -> Values:
    found: set[Value] = set()
    for key in keys(interpreter, file_id, scope, given[0]) if given else ():
        if type(key) is Text:
            # Java separates nested classes by a dollar in such names.
            path = parse_expression(key.text.replace("$", "."))
            if isinstance(path, Name | Attribute):
                classes = interpreter.classes.named(file_id, scope, path)
                found |= {Value(Def(d.id), rules.RETURNED) for d in classes[:1] if d.kind in TYPES}
    return frozenset(found)


def member_by_key(
    interpreter: Interpreter, file_id: int, scope: int, wanted: MemberByKey
) -> Values:
    """`getattr(of, key)`: the member of that name, or those whose names begin as the key does."""
    # The owner is evaluated only where something is known of the name.
    found = known_texts(interpreter, file_id, scope, wanted.key)
    owners = in_order(interpreter.evaluate(file_id, scope, wanted.of)) if found else ()
    return union(
        interpreter.member(owner, key.text)
        if type(key) is Text
        else _members_with_prefix(interpreter, owner, key.text)
        for owner in owners
        for key in found
    )


def _members_with_prefix(interpreter: Interpreter, value: Value, start: str) -> Values:
    """The methods of an instance whose names begin with a text: one of them is meant.

    Of a class that nothing makes an instance of, those of its subclasses as well.
    """
    if type(value.what) is not Instance or len(start) < _MIN_PREFIX:
        return EMPTY
    holder = interpreter.tables.definition(value.what.class_id)
    found = EMPTY
    for each in (holder, *subclasses_of_uninstantiated(interpreter, holder)):
        owner = Value(Instance(each.id), value.rule)
        # Private names are seen too: a visitor may dispatch to its own.
        names = {
            member.name
            for base in interpreter.classes.mro(each).classes
            for member in interpreter.tables.table_at(base.file_id, base.id).members_of(base.id)
            if member.kind in FUNCTIONS and member.name.startswith(start)
        }
        found |= union(interpreter.member(owner, name) for name in sorted(names))
    return weakened(found, rules.ARGUMENT)


def delegated_member(
    interpreter: Interpreter, order: Iterable[Definition], name: str
) -> Values | None:
    """A member of the object to which an instance delegates: its `__getattr__` returns
    `getattr(other, name)`. None where no class of the order does so."""
    if not interpreter.tables.definitions_named(_GETATTR_METHOD):
        return None
    for base in order:
        for method in interpreter.classes.members(base, _GETATTR_METHOD):
            table = interpreter.tables.table_at(method.file_id, method.id)
            for returned in table.results.get(method.id, ()):
                if type(returned) is Call and returned.callee == _GETATTR:
                    of = returned.arguments[0].value if returned.arguments else NOTHING
                    owners = interpreter.evaluate(method.file_id, method.id, of)
                    owners = with_receiver(owners, base.id, rules.RETURNED)
                    return union(interpreter.member(owner, name) for owner in in_order(owners))
    return None
