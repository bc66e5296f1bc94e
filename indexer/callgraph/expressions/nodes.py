"""The syntax tree of an expression, the same for all languages.

Only what can be followed to a definition has a node; operators, literals and everything unknown are
`NOTHING`. Nodes are frozen and compare by value, since they are parts of the solver's questions.
Their hash is cached, since one node is part of many questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct


class Nothing(Struct, frozen=True, gc=False):
    """What is not followed."""


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


class Number(Struct, frozen=True, gc=False, cache_hash=True):
    """A number literal as written, which may be an index."""

    text: str


class ListLiteral(Struct, frozen=True, gc=False, cache_hash=True):
    """`[…]`, `(…, …)`, and what a generator yields."""

    values: tuple[Expression, ...]


class DictLiteral(Struct, frozen=True, gc=False, cache_hash=True):
    """`{key: value, …}`"""

    pairs: tuple[tuple[Expression, Expression], ...]


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


class InstanceOf(Struct, frozen=True, gc=False, cache_hash=True):
    """A value of the declared type `of`."""

    of: Expression


class CollectionOf(Struct, frozen=True, gc=False, cache_hash=True):
    """A collection whose elements are declared to be `element`, an `InstanceOf` or another."""

    element: Expression


Expression: TypeAlias = (
    Nothing | Name | Attribute | Call | Item | Slice | Text | Number | ListLiteral | DictLiteral
    | Spread | Either | ElementOf | Entered | InstanceOf | CollectionOf
)  # fmt: skip
# There is one instance only, so that `is` recognises it: the parser asks after every part.
NOTHING = Nothing()


def either(choices: Sequence[Expression]) -> Expression:
    """One of those choices that can be followed."""
    known = [choice for choice in choices if choice is not NOTHING]
    return known[0] if len(known) == 1 else Either(tuple(known)) if known else NOTHING


def is_type(expression: Expression) -> bool:
    """Whether an expression says what a declared type holds."""
    if isinstance(expression, Either):
        return all(is_type(choice) for choice in expression.choices)
    return isinstance(expression, InstanceOf | CollectionOf)


def declared_or_all(values: Sequence[Expression]) -> Sequence[Expression]:
    """What a place may hold: its declared types where it has any, else all it was given."""
    return [value for value in values if is_type(value)] or values
