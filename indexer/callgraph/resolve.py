"""Which definitions does a use mean? By following values where they can be followed, else by name.

What `indexer.callgraph.values.evaluate` finds comes first. A use that it knows nothing about is
left to `indexer.callgraph.by_name`. A use that is known to mean something outside of the tree, and
one that no rule answers, stay unresolved.
"""

from __future__ import annotations

from collections.abc import Iterator

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.by_name import resolution, resolve_by_name
from satchel.indexer.callgraph.expressions.nodes import Call, DictLiteral, Name
from satchel.indexer.callgraph.expressions.parser import parse_expression
from satchel.indexer.callgraph.overloads import matching_overloads
from satchel.indexer.callgraph.tables.bindings import (
    CALLBACKS,
    Definition,
    Resolution,
    Use,
    can_mean,
)
from satchel.indexer.callgraph.tables.file_table import CallSite
from satchel.indexer.callgraph.tables.flow_texts import (
    last_name,
    made_in_arguments,
    names_in_arguments,
)
from satchel.indexer.callgraph.tables.imported_names import imported_from
from satchel.indexer.callgraph.values.evaluate import Evaluator
from satchel.indexer.callgraph.values.members import CONSTANT_BY_NAME
from satchel.indexer.callgraph.values.model import (
    EMPTY,
    HOLDERS_OF_VALUES,
    Anything,
    BoundMethod,
    Collection,
    Def,
    External,
    Instance,
    SuperOf,
    Value,
    Values,
    in_order,
    union,
)
from satchel.indexer.callgraph.values.overriders import is_generic, registered_for
from satchel.indexer.extract.references import ITERATION, LOOP, RESULT
from satchel.indexer.languages.operators import RUN_BY_OPERATORS
from satchel.store.model import BUILT_ON, CLASS_LIKE, FUNCTIONS, ReferenceKind, SymbolKind

MAX_TARGETS = 8
"""A use that may mean more than so many definitions is not resolved."""
_STEPS = {ITERATION: "__next__", LOOP: "next"}
"""What a loop asks again and again for the next element, by what it asked first."""
_RUN_BY_SYNTAX = RUN_BY_OPERATORS | {RESULT, ITERATION, LOOP}
"""Names that are not written where they are used: nothing is guessed by them."""
_NAMES_OF_BASES = frozenset({"super", "super()", "parent", "base"})
_STORING = frozenset(
    "push set add append put unshift insert setdefault appendleft assign freeze of from log print"
    " warn error info debug bind send Map Set WeakMap set_defaults".split()
)
"""What keeps or shows what it is handed, and calls nothing of it."""
_CALLING_NOTHING = frozenset(
    "print str repr type isinstance issubclass id callable hasattr getattr setattr hash bool list"
    " tuple dict set frozenset super vars dir String Boolean Symbol Array Object"
    " staticmethod classmethod property partial partialmethod cast wraps lru_cache".split()
)
"""Functions that languages bring along, and that call nothing of what they are handed."""
_FILLING_ARRAY = ("Array", "from")
"""Which keeps what it is handed first, and calls what comes second."""
_INTERFACES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})


