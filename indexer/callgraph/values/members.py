"""What `value.name` may stand for: members of classes and modules, own, inherited and assigned."""

from collections.abc import Iterable, Sequence

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Expression,
    Name,
    declared_or_all,
    is_type,
    root_of,
)
from satchel.indexer.callgraph.tables.bindings import Definition, effective
from satchel.indexer.callgraph.tables.file_table import AssignedValue, FileTable
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.indexer.callgraph.values.components import functions_in_field
from satchel.indexer.callgraph.values.dispatch.decorators import decorated_method
from satchel.indexer.callgraph.values.dispatch.overriders import fields_of_subclasses
from satchel.indexer.callgraph.values.elements import part_of_collection
from satchel.indexer.callgraph.values.imports import member_of_package, module_path
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    HOLDERS_OF_VALUES,
    OUTSIDE,
    UNKNOWN,
    BoundMethod,
    ClassMember,
    Collection,
    Def,
    Instance,
    InstanceMember,
    Interpreter,
    Module,
    ModuleMember,
    ModulePath,
    Package,
    Result,
    SuperMember,
    SuperOf,
    TypedCollection,
    Value,
    Values,
    in_order,
    union,
    weakened,
    with_receiver,
)
from satchel.indexer.callgraph.values.reflection import delegated_member
from satchel.indexer.languages.detect import LANGUAGES
from satchel.indexer.languages.name_rules import Library
from satchel.store.model import CLASS_LIKE, FUNCTIONS, SymbolKind

_HAVE_MEMBERS = CLASS_LIKE | {SymbolKind.MODULE, SymbolKind.TYPE}
_PROPERTY, _PYTHON = SymbolKind.PROPERTY, Library.PYTHON
_ITSELF, _AN_INSTANCE = "itself", "an instance"
_OF_CLASS_OBJECTS = {
    "this": _AN_INSTANCE, "super": _AN_INSTANCE, "class": _ITSELF, "newInstance": _ITSELF,
}  # fmt: skip
"""What Java writes behind a class: `Outer.this`, `Interface.super`, `A.class.newInstance()`."""
CONSTANT_BY_NAME = "valueOf"
"""What every enum of Java has: it gives one of its constants."""
_PROTOTYPE = "prototype"
_DESCRIPTOR_GET = "__get__"
_CLASS_OF_INSTANCE = frozenset({"__class__", "constructor", "class"})
MEANT_BY_LANGUAGES = frozenset(
    _CLASS_OF_INSTANCE
    | {row.names.instance_maker for row in LANGUAGES if row.names.instance_maker}
    | {row.names.call_operator for row in LANGUAGES}
    | {name for row in LANGUAGES for name in (*row.self_names, *row.names.class_names)}
    | {"super", "value"}
)
"""Names that mean something in the tree though nothing in it is called so."""


def member_of_value(interpreter: Interpreter, value: Value, name: str) -> Values:
    """What a member of a value may stand for."""
    what, rule = value.what, value.rule
    if type(what) is Instance:
        return _member_of_instance(interpreter, value, what, name)
    if type(what) is Def:
        return _member_of_definition(interpreter, value, what, name)
    if type(what) is SuperOf:
        return weakened(interpreter.ask(SuperMember(what.class_id, name)), rule)
    if type(what) is Module:
        return _member_of_module(interpreter, value, what, name)
    if type(what) is Package:
        return weakened(member_of_package(interpreter, what.file_id, name), rules.IMPORTED)
    if type(what) is Collection or type(what) is TypedCollection:
        return part_of_collection(interpreter, value, name)
    if type(what) is ModulePath:
        return module_path(interpreter, what.file_id, f"{what.path}.{name}")
    is_same = type(what) in UNKNOWN or (
        type(what) is BoundMethod and _calls_function(interpreter, what.symbol_id, name)
    )
    return frozenset({value}) if is_same else EMPTY


