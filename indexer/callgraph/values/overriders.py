"""What may run in the place of what a call names: methods of subclasses, what decorators made of a
function, and what is registered for a generic one.

Rapid type analysis after Bacon and Sweeney ("Fast Static Analysis of C++ Virtual Function Calls",
1996): a subclass counts where something in the tree makes an instance of it, as far as its name
says. What it runs is the first method in its own order, which it may have from another base.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import Attribute, Call, Expression, last_part
from satchel.indexer.callgraph.expressions.parser import parse_arguments
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.file_table import CallSite
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.indexer.callgraph.values.classes import Classes
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    BoundMethod,
    Def,
    Instance,
    Interpreter,
    NameInScope,
    Value,
    Values,
    in_order,
    union,
    weakened,
    with_receiver,
)
from satchel.indexer.callgraph.values.structural import Structural
from satchel.indexer.languages.name_rules import Library
from satchel.store.model import FUNCTIONS, SymbolKind

MAX_OVERRIDERS = 6
"""Of a method with more overriders none is followed: each of them is too unlikely."""
_METHODS = frozenset({SymbolKind.METHOD, SymbolKind.FUNCTION})
_MADE = FUNCTIONS | {SymbolKind.EXTENSION}
"""A class without a name is made where it is written, in a function; what is extended to fulfil a
trait is made as a literal, which is no call."""
_MAKING_GENERIC = ("singledispatch", "singledispatchmethod")
_REGISTERING = "register"
_NOT_OVERRIDDEN = ("private ", "static ", "final ", "#")


class Overriders:
    """Finds overriding methods; each answer is computed once, its lookups are logged each time."""

    def __init__(self, tables: IndexTables, classes: Classes, structural: Structural) -> None:
        self._tables = tables
        self._classes = classes
        self._structural = structural
        self._known: dict[tuple[int, int], tuple[tuple[Definition, ...], tuple[int, ...]]] = {}

    def of(self, method: Definition, holder: Definition) -> tuple[Definition, ...]:
        """What may run instead of a method, called on an instance of `holder`; by subclass."""
        # By the beginning of the signature, where languages write what cannot be overridden.
        if method.kind not in _METHODS or method.signature.startswith(_NOT_OVERRIDDEN):
            return ()
        # A method is called in hundreds of places: what its subclasses have is found once.
        find = partial(self._find, method, holder)
        return self._tables.remembered(self._known, (method.id, holder.id), find)

    def _find(self, method: Definition, holder: Definition) -> tuple[Definition, ...]:
        found = self._of_constants(method, holder)
        for subclass in self._classes.subclasses(holder):
            # Of a class without an instance nothing runs.
            if not self._is_made(subclass):
                continue
            for base in self._classes.order(subclass).classes:
                own = self._classes.members(base, method.name)
                run = next((each for each in own if each.kind in _METHODS), None)
                if run is not None:
                    if run.id != method.id:
                        found[run.id] = run
                    break
        for each in self._structural.methods_behind(method, holder):
            found[each.id] = each
        # Where so many may run, an edge to each of them says nothing.
        return tuple(found.values()) if len(found) <= MAX_OVERRIDERS else ()

    def _is_made(self, subclass: Definition) -> bool:
        """Whether something may make an instance of a class."""
        if subclass.kind in _MADE or self._tables.is_made(subclass.name):
            return True
        # Python hands classes on as values: one that nobody inherits from is meant to be made.
        is_python = subclass.file.rules.library is Library.PYTHON
        return is_python and not self._classes.subclasses(subclass)

    def _of_constants(self, method: Definition, holder: Definition) -> dict[int, Definition]:
        """What constants of an enum have instead of one of its methods."""
        if holder.kind != SymbolKind.ENUM:
            return {}
        table = self._tables.table_at(holder.file_id, holder.id)
        constants = [d for d in table.held_by(holder.id) if d.kind == SymbolKind.CONSTANT]
        return {
            own.id: own
            for constant in constants
            for own in table.children.get((constant.id, method.name), ())
            if own.kind in _METHODS
        }


def subclasses_of_unmade(interpreter: Interpreter, holder: Definition) -> tuple[Definition, ...]:
    """The subclasses of a class that nothing calls by its name, so that instances are theirs.

    () where classes are not made by calling their name, or where this one is.
    """
    is_called = holder.file.rules.library in (Library.PYTHON, Library.SCRIPT)
    if not is_called or interpreter.tables.is_made(holder.name):
        return ()
    return interpreter.classes.subclasses(holder)


def fields_of_subclasses(interpreter: Interpreter, holder: Definition, name: str) -> Values:
    """What subclasses have for a field of a class that only they make instances of."""
    table = interpreter.tables.table_at(holder.file_id, holder.id)
    if (holder.id, name) not in table.values:
        return EMPTY
    given: list[tuple[Definition, Expression]] = []
    for subclass in subclasses_of_unmade(interpreter, holder):
        own = interpreter.tables.table_at(subclass.file_id, subclass.id)
        given += [(subclass, value) for value in own.values.get((subclass.id, name), ())]
    # Where each of many has its own, they tell nothing.
    found = union(
        interpreter.evaluate(subclass.file_id, subclass.id, value)
        for subclass, value in (given if len(given) <= MAX_OVERRIDERS else ())
    )
    return weakened(found, rules.HEIR)


# In the place of a decorated function runs what its decorators made of it.
def decorated(
    interpreter: Interpreter, definition: Definition, decorators: Sequence[Expression]
) -> Values:
    """What the outermost of some decorators makes of a function, where that can be seen."""
    found: set[Value] = set()
    for decorator in decorators[:1]:
        evaluated = interpreter.evaluate(definition.file_id, definition.parent, decorator)
        for value in in_order(evaluated):
            if isinstance(value.what, BoundMethod | Def | Instance):
                found |= with_receiver(interpreter.call(value), 0, rules.DECORATED)
    return frozenset(v for v in found if isinstance(v.what, Def | BoundMethod | Instance))


def decorated_method(interpreter: Interpreter, method: Definition, holder: Definition) -> Values:
    """What decorators make of a method, bound to the same receiver."""
    table = interpreter.tables.table_at(method.file_id, method.id)
    decorators = table.decorators.get(method.id, ())
    if not decorators:
        return EMPTY
    return frozenset(
        Value(BoundMethod(value.what.symbol_id, holder.id), value.rule)
        if type(value.what) is Def
        else value
        for value in decorated(interpreter, method, decorators)
    )


# Python's generic functions: in their place runs what is registered for an argument's type.
def is_generic(interpreter: Interpreter, function: Definition) -> bool:
    """Whether a function is generic: decorated with Python's `singledispatch` or its like."""
    if function.kind not in FUNCTIONS or function.file.rules.library is not Library.PYTHON:
        return False
    # Most trees have none, so that no file need be asked.
    if not any(interpreter.tables.is_made(name) for name in _MAKING_GENERIC):
        return False
    table = interpreter.tables.table_at(function.file_id, function.id)
    decorators = table.decorators.get(function.id, ())
    return any(last_part(each) in _MAKING_GENERIC for each in decorators)


