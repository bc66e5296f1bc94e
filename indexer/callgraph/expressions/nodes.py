"""The syntax tree of an expression, the same for all languages.

Only what can be followed to a definition has a node; operators, literals and everything unknown are
`NOTHING`. Nodes are frozen and compare by value, since they are parts of the solver's questions.
Their hash is cached, since one node is part of many questions. They have no subclasses and are
asked for by their type: `isinstance` takes five times as long to say no.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from msgspec import Struct


class Nothing(Struct, frozen=True, gc=False):
    """An expression that is not followed: nothing is known of its value."""


class Name(Struct, frozen=True, gc=False, cache_hash=True):
    """`name`"""

    name: str


class Attribute(Struct, frozen=True, gc=False, cache_hash=True):
    """`of.name`, whatever the language writes between them."""

    of: Expression
    name: str


class Argument(Struct, frozen=True, gc=False, cache_hash=True):
    """One argument of a call; `keyword` is "" where its position says which it is."""

    keyword: str
    value: Expression


class Call(Struct, frozen=True, gc=False, cache_hash=True):
    """`callee(arguments)`, or `callee{…}` where braces make an instance."""

    callee: Expression
    arguments: tuple[Argument, ...]


class Item(Struct, frozen=True, gc=False, cache_hash=True):
    """`of[key]`"""

    of: Expression
    key: Expression


class Slice(Struct, frozen=True, gc=False, cache_hash=True):
    """`of[first:end]`"""

    of: Expression
    first: Expression
    end: Expression


# Text and numbers are different nodes, since `d["1"]` and `d[1]` are different entries.
class Text(Struct, frozen=True, gc=False, cache_hash=True):
    """A text literal without its quotes, which may be a key."""

    text: str


class Beginning(Struct, frozen=True, gc=False, cache_hash=True):
    """A text of which only the beginning is written: `f"visit_{kind}"`, `"visit_" + kind`."""

    text: str


class Number(Struct, frozen=True, gc=False, cache_hash=True):
    """A number literal as written, which may be an index."""

    text: str


class MemberByKey(Struct, frozen=True, gc=False, cache_hash=True):
    """The member of `of` whose name is the text that `key` is: `getattr(of, key)`."""

    of: Expression
    key: Expression


class ListLiteral(Struct, frozen=True, gc=False, cache_hash=True):
    """`[…]`, `(…, …)`, and what a generator yields."""

    values: tuple[Expression, ...]


class DictLiteral(Struct, frozen=True, gc=False, cache_hash=True):
    """`{key: value, …}`; `is_part` where it is what was put into something, and not all of it."""

    pairs: tuple[tuple[Expression, Expression], ...]
    is_part: bool = False


class Spread(Struct, frozen=True, gc=False, cache_hash=True):
    """`*of`, `...of`: several values in the place of one."""

    of: Expression


class Either(Struct, frozen=True, gc=False, cache_hash=True):
    """One of several: `a or b`, `c ? a : b`, `A | B`."""

    choices: tuple[Expression, ...]


class ElementOf(Struct, frozen=True, gc=False, cache_hash=True):
    """What a loop over `of` gives."""

    of: Expression


class Entered(Struct, frozen=True, gc=False, cache_hash=True):
    """What `with of as name` gives the name."""

    of: Expression


class Written(Struct, frozen=True, gc=False, cache_hash=True):
    """A function or class that is written where its value is wanted, under a name of its own."""

    name: str


class InScope(Struct, frozen=True, gc=False, cache_hash=True):
    """`of`, as a scope of the same file sees it: what a function gives to a name further out."""

    scope: int
    of: Expression


class InstanceOf(Struct, frozen=True, gc=False, cache_hash=True):
    """A value of the declared type `of`."""

    of: Expression


class CollectionOf(Struct, frozen=True, gc=False, cache_hash=True):
    """A collection whose elements are declared to be `element`, an `InstanceOf` or another."""

    element: Expression


class FirstOf(Struct, frozen=True, gc=False, cache_hash=True):
    """The first of several that stands for something of the tree: a cast says more than what is
    cast, and a function says more than the type that its call is given."""

    choices: tuple[Expression, ...]


class Narrowed(Struct, frozen=True, gc=False, cache_hash=True):
    """An instance of `of`, which a test has found a value to be: what a name may hold beside all
    that it is declared to be or given."""

    of: Expression


class Found(Struct, frozen=True, gc=False, cache_hash=True):
    """An instance of the type that a function says its argument is of, where it returns true:
    `isFoo(x): x is Foo`."""

    by: Expression


class Component(Struct, frozen=True, gc=False, cache_hash=True):
    """What a pattern takes out of what `of` makes, by position or by name: `i` of `Order(i, _)`."""

    of: Expression
    key: Text | Number


class Selector(Struct, frozen=True, gc=False, cache_hash=True):
    """A function that gives a member of what it is handed: `&:name`, `\\.name`."""

    name: str


class Returning(Struct, frozen=True, gc=False, cache_hash=True):
    """A function without a name that returns `of`, which sees the names of the scope around."""

    of: Expression


class Filled(Struct, frozen=True, gc=False, cache_hash=True):
    """What a function puts into the argument that it gets at a position."""

    callee: Expression
    position: int


class Declared(Struct, frozen=True, gc=False, cache_hash=True):
    """A value of the type that a function declares for the argument at a position."""

    callee: Expression
    position: int


class Contextual(Struct, frozen=True, gc=False, cache_hash=True):
    """A parameter of a function without a name, whose type is that of the place it is written at:
    an argument of a call, or what the function around returns (no callee)."""

    callee: Expression | None
    argument: int
    parameter: int


class GivenBy(Struct, frozen=True, gc=False, cache_hash=True):
    """What a method of `of` gives to a parameter, by its number, of a function without a name that
    it is handed: `of.forEach { … }`."""

    of: Expression
    method: str
    parameter: int


Expression: TypeAlias = (
    Nothing | Name | Attribute | Call | Item | Slice | Text | Number | ListLiteral | DictLiteral
    | Spread | Either | ElementOf | Entered | Written | InScope
    | InstanceOf | CollectionOf | FirstOf | Returning | Narrowed | Selector | Component
    | Found | Filled | Declared | Contextual | GivenBy | Beginning
    | MemberByKey
)  # fmt: skip
# There is one instance only, so that `is` recognises it: the parser asks after every part.
NOTHING = Nothing()
NEW = Name("new")
"""What stands before parentheses as a call does, in languages in which it is no method."""


def either(choices: Sequence[Expression]) -> Expression:
    """One of those choices that can be followed."""
    known = [choice for choice in choices if choice is not NOTHING]
    return known[0] if len(known) == 1 else Either(tuple(known)) if known else NOTHING


_OF_NO_VALUE = frozenset({Nothing, Text, Beginning, Number})
"""Nodes that are no values themselves, and at most keys of some."""


def is_followed(expression: Expression | None) -> bool:
    """Whether there is an expression that may stand for something."""
    return expression is not None and type(expression) not in _OF_NO_VALUE


def is_type(expression: Expression) -> bool:
    """Whether an expression says what a declared type holds."""
    if type(expression) is Either:
        return all(is_type(choice) for choice in expression.choices)
    return type(expression) is InstanceOf or type(expression) is CollectionOf


def declared_or_all(values: Sequence[Expression]) -> Sequence[Expression]:
    """What a place may hold: its declared types where it has any, with those that it is narrowed
    to, else all it was given."""
    if not any(is_type(value) for value in values):
        return values
    return [value for value in values if is_type(value) or type(value) is Narrowed]


def is_only_narrowed(values: Sequence[Expression]) -> bool:
    """Whether all that is known of a name is what tests find it to be: none of them binds it."""
    return bool(values) and all(type(value) is Narrowed for value in values)


def root_of(place: Expression) -> str:
    """The name that a place of names, members and items begins with; "" for another."""
    while type(place) is Attribute or type(place) is Item:
        place = place.of
    return place.name if type(place) is Name else ""


def last_part(path: Expression) -> str:
    """The last name of a path of names; "" for another."""
    return path.name if type(path) is Name or type(path) is Attribute else ""


def without_call(written: Expression) -> Expression:
    """What is called, of a call; a decorator may be written with arguments and without."""
    return written.callee if type(written) is Call else written


def path_of(place: Expression) -> tuple[Expression, ...]:
    """The keys from the root of a place to its end, a member as the text that it is."""
    if type(place) is Attribute:
        return (*path_of(place.of), Text(place.name))
    return (*path_of(place.of), place.key) if type(place) is Item else ()


def with_part(
    literal: Expression, path: Sequence[Expression], value: Expression
) -> Expression | None:
    """A literal with another value at a path of keys; None where it is no literal to its end."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if type(literal) is DictLiteral:
        known = [own for each, own in literal.pairs if each == key]
        part = with_part(known[-1], rest, value) if known else value if not rest else None
        others = tuple(pair for pair in literal.pairs if pair[0] != key)
        return None if part is None else DictLiteral((*others, (key, part)), literal.is_part)
    if type(literal) is ListLiteral and type(key) is Number and key.text.isdigit():
        at, values = int(key.text), literal.values
        if at < len(values) and not any(type(each) is Spread for each in values):
            part = with_part(values[at], rest, value)
            return None if part is None else ListLiteral((*values[:at], part, *values[at + 1 :]))
    return None


