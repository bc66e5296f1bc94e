"""From the flows of a file to what each of its names, attributes and results may hold.

An assignment to an item is one to the collection, of a collection with that item; an assignment to
several places is taken apart. Pure, but for the table it fills.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from satchel.indexer.callgraph.expressions import expressions, type_names
from satchel.indexer.callgraph.expressions.expressions import NOTHING, Expression
from satchel.indexer.callgraph.tables.bindings import parameters
from satchel.indexer.languages import detect
from satchel.store.model import Flow

if TYPE_CHECKING:
    from satchel.indexer.callgraph.tables.file_table import FileTable

IS_PLAIN = re.compile(r"[^\W\d]\w*|@").fullmatch
NAMES = re.compile(r"[^\W\d]\w*")
_KEY = re.compile(r"([^\W\d]\w*)[\"'`!?]*\s*(?:[:,}]|$)")
_LAST_NAME = re.compile(r"([\w$]+)\W*$")
_HANDED = re.compile(r"[(,=]\s*([^\W\d][\w.]*)(?=\s*[,)])")
_INSERTS = {"append": 0, "add": 0, "push": 0, "appendleft": 0, "insert": 1, "put": 1, "unshift": 0}
"""Methods that put their n-th argument into a collection."""
_MERGES = frozenset({"update", "extend"})


@dataclass(frozen=True, slots=True)
class Site:
    """A call as written, in a scope of a file; `decorates` is the symbol that a decorator gets."""

    file_id: int
    scope: int
    callee: str
    arguments: str
    decorates: int = 0


@dataclass(slots=True)
class _Filling:
    table: FileTable
    self_names: tuple[str, ...]
    later: list[tuple[int, str, Expression]] = field(default_factory=list)
    """What is put into collections, which may belong to a scope further out."""


def fill(table: FileTable, flows: Sequence[Flow]) -> None:
    """Note what the flows say in the table of their file."""
    names = detect.by_name(table.scope.place.language).self_names
    filling = _Filling(table, names)
    for flow in flows:
        table.item_names |= item_names(flow)
        scope = table.module + 1 + flow.scope
        if flow.place.endswith("("):
            _site(filling, scope, flow)
            continue
        if flow.place.startswith("("):
            table.given.setdefault((scope, flow.place[1:]), []).append(flow.value)
            continue
        value = _value(flow.value)
        if flow.place == "@":
            _decorator(filling, scope, flow.value)
        if value == NOTHING:
            value = ("unknown",)
        if IS_PLAIN(flow.place):
            table.flows.setdefault((scope, flow.place), []).append(value)
        else:
            _assign(filling, scope, expressions.read(flow.place), value)
    for scope, name, value in filling.later:
        _put(table, scope, name, value)


def _put(table: FileTable, scope: int, name: str, value: Expression) -> None:
    """Note what is put into a collection, in the scope that binds its name."""
    while not _binds(table, scope, name):
        if scope == table.module:
            return  # imported, or bound where we do not see it
        scope = table.definitions[scope].parent
    table.flows.setdefault((scope, name), []).append(value)


def item_names(flow: Flow) -> frozenset[str]:
    """The words that may be keys of what a flow puts into a dictionary."""
    keys = _KEY.findall(flow.value) if "{" in flow.value else []
    return frozenset(keys + NAMES.findall(flow.place) if "[" in flow.place else keys)


def last_name(callee: str) -> str:
    """The name by which a call is found: the last one of what is called."""
    last = _LAST_NAME.search(callee)
    return last[1] if last else ""


@lru_cache(maxsize=1 << 14)
def handed_names(arguments: str) -> tuple[str, ...]:
    """The arguments of a call that are names, or paths of names."""
    return tuple(_HANDED.findall(arguments))


def _value(text: str) -> Expression:
    if text.startswith(": "):
        return type_names.read(text[2:])
    if text.startswith("in "):
        return ("each", expressions.read(text[3:]))
    if text.startswith("with "):
        return ("entered", expressions.read(text[5:]))
    return expressions.read(text)


def _site(filling: _Filling, scope: int, flow: Flow) -> None:
    table, callee = filling.table, flow.place[:-1]
    name = last_name(callee)
    table.sites.setdefault(name, []).append(Site(table.id, scope, callee, flow.value))
    if name not in _INSERTS and name not in _MERGES:
        return
    called = expressions.read(callee)
    given = expressions.arguments(flow.value)
    wanted = _INSERTS.get(name, 0)
    if called[0] == "attr" and len(given) > wanted:
        value = given[wanted][1]
        held = value if name in _MERGES else ("list", (value,))
        _assign(filling, scope, called[1], held, outward=True)


def _decorator(filling: _Filling, scope: int, text: str) -> None:
    name = last_name(text.partition("(")[0])
    outer = filling.table.definitions[scope].parent
    site = Site(filling.table.id, outer, text, "", decorates=scope)
    filling.table.sites.setdefault(name, []).append(site)


def _assign(
    filling: _Filling, scope: int, place: Expression, value: Expression, *, outward: bool = False
) -> None:
    """Note that `place` may hold `value`; with `outward`, where the name was bound."""
    kind, table = place[0], filling.table
    if kind == "name" and outward:
        filling.later.append((scope, place[1], value))
    elif kind == "name":
        table.flows.setdefault((scope, place[1]), []).append(value)
    elif kind == "star":
        _assign(filling, scope, place[1], value)
    elif kind == "item":
        _assign(filling, scope, place[1], ("dict", ((place[2], value),)), outward=True)
    elif kind == "attr":
        _attribute(filling, scope, place, value)
    elif kind == "list":
        for part, held in _taken_apart(place[1], value):
            _assign(filling, scope, part, held)


def _attribute(filling: _Filling, scope: int, place: Expression, value: Expression) -> None:
    """Note what a method gives to an attribute of its receiver."""
    of, name = place[1], place[2]
    if (of, name) == (("name", "module"), "exports"):
        filling.table.flows.setdefault((filling.table.module, "default"), []).append(value)
    if of[0] == "name" and of[1] in filling.self_names:
        holder = filling.table.holder(scope)
        if holder:
            filling.table.attributes.setdefault((holder, name), []).append((scope, value))


def _taken_apart(
    parts: tuple[Expression, ...], value: Expression
) -> list[tuple[Expression, Expression]]:
    """What each of several places gets of one value."""
    if value[0] != "list":
        return [(part, ("item", value, ("text", str(i)))) for i, part in enumerate(parts)]
    given: tuple[Expression, ...] = value[1]
    stars = [i for i, part in enumerate(parts) if part[0] == "star"]
    if len(stars) == 1 and len(given) >= len(parts) - 1:
        at, more = stars[0], len(given) - len(parts) + 1
        given = (*given[:at], ("list", given[at : at + more]), *given[at + more :])
    if len(given) != len(parts):
        return [(part, ("each", value)) for part in parts]
    return list(zip(parts, given, strict=True))


def _binds(table: FileTable, scope: int, name: str) -> bool:
    return (
        (scope, name) in table.flows
        or (scope, name) in table.children
        or name in parameters(table.definitions[scope])
    )
