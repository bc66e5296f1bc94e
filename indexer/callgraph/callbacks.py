"""Functions that are passed to code outside of the tree, which will call them.

What keeps its arguments and calls nothing is known by name, and so is what calls one for certain.
"""

from __future__ import annotations

from collections.abc import Iterator

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.by_name import resolution
from satchel.indexer.callgraph.expressions.nodes import Attribute, Name
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

_STORING = frozenset(
    "push set add append put unshift insert setdefault appendleft assign freeze of from log"
    " print warn error info debug bind send Map Set WeakMap set_defaults".split()
)
"""What keeps or shows what it is handed, and calls nothing of it."""
_CALLING_NOTHING = frozenset(
    "print str repr type isinstance issubclass id callable hasattr getattr setattr hash bool list"
    " tuple dict set frozenset super vars dir String Boolean Symbol Array Object"
    " staticmethod classmethod property partial partialmethod cast wraps lru_cache".split()
)
"""Functions that languages bring along, and that call nothing of what they are handed."""
_FIRST, _SECOND, _EITHER = (0,), (1,), (0, 1)
_CALLING = {
    **dict.fromkeys(
        "map filter reduce starmap takewhile dropwhile submit to_thread".split(), _FIRST
    ),
    **dict.fromkeys("callback push_async_callback call_soon add_done_callback".split(), _FIRST),
    **dict.fromkeys("accumulate groupby run_in_executor call_later call_at".split(), _SECOND),
    **dict.fromkeys("sub subn Timer".split(), _EITHER),
    **dict.fromkeys("sorted sort max min Thread Process".split(), ()),
}
"""What calls an argument for certain, and where it may stand: it is looked at whatever its name."""
_CALLED_KEYWORDS = frozenset({"key", "target", "function", "callback"})
_FILLING_ARRAY = ("Array", "from")
"""Which keeps what it is handed first, and calls what comes second."""


def callbacks(use: Use, evaluator: Evaluator) -> list[Resolution]:
    """Functions that are arguments of a call of something unknown, which will call them."""
    is_kept = use.name in _STORING and (use.receiver, use.name) != _FILLING_ARRAY
    is_called = not is_kept and (use.receiver or use.name not in _CALLING_NOTHING)
    found: dict[int, Resolution] = {}
    positions = _CALLING.get(use.name)
    for line, site in sites_of(use, evaluator) if is_called else ():
        for definition in _handed_over(site, evaluator, positions):
            meant = resolution(rules.HANDED, definition)
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


def _handed_over(
    site: CallSite, evaluator: Evaluator, positions: tuple[int, ...] | None
) -> Iterator[Definition]:
    """The functions that are arguments of a call, and methods of instances that are made there.

    What stands at `positions` is called for certain, if anything is.
    """
    if positions is not None:
        yield from _called_for_certain(site, evaluator, positions)
    tables = evaluator.tables
    for name in names_in_arguments(site.arguments):
        # Most names are those of values: they need not be evaluated.
        if tables.names_a_callback(last_name(name)):
            for value in evaluator.evaluate(site.file_id, site.scope, parse_expression(name)):
                yield from _functions(value, evaluator)
    if tables.file(site.file_id).rules.function_types:
        for made in made_in_arguments(site.arguments):
            expression = parse_expression(made)
            for holder in evaluator.classes.named(site.file_id, site.scope, expression)[:1]:
                yield from _methods_of_library(holder, evaluator)


def _called_for_certain(
    site: CallSite, evaluator: Evaluator, positions: tuple[int, ...]
) -> Iterator[Definition]:
    for at, given in enumerate(parse_arguments(site.arguments)):
        is_called = given.keyword in _CALLED_KEYWORDS if given.keyword else at in positions
        if is_called and isinstance(given.value, Name | Attribute):
            for value in in_order(evaluator.evaluate(site.file_id, site.scope, given.value)):
                yield from _functions(value, evaluator)


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
