"""From the flows of a file to its table: what each name, attribute and result may hold.

An assignment to an item is one to the collection, of a collection with that item; an assignment to
several places is taken apart. What a function gives to a name further out keeps its own scope.
"""

import re
from collections.abc import Sequence

from satchel.indexer.callgraph.expressions.nodes import (
    Attribute,
    Call,
    Component,
    DictLiteral,
    Either,
    Expression,
    Filled,
    Found,
    InScope,
    Item,
    ListLiteral,
    Name,
    Narrowed,
    Number,
    Spread,
    Text,
    last_part,
    path_of,
    root_of,
    taken_apart,
    with_part,
)
from satchel.indexer.callgraph.expressions.parser import parse_arguments, parse_expression
from satchel.indexer.callgraph.tables.file_table import (
    DEFAULT_EXPORT,
    AssignedValue,
    Base,
    CallSite,
    FileTable,
)
from satchel.indexer.callgraph.tables.flow_texts import (
    FlowKind,
    called_name,
    dictionary_keys,
    flow_form,
    flow_value,
)
from satchel.indexer.callgraph.tables.signatures import parameter_names
from satchel.store.model import Flow, SymbolKind
from satchel.store.reading.parameters import split_at_commas

_INSERTING = {
    "append": 0, "add": 0, "push": 0, "appendleft": 0, "insert": 1, "put": 1, "unshift": 0,
}  # fmt: skip
"""Methods that put an argument into a collection, and which one."""
_KEEPING = frozenset({"put", "put_nowait", "set"})
"""Methods that put their only argument into a queue, or a variable of a context."""
_PUTTING = frozenset({"set", "put", "setdefault"})
"""Methods that put their second argument under the key that is the first."""
_MERGING = frozenset({"update", "extend"})
"""Methods that put what their argument holds into a collection."""
NAMES_ONLY = re.compile(r"\((?=[\w$., ]*?[A-Za-z_])[\w$., ]*+\)").fullmatch
_SETTING = "setattr"
_PUSHING = frozenset({"heappush", "insort", "insort_left", "insort_right"})
"""Functions that put their second argument into the list that is the first."""
FILLING_ARGUMENTS = frozenset({*_PUSHING, _SETTING})
FILLING = frozenset({*_INSERTING, *_MERGING, *_PUTTING, *_KEEPING, *FILLING_ARGUMENTS})
_BINDING = frozenset({"bind", "call", "apply", "partial"})
"""What calls a function, now or later, with arguments that it is given beside it."""
_GUARD = re.compile(r"(?:.*\.)?_?(?:is|assert|ensure|has)(?![a-z]).*").fullmatch
"""How functions are called that say of which type their argument is."""
MIXING = "Object.assign"
INHERITING = frozenset({"Object.setPrototypeOf", "inherits", "util.inherits"})
_PROTOTYPE = "prototype"
_MAKING_PROTOTYPES = Attribute(Name("Object"), "create")
_COMMONJS_EXPORTS = Attribute(Name("module"), "exports")
_OBJECTS = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_CALL, _NAME = FlowKind.CALL, FlowKind.NAME  # of most flows, looked up once
_OF_SCOPES = frozenset({FlowKind.IMPLIED, FlowKind.RESULT, FlowKind.YIELD, FlowKind.DECORATOR})


def fill(table: FileTable, flows: Sequence[Flow]) -> None:
    """Note what the flows of a file say in its table."""
    filler = _Filler(table)
    if table.imports.file.rules.members_are_items:
        filler.take_parameters_apart()
    for flow in flows:
        filler.add(flow)
    filler.put_further_out()


