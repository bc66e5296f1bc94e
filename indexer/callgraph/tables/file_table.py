"""What one file says, in the shape that evaluating expressions asks for: symbols, imports, and what
each of its names, attributes and results may hold.

An assignment to an item is one to the collection, of a collection with that item; an assignment to
several places is taken apart. `fill` reads flows; nothing here reads another file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    DictLiteral,
    ElementOf,
    Expression,
    Item,
    ListLiteral,
    Name,
    Number,
    Spread,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments, parse_expression
from satchel.indexer.callgraph.tables.bindings import Definition, FileImports
from satchel.indexer.callgraph.tables.flow_texts import (
    FlowKind,
    dictionary_keys,
    flow_form,
    flow_value,
    last_name,
)
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.store.model import CLASS_LIKE, Flow

_INSERTING = {
    "append": 0,
    "add": 0,
    "push": 0,
    "appendleft": 0,
    "insert": 1,
    "put": 1,
    "unshift": 0,
}
"""Methods that put an argument into a collection, and which one."""
_MERGING = frozenset({"update", "extend"})
"""Methods that put what their argument holds into a collection."""
_COMMONJS_EXPORTS = Attribute(Name("module"), "exports")
DEFAULT_EXPORT = "default"


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call as written, in a scope of a file.

    A decorator is a call too: of the symbol `decorated`, 0 for others, and without arguments.
    """

    file_id: int
    scope: int
    callee: str
    arguments: str
    decorated: int = 0


class Base(NamedTuple):
    """What a class inherits from, as written."""

    receiver: str
    name: str


class AssignedValue(NamedTuple):
    """What an attribute is given, and the scope that the expression is in."""

    scope: int
    value: Expression


@dataclass(slots=True)
class FileTable:
    """One file. Scopes and classes are symbol ids; lists are in source order."""

    id: int
    module: int
    """The symbol that is the file itself."""
    imports: FileImports
    definitions: dict[int, Definition]
    children: dict[tuple[int, str], list[Definition]]
    """By what holds them and name."""
    with_children: frozenset[int] = frozenset()
    values: dict[tuple[int, str], list[Expression]] = field(default_factory=dict)
    """What names may hold, by scope and name."""
    results: dict[int, list[Expression]] = field(default_factory=dict)
    yields: dict[int, list[Expression]] = field(default_factory=dict)
    decorators: dict[int, list[Expression]] = field(default_factory=dict)
    """The outermost first."""
    attributes: dict[tuple[int, str], list[AssignedValue]] = field(default_factory=dict)
    """What methods give to attributes of their receiver, by class and attribute."""
    call_sites: dict[str, list[CallSite]] = field(default_factory=dict)
    """Calls with arguments that may lead somewhere, by the last name of what is called."""
    overloaded_calls: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    """Argument lists by scope and name of what is called, where that tells overloads apart."""
    dictionary_keys: set[str] = field(default_factory=set)
    """Words that may be keys of dictionaries, which read as members of them."""
    bases: dict[int, list[Base]] = field(default_factory=dict)
    """By class, in order."""
    scope_keys: dict[int, int] = field(default_factory=dict)
    """Lookup keys of the scopes that were asked about; see `tables.index_tables`."""
    calls_of_local_names: list[CallSite] | None = None
    """Found when `values.arguments` first asks."""
    _parameters: frozenset[str] | None = None

    def has_parameter(self, name: str) -> bool:
        """Whether a function here has a parameter called so."""
        if self._parameters is None:
            self._parameters = frozenset(
                name for d in self.definitions.values() for name in parameter_names(d)
            )
        return name in self._parameters

    def class_around(self, scope: int) -> int:
        """The innermost class that holds a scope, or is it; 0 for none."""
        while scope != self.module:
            definition = self.definitions[scope]
            if definition.kind in CLASS_LIKE:
                return scope
            scope = definition.parent
        return 0


def fill(table: FileTable, flows: Sequence[Flow]) -> None:
    """Note what the flows of a file say in its table."""
    filler = _Filler(table)
    for flow in flows:
        filler.add(flow)
    filler.put_into_collections()


