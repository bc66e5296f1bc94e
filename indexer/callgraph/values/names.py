"""What names stand for: from the scope of a use outwards, then what the module imports."""

from collections.abc import Iterator, Sequence
from functools import partial

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Call,
    DictLiteral,
    Either,
    Expression,
    InstanceOf,
    Name,
    declared_or_all,
    is_only_narrowed,
    is_type,
    last_part,
)
from satchel.indexer.callgraph.expressions.type_parser import parse_type
from satchel.indexer.callgraph.tables.bindings import MEMBERS, SEPARATORS, Definition, effective
from satchel.indexer.callgraph.tables.file_table import DEFAULT_EXPORT, FileTable
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.indexer.callgraph.tables.signatures import (
    has_parameter,
    parameter_names,
    type_of_parameter,
)
from satchel.indexer.callgraph.values.context import parameter_by_context
from satchel.indexer.callgraph.values.dispatch.decorators import decorated_function
from satchel.indexer.callgraph.values.dispatch.fixtures import value_of_fixture
from satchel.indexer.callgraph.values.imports import imported_name
from satchel.indexer.callgraph.values.members import member_by_bare_name
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    HOLDERS_OF_VALUES,
    UNKNOWN,
    Anything,
    Collection,
    Def,
    Instance,
    Interpreter,
    Module,
    ModuleMember,
    NameInModule,
    NameInScope,
    Parameter,
    Receiver,
    SuperOf,
    Value,
    Values,
    in_order,
    union,
    with_receiver,
)
from satchel.indexer.languages.name_rules import Library
from satchel.store.model import CLASS_LIKE, WITH_CODE, SymbolKind

_HOLD_MEMBERS = CLASS_LIKE | MEMBERS
_MAKERS_OF_VARIABLES = frozenset({"TypeVar", "ParamSpec"})
_TYPE, _PYTHON = SymbolKind.TYPE, Library.PYTHON
_SUPER = frozenset({"super", "parent", "base"})
_OF_SUBCLASSES = "__init_subclass__"
"""What Python calls with each class that inherits from one."""


def name_in_scope(interpreter: Interpreter, file_id: int, scope: int, name: str) -> Values:
    """What a name means in a scope. Most are the module's, as nothing further in binds them: then
    only what the module means by the name is a question, which all its functions share."""
    tables = interpreter.tables
    table = tables.table(file_id)
    if scope != table.module and (
        table.binds_inside(name)
        or tables.remembered(
            table.may_mean_more,
            (scope, name),
            partial(_may_mean_more, tables, table, scope, name),
        )
    ):
        return interpreter.ask(NameInScope(file_id, scope, name))
    return _of_module(interpreter, table, scope, name)


def _may_mean_more(tables: IndexTables, table: FileTable, scope: int, name: str) -> bool:
    """Whether a scope or one around it, the module apart, may say what a name means that nothing
    binds there; leaves the keys of those that do not."""
    rules, innermost = table.imports.file.rules, scope
    own = {*table.imports.file.language.self_names, *_SUPER, rules.instance_maker}
    if name in own or table.implied:
        return True
    has_members = rules.methods_see_class_names or rules.header_extensions
    while scope != table.module:
        kind = table.definitions[scope].kind
        if has_members and kind in _HOLD_MEMBERS:
            return True
        if scope == innermost or kind not in CLASS_LIKE:
            tables.table_within(table.id, scope, name)
        scope = table.definitions[scope].parent
    return False


def answer_name(interpreter: Interpreter, question: NameInScope) -> Values:
    """What a name means in a scope: the innermost scope that binds it, else the module's name."""
    file_id, scope, name = question.file_id, question.scope, question.name
    table = interpreter.tables.table(file_id)
    # A class body sees its own names. Whether its methods do depends on the language (`_in_scope`).
    innermost = scope
    narrowed: Values = EMPTY
    while scope and scope != table.module:
        tested = table.values.get((scope, name))
        if tested and is_only_narrowed(tested):
            narrowed |= union(interpreter.evaluate(file_id, scope, each) for each in tested)
        found = _in_scope(interpreter, table, scope, name, is_innermost=scope == innermost)
        if found is None:
            found = _member_around(interpreter, table, scope, name)
        if found is not None:
            return union((found, narrowed))
        scope = table.definitions[scope].parent
    return _of_module(interpreter, table, innermost, name, narrowed)