class _Filler:
    def __init__(self, table: FileTable) -> None:
        self._table = table
        self._self_names = table.imports.file.language.self_names
        # Symbols of a file are numbered in a row, its module first; flows count from the next one.
        self._scopes = tuple(table.definitions)
        self._has_operators = table.imports.file.rules.operators_are_methods
        self._has_guards = bool(table.imports.file.rules.type_guard)
        self._inserted: list[tuple[int, str, Expression]] = []
        self._handed: list[tuple[int, str, str, int]] = []
        """Names that are arguments: the scope, the name, what is called, the position."""
        self._changed: list[tuple[int, str, Expression]] = []
        self._declared: set[tuple[int, str]] = set()
        self._outer: dict[tuple[int, str], None] = {}

    def add(self, flow: Flow) -> None:
        """Note one flow."""
        table = self._table
        table.dictionary_keys |= dictionary_keys(flow)
        scope = self._scopes[flow.scope + 1]
        kind, subject = flow_form(flow.place)
        if kind is _CALL:
            self._call(scope, subject, flow.value)
        elif kind is _NAME:
            value = flow_value(flow.value, has_operators=self._has_operators)
            table.values.setdefault((scope, subject), []).append(value)
        elif kind in _OF_SCOPES:
            self._add_to_scope(scope, kind, flow)
        elif kind is FlowKind.OVERLOADED_CALL:
            table.overloaded_calls.setdefault((scope, subject), []).append(flow.value)
        elif kind is FlowKind.DECLARED:
            self._declared.add((scope, flow.value))
        elif kind is FlowKind.OUTER:
            self._outer[scope, flow.value] = None
        else:
            self._add_place(scope, kind, subject, flow.value)

    def _add_place(self, scope: int, kind: FlowKind, subject: str, text: str) -> None:
        """Note what a place holds that is no name of its scope."""
        value = flow_value(text, has_operators=self._has_operators)
        if kind is FlowKind.CHANGED:
            self._changed.append((scope, subject, value))
        elif kind is FlowKind.REPLACED:
            self._replace(scope, parse_expression(subject), value)
        else:
            self._assign(scope, parse_expression(subject), value)

    def _add_to_scope(self, scope: int, kind: FlowKind, flow: Flow) -> None:
        """Note what a scope returns, yields or is decorated with."""
        table, value = self._table, flow_value(flow.value, has_operators=self._has_operators)
        if kind is FlowKind.RESULT:
            table.results.setdefault(scope, []).append(value)
        elif kind is FlowKind.IMPLIED:
            table.implied.setdefault(scope, []).append(value)
        elif kind is FlowKind.YIELD:
            table.yields.setdefault(scope, []).append(value)
            table.values.setdefault((scope, flow.place), []).append(value)
        else:
            table.decorators.setdefault(scope, []).append(value)
            # It is called where the function is defined, with the function. In a broken file
            # nothing may follow it.
            outer = table.definitions[scope].parent or scope
            site = CallSite(table.id, outer, flow.value, "", decorated=scope)
            table.call_sites.setdefault(called_name(flow.value), []).append(site)

    def _call(self, scope: int, callee: str, arguments: str) -> None:
        # A literal was given to a name just before, and these replace parts of it.
        is_replacing = callee.startswith("=")
        callee = callee.removeprefix("=")
        name = called_name(callee)
        site = CallSite(self._table.id, scope, callee, arguments)
        self._table.call_sites.setdefault(name, []).append(site)
        if name in _BINDING:
            self._bind(site, name)
        if callee == MIXING or callee in INHERITING:
            given = [a.value for a in parse_arguments(arguments)]
            if not (is_replacing and self._merge(scope, given)):
                self._mix(scope, callee, given)
        if NAMES_ONLY(arguments):
            self._hand_over(scope, callee, arguments)
        if name in FILLING:
            self._fill(scope, name, callee, arguments)

    def _fill(self, scope: int, name: str, callee: str, arguments: str) -> None:
        """Note what a method puts into what it is called on."""
        called, given = parse_expression(callee), [a.value for a in parse_arguments(arguments)]
        if name == _SETTING:
            if len(given) > 2 and type(given[1]) is Text:
                self._assign(scope, Attribute(given[0], given[1].text), given[2])
        elif name in _PUSHING:
            if len(given) > 1:
                self._insert(scope, given[0], ListLiteral((given[1],)))
        elif type(called) is Attribute:
            put = _inserted_value(name, given)
            if put is not None:
                self._insert(scope, called.of, put)

    def _hand_over(self, scope: int, callee: str, arguments: str) -> None:
        """Note what a function may put into names that it is handed, or find them to be."""
        tells = self._has_guards and _GUARD(callee)
        for position, argument in enumerate(arguments[1:-1].split(",")):
            name = argument.strip()
            if name.isidentifier():
                self._handed.append((scope, name, callee, position))
                if tells and position == 0:
                    found = Narrowed(Found(parse_expression(callee)))
                    self._table.values.setdefault((scope, name), []).append(found)

    def _bind(self, site: CallSite, name: str) -> None:
        """Note the call that `f.bind(this, a)`, `f.apply(this, [a])` or `partial(f, a)` makes."""
        given = [each.strip() for each in split_at_commas(site.arguments[1:-1])]
        callee = site.callee.rpartition(".")[0]
        if given and (name == "partial" or callee == "Reflect"):
            callee = given.pop(0)
        if name != "partial":
            given = given[1:]  # without the receiver
        if not callee or not given:
            return
        text = ", ".join(given)
        if name == "apply":
            is_list = text.startswith("[") and text.endswith("]")
            text = text[1:-1] if is_list else f"...{text}"
        made = CallSite(site.file_id, site.scope, callee, f"({text})")
        self._table.bound_sites.setdefault(called_name(callee), []).append(made)

    def _merge(self, scope: int, given: list[Expression]) -> bool:
        """Note that a literal replaces members of another; whether there are two."""
        to, merged = given[0], given[-1]
        if type(merged) is not DictLiteral or any(
            not isinstance(key, Text | Number) for key, _ in merged.pairs
        ):
            return False
        for key, value in merged.pairs:
            self._replace(scope, Item(to, key), value)
        return True

    def _mix(self, scope: int, callee: str, given: list[Expression]) -> None:
        """Note what `Object.assign` copies, and what inherits by a call."""
        if not given:
            return
        to, *others = given
        if callee == MIXING:
            for value in others:
                self._table.mixed_in.append((scope, to, value))
                if type(to) is Name:
                    self._insert(scope, to, DictLiteral(((Spread(value), Spread(value)),), True))
        elif others:
            self._inherit(_constructor_of(to) or to, _constructor_of(others[0]) or others[0])

    def _inherit(self, subclass: Expression, base: Expression) -> None:
        """Note that a function that makes instances inherits from another."""
        if type(subclass) is Name and type(base) is Name and subclass != base:
            table = self._table
            for each in table.children.get((table.module, subclass.name), ()):
                table.bases.setdefault(each.id, []).append(Base("", base.name))

    def _assign(self, scope: int, place: Expression, value: Expression) -> None:
        """Note that a place may hold a value."""
        match place:
            case Name(name):
                self._table.values.setdefault((scope, name), []).append(value)
            case Spread(of):
                self._assign(scope, of, value)
            case Either((place, default)):  # a place with what it holds where it gets nothing
                self._assign(scope, place, value)
                self._assign(scope, place, default)
            case DictLiteral() | ListLiteral() | Call():
                self._assign_parts(scope, place, value)
            case _:
                self._insert(scope, place, value)

    def _assign_parts(
        self, scope: int, place: DictLiteral | ListLiteral | Call, value: Expression
    ) -> None:
        """Note what the places in a pattern get of a value."""
        if isinstance(place, DictLiteral):
            for key, part in place.pairs:
                self._take_member(scope, value, key, part)
        elif isinstance(place, ListLiteral):
            for part, element in taken_apart(place.values, value):
                self._assign(scope, part, element)
        else:  # `case Node(left=leaf)`
            is_python = value != place.callee  # where the value says more than the pattern
            for at, each in enumerate(place.arguments):
                if is_python and each.keyword:
                    self._assign(scope, each.value, Attribute(value, each.keyword))
                elif not is_python:
                    key = Text(each.keyword) if each.keyword else Number(str(at))
                    self._assign(scope, each.value, Component(place.callee, key))

    def _insert(self, scope: int, place: Expression, value: Expression) -> None:
        """Note that a value, or a part of one, is put into what a place holds.

        It belongs to the scope that binds the name, which may be further out.
        """
        match place:
            case Name(name):
                self._inserted.append((scope, name, value))
            case Item(of, key):
                self._insert(scope, of, DictLiteral(((key, value),), is_part=True))
            case Either((first, _)):  # `(a ||= []).push(b)`
                self._insert(scope, first, value)
            case Attribute(of, name):
                self._assign_attribute(scope, place, of, name, value)
            case _:
                pass

    def _assign_attribute(
        self, scope: int, place: Attribute, of: Expression, name: str, value: Expression
    ) -> None:
        table = self._table
        if place == _COMMONJS_EXPORTS:
            table.values.setdefault((table.module, DEFAULT_EXPORT), []).append(value)
        if name == _PROTOTYPE:
            base = _prototype_made_of(value)
            if base is not None:
                self._inherit(of, base)
                return
        if type(of) is Name and of.name in self._self_names:
            self._assign_to_receiver(scope, name, value)
        elif isinstance(of, Name | Attribute | Item):
            table.given.setdefault(name, []).append((scope, of, value))
            if table.imports.file.rules.tables_are_classes and not name.startswith("__"):
                return  # found by its name: a table may be given hundreds
            self._insert(scope, of, DictLiteral(((Text(name), value),), is_part=True))

    def _assign_to_receiver(self, scope: int, name: str, value: Expression) -> None:
        """Note what a method gives to an attribute of its instance, or of the object around it."""
        table = self._table
        holder = table.class_around(scope) or table.constructor_around(scope)
        if holder:
            given = AssignedValue(scope, value)
            table.attributes.setdefault((holder, name), []).append(given)
            return
        around = table.definitions.get(table.definitions[scope].parent)
        if around is not None and around.kind in _OBJECTS:
            part = DictLiteral(((Text(name), value),), is_part=True)
            self._inserted.append((scope, around.name, part))

    def _take_member(
        self, scope: int, value: Expression, key: Expression, part: Expression
    ) -> None:
        """Note what a place gets of the members of a value: `{ key: part } = value`."""
        if type(key) is Spread:
            self._assign(scope, key.of, value)
        elif type(key) is Text:
            found = [v for k, v in value.pairs if k == key] if type(value) is DictLiteral else []
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
        for scope, name, callee, position in self._handed:
            home = scope if self._binds(scope, name) else self._binding_around(scope, name)
            if any(_is_created_here(value) for value in values.get((home, name), ())):
                filled = Filled(parse_expression(callee), position)
                values[home, name].append(_seen_from(scope, home, filled))

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


