"""The evaluator: what an expression of the source may stand for.

Values (`values.model`) are sets without order or time. An expression is evaluated part by part; a
name, a member, a result or a parameter is a question to the solver, which remembers answers and
finds the least solution where questions lead back to themselves. `names`, `members`, `imports`,
`elements` and `arguments` have the rules; here they are joined.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions.nodes import (
    NEW,
    Attribute,
    Call,
    Component,
    Contextual,
    Declared,
    Either,
    ElementOf,
    Expression,
    Filled,
    FirstOf,
    Found,
    GivenBy,
    InScope,
    InstanceOf,
    ListLiteral,
    MemberByKey,
    Name,
    Narrowed,
    Returning,
    Selector,
    Spread,
    Text,
    declared_or_all,
    last_part,
)
from satchel.indexer.callgraph.expressions.type_parser import parse_type, type_aliased
from satchel.indexer.callgraph.prototypes import Prototypes
from satchel.indexer.callgraph.tables.bindings import CALLBACKS, Definition
from satchel.indexer.callgraph.tables.file_table import makes_instances
from satchel.indexer.callgraph.tables.index_tables import IndexTables, Remembered
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.indexer.callgraph.values.arguments import (
    answer_parameter,
    evaluate_declared,
    evaluate_filled,
    evaluate_found,
)
from satchel.indexer.callgraph.values.classes import Classes
from satchel.indexer.callgraph.values.components import component
from satchel.indexer.callgraph.values.context import evaluate_contextual
from satchel.indexer.callgraph.values.dispatch.event_handlers import Handlers
from satchel.indexer.callgraph.values.dispatch.overriders import Overriders
from satchel.indexer.callgraph.values.dispatch.structural import Structural
from satchel.indexer.callgraph.values.elements import (
    call_of_collection_method,
    element,
    evaluate_collection,
    parts_at,
)
from satchel.indexer.callgraph.values.imports import nearest_type, whole_module
from satchel.indexer.callgraph.values.library import parsed_arguments, what_library_gives
from satchel.indexer.callgraph.values.library_methods import (
    evaluate_given,
    held_by_wrapper,
    made_of_held,
)
from satchel.indexer.callgraph.values.members import answer_member, member_of_value
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    HOLDERS_OF_VALUES,
    OUTSIDE,
    UNKNOWN,
    BoundMethod,
    Collection,
    Def,
    Elements,
    External,
    Instance,
    Interpreter,
    Module,
    ModuleMember,
    NameInModule,
    NameInScope,
    Parameter,
    Question,
    Receiver,
    Result,
    SuperOf,
    TypedCollection,
    Value,
    Values,
    in_order,
    union,
    weakened,
    with_receiver,
)
from satchel.indexer.callgraph.values.names import (
    answer_module_member,
    answer_module_name,
    answer_name,
    name_in_scope,
    type_variable,
    without_variables,
)
from satchel.indexer.callgraph.values.reflection import call_of_reflection, member_by_key
from satchel.indexer.callgraph.values.solver import Solver
from satchel.indexer.languages.name_rules import CLASS_OBJECTS, Library
from satchel.store.model import CLASS_LIKE, ReferenceKind, SymbolKind

_TYPES_OF_RECEIVER = frozenset({"Self", "self", "static", "this", "instancetype"})
"""Types by which a signature says that a function returns what it was called on."""
_RECEIVER_CLASSES = frozenset(
    {
        *(Name("cls"), Name("Self"), Name("static"), Name("this")),
        Attribute(Name("this"), "constructor"),
    }
)
"""What, when called, makes another instance of the receiver's class."""
_TYPE_PARAMETER = re.compile(r"[A-Z][A-Z\d]?")
_NEW = "__new__"
_MAKE_INSTANCES = CLASS_LIKE | {SymbolKind.TYPE}
_SUPER = Name("super")
_RAREST: dict[type, Callable[[Interpreter, int, int, Any], Values]] = {
    MemberByKey: member_by_key,
    Component: component,
    Filled: evaluate_filled,
    Declared: evaluate_declared,
    Found: evaluate_found,
    Contextual: evaluate_contextual,
    GivenBy: evaluate_given,
}
"""Who evaluates expressions of some types; all others are of collections."""
_LOADING = frozenset({Name("require"), Name("preload"), Name("load")})
"""What gives the module that a text names."""
_SET_METATABLE = "setmetatable"
_GLOBALS = Name("globals")