def _member_of_module(interpreter: Interpreter, value: Value, what: Module, name: str) -> Values:
    names = interpreter.tables.file(what.file_id).rules
    if names.files_are_classes and name == names.instance_maker:
        return frozenset({value})
    found = interpreter.ask(ModuleMember(what.file_id, name))
    return weakened(found, max(value.rule, rules.IMPORTED))


def _member_of_instance(
    interpreter: Interpreter, value: Value, what: Instance, name: str
) -> Values:
    if name in _CLASS_OF_INSTANCE:
        return frozenset({Value(Def(what.class_id), value.rule)})
    return weakened(interpreter.ask(InstanceMember(what.class_id, name)), value.rule)


def _calls_function(interpreter: Interpreter, symbol_id: int, name: str) -> bool:
    """Whether a method of a function, or of what holds it, calls it: `f.call()`, `task.run()`."""
    definition = interpreter.tables.definition(symbol_id)
    return definition.kind in FUNCTIONS and name in definition.file.rules.calling_methods


def _member_of_definition(interpreter: Interpreter, value: Value, what: Def, name: str) -> Values:
    definition = interpreter.tables.definition(what.symbol_id)
    language = definition.file.rules
    if language.tables_are_classes and definition.kind in HOLDERS_OF_VALUES:
        return weakened(interpreter.ask(ClassMember(definition.id, name)), value.rule)
    if name == _PROTOTYPE and language.members_are_items:
        return frozenset({Value(Instance(definition.id), value.rule)})
    if definition.kind is SymbolKind.TYPE:  # another name of a class
        aliased = [each.what for each in interpreter.ask(Result(definition.id))]
        classes = [each.class_id for each in aliased if type(each) is Instance] or [definition.id]
        found = union(interpreter.ask(ClassMember(each, name)) for each in classes)
        return weakened(found, value.rule)
    if definition.kind in _HAVE_MEMBERS:
        own = _OF_CLASS_OBJECTS.get(name) if language.has_reflection else None
        if own is _ITSELF or (language.instance_maker and name == language.instance_maker):
            return frozenset({value})  # which is called next, as the class would be
        if definition.kind == SymbolKind.ENUM and name == CONSTANT_BY_NAME:
            return frozenset({value})
        if own is _AN_INSTANCE:
            return frozenset({Value(Instance(definition.id), value.rule)})
        return weakened(interpreter.ask(ClassMember(definition.id, name)), value.rule)
    return _member_of_object(interpreter, value, definition, name)


def _member_of_object(
    interpreter: Interpreter, value: Value, definition: Definition, name: str
) -> Values:
    """A function inside a function, or a member of an object of JavaScript that holds functions."""
    found: Values = EMPTY
    inside = interpreter.classes.members(definition, name)
    for each in inside:
        member: Values = frozenset({Value(Def(each.id), value.rule)})
        if each.kind == _PROPERTY:  # it is run where it is named
            found |= union(weakened(interpreter.call(one), value.rule) for one in member)
        elif each.kind not in HOLDERS_OF_VALUES:
            found |= member
    is_call = not inside and _calls_function(interpreter, definition.id, name)
    return frozenset({value}) if is_call else found


def answer_member(
    interpreter: Interpreter, question: InstanceMember | SuperMember | ClassMember
) -> Values:
    """What a class has under a name.

    `OUTSIDE` where no class in the tree has it and a base is unknown, which then may have it.
    """
    name = question.name
    holder = interpreter.tables.definition(question.class_id)
    if holder.kind in HOLDERS_OF_VALUES:
        return _through_table(interpreter, holder, name)
    # With an unknown base a member may be inherited from outside of the tree, and what is called on
    # it is then outside too, and guessed by no name. With all bases known nothing is known of it.
    order, is_complete = interpreter.classes.mro(holder)
    if type(question) is ClassMember:
        found = _through_class(interpreter, holder, order, name)
    elif type(question) is SuperMember:
        found = _through_instance(interpreter, holder, order[1:], name)
        if found is None or holder.file.rules.library is _PYTHON:
            beside = _super_member_of_mixin(interpreter, holder, name)
            found = beside if found is None else found | (beside or EMPTY)
    else:
        found = _through_instance(interpreter, holder, order, name)
        if found is None:
            found = _member_of_subclasses(interpreter, holder, name)
        else:
            found |= fields_of_subclasses(interpreter, holder, name)
        if found is None and not name.startswith("__"):
            found = delegated_member(interpreter, order, name)
    if found is not None:
        return found
    return EMPTY if is_complete else OUTSIDE


