"""Events: what publishes a value runs the functions that are declared to handle it.

Nothing calls these by their names: `bus.publish(Placed())` runs what handles `Placed`, a class that
it inherits, the text that it is published under, or the variable that stands for the event, as a
signal does. The names are those of `EVENTS`.
"""

import re
from collections.abc import Iterator
from functools import partial

from satchel.indexer.callgraph import edge_rules as rules
from satchel.indexer.callgraph.by_name import resolution
from satchel.indexer.callgraph.callbacks import scope_of, sites_of
from satchel.indexer.callgraph.expressions.nodes import Expression, Name, Text, last_part
from satchel.indexer.callgraph.expressions.parser import parse_arguments, parse_expression
from satchel.indexer.callgraph.tables.bindings import CALLBACKS, Definition, Resolution, Use
from satchel.indexer.callgraph.tables.imported_names import imported_from
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.indexer.callgraph.values.dispatch.event_handlers import (
    Handler,
    find_handlers,
    named_event,
)
from satchel.indexer.callgraph.values.evaluate import Evaluator
from satchel.indexer.callgraph.values.model import (
    HOLDERS_OF_VALUES,
    BoundMethod,
    Def,
    Instance,
    in_order,
)
from satchel.indexer.languages.name_rules import EVENTS
from satchel.store.model import CLASS_LIKE, SymbolKind
from satchel.store.records import SURE

_MAX_HANDLERS = 8
"""With more handlers of one event its edges would tell nothing."""
_WITHOUT_BODIES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})
_COMPOUND = re.compile(r"\w[^\w\s]\w|_|[a-z][A-Z]")
"""A text that is no plain word: "error" and "close" are events of every emitter there is."""
_MADE = re.compile(r"\bnew\s+([^\W\d][\w.\\]*)").findall


def handlers(use: Use, evaluator: Evaluator, called: list[Resolution]) -> list[Resolution]:
    """The functions that handle what a call of one of `EVENTS.publishing` publishes, by position.

    None where it calls a function of the tree: what that does with the value is followed there.
    """
    own = [each.confidence for each in called if _has_body(each, evaluator)]
    if own and max(own) >= SURE:
        return []
    # A function that may be called gets a value too; a signal and a text say more than a guess.
    published = [
        (word, event)
        for word, event in _published(use, evaluator)
        if not own or event is None or event.kind not in CLASS_LIKE
    ]
    family = evaluator.tables.file(use.file_id).family
    find = partial(find_handlers, evaluator.tables, family)
    remembered = evaluator.tables.remembered
    known = remembered(evaluator.events, family, find) if published else {}
    found: dict[int, Definition] = {}
    for word, event in published:
        for each in known.get(word, ()):
            if event is None or _means(each, word, event, evaluator):
                found.update((d.id, d) for d in _functions(each, evaluator))
    if len(found) > _MAX_HANDLERS:
        return []
    return [resolution(rules.EVENT, found[id_]) for id_ in sorted(found) if id_ != use.scope_id]


def _has_body(called: Resolution, evaluator: Evaluator) -> bool:
    """Whether a call runs a function that has a body here, as far as is known."""
    if called.rule == rules.CALLBACK.name:
        return False
    holder = evaluator.classes.enclosing(called.target.file_id, called.target.id)
    return holder is None or holder.kind not in _WITHOUT_BODIES


def _published(use: Use, evaluator: Evaluator) -> Iterator[tuple[str, Definition | None]]:
    """What a call publishes, by the words that its handlers may say; None for a text."""
    table = evaluator.tables.table(use.file_id)
    scope = scope_of(use, table)
    lists = [site.arguments for _, site in sites_of(use, evaluator)]
    lists += table.overloaded_calls.get((scope, use.name), ())
    for arguments in dict.fromkeys(lists):
        yield from _given(use.file_id, scope, arguments, evaluator)
    receiver = parse_expression(use.receiver)
    if use.name.startswith(EVENTS.of_classes):
        yield from _classes(use.file_id, scope, receiver, evaluator)
    if type(receiver) is Name:
        event = _variable(use.file_id, use.receiver, evaluator.tables)
        if event is not None:
            yield use.receiver, event


def _given(
    file_id: int, scope: int, arguments: str, evaluator: Evaluator
) -> Iterator[tuple[str, Definition | None]]:
    """The text that a call has first, or behind a value, if it names one event, and the classes of
    its arguments."""
    given = [argument.value for argument in parse_arguments(arguments)]
    language = evaluator.tables.file(file_id).rules
    yield from ((word, None) for word in named_event(arguments, language))
    for each in given[:2]:
        if type(each) is Text and _COMPOUND.search(each.text):
            yield f'"{each.text}"', None
        elif len(name := last_part(each)) > 1 and name.isupper():
            yield name, None  # a constant that both name
    # Not all that follows `new` can be read as an expression.
    for written in _MADE(arguments):
        path = parse_expression(written.replace("\\", "."))
        for holder in evaluator.classes.named(file_id, scope, path)[:1]:
            yield from _with_bases(holder, evaluator)
    for each in given:
        yield from _classes(file_id, scope, each, evaluator)


def _classes(
    file_id: int, scope: int, given: Expression, evaluator: Evaluator
) -> Iterator[tuple[str, Definition]]:
    """The classes of the tree that a value is one of, or an instance of, with their bases."""
    for value in in_order(evaluator.evaluate(file_id, scope, given)):
        what = value.what
        meant = what.class_id if type(what) is Instance else 0
        meant = what.symbol_id if type(what) is Def else meant
        if meant and (holder := evaluator.tables.definition(meant)).kind in CLASS_LIKE:
            yield from _with_bases(holder, evaluator)


def _with_bases(holder: Definition, evaluator: Evaluator) -> Iterator[tuple[str, Definition]]:
    """A class and those that it inherits, by their names."""
    return ((base.name, base) for base in evaluator.classes.mro(holder).classes)


def _variable(file_id: int, name: str, tables: IndexTables) -> Definition | None:
    """The variable of a module that a name in a file means, its own or an imported one."""
    places = [(file_id, name), *imported_from(tables, file_id, name, with_stars=False)]
    for other, original in places if name else ():
        module = tables.table(other).module
        for each in tables.table_for(other, module, original).children.get((module, original), ()):
            if each.kind in HOLDERS_OF_VALUES:
                return each
    return None


def _means(handler: Handler, word: str, event: Definition, evaluator: Evaluator) -> bool:
    """Whether a word means an event where its handler is declared."""
    if event.kind in HOLDERS_OF_VALUES:
        meant = _variable(handler.file_id, word, evaluator.tables)
        return meant is not None and meant.id == event.id
    named = evaluator.classes.named(handler.file_id, handler.scope, Name(word))
    return any(each.id == event.id for each in named)


def _functions(handler: Handler, evaluator: Evaluator) -> Iterator[Definition]:
    """The function that handles, or those that an argument may be."""
    if handler.function is not None:
        yield handler.function
        return
    for value in in_order(evaluator.evaluate(handler.file_id, handler.scope, handler.argument)):
        if type(value.what) is Def or type(value.what) is BoundMethod:
            definition = evaluator.tables.definition(value.what.symbol_id)
            if definition.kind in CALLBACKS:
                yield definition
    # A class that handles is registered by its name.
    for holder in evaluator.classes.named(handler.file_id, handler.scope, handler.argument)[:1]:
        table = evaluator.tables.table_at(holder.file_id, holder.id)
        yield from (d for d in table.members_of(holder.id) if d.name in EVENTS.methods)