class Evaluator:
    """Answers what expressions stand for, over the tables of one index.

    It is the `Interpreter` that the rules ask each other through.
    """

    def __init__(self, tables: IndexTables) -> None:
        self.tables = tables
        self.classes = Classes(tables)
        self.structural = Structural(tables, self.classes)
        self.overriders = Overriders(tables, self.classes, self.structural)
        self.prototypes = Prototypes(tables)
        self.events: dict[str, Remembered[Handlers]] = {}
        self.fixtures: dict[str, Remembered[dict[str, list[Definition]]]] = {}
        self.solver = Solver(self._answer, tables)
        self.ask = self.solver.ask

    def close(self) -> None:
        """Let go of all answers at once; nothing can be asked any more."""
        self.solver.close()
        # The solver asks the evaluator: without this both would wait for the collector of garbage.
        del self.solver, self.ask

    def evaluate(self, file_id: int, scope: int, expression: Expression) -> Values:
        """What an expression in a scope may stand for."""
        if type(expression) is Name or type(expression) is Attribute:
            found = self._named(file_id, scope, expression)
            is_run = found and self.tables.file(file_id).rules.reads_call
            return self._run(file_id, expression.name, found) if is_run else found
        if type(expression) is Call:
            return self._evaluate_call(file_id, scope, expression)
        if type(expression) is Either:
            return union(self.evaluate(file_id, scope, choice) for choice in expression.choices)
        if type(expression) is InstanceOf:
            return self._instances(file_id, scope, expression.of)
        if type(expression) is InScope:
            return self.evaluate(file_id, expression.scope, expression.of)
        return self._evaluate_rarer(file_id, scope, expression)

    def _named(self, file_id: int, scope: int, expression: Name | Attribute) -> Values:
        """What a name or a member is, before it is run where a language runs it without
        parentheses."""
        if type(expression) is Attribute:
            # A member of something known that has no such member is nothing; a member of something
            # unknown may still be a type that is written with its namespace.
            owners = self.evaluate(file_id, scope, expression.of)
            found = union([self.member(value, expression.name) for value in in_order(owners)])
            if owners and not found:
                return held_by_wrapper(self, file_id, scope, expression)
            return found if found or owners else nearest_type(self, file_id, expression.name)
        return name_in_scope(self, file_id, scope, expression.name)

    def _run(self, file_id: int, name: str, named: Values) -> Values:
        """What a name without parentheses gives, and the function itself, which may be handed on;
        of a class that makes an instance the instance."""
        if name == self.tables.file(file_id).rules.instance_maker:
            return union(self.call(value) for value in in_order(named))
        functions = [
            value
            for value in in_order(named)
            if (type(value.what) is Def or type(value.what) is BoundMethod)
            and self.tables.definition(value.what.symbol_id).kind in CALLBACKS
        ]
        return named | union(self.call(value) for value in functions)

    def _evaluate_rarer(self, file_id: int, scope: int, expression: Expression) -> Values:
        """What a call gives to a function that it gets, puts into another argument, or looks up;
        what a collection holds."""
        if type(expression) is Narrowed:
            return self.evaluate(file_id, scope, expression.of)
        if type(expression) is FirstOf:
            return self._first_of(file_id, scope, expression.choices)
        rarest = _RAREST.get(type(expression), evaluate_collection)
        return rarest(self, file_id, scope, expression)

    def _first_of(self, file_id: int, scope: int, choices: Sequence[Expression]) -> Values:
        found: Values = EMPTY
        for choice in choices:
            values = self.evaluate(file_id, scope, choice)
            if any(type(value.what) not in UNKNOWN for value in values):
                return values
            found = found or values
        return found

    def member(self, value: Value, name: str) -> Values:
        """What `value.name` may stand for."""
        return member_of_value(self, value, name)

    def call(self, value: Value) -> Values:
        """What calling a value returns."""
        what, rule = value.what, max(value.rule, rules.RETURNED)
        if type(what) in UNKNOWN:
            return frozenset({value})
        if type(what) is Def:
            return self._call_of_definition(what.symbol_id, value.rule)
        if type(what) is BoundMethod:
            if self.tables.definition(what.symbol_id).kind == SymbolKind.CONSTRUCTOR:
                return frozenset({Value(Instance(what.class_id), rule)})
            return with_receiver(self.ask(Result(what.symbol_id)), what.class_id, rule)
        if type(what) is Instance:
            names = self.tables.definition(what.class_id).file.rules
            if names.accessors_are_calls:
                return frozenset({value})
            operators = in_order(self.member(value, names.call_operator))
            return union(self.call(each) for each in operators)
        if type(what) is Module:
            is_class = self.tables.file(what.file_id).rules.files_are_classes
            return frozenset({value}) if is_class else EMPTY
        # Scala's `list(0)`.
        return element(self, value, None) if type(what) is TypedCollection else EMPTY

    def _call_of_definition(self, symbol_id: int, known_by: int) -> Values:
        """What calling a class or a function returns, which is named by a rule."""
        rule = max(known_by, rules.RETURNED)
        definition = self.tables.definition(symbol_id)
        made = frozenset({Value(Instance(symbol_id), max(known_by, rules.CONSTRUCTED))})
        if definition.kind is SymbolKind.TYPE:
            return weakened(self._instance(definition), rule)
        if definition.kind in _MAKE_INSTANCES:
            return made | self._instances_by_new(definition, rule)
        around = self.classes.enclosing(definition.file_id, symbol_id)
        if definition.kind == SymbolKind.CONSTRUCTOR:  # Dart's, with a name
            return frozenset({Value(Instance(around.id), rule)}) if around else EMPTY
        if definition.kind in HOLDERS_OF_VALUES:  # a table of Lua: an instance has its members
            return frozenset({Value(Def(symbol_id), rule)})
        results = self.ask(Result(symbol_id))
        if makes_instances(definition):
            results |= made
        return with_receiver(results, around.id if around else 0, rule)

    def _instances_by_new(self, holder: Definition, rule: int) -> Values:
        """Instances of other classes that a `__new__` of Python gives."""
        if _NEW not in holder.file.language.constructors:
            return EMPTY
        makers = self.classes.members(holder, _NEW)
        results = union(self.ask(Result(maker.id)) for maker in makers)
        return weakened(frozenset(v for v in results if type(v.what) is Instance), rule)

    def _evaluate_call(self, file_id: int, scope: int, call: Call) -> Values:
        callee = call.callee
        if callee == _SUPER:  # Python's `super()`; elsewhere `super` is a name: `values.names`
            around = self.classes.enclosing(file_id, scope)
            return frozenset({Value(SuperOf(around.id), rules.LOCAL)}) if around else EMPTY
        if type(callee) is Returning:
            return self.evaluate(file_id, scope, callee.of)
        if type(callee) is Selector:
            of = [Attribute(each.value, callee.name) for each in call.arguments[:1]]
            return union(self.evaluate(file_id, scope, each) for each in of)
        if type(callee) is Attribute:
            inside = self._call_of_member(file_id, scope, call, callee)
            if inside is not None:
                return inside
        called = self._callee(file_id, scope, callee)
        if all(type(value.what) is External for value in called):
            given = self._result_of_library(file_id, scope, call)
            if given:
                return given
        return union(self.call(value) for value in in_order(called))

    def _callee(self, file_id: int, scope: int, callee: Expression) -> Values:
        """What is called, which is not run by its name alone."""
        if type(callee) is Name or type(callee) is Attribute:
            return self._named(file_id, scope, callee)
        return self.evaluate(file_id, scope, callee)

    def _call_of_member(
        self, file_id: int, scope: int, call: Call, callee: Attribute
    ) -> Values | None:
        """The result of a member that is not in the tree; None where another rule applies."""
        if self.tables.runs_nothing(callee.name):
            return EMPTY
        if callee.name in self.tables.file(file_id).rules.transparent_methods:
            return self.evaluate(file_id, scope, callee.of)
        # Methods of collections are in no tree. They are tried first, and say nothing where the
        # value is no collection.
        inside = call_of_collection_method(self, file_id, scope, call, callee)
        if not inside and self.tables.file(file_id).rules.has_reflection:
            inside = call_of_reflection(self, file_id, scope, call, callee)
        inside = inside or made_of_held(self, file_id, scope, call, callee)
        return inside or held_by_wrapper(self, file_id, scope, callee) or None

    def _result_of_library(self, file_id: int, scope: int, call: Call) -> Values:
        """The result of a call that means nothing in the tree, from what is known of libraries."""
        if call.callee == _GLOBALS:
            return frozenset({Value(Module(file_id), rules.LOCAL)})
        if call.callee == NEW:  # Go's `new(T)`, JavaScript's `new (made())()`
            return union(self.evaluate(file_id, scope, each.value) for each in call.arguments)
        file = self.tables.file(file_id)
        if call.callee in _LOADING and call.arguments:
            named = call.arguments[0].value
            files = self.tables.imported_files(file, named.text) if type(named) is Text else ()
            return union(whole_module(self, each) for each in files[:1])
        if file.rules.tables_are_classes and last_part(call.callee) == _SET_METATABLE:
            # A table, and what it gets its members from.
            given = [each.value for each in call.arguments[:2]]
            parts = [*given, *(Attribute(each, "__index") for each in given[1:])]
            return union(self.evaluate(file_id, scope, each) for each in parts)
        made = what_library_gives(file.rules.library, call)
        if made is not None:
            return self.evaluate(file_id, scope, made)
        asked = self._class_asked_for(file_id, scope, call)
        is_python = file.rules.library is Library.PYTHON
        return asked or (parsed_arguments(self, call, file.family) if is_python else EMPTY)

    def _class_asked_for(self, file_id: int, scope: int, call: Call) -> Values:
        """An instance of the class that a call of something unknown is given alone, as containers
        are asked for it: `app(A::class)`, `inject(A)`, `context.getBean(A.class)`."""
        asked = call.arguments[0].value if len(call.arguments) == 1 else None
        while type(asked) is Attribute and asked.name in CLASS_OBJECTS:
            asked = asked.of
        if not (type(asked) is Name or type(asked) is Attribute) or not asked.name[:1].isupper():
            return EMPTY
        found = self.classes.named(file_id, scope, asked)
        return frozenset(Value(Instance(each.id), rules.DECORATED) for each in found)

    def _instances(self, file_id: int, scope: int, of: Expression) -> Values:
        """Values of the declared type `of`."""
        is_named = type(of) is Name and of.name in _TYPES_OF_RECEIVER
        if is_named or (type(of) is Attribute and of.name == "Self"):  # `typing.Self`
            return frozenset({Value(Receiver(), rules.DECLARED)})
        # `values_are_typed`: a declared type that is not in the tree makes its members external,
        # and no guess by name is made. Elsewhere a declaration may be no more than a hint.
        variable = type_variable(self, file_id, scope, of)
        if variable is not None:
            return self._bound_of_variable(variable)
        found = self.classes.named(file_id, scope, of) or self.classes.bounds(file_id, scope, of)
        file = self.tables.file(file_id)
        if not found and file.rules.values_are_typed:
            name = of.name if isinstance(of, Name | Attribute) else ""
            if type(of) is Name and _TYPE_PARAMETER.fullmatch(name):
                return EMPTY  # it may be anything
            if not self.tables.candidates(name, ReferenceKind.TYPE, file.family).all:
                # A class of the tree may implement it; what Go embeds it does not stand for.
                is_base = not file.rules.satisfies_interfaces
                is_base = is_base and bool(self.tables.subclasses(name, file.family))
                return EMPTY if is_base else OUTSIDE
            if type(of) is Attribute and file.rules.imports_complete:
                holders = self.evaluate(file_id, scope, of.of)
                if holders and all(type(each.what) is External for each in holders):
                    return OUTSIDE
        is_file = not found and file.rules.files_are_classes
        made = union(self._instance(each) for each in found)
        return self.evaluate(file_id, scope, of) if is_file else made

    def _instance(self, of: Definition) -> Values:
        """An instance of a type, and of what that is another name for."""
        # What a wrapper of a library holds may be of the tree. Go has methods of another name.
        aliased = self.ask(Result(of.id)) if of.kind is SymbolKind.TYPE else EMPTY
        known = [each for each in aliased if type(each.what) is not External]
        return frozenset([Value(Instance(of.id), rules.DECLARED), *known])

    def _bound_of_variable(self, variable: Definition) -> Values:
        """What a type variable of Python is bound to, or limited to: `TypeVar("T", bound=A)`."""
        table = self.tables.table(variable.file_id)
        made = table.values[variable.id, variable.name][0]
        given = made.arguments[1:] if type(made) is Call else ()
        limits = [each.value for each in given if each.keyword in ("", "bound")]
        types = [parse_type(e.text) if type(e) is Text else InstanceOf(e) for e in limits]
        return union(self.evaluate(variable.file_id, table.module, each) for each in types)

    def _answer(self, question: Question) -> Values:
        """Evaluate a question of the solver. Rules that may need themselves are questions."""
        # The most frequent first; `match` takes several times as long.
        if isinstance(question, NameInScope):
            return answer_name(self, question)
        if isinstance(question, NameInModule):
            return answer_module_name(self, question)
        if isinstance(question, Parameter):
            return answer_parameter(self, question)
        if isinstance(question, Result):
            return self._answer_result(question.function_id)
        if isinstance(question, ModuleMember):
            return answer_module_member(self, question)
        if isinstance(question, Elements):
            collection = question.collection
            file_id, scope = collection.file_id, collection.scope
            parts = parts_at(self, collection, question.index)
            return union([self.evaluate(file_id, scope, part) for part in parts])
        return answer_member(self, question)

    def _is_another(self, returned: Expression, function: Definition) -> bool:
        """Whether what a function returns is another instance of its receiver's class, be it by a
        local name."""
        made: Sequence[Expression] = (returned,)
        if type(returned) is Name:
            table = self.tables.table_for(function.file_id, function.id, returned.name)
            made = table.values.get((function.id, returned.name), ())
        return bool(made) and all(
            type(each) is Call and self._makes_another(each, function) for each in made
        )

    def _makes_another(self, call: Call, function: Definition) -> bool:
        """Whether a call in a function makes another instance of its receiver's class."""
        if call.callee not in _RECEIVER_CLASSES:
            return False
        # A function without a class may call a parameter or a variable so.
        name = call.callee.name if type(call.callee) is Name else ""
        table = self.tables.table_for(function.file_id, function.id, name)
        # A parameter of that name is the receiver's class where it comes first.
        is_bound = (function.id, name) in table.values or name in parameter_names(function)[1:]
        return not is_bound and self.classes.enclosing(function.file_id, function.id) is not None

    def _answer_result(self, function_id: int) -> Values:
        definition = self.prototypes.defined(self.tables.definition(function_id))
        function_id = definition.id
        table = self.tables.table_of(definition.file_id, function_id)
        if definition.kind is SymbolKind.TYPE:
            of = type_aliased(definition.signature)
            return self.evaluate(definition.file_id, definition.parent or table.module, of)
        self_names = definition.file.language.self_names
        found: set[Value] = set()
        # A declared result is one class, where the values that are returned may be of many.
        results = table.results.get(function_id, ())
        if definition.kind == SymbolKind.PROPERTY:  # what its declaration says of it
            self.tables.table_for(definition.file_id, function_id, definition.name)
            results = [*results, *table.values.get((function_id, definition.name), ())]
        telling = without_variables(self, definition.file_id, function_id, results)
        for returned in declared_or_all(telling):
            is_self = (
                type(returned) is Name
                and returned.name in self_names
                and (function_id, returned.name) not in table.values
            )
            is_new = self._is_another(returned, definition)
            if is_self or is_new:  # what it was called on, or another of its class
                found.add(Value(Receiver(), rules.LOCAL))
            else:
                found |= self.evaluate(definition.file_id, function_id, returned)
        yields = table.yields.get(function_id, ())
        if yields:  # calling it makes a generator, which is a collection of all it yields
            elements = tuple(
                ElementOf(each.of) if type(each) is Spread else each for each in yields
            )
            made = Collection(definition.file_id, function_id, ListLiteral(elements))
            found.add(Value(made, rules.LOCAL))
        return frozenset(found)