def _through_table(interpreter: Interpreter, holder: Definition, name: str) -> Values:
    """What a table of Lua has under a name: its own functions, else what it is made of has them."""
    own = interpreter.classes.members(holder, name)
    if own:
        return frozenset(
            Value(Def(each.id), rules.LOCAL) for each in effective(own) if each.kind in FUNCTIONS
        )
    module = interpreter.tables.table(holder.file_id).module
    table = interpreter.tables.table_for(holder.file_id, module, name)
    given = union(
        interpreter.evaluate(holder.file_id, scope, value)
        for scope, of, value in table.given.get(name, ())
        if of == Name(holder.name)
    )
    if given:
        return weakened(given, rules.ASSIGNED)
    made_of = interpreter.evaluate(holder.file_id, module, Name(holder.name))
    return union(
        weakened(interpreter.member(value, name), rules.INHERITED)
        for value in in_order(made_of)
        if not (type(value.what) is Def and value.what.symbol_id == holder.id)
    )


def _member_of_subclasses(interpreter: Interpreter, holder: Definition, name: str) -> Values | None:
    """A member that only subclasses have: a base class may call what they define."""
    found: Values | None = None
    for subclass in interpreter.classes.subclasses(holder):
        values = _through_instance(interpreter, subclass, (subclass,), name)
        if values is not None:
            found = (found or EMPTY) | weakened(values, rules.OF_SUBCLASS)
    return found


def _super_member_of_mixin(interpreter: Interpreter, mixin: Definition, name: str) -> Values | None:
    """`super.name` in a mixin: from the classes after it in the order of some subclass."""
    found: Values | None = None
    own = [each.id for each in interpreter.classes.mro(mixin).classes[1:]]
    for subclass in interpreter.classes.subclasses(mixin):
        order = interpreter.classes.mro(subclass).classes
        at = next((i for i, each in enumerate(order) if each.id == mixin.id), len(order))
        # Behind most classes stands the same in all subclasses, which is found already.
        if [each.id for each in order[at + 1 :]] == own:
            continue
        values = _through_instance(interpreter, subclass, order[at + 1 :], name)
        if values is not None:
            found = (found or EMPTY) | weakened(values, rules.OF_SUBCLASS)
    return found


def _through_instance(
    interpreter: Interpreter, holder: Definition, order: Iterable[Definition], name: str
) -> Values | None:
    """A member of an instance: the first method in the order, and all that is assigned anywhere.

    None where no class has it.
    """
    found: set[Value] = set()
    is_known = has_method = False
    for base in order:
        rule = rules.LOCAL if base.id == holder.id else rules.INHERITED
        # Methods are overridden, assignments are not: which of them came last is not known.
        own = interpreter.classes.members(base, name) if not has_method else ()
        methods = effective([d for d in own if d.kind not in HOLDERS_OF_VALUES])
        for method in methods:
            bound = Value(BoundMethod(method.id, holder.id), rules.LOCAL)
            if method.kind in _HAVE_MEMBERS:
                found.add(Value(Def(method.id), rule))
            elif method.kind == _PROPERTY:  # it is run where it is named
                found |= weakened(interpreter.call(bound), rule)
            else:
                found.add(Value(bound.what, rule))
                found |= decorated_method(interpreter, method, holder)
        has_method = has_method or bool(methods) or _is_on_prototype(interpreter, base, name)
        assigned = _assigned_values(interpreter, base, name, holder)
        found |= weakened(_through_descriptors(interpreter, assigned or EMPTY), rule)
        is_known = is_known or bool(own) or assigned is not None
        if own and base.file.rules.header_extensions:
            found |= functions_in_field(interpreter, base, name)
        if not is_known and base.file.rules.members_are_items:
            # What stands beside the class may give it members some day.
            module = interpreter.tables.table(base.file_id).module
            interpreter.tables.table_at(base.file_id, module)
    return frozenset(found) if is_known else None