def resolve(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """What a use means, surest first, then by file and position; [] when that is not known."""
    if _means_nothing(use, evaluator):
        return []
    values, is_known = _values_of_use(use, evaluator)
    found = _resolutions(use, values, evaluator)
    if not found and use.kind == ReferenceKind.CALL and use.name not in RUN_BY_OPERATORS:
        found = _callbacks(use, evaluator)
    if found:
        if len(found) > MAX_TARGETS:
            return []
        more = _also_run(found, use, values, evaluator) if use.kind == ReferenceKind.CALL else []
        known = {each.target.id for each in found}
        return [*found, *(each for each in more if each.target.id not in known)]
    if is_known or use.name in _RUN_BY_SYNTAX:
        return []
    made = _imported_constant(use, evaluator) if use.kind == ReferenceKind.CALL else []
    if made:
        return made
    imports = evaluator.tables.imports(use.file_id)
    guess = resolve_by_name(use, imports, evaluator.tables.candidates)
    if guess is None:
        return []
    meant = _overloads(use, guess.target, evaluator)
    found = [Resolution(each, guess.rule, guess.confidence) for each in meant]
    return [*found, *_constructors(guess, use, evaluator)]


def _means_nothing(use: Use, evaluator: Evaluator) -> bool:
    """Whether a use means nothing in the tree, whatever its receiver is."""
    if use.kind in BUILT_ON:
        # A class without a name: the function around it is no subclass.
        definitions = evaluator.tables.table(use.file_id).definitions
        return definitions[use.scope_id].kind in FUNCTIONS
    return evaluator.tables.runs_nothing(use.name)


def _values_of_use(use: Use, evaluator: Evaluator) -> tuple[Values, bool]:
    """The values of what is used, and whether a lack of them is knowledge too."""
    scope = _scope(use, evaluator)
    if use.kind != ReferenceKind.CALL:
        # Types are named and not computed, so the classes' own look-up is enough.
        path = f"{use.receiver}.{use.name}" if use.receiver else use.name
        types = evaluator.classes.named(use.file_id, scope, parse_expression(path))
        rule = rules.PLAIN if any(d.file_id == use.file_id for d in types) else rules.IMPORTED
        return frozenset(Value(Def(d.id), rule) for d in types[:1]), False
    if use.name == RESULT:
        return evaluator.evaluate(use.file_id, scope, parse_expression(use.receiver)), True
    if not use.receiver:
        if use.name in evaluator.tables.place(use.file_id).rules.prelude:
            return EMPTY, True
        found = evaluator.evaluate(use.file_id, scope, Name(use.name))
        return found, any(isinstance(value.what, External | Anything) for value in found)
    rules_of_names = evaluator.tables.place(use.file_id).rules
    receiver = parse_expression(use.receiver, has_operators=rules_of_names.operators_are_methods)
    receivers = evaluator.evaluate(use.file_id, scope, receiver)
    values = union(evaluator.member(value, use.name) for value in in_order(receivers))
    if use.name in _STEPS:
        # A loop calls `__iter__` once, then again and again `__next__` of what that returned.
        methods = [value for value in in_order(values) if isinstance(value.what, BoundMethod)]
        iterators = union(evaluator.call(method) for method in methods)
        made = [
            value for value in in_order(iterators) if isinstance(value.what, Instance | Collection)
        ]
        values |= union(evaluator.member(iterator, _STEPS[use.name]) for iterator in made)
    return values, any(not _is_part(value) for value in receivers)


def _is_part(value: Value) -> bool:
    """Whether all that is known of a value is what was put into it."""
    what = value.what
    return (
        isinstance(what, Collection)
        and isinstance(what.literal, DictLiteral)
        and what.literal.is_part
    )


def _scope(use: Use, evaluator: Evaluator) -> int:
    """The scope of a use; what a variable is given is no scope of its own."""
    definitions = evaluator.tables.table(use.file_id).definitions
    scope = use.scope_id
    while definitions[scope].kind in HOLDERS_OF_VALUES:
        scope = definitions[scope].parent
    return scope


def _resolutions(use: Use, values: Values, evaluator: Evaluator) -> list[Resolution]:
    """The definitions that some values are, each by the surest rule, with the constructors that
    calling them runs."""
    targets = [
        (value.rule, rule, target)
        for value in values
        for meant, rule in _targets(use, value, evaluator)
        for target in _overloads(use, meant, evaluator)
        if can_mean(use.kind, target.kind)
        # `Enum.valueOf(…)` finds a constant and runs nothing of the enum.
        and (use.name != CONSTANT_BY_NAME or target.kind != SymbolKind.ENUM)
    ]
    best: dict[int, Resolution] = {}
    # Sets have no order: by rules and ids, so that the same edge has the same rule every time.
    for _, rule, target in sorted(targets, key=lambda t: (t[0], t[1], t[2].id)):
        followed = rules.VALUE_RULES[rule]
        if rule == rules.PLAIN and use.receiver and use.name != RESULT:
            names = evaluator.tables.place(use.file_id).language.self_names
            followed = rules.SELF if use.receiver in names else rules.QUALIFIED
        known = best.get(target.id)
        if known is None or known.confidence < followed.confidence:
            best[target.id] = resolution(followed, target)
    # An edge to a constructor is as sure as the class it makes an instance of.
    made = [c for found in list(best.values()) for c in _constructors(found, use, evaluator)]
    for constructor in made:
        best.setdefault(constructor.target.id, constructor)
    return sorted(best.values(), key=lambda r: (-r.confidence, r.target.id))


def _targets(use: Use, value: Value, evaluator: Evaluator) -> Iterator[tuple[Definition, int]]:
    """What using a value runs or names, each with the least sure rule on the way."""
    what, tables = value.what, evaluator.tables
    if isinstance(what, Def | BoundMethod):
        yield tables.definition(what.symbol_id), value.rule
    elif use.kind != ReferenceKind.CALL:
        return
    elif isinstance(what, Instance):
        for called in evaluator.member(value, "__call__"):
            if isinstance(called.what, BoundMethod):
                yield tables.definition(called.what.symbol_id), called.rule
        if use.name == "this":  # `this(…)` in a constructor runs another one of the class
            yield from _delegated(evaluator, what.class_id, value.rule, n_above=0)
    elif isinstance(what, SuperOf) and use.name == "super":
        yield from _delegated(evaluator, what.class_id, value.rule, n_above=1)


def _delegated(
    evaluator: Evaluator, class_id: int, rule: int, *, n_above: int
) -> Iterator[tuple[Definition, int]]:
    """The constructor, where it is called like its class, of the n-th class in the order of one."""
    order, _ = evaluator.classes.order(evaluator.tables.definition(class_id))
    for place in order[n_above:]:
        # Python's `super()` runs none.
        is_script = place.place.rules.members_are_items
        for name in (*(place.place.language.constructors if is_script else ()), place.name):
            for constructor in evaluator.classes.members(place, name)[:1]:
                if constructor.kind == SymbolKind.CONSTRUCTOR:
                    yield constructor, rule
                    return


def _overloads(use: Use, target: Definition, evaluator: Evaluator) -> list[Definition]:
    """The functions that a call means, of one and those that differ from it by parameters."""
    if use.kind != ReferenceKind.CALL or target.kind not in FUNCTIONS:
        return [target]
    # Languages without overloads note no such calls.
    table = evaluator.tables.table(use.file_id)
    if not table.overloaded_calls:
        return [target]
    home = evaluator.tables.table_at(target.file_id, target.parent or target.id)
    return matching_overloads(target, home, table, (_scope(use, evaluator), use.name))


def _also_run(
    found: list[Resolution], use: Use, values: Values, evaluator: Evaluator
) -> list[Resolution]:
    """What may run instead of what a call names."""
    return _overriders(use, values, evaluator) + _registered(found, use, evaluator)


def _overriders(use: Use, values: Values, evaluator: Evaluator) -> list[Resolution]:
    """The methods of subclasses that may run instead of those that a use names."""
    place = evaluator.tables.place(use.file_id)
    head = use.receiver.partition(".")[0]
    if head in _NAMES_OF_BASES or use.receiver.startswith("new "):
        return []
    # Elsewhere than behind a declared type and the receiver, values are instances that were made.
    is_typed = place.rules.values_are_typed or use.receiver in place.language.self_names
    found: dict[int, Definition] = {}
    for value in values:
        what = value.what
        if not isinstance(what, BoundMethod):
            continue
        method = evaluator.tables.definition(what.symbol_id)
        holder = evaluator.tables.definition(what.class_id)
        # A method with a body that an interface brings along calls what others fill in.
        is_default = not use.receiver and holder.kind in _INTERFACES
        is_protocol = evaluator.structural.is_protocol(holder)  # of which nothing is made
        if is_typed or is_default or is_protocol or value.rule == rules.DECLARED:
            for each in evaluator.overriders.of(method, holder):
                found[each.id] = each
    return [resolution(rules.OVERRIDER, found[each]) for each in sorted(found)]


def _registered(found: list[Resolution], use: Use, evaluator: Evaluator) -> list[Resolution]:
    """What runs in the place of Python's generic functions, for the arguments of a call."""
    return [
        resolution(rules.VALUE_RULES[rules.ARGUMENT], each)
        for generic in found
        if is_generic(evaluator, generic.target)
        for each in registered_for(
            evaluator, generic.target, [site for _, site in _sites_of(use, evaluator)]
        )
    ]


def _callbacks(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """Functions that are arguments of a call of something unknown, which will call them."""
    is_kept = use.name in _STORING and (use.receiver, use.name) != _FILLING_ARRAY
    is_called = not is_kept and (use.receiver or use.name not in _CALLING_NOTHING)
    found: dict[int, Resolution] = {}
    for line, site in _sites_of(use, evaluator) if is_called else ():
        for definition in _handed_over(site, evaluator):
            meant = resolution(rules.CALLBACK, definition)
            found.setdefault(
                definition.id, Resolution(definition, meant.rule, meant.confidence, line)
            )
    return sorted(found.values(), key=lambda r: r.target.id)


def _sites_of(use: Use, evaluator: Evaluator) -> Iterator[tuple[int, CallSite]]:
    """The calls that a use stands for, each with its line."""
    known = evaluator.tables.table(use.file_id).call_sites.get(use.name, ())
    if not known:
        return
    scope = _scope(use, evaluator)
    sites = [site for site in known if site.scope == scope and not site.decorated]
    # A long receiver is shortened: then all of the name are meant, as they have no position.
    path = f"{use.receiver}.{use.name}" if use.receiver else use.name
    alike = [site for site in sites if site.callee == path]
    if alike and len(alike) == len(use.lines):
        yield from zip(use.lines, alike, strict=True)
        return
    for site in alike or sites:
        yield use.line, site


def _handed_over(site: CallSite, evaluator: Evaluator) -> Iterator[Definition]:
    """The functions that are arguments of a call, and methods of instances that are made there."""
    tables = evaluator.tables
    for name in names_in_arguments(site.arguments):
        # Most names are those of values: they need not be evaluated.
        if tables.names_a_callback(last_name(name)):
            for value in evaluator.evaluate(site.file_id, site.scope, parse_expression(name)):
                yield from _functions(value, evaluator)
    if tables.place(site.file_id).rules.function_types:
        for made in made_in_arguments(site.arguments):
            expression = parse_expression(made)
            for holder in evaluator.classes.named(site.file_id, site.scope, expression)[:1]:
                yield from _methods_of_library(holder, evaluator)


def _methods_of_library(holder: Definition, evaluator: Evaluator) -> list[Definition]:
    """The methods by which a library calls an instance: those of an interface that it brings."""
    table, language = evaluator.tables.table_at(holder.file_id, holder.id), holder.place.rules
    if not any(base.name in language.function_types for base in table.bases.get(holder.id, ())):
        return []
    return [each for each in table.members_of(holder.id) if each.name in language.calling_methods]


def _imported_constant(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """A constant of another module that is called, whose value a call gave: what it holds is a
    function without a name, so that the constant stands for it."""
    tables = evaluator.tables
    if use.receiver or not tables.place(use.file_id).rules.members_are_items:
        return []
    found = _constant_of(use.file_id, use.name, evaluator, 0)
    return [resolution(rules.HELD, found)] if found else []


def _constant_of(file_id: int, name: str, evaluator: Evaluator, steps: int) -> Definition | None:
    """The constant that a file imports under a name, through modules that export it again."""
    tables = evaluator.tables
    for other, original in imported_from(tables, file_id, name, with_stars=steps > 0):
        module = tables.table(other).module
        table = tables.table_at(other, module)
        values = table.values.get((module, original), ())
        for each in table.children.get((module, original), ()):
            if each.kind in HOLDERS_OF_VALUES and any(isinstance(v, Call) for v in values):
                return each
        found = _constant_of(other, original, evaluator, steps + 1) if steps < 4 else None
        if found is not None:
            return found
    return None


def _functions(value: Value, evaluator: Evaluator) -> list[Definition]:
    """The function that a value is, if it is one."""
    if not isinstance(value.what, Def | BoundMethod):
        return []
    definition = evaluator.tables.definition(value.what.symbol_id)
    return [definition] if definition.kind in CALLBACKS else []


def _constructors(made: Resolution, use: Use, evaluator: Evaluator) -> list[Resolution]:
    """The constructor that a call of a class runs, its own or the nearest inherited one."""
    holder = made.target
    if use.kind != ReferenceKind.CALL or holder.kind not in CLASS_LIKE:
        return []
    if evaluator.classes.is_enum(holder):  # its constants were made with the class
        return []
    # Names first, then the order: an inherited `__init__` before a `__new__` of the class itself.
    order, _ = evaluator.classes.order(holder)
    for name in (*holder.place.language.constructors, holder.name):
        for place in order:
            found = [
                member
                for member in evaluator.classes.members(place, name)
                if member.kind == SymbolKind.CONSTRUCTOR
            ]
            # One that is called like its class is not inherited, but that of the base runs.
            if not found and name == holder.name and place.id != holder.id:
                own = evaluator.classes.members(place, place.name)
                found = [member for member in own if member.kind == SymbolKind.CONSTRUCTOR]
            if found:
                meant = _overloads(use, found[0], evaluator)
                return [Resolution(d, rules.CONSTRUCTOR.name, made.confidence) for d in meant]
    return []
