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
    Either,
    Expression,
    InScope,
    Item,
    ListLiteral,
    Name,
    Number,
    Spread,
    Text,
    path_of,
    root_of,
    with_part,
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
from satchel.store.model import CLASS_LIKE, FUNCTIONS, Flow, SymbolKind

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
_PUTTING = frozenset({"set", "put", "setdefault"})
"""Methods that put their second argument under the key that is the first."""
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
    given: dict[str, list[tuple[int, Expression, Expression]]] = field(default_factory=dict)
    """What is given to attributes of anything but the receiver, by attribute: the scope, whose
    attribute it is, and the value."""
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
                name.lstrip("*") for d in self.definitions.values() for name in parameter_names(d)
            )
        return name in self._parameters

    def members_of(self, holder: int) -> list[Definition]:
        """What a symbol holds and can be called, in source order."""
        return [
            definition
            for (parent, _), several in self.children.items()
            if parent == holder
            for definition in several
            if definition.kind in FUNCTIONS
        ]

    def class_around(self, scope: int) -> int:
        """The innermost class that holds a scope, or is it; 0 for none."""
        while scope != self.module:
            definition = self.definitions[scope]
            if definition.kind in CLASS_LIKE:
                return scope
            scope = definition.parent
        return 0

    def constructor_around(self, scope: int) -> int:
        """The innermost function around a scope, or itself, that makes instances; 0 for none."""
        while scope != self.module:
            if makes_instances(self.definitions[scope]):
                return scope
            scope = self.definitions[scope].parent
        return 0


def makes_instances(definition: Definition) -> bool:
    """Whether a function may be called with `new`, as far as its name says: JavaScript."""
    is_function = definition.kind == SymbolKind.FUNCTION and definition.name[:1].isupper()
    return is_function and definition.place.rules.members_are_items


def fill(table: FileTable, flows: Sequence[Flow]) -> None:
    """Note what the flows of a file say in its table."""
    filler = _Filler(table)
    if table.imports.place.rules.members_are_items:
        filler.take_parameters_apart()
    for flow in flows:
        filler.add(flow)
    filler.put_further_out()


class _Filler:
    def __init__(self, table: FileTable) -> None:
        self._table = table
        self._self_names = table.imports.place.language.self_names
        self._inserted: list[tuple[int, str, Expression]] = []
        self._changed: list[tuple[int, str, Expression]] = []
        self._declared: set[tuple[int, str]] = set()
        self._outer: dict[tuple[int, str], None] = {}

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
            case FlowKind.CHANGED:
                self._changed.append((scope, subject, flow_value(flow.value)))
            case FlowKind.REPLACED:
                self._replace(scope, parse_expression(subject), flow_value(flow.value))
            case FlowKind.DECLARED:
                self._declared.add((scope, flow.value))
            case FlowKind.OUTER:
                self._outer[scope, flow.value] = None
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
        if name not in _INSERTING and name not in _MERGING and name not in _PUTTING:
            return
        called, given = parse_expression(callee), parse_arguments(arguments)
        if name in _PUTTING and isinstance(called, Attribute) and len(given) > 1:
            put = DictLiteral(((given[0].value, given[1].value),), is_part=True)
            self._assign(scope, called.of, put, is_inserted=True)
            return
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
                put = DictLiteral(((key, value),), is_part=True)
                self._assign(scope, of, put, is_inserted=True)
            case DictLiteral(pairs):
                for key, part in pairs:
                    self._take_member(scope, value, key, part)
            case Either((place, default)):  # a place with what it holds where it gets nothing
                self._assign(scope, place, value)
                self._assign(scope, place, default)
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
            holder = table.class_around(scope) or table.constructor_around(scope)
            if holder:
                given = AssignedValue(scope, value)
                table.attributes.setdefault((holder, name), []).append(given)
        elif isinstance(of, Name | Attribute | Item):
            table.given.setdefault(name, []).append((scope, of, value))
            put = DictLiteral(((Text(name), value),), is_part=True)
            self._assign(scope, of, put, is_inserted=True)

    def _take_member(
        self, scope: int, value: Expression, key: Expression, part: Expression
    ) -> None:
        """Note what a place gets of the members of a value: `{ key: part } = value`."""
        if isinstance(key, Spread):
            self._assign(scope, key.of, value)
        elif isinstance(key, Text):
            found = [v for k, v in value.pairs if k == key] if isinstance(value, DictLiteral) else []
            self._assign(scope, part, found[-1] if found else Attribute(value, key.text))

    def take_parameters_apart(self) -> None:
        """Note what `{ a, b }` and `[a, b]` as a parameter give to the names in them."""
        for scope, definition in self._table.definitions.items():
            if "{" in definition.signature or "[" in definition.signature:
                for name in parameter_names(definition):
                    if name[:1] in ("{", "["):
                        self._assign(scope, parse_expression(name), Name(name))

    def _replace(self, scope: int, place: Expression, value: Expression) -> None:
        """Put a value where the literal that a name was given last has another."""
        known = self._table.values.get((scope, root_of(place)))
        changed = with_part(known[-1], path_of(place), value) if known else None
        if known and changed is not None:
            known[-1] = changed
        else:
            self._assign(scope, place, value)

    def put_further_out(self) -> None:
        """Note what functions give to names that other scopes bind, now that those are known."""
        values = self._table.values
        for scope, name in self._outer:
            for value in values.pop((scope, name), ()):
                self._changed.append((scope, name, value))
        for scope, name, value in self._changed:
            is_outer = (scope, name) in self._outer
            known = not is_outer and (self._binds(scope, name) or (scope, name) in self._declared)
            home = scope if known else self._binding_around(scope, name) or scope
            values.setdefault((home, name), []).append(_seen_from(scope, home, value))
        # `names.append(x)` in a function fills a list that the module binds.
        for scope, name, value in self._inserted:
            home = scope if self._binds(scope, name) else self._binding_around(scope, name)
            if home:  # not imported, or bound where we do not see it
                values.setdefault((home, name), []).append(_seen_from(scope, home, value))

    def _binding_around(self, scope: int, name: str) -> int:
        """The innermost scope around one that binds a name; 0 for none."""
        while scope != self._table.module:
            scope = self._table.definitions[scope].parent
            if self._binds(scope, name) or (scope, name) in self._declared:
                return scope
        return 0

    def _binds(self, scope: int, name: str) -> bool:
        table = self._table
        return (
            (scope, name) in table.values
            or (scope, name) in table.children
            or name in parameter_names(table.definitions[scope])
        )


def _seen_from(scope: int, home: int, value: Expression) -> Expression:
    return value if scope == home else InScope(scope, value)


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