def _through_descriptors(interpreter: Interpreter, values: Values) -> Values:
    """What an instance reads from attributes of its class: descriptors by their `__get__`."""
    if not values or not interpreter.tables.definitions_named(_DESCRIPTOR_GET):
        return values
    getters = union(
        interpreter.member(value, _DESCRIPTOR_GET)
        for value in in_order(values)
        if type(value.what) is Instance
    )
    given = union(
        interpreter.call(each) for each in in_order(getters) if type(each.what) is BoundMethod
    )
    return given or values


def _assigned_values(
    interpreter: Interpreter, base: Definition, name: str, holder: Definition
) -> Values | None:
    """What methods of a class, or its body, assign to an attribute; None where none does."""
    table = interpreter.tables.table_of(base.file_id, base.id, name)
    given = [AssignedValue(base.id, value) for value in table.values.get((base.id, name), ())]
    given += table.attributes.get((base.id, name), ())
    given += _assigned_outside(interpreter, table, base, name)
    if not given:
        return None
    # The declared type of a field counts, whatever constructors assign to it, unless it leads
    # nowhere, as that of a function does; Java notes values that say more.
    is_typed = base.file.rules.values_are_typed
    telling = declared_or_all([each.value for each in given])
    typed = [] if is_typed else [each for each in given if each.value in telling]
    found = _values_of(interpreter, base, typed, holder)
    is_all = len(typed) == len(given)
    return found if found or is_all else _values_of(interpreter, base, given, holder)


def _values_of(
    interpreter: Interpreter, base: Definition, given: Sequence[AssignedValue], holder: Definition
) -> Values:
    """What an attribute may hold of all that it is given."""
    found: Values = EMPTY
    for scope, expression in given:
        values = interpreter.evaluate(base.file_id, scope, expression)
        rule = rules.DECLARED if is_type(expression) else rules.ASSIGNED
        found |= with_receiver(values, holder.id, rule)
    return found


def _assigned_outside(
    interpreter: Interpreter, table: FileTable, base: Definition, name: str
) -> list[AssignedValue]:
    """What the file of a class assigns to an attribute of instances from outside.

    `a.name = …`, `A.prototype.name = …`.
    """
    found = [
        AssignedValue(scope, value)
        for scope, of, value in table.given.get(name, ())
        if _is_instance(interpreter, table.id, scope, of, base)
    ]
    for scope, of, value in table.mixed_in:
        member = Attribute(value, name)
        is_copied = not _is_prototype_of_class(table, value)
        is_place = is_copied and _is_instance(interpreter, table.id, scope, of, base)
        if is_place and interpreter.evaluate(table.id, scope, member):
            found.append(AssignedValue(scope, member))
    return found


def _is_instance(
    interpreter: Interpreter, file_id: int, scope: int, of: Expression, base: Definition
) -> bool:
    """Whether an expression may be an instance of a class, or the class if members are shared."""
    # Python's instances have what their class is given.
    shares = not base.file.rules.members_are_items
    return any(
        (type(owner.what) is Instance and owner.what.class_id == base.id)
        or (shares and type(owner.what) is Def and owner.what.symbol_id == base.id)
        for owner in interpreter.evaluate(file_id, scope, of)
    )


# The following two read the source alone: what the solver knows may only add to an answer.
def _is_prototype_of_class(table: FileTable, value: Expression) -> bool:
    """Whether a value is the prototype of a `class`: `Object.assign` copies no methods from it."""
    if type(value) is not Attribute or value.name != _PROTOTYPE:
        return False
    named = table.children.get((table.module, root_of(value.of)), ())
    return any(each.kind in CLASS_LIKE for each in named)