def taken_apart(
    places: tuple[Expression, ...], value: Expression
) -> list[tuple[Expression, Expression]]:
    """What each of several places gets of one value."""
    if type(value) is not ListLiteral:
        return [(place, _part_at(place, value, i, len(places))) for i, place in enumerate(places)]
    given = value.values
    # `first, *rest = a, b, c`: the star takes what the others leave, as a list.
    stars = [i for i, place in enumerate(places) if type(place) is Spread]
    if len(stars) == 1 and len(given) >= len(places) - 1:
        at, end = stars[0], stars[0] + len(given) - len(places) + 1
        given = (*given[:at], ListLiteral(given[at:end]), *given[end:])
    if len(given) != len(places):
        # A spread value on the right: which part goes where is not known.
        return [(place, ElementOf(value)) for place in places]
    return list(zip(places, given, strict=True))


def _part_at(place: Expression, value: Expression, at: int, n_places: int) -> Expression:
    """What the place at a position gets of a value that is no literal."""
    # The star leaves as many as stand behind it.
    if type(place) is Spread:
        end = at - n_places + 1
        return Slice(value, Number(str(at)), Number(str(end)) if end else NOTHING)
    return Item(value, Number(str(at)))


class _Slot(NamedTuple):
    """What a parameter takes of the arguments of a call."""

    position: int
    takes_rest: bool
    takes_keywords: bool
    by_keyword: bool
    """Whether no position leads to it: behind `*rest`, or a bare `*`."""


