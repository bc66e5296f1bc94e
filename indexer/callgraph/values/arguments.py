"""What the parameters of a function may be given, by the calls of it that can be seen, and what the
function puts into what it is given."""

import re
from collections.abc import Iterator

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import (
    Declared,
    DictLiteral,
    Filled,
    Found,
    InScope,
    ListLiteral,
    argument_for,
    is_followed,
    is_type,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments, parse_expression
from satchel.indexer.callgraph.expressions.type_parser import parse_type
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.file_table import CallSite, FileTable
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.indexer.callgraph.values.dispatch.decorators import decorated_function
from satchel.indexer.callgraph.values.dispatch.overriders import subclasses_of_uninstantiated
from satchel.indexer.callgraph.values.model import (
    ANYTHING,
    EMPTY,
    BoundMethod,
    Def,
    Instance,
    Interpreter,
    Parameter,
    Value,
    Values,
    in_order,
    union,
    weakened,
)
from satchel.store.model import CLASS_LIKE, FUNCTIONS, SymbolKind

MAX_SITES = 24
"""A function with more calls than this is given so much that its parameters tell nothing."""
_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "__construct", "initialize"})
"""Constructors that are called by the name of their class. Fewer than the languages' rows have:
`init` and `new` are called by their own names."""
_CALLED = "__call__"
_RECEIVERS = ("self", "cls", "this")
"""First parameters that a call of a method does not write."""


def answer_parameter(interpreter: Interpreter, question: Parameter) -> Values:
    """The values that calls give to a parameter; `ANYTHING` where there are too many calls."""
    tables = interpreter.tables
    function = tables.definition(question.function_id)
    family = function.file.family
    if function.kind in CLASS_LIKE:
        return EMPTY
    # Calls are found by the last name of what is called, and constructors by that of their class.
    called_as = function.name
    if function.name in _CONSTRUCTORS:
        called_as = tables.definition(function.parent).name
    sites = list(tables.call_sites(called_as, family, MAX_SITES))
    if function.name == _CALLED and function.parent:  # `Class(…)(argument)`, `@Class(…)`
        made = tables.call_sites(tables.definition(function.parent).name, family, MAX_SITES)
        sites += [site for site in made if site.callee.endswith(")")]
    outer = tables.definition(function.parent) if function.parent else None
    if outer is not None and outer.kind in FUNCTIONS:
        # `make(…)(argument)` and `@make(…)` call what `make` returns.
        around = tables.call_sites(outer.name, family, MAX_SITES)
        sites += [site for site in around if site.callee.endswith(")")]
    tables.table_at(function.file_id, function.id)
    if function.file.rules.calls_through_local_names:
        sites += _sites_in_file(interpreter, function, called_as, MAX_SITES - len(sites))
    # Counted before the callees are evaluated, which is what costs time.
    if len(sites) > MAX_SITES:
        return ANYTHING
    if function.name in _CONSTRUCTORS:
        of_subclasses = _sites_of_subclasses(interpreter, function)
        # With too many calls of subclasses only those of the class itself count: they still help.
        sites += of_subclasses if len(sites) + len(of_subclasses) <= MAX_SITES else []
    found = union(_argument_values(interpreter, function, question.name, site) for site in sites)
    return weakened(found, rules.ARGUMENT)


def _sites_of_subclasses(interpreter: Interpreter, constructor: Definition) -> list[CallSite]:
    """Calls that run a constructor for subclasses.

    Calls of subclasses that inherit it, and calls of `super` in the constructors of the others.
    """
    tables, classes = interpreter.tables, interpreter.classes
    found: list[CallSite] = []
    for subclass in classes.subclasses(tables.definition(constructor.parent)):
        own = classes.members(subclass, constructor.name)
        if not own:
            found += tables.call_sites(subclass.name, subclass.file.family, MAX_SITES)
        for each in own:
            table = tables.calls_in(each.file_id)
            called = [
                *table.call_sites.get(constructor.name, ()),
                *table.call_sites.get("super", ()),
            ]
            found += [site for site in called if site.scope == each.id]
        if len(found) > MAX_SITES:
            break
    return found