def _is_on_prototype(interpreter: Interpreter, base: Definition, name: str) -> bool:
    """Whether the prototype of a class is given a member, which hides what bases have."""
    table = interpreter.tables.table_of(base.file_id, base.id, name)
    if name not in table.given and not table.mixed_in:  # as in most files of any language
        return False
    prototype = Attribute(Name(base.name), _PROTOTYPE)
    if any(of == prototype for _, of, _ in table.given.get(name, ())):
        return True
    return any(
        (each.id, name) in table.children
        for _, of, value in table.mixed_in
        if of == prototype and type(value) is Name
        for each in table.children.get((table.module, value.name), ())
    )


def _through_class(
    interpreter: Interpreter, holder: Definition, order: Iterable[Definition], name: str
) -> Values | None:
    """A member through the class itself, of the first class in the order that has it."""
    for base in order:
        rule = rules.LOCAL if base.id == holder.id else rules.INHERITED
        own = interpreter.classes.members(base, name)
        found: set[Value] = set()
        for definition in effective(own):
            what = _as_class_member(interpreter, definition, holder)
            is_run = definition.kind == _PROPERTY and base.file.rules.library is not _PYTHON
            if is_run:  # `Shop.shared.open()`
                run = Value(BoundMethod(definition.id, holder.id), rules.LOCAL)
                found |= weakened(interpreter.call(run), rule)
            elif what is not None:
                found.add(Value(what, rule))
        table = interpreter.tables.table_of(base.file_id, base.id, name)
        given = [AssignedValue(base.id, each) for each in table.values.get((base.id, name), ())]
        if base.file.language.names.class_names:  # `cls.name = …` in a method gives it as well
            given += table.attributes.get((base.id, name), ())
        if own or given:
            given += _assigned_outside(interpreter, table, base, name)
            for scope, expression in given:
                values = interpreter.evaluate(base.file_id, scope, expression)
                found |= weakened(values, rules.ASSIGNED)
            return frozenset(found)
    return None


def _as_class_member(
    interpreter: Interpreter, definition: Definition, holder: Definition
) -> Def | Instance | BoundMethod | None:
    """What a definition inside a class is through the class itself; None for what holds a value."""
    if definition.kind == SymbolKind.CONSTANT:
        around = interpreter.tables.table(definition.file_id).definitions[definition.parent]
        if around.kind == SymbolKind.ENUM:
            return _constant_of_enum(interpreter, definition, holder)
    if definition.kind in HOLDERS_OF_VALUES:
        return None
    # Python's `Class.method` takes the receiver as an argument: nothing is bound.
    takes_self = parameter_names(definition)[:1] == ("self",)
    if takes_self or holder.kind == SymbolKind.MODULE or definition.kind in _HAVE_MEMBERS:
        return Def(definition.id)
    return BoundMethod(definition.id, holder.id)


def _constant_of_enum(
    interpreter: Interpreter, constant: Definition, enum: Definition
) -> Def | Instance:
    """An instance of the enum, or the constant itself where it has methods of its own."""
    table = interpreter.tables.table_at(constant.file_id, constant.id)
    return Def(constant.id) if constant.id in table.with_children else Instance(enum.id)


def member_by_bare_name(interpreter: Interpreter, holder: Definition, name: str) -> Values | None:
    """A bare name inside a class, where a language lets it mean a member; None where it does not.

    `holder` may be an extension; its class is looked at.
    """
    real = interpreter.classes.enclosing(holder.file_id, holder.id) or holder
    for base in interpreter.classes.mro(real).classes:
        own = interpreter.classes.members(base, name)
        # A class and its constructor share a name: it is the class that is called.
        is_member = any(d.kind != SymbolKind.CONSTRUCTOR for d in own)
        table = interpreter.tables.table(base.file_id)  # members have left the key of the name
        if is_member or (base.id, name) in table.values or (base.id, name) in table.attributes:
            return interpreter.ask(InstanceMember(real.id, name))
    return None