def _is_created_here(value: Expression) -> bool:
    """Whether a value is an object that is made where it is written."""
    if type(value) is Call:
        return last_part(value.callee)[:1].isupper()
    return type(value) is ListLiteral or (type(value) is DictLiteral and not value.is_part)


def _constructor_of(prototype: Expression) -> Expression | None:
    """The function whose prototype this is."""
    is_prototype = type(prototype) is Attribute and prototype.name == _PROTOTYPE
    return prototype.of if is_prototype and type(prototype) is Attribute else None


def _prototype_made_of(value: Expression) -> Expression | None:
    """The function whose prototype another is made of: `Object.create(F.prototype)`, `new F()`."""
    if type(value) is not Call:
        return None
    if value.callee == _MAKING_PROTOTYPES:
        return _constructor_of(value.arguments[0].value) if value.arguments else None
    return value.callee if type(value.callee) is Name else None


def _inserted_value(name: str, given: list[Expression]) -> Expression | None:
    """What a method puts into a collection, of its arguments; None where it puts nothing."""
    if name in _PUTTING and len(given) > 1:
        return DictLiteral(((given[0], given[1]),), is_part=True)
    position = 0 if name in _KEEPING else _INSERTING.get(name, 0)
    if len(given) <= position:
        return None
    return given[position] if name in _MERGING else ListLiteral((given[position],))


def _seen_from(scope: int, home: int, value: Expression) -> Expression:
    return value if scope == home else InScope(scope, value)