def _sites_in_file(
    interpreter: Interpreter, function: Definition, called_as: str, n_attributes: int
) -> list[CallSite]:
    """Calls in the file of a function that may be calls of it under another name.

    Calls of variables, of parameters and of what `bind` and the like make; calls of attributes too
    where all these are at most `n_attributes`.
    """
    table = interpreter.tables.calls_in(function.file_id)
    if table.calls_of_local_names is None:
        assigned = {name for _, name in table.values}
        table.calls_of_local_names = [
            site
            for callee, sites in table.call_sites.items()
            if callee in assigned or callee in table.parameters()
            for site in sites
            if not site.decorated and site.callee == callee and _is_bound_in_file(table, site)
        ]
    if table.calls_of_attributes is None:
        table.calls_of_attributes = _calls_of_attributes(table)
    found = [*table.calls_of_local_names, *table.bound_sites.get(called_as, ())]
    n_attributes -= len(found)
    return found + (
        table.calls_of_attributes if len(table.calls_of_attributes) <= n_attributes else []
    )


def _calls_of_attributes(table: FileTable) -> list[CallSite]:
    """Calls of attributes of the receiver that were given a value: `self.callback(…)`."""
    names = table.imports.file.language.self_names
    assigned = {name for _, name in table.attributes}
    return [
        site
        for callee in sorted(assigned)
        for site in table.call_sites.get(callee, ())
        if not site.decorated and site.callee in [f"{receiver}.{callee}" for receiver in names]
    ]


def _is_bound_in_file(table: FileTable, site: CallSite) -> bool:
    """Whether the name that is called is bound by an assignment or as a parameter."""
    scope = site.scope
    while True:
        definition = table.definitions[scope]
        if (scope, site.callee) in table.values or site.callee in parameter_names(definition):
            return True
        if scope == table.module:
            return False
        scope = definition.parent


def _argument_values(
    interpreter: Interpreter, function: Definition, name: str, site: CallSite
) -> Values:
    """What one call gives to the parameter `name`, if it may be a call of this function."""
    interpreter.tables.table_at(site.file_id, site.scope)
    names = parameter_names(function)
    if site.decorated:
        return _decorated_values(interpreter, function, names, name, site)
    # What the call writes is read first: half of all give a parameter nothing, whoever they call.
    arguments = parse_arguments(site.arguments)
    given = behind_receiver = argument_for(name, names, arguments)
    # `Class.method(x)` gives the receiver as an argument like any other.
    if names[:1] and names[0] in _RECEIVERS and names[0] != name:
        behind_receiver = argument_for(name, names[1:], arguments)
    if not (is_followed(given) or is_followed(behind_receiver)):
        return EMPTY
    # Another function may have the same name: the callee is evaluated to tell.
    called = interpreter.evaluate(site.file_id, site.scope, parse_expression(site.callee))
    if not called:  # half of those that may be calls of it under another name
        return EMPTY
    if any(_runs_on_receiver(interpreter, value, function) for value in in_order(called)):
        given = behind_receiver
    elif not _is_one_of(function, called):
        return EMPTY
    return interpreter.evaluate(site.file_id, site.scope, given) if given else EMPTY


def _decorated_values(
    interpreter: Interpreter,
    function: Definition,
    names: tuple[str, ...],
    name: str,
    site: CallSite,
) -> Values:
    """What a decorator gets of what it decorates, if it may be a call of this function."""
    callee = parse_expression(site.callee)
    called = interpreter.evaluate(site.file_id, site.scope, callee)
    has_receiver = any(
        _runs_on_receiver(interpreter, value, function) for value in in_order(called)
    )
    if not has_receiver and not _is_one_of(function, called):
        return EMPTY
    if has_receiver and names[:1] and names[0] in _RECEIVERS:
        names = names[1:]
    if names[:1] != (name,):
        return EMPTY
    # It gets what those below it made of the function, else the function.
    definition = interpreter.tables.definition(site.decorated)
    decorators = interpreter.tables.table(site.file_id).decorators.get(definition.id, [])
    below = decorators[decorators.index(callee) + 1 :] if callee in decorators else []
    own: Values = frozenset({Value(Def(definition.id), rules.ARGUMENT)})
    return decorated_function(interpreter, definition, below) or own