def _of_module(
    interpreter: Interpreter,
    table: FileTable,
    scope: int,
    name: str,
    narrowed: Values = EMPTY,
) -> Values:
    """What a name that a scope sees means to the module, beside what tests say of it there."""
    # Most names are the module's: found once for all of its functions.
    found = union((interpreter.ask(NameInModule(table.id, name)), narrowed))
    if not found and name[:1].isupper():  # `T::make()` of a type parameter
        bounds = interpreter.classes.bounds(table.id, scope, Name(name))
        found = frozenset(Value(Def(each.id), rules.DECLARED) for each in bounds)
    if not table.implied:
        return found
    implied = implied_receivers(interpreter, table, scope)
    if name in table.imports.file.language.self_names:
        return found | frozenset(implied)
    members = union(interpreter.member(value, name) for value in implied)
    return found | frozenset(each for each in members if type(each.what) not in UNKNOWN)


def implied_receivers(interpreter: Interpreter, table: FileTable, scope: int) -> Iterator[Value]:
    """The values whose members bare names in a scope may be."""
    while scope and scope != table.module:
        for each in table.implied.get(scope, ()):
            yield from in_order(interpreter.evaluate(table.id, scope, each))
        scope = table.definitions[scope].parent


def _member_around(
    interpreter: Interpreter, table: FileTable, scope: int, name: str
) -> Values | None:
    """What a bare name means in a method that is written outside of its class, as in C++; None
    where the class has no such member."""
    method = table.definitions[scope]
    # Elsewhere a member needs a receiver, or the method lies inside the class or an extension.
    if method.kind not in MEMBERS or not method.file.rules.header_extensions:
        return None
    if table.definitions[method.parent].kind in CLASS_LIKE:
        return None
    around = interpreter.classes.enclosing(table.id, scope)
    return member_by_bare_name(interpreter, around, name) if around else None


def answer_module_name(interpreter: Interpreter, question: NameInModule) -> Values:
    """What a name means at the top of a module, as its functions see it."""
    file_id, name = question.file_id, question.name
    module = interpreter.tables.table(file_id).module
    table = interpreter.tables.table_for(file_id, module, name)
    found = _in_scope(interpreter, table, module, name, is_innermost=True)
    return _or_imported(interpreter, table, name, found)


def answer_module_member(interpreter: Interpreter, question: ModuleMember) -> Values:
    """What a module has under a name, as seen from outside."""
    file_id, name = question.file_id, question.name
    table = interpreter.tables.table(file_id)
    interpreter.tables.table_for(file_id, table.module, name)
    if name == DEFAULT_EXPORT and table.imports.file.rules.files_are_components:
        return frozenset({Value(Def(table.module), rules.LOCAL)})
    found = _bound(interpreter, table, table.module, name)
    if found is not None:
        return _or_imported(interpreter, table, name, found)
    if table.imports.file.rules.tables_are_classes:  # what `require` gives is what a file returns
        returned = [
            value
            for each in table.results.get(table.module, ())
            for value in in_order(interpreter.evaluate(file_id, table.module, each))
        ]
        if returned:
            return union(interpreter.member(value, name) for value in returned)
    # `package.module` needs no import in the package's own file: others may have imported it.
    below = interpreter.tables.submodules(table.imports.file, name)
    inside = frozenset(Value(Module(child), rules.LOCAL) for child in below)
    return inside | imported_name(interpreter, file_id, name)


def _or_imported(
    interpreter: Interpreter, table: FileTable, name: str, found: Values | None
) -> Values:
    """What is bound, and what is imported under the same name, as by `try` and `except`."""
    if found is not None and name not in table.imports.by_local_name:
        return found
    return union((found or EMPTY, imported_name(interpreter, table.id, name)))