def registered_for(
    interpreter: Interpreter, generic: Definition, sites: Sequence[CallSite]
) -> list[Definition]:
    """The functions beside a generic one that are registered for what some calls hand over."""
    handed = {class_id for site in sites for class_id in _classes_handed(interpreter, site)}
    table = interpreter.tables.table(generic.file_id)
    found: list[Definition] = []
    # Who registers in another file is not seen: the whole tree is not asked.
    for each in table.held_by(generic.parent) if handed else ():
        interpreter.tables.table_at(each.file_id, each.id)
        made = [d for d in table.decorators.get(each.id, ()) if _registers(d, generic)]
        if made and not handed.isdisjoint(_classes_taken(interpreter, each, made)):
            found.append(each)
    return found


def _classes_handed(interpreter: Interpreter, site: CallSite) -> set[int]:
    """The classes of the first argument of a call, with all that they inherit."""
    given = parse_arguments(site.arguments)
    values = interpreter.evaluate(site.file_id, site.scope, given[0].value) if given else ()
    tables, classes = interpreter.tables, interpreter.classes
    made = [v.what.class_id for v in values if type(v.what) is Instance]
    return {each.id for one in made for each in classes.order(tables.definition(one)).classes}


def _registers(decorator: Expression, generic: Definition) -> bool:
    """Whether a decorator is `generic.register`, or a call of it."""
    called = decorator.callee if type(decorator) is Call else decorator
    return (
        type(called) is Attribute
        and called.name == _REGISTERING
        and last_part(called.of) == generic.name
    )


def _classes_taken(
    interpreter: Interpreter, function: Definition, registering: Sequence[Expression]
) -> set[int]:
    """The classes that a function is registered for: `generic.register(Class)`, or those that its
    first parameter is declared to be of."""
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
