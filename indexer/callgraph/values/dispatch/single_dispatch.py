"""Single dispatch of Python (PEP 443): functions registered for the type of the first argument."""

from collections.abc import Sequence

from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Call,
    Expression,
    last_part,
    without_call,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.file_table import CallSite
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.indexer.callgraph.values.model import Instance, Interpreter, NameInScope
from satchel.indexer.languages.name_rules import Library
from satchel.store.model import FUNCTIONS

_DECORATORS = ("singledispatch", "singledispatchmethod")
_REGISTER = "register"


def is_generic(interpreter: Interpreter, function: Definition) -> bool:
    """Whether a function is decorated with `singledispatch` or `singledispatchmethod`."""
    if function.kind not in FUNCTIONS or function.file.rules.library is not Library.PYTHON:
        return False
    # Most trees have none, so that no file need be asked.
    if not any(interpreter.tables.is_called(name) for name in _DECORATORS):
        return False
    table = interpreter.tables.table_of(function.file_id, function.id)
    decorators = table.decorators.get(function.id, ())
    return any(last_part(each) in _DECORATORS for each in decorators)


def registered_for(
    interpreter: Interpreter, generic: Definition, sites: Sequence[CallSite]
) -> list[Definition]:
    """The functions registered for the classes that some calls pass first, in source order."""
    passed = {class_id for site in sites for class_id in _classes_passed(interpreter, site)}
    table = interpreter.tables.table(generic.file_id)
    found: list[Definition] = []
    # Only the scope of the generic function is searched: finding all that is registered in other
    # files would mean to read every file.
    for each in table.held_by(generic.parent) if passed else ():
        interpreter.tables.table_of(each.file_id, each.id)
        registering = [d for d in table.decorators.get(each.id, ()) if _registers(d, generic)]
        if registering and not passed.isdisjoint(
            _classes_registered(interpreter, each, registering)
        ):
            found.append(each)
    return found


def _classes_passed(interpreter: Interpreter, site: CallSite) -> set[int]:
    """The classes of the first argument of a call, with all that they inherit."""
    arguments = parse_arguments(site.arguments)
    if not arguments:
        return set()
    tables, classes = interpreter.tables, interpreter.classes
    values = interpreter.evaluate(site.file_id, site.scope, arguments[0].value)
    own = [tables.definition(v.what.class_id) for v in values if type(v.what) is Instance]
    return {each.id for holder in own for each in classes.mro(holder).classes}


def _registers(decorator: Expression, generic: Definition) -> bool:
    """Whether a decorator is `generic.register`, or a call of it."""
    called = without_call(decorator)
    return (
        type(called) is Attribute
        and called.name == _REGISTER
        and last_part(called.of) == generic.name
    )


def _classes_registered(
    interpreter: Interpreter, function: Definition, registering: Sequence[Expression]
) -> set[int]:
    """The classes that a function is registered for: those of `generic.register(Class)`, else the
    declared types of its first parameter."""
    named = {
        each.id
        for decorator in registering
        if type(decorator) is Call
        for given in decorator.arguments
        for each in interpreter.classes.named(function.file_id, function.parent, given.value)
    }
    if named:
        return named
    names = [n for n in parameter_names(function) if n not in function.file.language.self_names]
    if not names:
        return set()
    values = interpreter.ask(NameInScope(function.file_id, function.id, names[0]))
    return {value.what.class_id for value in values if type(value.what) is Instance}