def _is_one_of(function: Definition, called: Values) -> bool:
    """Whether a function itself, without a receiver, is among what is called."""
    return any(type(v.what) is Def and v.what.symbol_id == function.id for v in called)


def _runs_on_receiver(interpreter: Interpreter, value: Value, function: Definition) -> bool:
    """Whether calling a value runs the function on a receiver that the call does not write."""
    what = value.what
    if type(what) is BoundMethod:
        if what.symbol_id == function.id:
            return True
        # A method that is called on a class without instances is one of a subclass.
        holder = interpreter.tables.definition(what.class_id)
        named = interpreter.tables.definition(what.symbol_id).name
        return named == function.name and any(
            subclass.id == function.parent
            for subclass in subclasses_of_uninstantiated(interpreter, holder)
        )
    if type(what) is Instance and function.name == _CALLED:
        methods = interpreter.member(value, _CALLED)
        return any(
            type(each.what) is BoundMethod and each.what.symbol_id == function.id
            for each in methods
        )
    if type(what) is not Def or function.name not in _CONSTRUCTORS:
        return False
    # Calling a class runs a constructor, its own or an inherited one.
    holder = interpreter.tables.definition(what.symbol_id)
    if holder.kind not in CLASS_LIKE and holder.kind != SymbolKind.TYPE:
        return False
    order, _ = interpreter.classes.mro(holder)
    return any(base.id == function.parent for base in order)


def evaluate_declared(
    interpreter: Interpreter, file_id: int, scope: int, declared: Declared
) -> Values:
    """Instances of the type that a parameter of a function is declared to have."""
    found: Values = EMPTY
    for function, name in _parameters_at(interpreter, file_id, scope, declared):
        table = interpreter.tables.table_for(function.file_id, function.id, name)
        for each in table.values.get((function.id, name), ()):
            if is_type(each):
                found |= interpreter.evaluate(function.file_id, function.id, each)
    return weakened(found, rules.RETURNED)


def _parameters_at(
    interpreter: Interpreter, file_id: int, scope: int, given: Filled | Declared
) -> Iterator[tuple[Definition, str]]:
    """The functions that may be called, each with its parameter at a position."""
    for value in in_order(interpreter.evaluate(file_id, scope, given.callee)):
        if not (type(value.what) is Def or type(value.what) is BoundMethod):
            continue
        function = interpreter.tables.definition(value.what.symbol_id)
        names = parameter_names(function) if function.kind in FUNCTIONS else ()
        if names[:1] and names[0] in _RECEIVERS and type(value.what) is BoundMethod:
            names = names[1:]
        if given.position < len(names):
            yield function, names[given.position]


def evaluate_found(interpreter: Interpreter, file_id: int, scope: int, found: Found) -> Values:
    """Instances of the type that a function says its argument is of: `isFoo(x): x is Foo`."""
    pattern = interpreter.tables.file(file_id).rules.type_guard
    result: Values = EMPTY
    for value in in_order(interpreter.evaluate(file_id, scope, found.by)) if pattern else ():
        if type(value.what) is Def or type(value.what) is BoundMethod:
            function = interpreter.tables.definition(value.what.symbol_id)
            interpreter.tables.table_of(function.file_id, function.id)
            told = re.search(pattern, function.signature)
            if told:
                type_ = parse_type(told[1])
                result |= interpreter.evaluate(function.file_id, function.id, type_)
    return weakened(result, rules.RETURNED)


def evaluate_filled(interpreter: Interpreter, file_id: int, scope: int, filled: Filled) -> Values:
    """What a function assigns to members of its argument: `fill(o)`, where `fill` has `o.f = …`."""
    found: Values = EMPTY
    for function, name in _parameters_at(interpreter, file_id, scope, filled):
        table = interpreter.tables.table_at(function.file_id, function.id)
        for each in table.values.get((function.id, name), ()):
            part = each.of if type(each) is InScope else each
            # What it puts into it, and no default: a list of one that it is given.
            is_put = type(part) is DictLiteral and part.is_part
            if is_put or (type(part) is ListLiteral and len(part.values) == 1):
                found |= interpreter.evaluate(function.file_id, function.id, each)
    return weakened(found, rules.RETURNED)