class _Filler:
    def __init__(self, table: FileTable) -> None:
        self._table = table
        self._self_names = table.imports.place.language.self_names
        self._inserted: list[tuple[int, str, Expression]] = []

    def add(self, flow: Flow) -> None:
        """Note one flow."""
        table = self._table
        table.dictionary_keys |= dictionary_keys(flow)
        # Symbols of a file are numbered in a row, its module first; flows count from the next one.
        scope = table.module + 1 + flow.scope
        kind, subject = flow_form(flow.place)
        match kind:
            case FlowKind.CALL:
                self._call(scope, subject, flow.value)
            case FlowKind.OVERLOADED_CALL:
                table.overloaded_calls.setdefault((scope, subject), []).append(flow.value)
            case FlowKind.NAME:
                table.values.setdefault((scope, subject), []).append(flow_value(flow.value))
            case FlowKind.PLACE:
                self._assign(scope, parse_expression(subject), flow_value(flow.value))
            case FlowKind.RESULT:
                table.results.setdefault(scope, []).append(flow_value(flow.value))
            case FlowKind.YIELD:
                value = flow_value(flow.value)
                table.yields.setdefault(scope, []).append(value)
                table.values.setdefault((scope, flow.place), []).append(value)
            case FlowKind.DECORATOR:
                table.decorators.setdefault(scope, []).append(flow_value(flow.value))
                # It is called where the function is defined, with the function.
                outer = table.definitions[scope].parent
                site = CallSite(table.id, outer, flow.value, "", decorated=scope)
                name = last_name(flow.value.partition("(")[0])
                table.call_sites.setdefault(name, []).append(site)

    def _call(self, scope: int, callee: str, arguments: str) -> None:
        name = last_name(callee)
        site = CallSite(self._table.id, scope, callee, arguments)
        self._table.call_sites.setdefault(name, []).append(site)
        if name not in _INSERTING and name not in _MERGING:
            return
        called, given = parse_expression(callee), parse_arguments(arguments)
        position = _INSERTING.get(name, 0)
        if isinstance(called, Attribute) and len(given) > position:
            value = given[position].value
            assigned = value if name in _MERGING else ListLiteral((value,))
            self._assign(scope, called.of, assigned, is_inserted=True)

    def _assign(
        self, scope: int, place: Expression, value: Expression, *, is_inserted: bool = False
    ) -> None:
        """Note that a place may hold a value, or a part of it where it is inserted.

        An inserted value belongs to the scope that binds the name, which may be further out.
        """
        match place:
            case Name(name) if is_inserted:
                self._inserted.append((scope, name, value))
            case Name(name):
                self._table.values.setdefault((scope, name), []).append(value)
            case Spread(of):
                self._assign(scope, of, value)
            case Item(of, key):
                self._assign(scope, of, DictLiteral(((key, value),)), is_inserted=True)
            case ListLiteral(places):
                for part, element in _taken_apart(places, value):
                    self._assign(scope, part, element)
            case Attribute(of, name):
                self._assign_attribute(scope, place, of, name, value)
            case _:
                pass

    def _assign_attribute(
        self, scope: int, place: Attribute, of: Expression, name: str, value: Expression
    ) -> None:
        table = self._table
        # What an attribute of anything but the receiver is given is not followed.
        if place == _COMMONJS_EXPORTS:
            table.values.setdefault((table.module, DEFAULT_EXPORT), []).append(value)
        if isinstance(of, Name) and of.name in self._self_names:
            holder = table.class_around(scope)
            if holder:
                given = AssignedValue(scope, value)
                table.attributes.setdefault((holder, name), []).append(given)

    def put_into_collections(self) -> None:
        """Note what was inserted, now that all bindings of names are known."""
        table = self._table
        for scope, name, value in self._inserted:
            # `names.append(x)` in a function fills a list that the module binds.
            while not self._binds(scope, name):
                if scope == table.module:
                    break  # imported, or bound where we do not see it
                scope = table.definitions[scope].parent
            else:
                table.values.setdefault((scope, name), []).append(value)

    def _binds(self, scope: int, name: str) -> bool:
        table = self._table
        return (
            (scope, name) in table.values
            or (scope, name) in table.children
            or name in parameter_names(table.definitions[scope])
        )


def _taken_apart(
    places: tuple[Expression, ...], value: Expression
) -> list[tuple[Expression, Expression]]:
    """What each of several places gets of one value."""
    if not isinstance(value, ListLiteral):
        return [(place, Item(value, Number(str(i)))) for i, place in enumerate(places)]
    given = value.values
    # `first, *rest = a, b, c`: the star takes what the others leave, as a list.
    stars = [i for i, place in enumerate(places) if isinstance(place, Spread)]
    if len(stars) == 1 and len(given) >= len(places) - 1:
        at, end = stars[0], stars[0] + len(given) - len(places) + 1
        given = (*given[:at], ListLiteral(given[at:end]), *given[end:])
    if len(given) != len(places):
        # A spread value on the right: which part goes where is not known.
        return [(place, ElementOf(value)) for place in places]
    return list(zip(places, given, strict=True))