def _in_scope(
    interpreter: Interpreter, table: FileTable, scope: int, name: str, *, is_innermost: bool
) -> Values | None:
    """What a name means to a scope itself; None where it must be looked for further out."""
    definition = table.definitions[scope]
    language = definition.file.language
    if definition.kind in CLASS_LIKE and not is_innermost:
        if not language.names.methods_see_class_names:
            return None
        return member_by_bare_name(interpreter, definition, name)
    interpreter.tables.table_within(table.id, scope, name)
    found = _bound(interpreter, table, scope, name)
    is_maker = name == language.names.instance_maker
    if found is not None or not (name in language.self_names or name in _SUPER or is_maker):
        return found
    if definition.kind not in WITH_CODE:
        return None
    around = interpreter.classes.enclosing(table.id, scope)
    if around is None:
        return _object_around(interpreter, table, definition, name)
    if name in _SUPER:
        return frozenset({Value(SuperOf(around.id), rules.LOCAL)})
    is_class = is_maker or name in language.names.class_names
    if is_class and definition.name == _OF_SUBCLASSES:
        below = interpreter.classes.subclasses(around)
        return frozenset(Value(Def(each.id), rules.ARGUMENT) for each in below)
    return frozenset({Value(Def(around.id) if is_class else Instance(around.id), rules.LOCAL)})


def _object_around(
    interpreter: Interpreter, table: FileTable, method: Definition, name: str
) -> Values | None:
    """The object of JavaScript whose literal holds a method, which sees it as `this`; the table of
    Lua in which a function is written."""
    if method.file.rules.tables_are_classes and method.scope and name not in _SUPER:
        owner = SEPARATORS.split(method.scope)[-1]
        return interpreter.ask(NameInModule(table.id, owner))
    holder = table.definitions.get(method.parent)
    if holder is None or name in _SUPER or holder.kind not in HOLDERS_OF_VALUES:
        return None
    found: set[Value] = set()
    for value in _bound(interpreter, table, holder.parent, holder.name) or ():
        if type(value.what) is Collection and type(value.what.literal) is DictLiteral:
            # It may be given more, where it is mixed into another.
            part = DictLiteral(value.what.literal.pairs, is_part=True)
            what = Collection(value.what.file_id, value.what.scope, part)
            found.add(Value(what, value.rule))
    return frozenset(found) or None


def _bound(interpreter: Interpreter, table: FileTable, scope: int, name: str) -> Values | None:
    """What a scope itself binds a name to; None when it does not bind it."""
    inside: Sequence[Definition] = table.children.get((scope, name), ())
    if scope == table.module:  # methods written outside of their type
        inside = [d for d in inside if d.kind not in MEMBERS]
    values: Sequence[Expression] = table.values.get((scope, name), ())
    definition = table.definitions[scope]
    language = definition.file.language
    is_parameter = has_parameter(definition, name)
    if is_parameter and name in language.self_names and not _is_given(table, definition, name):
        return None  # `self` is the receiver, and not what some call gives
    if not inside and not is_parameter and (not values or is_only_narrowed(values)):
        return None
    found = set(union(_defined(interpreter, inner) for inner in effective(inside)))
    # Go's closures share a scope with the function around them, so that a name may have a type in
    # one and be assigned in another. Java notes values that say more than the type.
    takes_all = language.names.assignment_declares or language.names.values_are_typed
    telling = without_variables(interpreter, table.id, scope, values)
    for value in values if takes_all else _declared_or_telling(interpreter, table, scope, telling):
        rule = rules.DECLARED if is_type(value) else rules.ASSIGNED
        results = interpreter.evaluate(table.id, scope, value)
        class_id = 0
        if any(type(each.what) is Receiver for each in results):
            around = interpreter.classes.enclosing(table.id, scope)
            class_id = around.id if around else 0
        found |= with_receiver(results, class_id, rule)
    if is_parameter:
        found |= _handed(interpreter, table, definition, name)
        if not found and name in language.self_names:
            return None  # `def copy(self, cls=None)`: most often its own
    return frozenset(found)


def _declared_or_telling(
    interpreter: Interpreter, table: FileTable, scope: int, values: Sequence[Expression]
) -> Sequence[Expression]:
    """The declared types of a name, unless they lead nowhere, as that of a function does, and
    values do."""
    declared = declared_or_all(values)
    is_enough = len(declared) == len(values)
    if is_enough or any(interpreter.evaluate(table.id, scope, each) for each in declared):
        return declared
    return values


