"""Handlers of events: functions that are declared, or registered, to run when one is published.

By what they handle as it is written: names of classes and of variables, texts in quotes. Which of
the tree a name means is left to `satchel.indexer.callgraph.events`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Call,
    Expression,
    ListLiteral,
    Name,
    Text,
    last_part,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments, parse_expression
from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.indexer.callgraph.tables.file_table import CallSite, FileTable
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.indexer.callgraph.tables.signatures import parameter_list
from satchel.indexer.languages.name_rules import EVENTS, NameRules
from satchel.store.model import CLASS_LIKE, FUNCTIONS

_MAX_NAMED = 400
_MAX_SITES = 100
"""Functions that have the name of handlers, and calls that register some."""
_WORDS = re.compile(r"[^\W\d]\w*").findall
_TEXTS = re.compile(r'"[^"]+"').findall
_QUOTED = re.compile(r"['\"](\w+)['\"]").findall
_BINDING, _CLASS = "bind", "class"
_CLASS_OF = re.compile(r"(\w+)(?:::|\.)class\b").findall


class Handler(NamedTuple):
    """A function that handles what a word means in a scope, or an argument that is one."""

    file_id: int
    scope: int
    function: Definition | None
    argument: Expression


Handlers = dict[str, list[Handler]]
"""By what they handle."""


def find_handlers(tables: IndexTables, family: str) -> Handlers:
    """All handlers in languages of a family: by name, by mark, registered."""
    found = Handlers()
    for name in sorted(EVENTS.methods):
        named = [d for d in tables.definitions_named(name) if d.file.family == family]
        for each in named if len(named) <= _MAX_NAMED else ():
            if each.kind in FUNCTIONS:
                _add(found, each)
    for file_id, scope, mark in tables.marked(EVENTS.marks, family):
        table = tables.table_at(file_id, scope)
        words = [*_said_by_mark(table, scope, mark), *tables.types_of_mark(scope)]
        _add_marked(found, table, scope, (mark, words))
    for name in sorted(EVENTS.registering):
        for site in tables.call_sites(name, family, _MAX_SITES)[:_MAX_SITES]:
            _add_registered(found, tables.table_at(site.file_id, site.scope), site)
    return found


def _add_marked(found: Handlers, table: FileTable, scope: int, said: tuple[str, list[str]]) -> None:
    """Note a function that has a mark, or the handlers in a class that has one."""
    each, (mark, words) = table.definitions[scope], said
    if each.kind in FUNCTIONS:
        _add(found, each, words)
    elif each.kind in CLASS_LIKE:
        words += [each.name] if mark in EVENTS.jobs else []
        for member in table.members_of(scope):
            if member.name in EVENTS.methods:
                _add(found, member, words)
            elif member.name.startswith(EVENTS.beginnings):
                _add(found, member)


def _add(found: Handlers, function: Definition, words: Iterable[str] = ()) -> None:
    """Note a function under the words of its parameters, types among them, and others."""
    handler = Handler(function.file_id, function.parent, function, Name(function.name))
    for word in dict.fromkeys((*words, *_WORDS(parameter_list(function.signature)))):
        found.setdefault(word, []).append(handler)


def _said_by_mark(table: FileTable, scope: int, mark: str) -> Iterator[str]:
    """What the arguments of a decorator say: `@receiver(placed)`, `@OnEvent("placed")`."""
    for site in table.call_sites.get(mark, ()):
        if scope in (site.scope, site.decorated) and site.arguments:
            yield from _TEXTS(site.arguments)
            for argument in parse_arguments(site.arguments):
                yield from _told(argument.value)


def _told(given: Expression) -> Iterator[str]:
    for each in given.values if type(given) is ListLiteral else (given,):
        if type(each) is Text:
            yield f'"{each.text}"'  # no name has quotes
        elif name := last_part(each):
            yield name


def named_event(arguments: str, language: NameRules) -> Iterator[str]:
    """The event that a call names in the way of its language."""
    said = re.search(language.event_name, arguments) if language.event_name else None
    if said:
        yield f'"{said[1] or said[2]}"'


def _add_registered(found: Handlers, table: FileTable, site: CallSite) -> None:
    """Note what a call registers: `bus.subscribe(Placed, f)`, `placed.connect(f)`."""
    language = table.imports.file.rules
    given = [argument.value for argument in parse_arguments(site.arguments)]
    called = parse_expression(site.callee)
    of = last_part(called.of) if type(called) is Attribute else ""
    words = [*(_told(given[0]) if given else ()), *_CLASS_OF(site.arguments)]
    words += [word for each in given[1:] if type(each) is Text for word in _told(each)]
    if site.decorated:  # `@placed.connect`
        _add(found, table.definitions[site.decorated], [of])
    # `$listen` of Laravel, subscribers of Symfony
    elif language.event_pair and (
        pair := re.fullmatch(language.event_pair, site.arguments.strip())
    ):
        named, constant, text, handling = pair.groups()
        words = [f'"{text}"' if text else constant or named.rpartition("\\")[2]]
        given = [Name(each) for each in _CLASS_OF(handling)]
        given += [Attribute(Name("self"), each) for each in _QUOTED(handling)]
        of = ""
    elif language.event_handler and (by := re.search(language.event_handler, site.arguments)):
        words, given = [*named_event(site.arguments, language)], [Name(by[1])]
        of = ""
    for at, argument in enumerate(map(_handing, given)):
        handler = Handler(site.file_id, site.scope, None, argument)
        if at == 0 and of and last_part(argument):
            found.setdefault(of, []).append(handler)
        if last_part(argument):
            for word in dict.fromkeys(words):
                found.setdefault(word, []).append(handler)


def _handing(given: Expression) -> Expression:
    """What is registered: `this.f.bind(this)` is `this.f`, and PHP names functions in texts."""
    if type(given) is Text and given.text.isidentifier():
        return Name(given.text)
    if type(given) is Attribute and given.name == _CLASS:
        return given.of
    called = given.callee if type(given) is Call else None
    is_bound = type(called) is Attribute and called.name == _BINDING
    return called.of if is_bound and type(called) is Attribute else given
