"""Callbacks: functions that are passed to functions outside of the tree, which will call them.

What some of them do is known by name (`CallbackRules`). All others are taken to call every function
that they are passed.
"""

from collections.abc import Iterator

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.by_name import resolution
from satchel.indexer.callgraph.expressions.nodes import Attribute, Expression, Name
from satchel.indexer.callgraph.expressions.parser import parse_arguments, parse_expression
from satchel.indexer.callgraph.tables.bindings import CALLBACKS, Definition, Resolution, Use
from satchel.indexer.callgraph.tables.file_table import CallSite, FileTable
from satchel.indexer.callgraph.tables.flow_texts import (
    last_name,
    made_in_arguments,
    names_in_arguments,
)
from satchel.indexer.callgraph.values.evaluate import Evaluator
from satchel.indexer.callgraph.values.model import (
    HOLDERS_OF_VALUES,
    BoundMethod,
    Def,
    Value,
    in_order,
)
from satchel.indexer.languages.name_rules import CallbackRules


def callbacks(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """Functions that are arguments of a call of something unknown, by position of definition."""
    language = evaluator.tables.file(use.file_id).rules.callbacks
    is_stored = use.name in language.storing
    if is_stored and f"{use.receiver}.{use.name}" not in language.storing_excepted:
        return []
    # A method of that name may be anybody's, and call what it is passed.
    if not use.receiver and use.name in language.not_calling:
        return []
    found: dict[int, Resolution] = {}
    for line, site in sites_of(use, evaluator):
        for definition in _passed_functions(site, evaluator, language, use.name):
            meant = resolution(rules.CALLBACK, definition)
            found.setdefault(
                definition.id, Resolution(definition, meant.rule, meant.confidence, line)
            )
    return sorted(found.values(), key=lambda r: r.target.id)


def sites_of(use: Use, evaluator: Evaluator) -> Iterator[tuple[int, CallSite]]:
    """The calls that a use stands for, each with its line."""
    table = evaluator.tables.table(use.file_id)
    sites = table.sites_in(scope_of(use, table), use.name)
    if not sites:
        return
    # A long receiver is shortened: then all of the name are meant, as they have no position.
    path = f"{use.receiver}.{use.name}" if use.receiver else use.name
    alike = [site for site in sites if site.callee == path]
    if alike and len(alike) == len(use.lines):
        yield from zip(use.lines, alike, strict=True)
        return
    for site in alike or sites:
        yield use.line, site


def _passed_functions(
    site: CallSite, evaluator: Evaluator, language: CallbackRules, called: str
) -> Iterator[Definition]:
    """The functions that are arguments of a call, and methods of instances that are made there."""
    tables = evaluator.tables
    arguments = _certain_callbacks(site, language, called)
    # Most names are those of values: they need not be evaluated.
    arguments += [
        parse_expression(name)
        for name in names_in_arguments(site.arguments)
        if tables.names_a_callback(last_name(name))
    ]
    for argument in arguments:
        for value in in_order(evaluator.evaluate(site.file_id, site.scope, argument)):
            yield from _functions(value, evaluator)
    if tables.file(site.file_id).rules.function_types:
        for made in made_in_arguments(site.arguments):
            expression = parse_expression(made)
            for holder in evaluator.classes.named(site.file_id, site.scope, expression)[:1]:
                yield from _methods_of_library(holder, evaluator)


def _certain_callbacks(site: CallSite, language: CallbackRules, called: str) -> list[Expression]:
    """The arguments that the function called `called` is known to call, where they are names."""
    positions = language.calling.get(called)
    if positions is None:
        return []
    return [
        argument.value
        for at, argument in enumerate(parse_arguments(site.arguments))
        if (argument.keyword in language.keywords if argument.keyword else at in positions)
        and isinstance(argument.value, Name | Attribute)
    ]


def _methods_of_library(holder: Definition, evaluator: Evaluator) -> list[Definition]:
    """The methods by which a library calls an instance: those of an interface that it brings."""
    table, language = evaluator.tables.table_at(holder.file_id, holder.id), holder.file.rules
    if not any(base.name in language.function_types for base in table.bases.get(holder.id, ())):
        return []
    return [each for each in table.members_of(holder.id) if each.name in language.calling_methods]


def _functions(value: Value, evaluator: Evaluator) -> list[Definition]:
    """The function that a value is, if it is one."""
    what = value.what
    if type(what) is not Def and type(what) is not BoundMethod:
        return []
    definition = evaluator.tables.definition(what.symbol_id)
    return [definition] if definition.kind in CALLBACKS else []


def scope_of(use: Use, table: FileTable) -> int:
    """The scope of a use in its file; what a variable is given is no scope of its own."""
    definitions = table.definitions
    scope = use.scope_id
    while definitions[scope].kind in HOLDERS_OF_VALUES:
        scope = definitions[scope].parent
    return scope