# A function is asked for each of its parameters and for each call, so this is worked out once.
@lru_cache(maxsize=1 << 14)
def _slot(name: str, names: tuple[str, ...]) -> _Slot:
    if f"**{name}" in names:
        return _Slot(0, takes_rest=False, takes_keywords=True, by_keyword=True)
    # Names of parameters have their stars, and the body of a function says them without.
    is_rest = f"*{name}" in names
    position = names.index(f"*{name}" if is_rest else name)
    is_behind = any(each.startswith("*") for each in names[:position])
    return _Slot(position, takes_rest=is_rest, takes_keywords=False, by_keyword=is_behind)


def argument_for(
    name: str, names: tuple[str, ...], given: tuple[Argument, ...]
) -> Expression | None:
    """The argument that a parameter gets, by keyword or by position; None where it gets none.

    One that takes the rest gets a list of them, one that takes the other keywords a dictionary.
    """
    slot = _slot(name, names)
    if slot.takes_keywords:
        return _other_keywords(names, given)
    return _remaining_arguments(slot, given) if slot.takes_rest else _single(name, slot, given)


def _remaining_arguments(slot: _Slot, given: tuple[Argument, ...]) -> Expression | None:
    values = [each.value for each in given if not each.keyword][slot.position :]
    return ListLiteral(tuple(values)) if values else None


def _single(name: str, slot: _Slot, given: tuple[Argument, ...]) -> Expression | None:
    wanted = slot.position
    for position, each in enumerate(given):
        value = each.value
        if each.keyword == name:
            return value
        if each.keyword == "**":
            return Item(value, Text(name))
        if each.keyword or slot.by_keyword:
            continue
        if type(value) is Spread and position <= wanted:
            # After a second spread argument no position is known.
            by_position = Item(value.of, Number(str(wanted - position)))
            others = [Item(each.value, Text(name)) for each in given if each.keyword == "**"]
            return either((by_position, *others))
        if position == wanted:
            return value
    return None


def _other_keywords(names: tuple[str, ...], given: tuple[Argument, ...]) -> Expression | None:
    pairs = [
        (Spread(a.value), Spread(a.value)) if a.keyword == "**" else (Text(a.keyword), a.value)
        for a in given
        if a.keyword and a.keyword not in names
    ]
    return DictLiteral(tuple(pairs)) if pairs else None
