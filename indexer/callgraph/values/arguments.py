"""What the parameters of a function may be given, by the calls of it that can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.expressions import expressions
from satchel.indexer.callgraph.expressions.expressions import Expression
from satchel.indexer.callgraph.tables.bindings import Definition, parameters
from satchel.indexer.callgraph.tables.file_table import CLASS_LIKE
from satchel.indexer.callgraph.tables.flow_places import Site
from satchel.indexer.callgraph.tables.index_tables import key
from satchel.indexer.callgraph.values.solver import ANYTHING, EMPTY, Value, Values
from satchel.store.model import SymbolKind

if TYPE_CHECKING:
    from satchel.indexer.callgraph.values.evaluate import Evaluator

MAX_SITES = 24
"""A function with more calls than this is given so much that its parameters tell nothing."""
_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "__construct", "initialize"})
_BOUND = ("self", "cls", "this")


def argument_values(evaluator: Evaluator, function_id: int, name: str) -> Values:
    """Everything that some call hands to the parameter `name`."""
    tables = evaluator.tables
    function = tables.definition(function_id)
    if function.kind in CLASS_LIKE:
        return EMPTY
    found: set[Value] = set()
    sites = list(tables.sites(_called_as(evaluator, function), MAX_SITES))
    tables.read(function.file_id, function_id)
    if function.place.family == "python":
        sites += _through_other_names(evaluator, function)
    if len(sites) > MAX_SITES:
        return ANYTHING
    for site in sites:
        found |= _given(evaluator, function, name, site)
    return frozenset(
        (kind, target, extra, max(rule, rules.ARGUMENT)) for kind, target, extra, rule in found
    )


def _called_as(evaluator: Evaluator, function: Definition) -> str:
    if function.name in _CONSTRUCTORS:
        return evaluator.tables.definition(function.parent).name
    return function.name


def _through_other_names(evaluator: Evaluator, function: Definition) -> list[Site]:
    """Calls in the same file of names that hold a value: variables, parameters."""
    table = evaluator.tables.file(function.file_id)
    evaluator.tables.touched.add(key("sites", function.place.path))
    if table.elsewhere is None:
        held = {name for _, name in table.flows}
        table.elsewhere = [
            site
            for callee, sites in table.sites.items()
            if callee in held or table.takes(callee)
            for site in sites
            if not site.decorates and site.callee == callee and _is_local(evaluator, site)
        ]
    return table.elsewhere


def _is_local(evaluator: Evaluator, site: Site) -> bool:
    """Whether the name that is called is bound in the file, by an assignment or as a parameter."""
    table = evaluator.tables.file(site.file_id)
    scope = site.scope
    while True:
        definition = table.definitions[scope]
        if (scope, site.callee) in table.flows or site.callee in parameters(definition):
            return True
        if scope == table.module:
            return False
        scope = definition.parent


def _given(evaluator: Evaluator, function: Definition, name: str, site: Site) -> Values:
    """What one call gives, if it may be a call of this function."""
    tables = evaluator.tables
    tables.read(site.file_id, site.scope)
    callee = expressions.read(site.callee)
    called = evaluator.of(site.file_id, site.scope, callee)
    is_plain = any(kind == "def" and target == function.id for kind, target, _, _ in called)
    is_bound = any(_runs(evaluator, value, function) for value in called)
    if not is_bound and not is_plain:
        return EMPTY
    names = parameters(function)
    if is_bound and names[:1] and names[0] in _BOUND:
        names = names[1:]
    if site.decorates:
        return _decorated(evaluator, site, callee) if names[:1] == (name,) else EMPTY
    expression = _argument(names, name, expressions.arguments(site.arguments))
    return evaluator.of(site.file_id, site.scope, expression) if expression else EMPTY


def _decorated(evaluator: Evaluator, site: Site, decorator: Expression) -> Values:
    """What a decorator gets: what those below it made of the function, else the function."""
    definition = evaluator.tables.definition(site.decorates)
    decorators = evaluator.tables.file(site.file_id).flows.get((definition.id, "@"), [])
    below = decorators[decorators.index(decorator) + 1 :] if decorator in decorators else []
    own: Values = frozenset({("def", definition.id, 0, rules.ARGUMENT)})
    return evaluator.scopes.decorated(definition, below) or own


def _runs(evaluator: Evaluator, value: Value, function: Definition) -> bool:
    """Whether calling a value runs the function on a receiver that is no argument."""
    kind, target, _, _ = value
    if kind == "bound":
        return target == function.id
    return kind == "def" and function.name in _CONSTRUCTORS and _makes(evaluator, target, function)


def _makes(evaluator: Evaluator, class_id: int, constructor: Definition) -> bool:
    """Whether calling a class runs this constructor, its own or an inherited one."""
    holder = evaluator.tables.definition(class_id)
    if holder.kind not in CLASS_LIKE and holder.kind != SymbolKind.TYPE:
        return False
    order, _ = evaluator.classes.order(holder)
    return any(place.id == constructor.parent for place in order)


def _argument(
    names: tuple[str, ...], name: str, given: tuple[tuple[str, Expression], ...]
) -> Expression | None:
    """The argument that a parameter gets."""
    for position, (keyword, value) in enumerate(given):
        if value[0] == "star":
            return None
        if keyword == name or (not keyword and names[position : position + 1] == (name,)):
            return value
        if position >= len(names):
            return None
    return None