def _handed(interpreter: Interpreter, table: FileTable, function: Definition, name: str) -> Values:
    """What a parameter holds: by the place where its function is written, else by its calls."""
    # A declared type says what a parameter holds better than calls do (rule "argument").
    types = [value for value in table.values.get((function.id, name), ()) if is_type(value)]
    if not types and function.file.rules.header_extensions:
        told = parse_type(type_of_parameter(function, name))
        known = interpreter.evaluate(table.id, function.id, told)
        if known:
            return known
    types = [each for each in types if not _is_free(interpreter, table.id, function.id, each)]
    if types and not _is_function(function.file.language.names.function_types, types):
        return EMPTY
    by_context = parameter_by_context(interpreter, table, function, name)
    handed = by_context or value_of_fixture(interpreter, function, name)
    handed = handed or interpreter.ask(Parameter(function.id, name))
    if name not in function.file.language.self_names:
        return handed
    return frozenset(value for value in handed if type(value.what) is not Anything)


def _is_given(table: FileTable, function: Definition, name: str) -> bool:
    """Whether a parameter called `cls` is an argument and not the class of the receiver.

    As in a decorator of classes, `def register(cls)`, and after another parameter,
    `def build(self, cls)`.
    """
    if name not in function.file.language.names.class_names:
        return False
    is_method = table.definitions[function.parent].kind in CLASS_LIKE
    return not is_method or parameter_names(function)[:1] != (name,)


def _is_free(interpreter: Interpreter, file_id: int, scope: int, declared: Expression) -> bool:
    """Whether a declared type is a type variable of Python, whose value depends on the call."""
    return (
        type(declared) is InstanceOf
        and type_variable(interpreter, file_id, scope, declared.of) is not None
    )


def _is_function(function_types: frozenset[str], types: Sequence[Expression]) -> bool:
    """Whether one of some declared types is that of any function: it does not say which."""
    for declared in types if function_types else ():
        choices = declared.choices if type(declared) is Either else (declared,)
        for each in choices:
            of = each.of if type(each) is InstanceOf else None
            if type(of) is Name and of.name in function_types:
                return True
    return False


def _defined(interpreter: Interpreter, definition: Definition) -> Values:
    """What a definition's own name stands for, with what its decorators make of it."""
    table = interpreter.tables.table_of(definition.file_id, definition.id)
    own: Values = frozenset({Value(Def(definition.id), rules.LOCAL)})
    if definition.kind == _TYPE and is_type_variable(interpreter, definition):
        return EMPTY
    if definition.kind in HOLDERS_OF_VALUES:
        # An object whose members are definitions, as in JavaScript.
        interpreter.tables.table_at(definition.file_id, definition.id)
        is_table = definition.file.rules.tables_are_classes
        return own if is_table or definition.id in table.with_children else EMPTY
    decorators = table.decorators.get(definition.id, ())
    return own | decorated_function(interpreter, definition, decorators) if decorators else own


def type_variable(
    interpreter: Interpreter, file_id: int, scope: int, expression: Expression
) -> Definition | None:
    """The type variable of Python that a type is: `T = TypeVar("T")`; None for another."""
    is_python = interpreter.tables.file(file_id).rules.library is _PYTHON
    if not is_python or not (type(expression) is Name or type(expression) is Attribute):
        return None
    found = interpreter.classes.named(file_id, scope, expression)[:1]
    return found[0] if found and is_type_variable(interpreter, found[0]) else None


def is_type_variable(interpreter: Interpreter, definition: Definition) -> bool:
    """Whether a definition is a type variable of Python."""
    if definition.kind != _TYPE or definition.file.rules.library != _PYTHON:
        return False
    table = interpreter.tables.table_for(definition.file_id, definition.id, definition.name)
    made = table.values.get((definition.id, definition.name), ())
    call = made[0] if made else None
    return type(call) is Call and last_part(call.callee) in _MAKERS_OF_VARIABLES


def without_variables(
    interpreter: Interpreter, file_id: int, scope: int, values: Sequence[Expression]
) -> Sequence[Expression]:
    """The values of a place without type variables, which say less; all, where it has no others."""
    if len(values) < 2:
        return values
    telling = [
        each
        for each in values
        if type(each) is not InstanceOf
        or type_variable(interpreter, file_id, scope, each.of) is None
    ]
    return telling or values
