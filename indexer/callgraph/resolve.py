"""Which definitions does a use mean? By following values where they can be followed, else by name.

What `indexer.callgraph.values.evaluate` finds comes first. A use that it knows nothing about is
left to `indexer.callgraph.by_name`. A use that is known to mean something outside of the tree, and
one that no rule answers, stay unresolved.
"""

from collections.abc import Iterator

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.by_name import resolution, resolve_by_name
from satchel.indexer.callgraph.callbacks import callbacks, scope_of, sites_of
from satchel.indexer.callgraph.events import handlers
from satchel.indexer.callgraph.expressions.nodes import Call, is_only_narrowed
from satchel.indexer.callgraph.expressions.parser import parse_expression, parse_operated
from satchel.indexer.callgraph.extensions import extensions
from satchel.indexer.callgraph.outside import is_outside
from satchel.indexer.callgraph.overloads import matching_overloads
from satchel.indexer.callgraph.reads import reads
from satchel.indexer.callgraph.tables.bindings import (
    CALLBACKS,
    Definition,
    Resolution,
    Use,
    can_mean,
)
from satchel.indexer.callgraph.tables.imported_names import imported_from
from satchel.indexer.callgraph.tables.signatures import has_parameter
from satchel.indexer.callgraph.values.dispatch.fixtures import asks_for, fixture_of
from satchel.indexer.callgraph.values.dispatch.overriders import (
    MAX_OVERRIDERS,
    is_filled_in,
    subclasses_of_uninstantiated,
)
from satchel.indexer.callgraph.values.dispatch.single_dispatch import is_generic, registered_for
from satchel.indexer.callgraph.values.elements import has_only_elements
from satchel.indexer.callgraph.values.evaluate import Evaluator
from satchel.indexer.callgraph.values.members import CONSTANT_BY_NAME
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    HOLDERS_OF_VALUES,
    UNKNOWN,
    BoundMethod,
    Collection,
    Def,
    External,
    Instance,
    SuperOf,
    Value,
    Values,
    in_order,
    is_partial_literal,
    union,
)
from satchel.indexer.callgraph.values.names import name_in_scope
from satchel.indexer.extract.references import ITERATION, LOOP, RESULT
from satchel.indexer.languages.name_rules import EVENTS, Library
from satchel.indexer.languages.operators import RUN_BY_OPERATORS
from satchel.store.model import BUILT_ON, CLASS_LIKE, FUNCTIONS, ReferenceKind, SymbolKind
from satchel.store.reading.prototypes import is_prototype

_CALL = ReferenceKind.CALL  # until Python 3.12, looking it up takes as long as calling a function
_READ = ReferenceKind.READ
MAX_TARGETS = 8
"""A use that may mean more than so many definitions is not resolved."""
_MOST_STEPS = 4
"""Modules through which a constant may be exported again; two may do so in a circle."""
_NEXT_METHODS = {ITERATION: "__next__", LOOP: "next"}
"""The method that gives a loop each next element, by the one that it calls first."""
_CALLED_BY_SYNTAX = RUN_BY_OPERATORS | {RESULT, ITERATION, LOOP}
"""Methods that syntax calls without their names: nothing is guessed by these."""
_SERIALIZATION_METHODS = frozenset({"readObject", "writeObject"})
"""Methods that Java's serialization has itself, and calls of classes that it reads and writes."""
_NAMES_OF_BASES = frozenset({"super", "super()", "parent", "base"})


def resolve(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """What a use means, surest first, then by file and position; [] when that is not known."""
    found = reads(use, evaluator) if use.kind is _READ else _definitions_named_by(use, evaluator)
    if use.kind is _CALL and use.name in EVENTS.publishing:
        found = [*found, *handlers(use, evaluator, found)]
    if not found or not any(
        is_prototype(each.target.kind, each.target.signature) for each in found
    ):
        return found
    defined: dict[int, Resolution] = {}
    for each in found:  # the surest first: several prototypes may announce one definition
        target = evaluator.prototypes.defined(each.target)
        defined.setdefault(target.id, Resolution(target, each.rule, each.confidence, each.line))
    return list(defined.values())


def _definitions_named_by(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """What a use names, which may be a prototype."""
    if _means_nothing(use, evaluator):
        return []
    fixture = _fixture(use, evaluator)
    if fixture and len(use.lines) < 2:
        return fixture  # the parameter alone: what it is given is not called
    values, is_known = _values_of_use(use, evaluator)
    found = [*fixture, *_resolutions(use, values, evaluator)]
    if not found and use.kind is _CALL and use.name not in RUN_BY_OPERATORS:
        found = _extensions(use, evaluator) or callbacks(use, evaluator)
    if found:
        # Without the least sure of too many, if that leaves any.
        is_bounded = len(found) <= MAX_TARGETS
        few = [each for each in found if is_bounded or each.confidence > found[-1].confidence]
        is_told = len(few) <= MAX_TARGETS
        return _with_dispatch_targets(few, use, values, evaluator) if is_told else []
    has_reflection = evaluator.tables.file(use.file_id).rules.has_reflection
    is_serialized = has_reflection and use.name in _SERIALIZATION_METHODS
    is_known = is_known and not is_serialized
    if is_known or use.name in _CALLED_BY_SYNTAX:
        return []
    made = _imported_constant(use, evaluator) if use.kind is _CALL else []
    if made:
        return made
    guess = _guess(use, evaluator, is_serialized=is_serialized)
    if guess is None:
        return []
    meant = _overloads(use, guess.target, evaluator)
    found = [Resolution(each, guess.rule, guess.confidence) for each in meant]
    return [*found, *_constructors(guess, use, evaluator)]


def _fixture(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """The fixture of pytest that a test is given under a name."""
    caller = _caller_in_python(use, evaluator)
    if caller is None or not asks_for(evaluator, caller, use.name):
        return []
    fixture = fixture_of(evaluator, caller, use.name)
    return [resolution(rules.VALUE_RULES[rules.DECORATED], fixture)] if fixture else []


def _caller_in_python(use: Use, evaluator: Evaluator) -> Definition | None:
    """What a call of a name alone stands in, where that is Python."""
    if use.kind is not _CALL or use.receiver:
        return None
    table = evaluator.tables.table(use.file_id)
    if table.imports.file.rules.library is not Library.PYTHON:
        return None
    return table.definitions[scope_of(use, table)]


def _guess(use: Use, evaluator: Evaluator, *, is_serialized: bool) -> Resolution | None:
    """What a use means by its name; None where what it is called on has no member of the tree."""
    imports = evaluator.tables.imports(use.file_id)
    # In other languages a parameter may well be the function of its name, handed on.
    caller = _caller_in_python(use, evaluator)
    if caller and caller.kind in CALLBACKS and has_parameter(caller, use.name):
        return None
    guess = resolve_by_name(use, imports, evaluator.tables.candidates)
    if guess is not None and _is_of_another_function(use, guess, evaluator):
        return None
    is_near = guess is not None and guess.rule == rules.VALUE_RULES[rules.LOCAL].name
    # Where a method needs no receiver, functions and variables most often have names of their own.
    if is_near and not imports.file.language.implicit_receiver and _is_variable(use, evaluator):
        return None
    if guess is not None and (of_tests := _of_tests(use, guess, evaluator)):
        shared = [each for each in of_tests if each.top_level]
        return resolution(rules.UNIQUE, shared[0]) if len(of_tests) == len(shared) == 1 else None
    is_likely = guess is None or guess.rule != rules.UNIQUE_MEMBER.name
    if guess is None or is_likely or is_serialized or not use.receiver:
        return guess
    # What calls its own name on something else hands on to it.
    is_own = guess.target.id == scope_of(use, evaluator.tables.table(use.file_id))
    return None if is_own or is_outside(use, guess.target, evaluator) else guess


def _is_of_another_function(use: Use, guess: Resolution, evaluator: Evaluator) -> bool:
    """Whether a bare name was taken for what a function elsewhere defines for itself."""
    only = guess.target
    if use.receiver or guess.rule != rules.UNIQUE.name or not only.parent or only.top_level:
        return False
    around = evaluator.tables.table_at(only.file_id, only.id).definitions[only.parent]
    is_inside = use.scope == only.scope or use.scope.startswith(f"{only.scope}.")
    return around.kind in FUNCTIONS and not is_inside


def _is_variable(use: Use, evaluator: Evaluator) -> bool:
    """Whether a function around a use gives its name a value, of which nothing is known."""
    table = evaluator.tables.table(use.file_id)
    scope = scope_of(use, table)
    while scope != table.module and not use.receiver and use.kind is _CALL:
        values = table.values.get((scope, use.name), ())
        if values and (scope, use.name) not in table.children and not is_only_narrowed(values):
            return table.definitions[scope].kind in FUNCTIONS
        scope = table.definitions[scope].parent
    return False


def _of_tests(use: Use, guess: Resolution, evaluator: Evaluator) -> list[Definition]:
    """What tests define under a name by which a test was taken to call product code."""
    is_bound = use.name in evaluator.tables.imports(use.file_id).by_local_name
    is_far = guess.rule == rules.UNIQUE.name and not (guess.target.is_test or use.receiver)
    table = evaluator.tables.table(use.file_id)
    if is_bound or not is_far or not table.definitions[use.scope_id].is_test:
        return []
    known = evaluator.tables.candidates(use.name, use.kind, guess.target.file.family)
    return [each for each in known.all if each.is_test]


def _means_nothing(use: Use, evaluator: Evaluator) -> bool:
    """Whether a use means nothing in the tree, whatever its receiver is."""
    if use.kind in BUILT_ON:
        # A class without a name: the function around it is no subclass.
        definitions = evaluator.tables.table(use.file_id).definitions
        return definitions[use.scope_id].kind in FUNCTIONS
    return evaluator.tables.runs_nothing(use.name)


def _values_of_use(use: Use, evaluator: Evaluator) -> tuple[Values, bool]:
    """The values of what is used, and whether a lack of them is knowledge too."""
    table = evaluator.tables.table(use.file_id)
    scope, names = scope_of(use, table), table.imports.file.rules
    if use.kind is not _CALL:
        # Types are named and not computed, so the classes' own look-up is enough.
        path = f"{use.receiver}.{use.name}" if use.receiver else use.name
        types = evaluator.classes.named(use.file_id, scope, parse_expression(path))
        rule = rules.LOCAL if any(d.file_id == use.file_id for d in types) else rules.IMPORTED
        named = frozenset(Value(Def(d.id), rule) for d in types[:1])
        return named, not named and _is_outside(use, scope, evaluator)
    if use.name == RESULT:
        return evaluator.evaluate(use.file_id, scope, parse_expression(use.receiver)), True
    if not use.receiver:
        if use.name in names.reserved_builtins:
            return EMPTY, True
        found = name_in_scope(evaluator, use.file_id, scope, use.name)
        return found, any(type(value.what) in UNKNOWN for value in found)
    parse = parse_operated if names.operators_are_methods else parse_expression
    receivers = evaluator.evaluate(use.file_id, scope, parse(use.receiver))
    if not receivers:
        return EMPTY, False
    # A property of a collection gives an element where it is read; a call is of a method.
    holders = [value for value in in_order(receivers) if not has_only_elements(value)]
    values = union([evaluator.member(value, use.name) for value in holders])
    if names.files_are_modules and not values:
        return EMPTY, False  # a module may be another one, or include it
    if use.name in _NEXT_METHODS:
        # A loop calls `__iter__` once, then again and again `__next__` of what that returned.
        methods = [value for value in in_order(values) if type(value.what) is BoundMethod]
        iterators = union(evaluator.call(method) for method in methods)
        made = [
            value for value in in_order(iterators) if isinstance(value.what, Instance | Collection)
        ]
        values |= union(evaluator.member(iterator, _NEXT_METHODS[use.name]) for iterator in made)
    return values, any(not is_partial_literal(value) for value in receivers)


def _is_outside(use: Use, scope: int, evaluator: Evaluator) -> bool:
    """Whether a type is certainly one of a package outside of the tree: `time.Duration`."""
    if not use.receiver or not evaluator.tables.file(use.file_id).rules.imports_complete:
        return False
    holders = evaluator.evaluate(use.file_id, scope, parse_expression(use.receiver))
    return bool(holders) and all(type(value.what) is External for value in holders)


def _resolutions(use: Use, values: Values, evaluator: Evaluator) -> list[Resolution]:
    """The definitions that some values are, each by the surest rule, with the constructors that
    calling them runs."""
    targets = [
        (value.rule, rule, target)
        for value in values
        for meant, rule in _targets_of_value(use, value, evaluator)
        for target in _overloads(use, meant, evaluator)
        if can_mean(use.kind, target.kind)
        # `Enum.valueOf(…)` finds a constant and runs nothing of the enum.
        and (use.name != CONSTANT_BY_NAME or target.kind != SymbolKind.ENUM)
    ]
    if not targets:
        return []
    best: dict[int, Resolution] = {}
    # Sets have no order: by rules and ids, so that the same edge has the same rule every time.
    for _, rule, target in sorted(targets, key=lambda t: (t[0], t[1], t[2].id)):
        followed = rules.VALUE_RULES[rule]
        if rule == rules.LOCAL and use.receiver and use.name != RESULT:
            names = evaluator.tables.file(use.file_id).language.self_names
            followed = rules.SELF if use.receiver in names else rules.QUALIFIED
        known = best.get(target.id)
        if known is None or known.confidence < followed.confidence:
            best[target.id] = resolution(followed, target)
    # An edge to a constructor is as sure as the class it makes an instance of.
    made = [c for found in list(best.values()) for c in _constructors(found, use, evaluator)]
    for constructor in made:
        best.setdefault(constructor.target.id, constructor)
    return sorted(best.values(), key=lambda r: (-r.confidence, r.target.id))


def _targets_of_value(
    use: Use, value: Value, evaluator: Evaluator
) -> Iterator[tuple[Definition, int]]:
    """What using a value runs or names, each with the least sure rule on the way."""
    what, tables = value.what, evaluator.tables
    if type(what) is Def or type(what) is BoundMethod:
        yield tables.definition(what.symbol_id), value.rule
    elif use.kind is not _CALL:
        return
    elif type(what) is Instance:
        operator = tables.definition(what.class_id).file.rules.call_operator
        for called in evaluator.member(value, operator):
            if type(called.what) is BoundMethod:
                yield tables.definition(called.what.symbol_id), called.rule
        if use.name == "this":  # `this(…)` in a constructor runs another one of the class
            yield from _delegated_constructors(evaluator, what.class_id, value.rule, n_above=0)
    elif type(what) is SuperOf and use.name == "super":
        yield from _delegated_constructors(evaluator, what.class_id, value.rule, n_above=1)


def _delegated_constructors(
    evaluator: Evaluator, class_id: int, rule: int, *, n_above: int
) -> Iterator[tuple[Definition, int]]:
    """The constructor, where it is called like its class, of the n-th class in the order of one."""
    order, _ = evaluator.classes.mro(evaluator.tables.definition(class_id))
    for base in order[n_above:]:
        # Python's `super()` runs none.
        is_script = base.file.rules.members_are_items
        for name in (*(base.file.language.constructors if is_script else ()), base.name):
            for constructor in evaluator.classes.members(base, name)[:1]:
                if constructor.kind == SymbolKind.CONSTRUCTOR:
                    yield constructor, rule
                    return


def _overloads(use: Use, target: Definition, evaluator: Evaluator) -> list[Definition]:
    """The functions that a call means, of one and those that differ from it by parameters."""
    if use.kind is not _CALL or target.kind not in FUNCTIONS:
        return [target]
    # Languages without overloads note no such calls.
    table = evaluator.tables.table(use.file_id)
    if not table.overloaded_calls:
        return [target]
    around = target.parent or target.id
    home = evaluator.tables.table_for(target.file_id, around, target.name)
    return matching_overloads(target, home, table, scope_of(use, table), use.name)


def _with_dispatch_targets(
    found: list[Resolution], use: Use, values: Values, evaluator: Evaluator
) -> list[Resolution]:
    """What a use means, and behind it what may run instead of what a call names."""
    if use.kind is not _CALL:
        return found
    more = [
        *_overriders(use, values, evaluator),
        *_constructors_of_subclasses(found, use, evaluator),
        *_registered_functions(found, use, evaluator),
    ]
    known = {each.target.id for each in found}
    return [*found, *(each for each in more if each.target.id not in known)]


def _constructors_of_subclasses(
    found: list[Resolution], use: Use, evaluator: Evaluator
) -> list[Resolution]:
    """The constructors of subclasses that `cls(…)` runs in a method of a class."""
    language = evaluator.tables.file(use.file_id).language
    if use.receiver or use.name not in language.names.class_names:
        return []
    scope = scope_of(use, evaluator.tables.table(use.file_id))
    around = evaluator.classes.enclosing(use.file_id, scope)
    subclasses = evaluator.classes.subclasses(around) if around else ()
    if around is None or around.id not in {each.target.id for each in found}:
        return []
    made = [resolution(rules.OVERRIDE, each) for each in subclasses]
    run = [each for one in made for each in _constructors(one, use, evaluator)]
    return run if len(run) <= MAX_OVERRIDERS else []


def _overriders(use: Use, values: Values, evaluator: Evaluator) -> list[Resolution]:
    """The methods of subclasses that may run instead of those that a use names."""
    file = evaluator.tables.file(use.file_id)
    head = use.receiver.partition(".")[0]
    if head in _NAMES_OF_BASES or use.receiver.startswith("new "):
        return []
    # Elsewhere than behind a declared type and the receiver, values are instances that were made.
    is_typed = file.rules.values_are_typed or use.receiver in file.language.self_names
    found: dict[int, Resolution] = {}
    for value in values:
        what = value.what
        if type(what) is not BoundMethod:
            continue
        method = evaluator.tables.definition(what.symbol_id)
        holder = evaluator.tables.definition(what.class_id)
        # A method with a body that an interface brings along calls what others fill in.
        is_default = not use.receiver and is_filled_in(holder)
        is_protocol = evaluator.structural.is_protocol(holder)  # of which nothing is made
        # Of a class that nothing makes by name there are instances of its subclasses alone.
        is_uninstantiated = bool(subclasses_of_uninstantiated(evaluator, holder))
        if (
            is_typed
            or is_default
            or is_protocol
            or is_uninstantiated
            or value.rule == rules.DECLARED
        ):
            overriders = evaluator.overriders.of(method, holder)
            is_only = len(overriders) == 1 and is_filled_in(holder)
            rule = rules.IMPLEMENTATION if is_only else rules.OVERRIDE
            for each in overriders:
                # The values are a set: what is surer must not depend on which of them comes last.
                if is_only or each.id not in found:
                    found[each.id] = resolution(rule, each)
    return [found[each] for each in sorted(found)]


def _registered_functions(
    found: list[Resolution], use: Use, evaluator: Evaluator
) -> list[Resolution]:
    """What runs in the place of Python's generic functions, for the arguments of a call."""
    return [
        resolution(rules.VALUE_RULES[rules.ARGUMENT], each)
        for generic in found
        if is_generic(evaluator, generic.target)
        for each in registered_for(
            evaluator, generic.target, [site for _, site in sites_of(use, evaluator)]
        )
    ]


def _extensions(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """The extension that is called on a receiver which has no such member, as far as is known."""
    found = extensions(use, evaluator.tables) if use.receiver else []
    return [
        Resolution(meant, each.rule, each.confidence)
        for each in found
        for meant in _overloads(use, each.target, evaluator)
    ]


def _imported_constant(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """A constant of another module that is called, whose value a call gave: what it holds is a
    function without a name, so that the constant stands for it."""
    tables = evaluator.tables
    if use.receiver or not tables.file(use.file_id).rules.members_are_items:
        return []
    found = _exported_constant(use.file_id, use.name, evaluator, 0)
    return [resolution(rules.HELD, found)] if found else []


def _exported_constant(
    file_id: int, name: str, evaluator: Evaluator, steps: int
) -> Definition | None:
    """The constant that a file imports under a name, through modules that export it again."""
    tables = evaluator.tables
    for other, original in imported_from(tables, file_id, name, with_stars=steps > 0):
        module = tables.table(other).module
        table = tables.table_for(other, module, original)
        values = table.values.get((module, original), ())
        for each in table.children.get((module, original), ()):
            if each.kind in HOLDERS_OF_VALUES and any(type(v) is Call for v in values):
                return each
        found = (
            _exported_constant(other, original, evaluator, steps + 1)
            if steps < _MOST_STEPS
            else None
        )
        if found is not None:
            return found
    return None


def _constructors(made: Resolution, use: Use, evaluator: Evaluator) -> list[Resolution]:
    """The constructor that a call of a class runs, its own or the nearest inherited one."""
    holder = made.target
    if use.kind is not _CALL or holder.kind not in CLASS_LIKE:
        return []
    if evaluator.classes.is_enum(holder):  # its constants were made with the class
        return []
    # Names first, then the order: an inherited `__init__` before a `__new__` of the class itself.
    order, _ = evaluator.classes.mro(holder)
    for name in (*holder.file.language.constructors, holder.name):
        for base in order:
            found = [
                member
                for member in evaluator.classes.members(base, name)
                if member.kind == SymbolKind.CONSTRUCTOR
            ]
            # One that is called like its class is not inherited, but that of the base runs.
            if not found and name == holder.name and base.id != holder.id:
                own = evaluator.classes.members(base, base.name)
                found = [member for member in own if member.kind == SymbolKind.CONSTRUCTOR]
            if found:
                meant = _overloads(use, found[0], evaluator)
                return [Resolution(d, rules.CONSTRUCTOR.name, made.confidence) for d in meant]
    return []
