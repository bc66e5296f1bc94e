"""The text format of flows: how extraction writes it and how it is parsed.

`satchel.indexer.extract.flows` makes them, two texts each, which the index keeps:

    place        value                  meaning
    name         expression             a name, attribute or item (`x.y`, `x["y"]`) may hold it
    name         ": " type              … what the type says
    name         "is " type             … what a test finds it to be, beside all else
    name         "in " expression       … what a loop over it gives
    name         "with " expression     … what entering it gives
    name         "of J METHOD " expr.   … what a method of it gives a function at J
    name         "given I J " callee    the J-th parameter of the I-th argument, a function
    name         "given - J"            … of a function that is returned
    name         "out I " callee        what a function puts into its I-th argument, by its type
    "."          expression             bare names may be members of it
    "return"     expression or ": " …   what the scope returns
    "yield"      expression             what it yields
    "@"          expression             what it is decorated with
    "=" name     expression             … assigned where the name may be bound further out
    "=" place    expression             … which replaces what a literal has there
    "="          name                   the scope binds the name, without a value
    "^"          name                   what the scope gives to the name is for a scope further out
    callee "("   "(…)"                  a call and its arguments
    "=" callee "("  "(…)"               … which replaces what a literal has: `Object.assign`
    "(" callee   "(…)"                  the same where arguments tell overloads apart
"""

import re
from collections.abc import Callable
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from satchel.indexer.callgraph.expressions.nodes import (
    Contextual,
    Declared,
    ElementOf,
    Entered,
    Expression,
    GivenBy,
    Narrowed,
)
from satchel.indexer.callgraph.expressions.parser import parse_expression, parse_operated
from satchel.indexer.callgraph.expressions.type_parser import parse_type
from satchel.indexer.extract.references import IN_FIELD
from satchel.store.model import Flow

NAMES = re.compile(r"[^\W\d]\w*")
# Not from inside a word, and never a part of one: what follows decides for the whole of it.
_KEY = re.compile(r"(?<![^\W\d])([^\W\d]\w*+)[\"'`!?]*+\s*+(?:[:,}]|$)")
_NO_KEYS: frozenset[str] = frozenset()
_LAST_NAME = re.compile(r"(?<![\w$])([\w$]++)\W*+$")
_BOUND = re.compile(r"([^\W\d][\w.]*)\.bind\(")
_MADE = re.compile(r"\bnew\s+([^\W\d][\w.]*)\s*\(")
_NAME_AS_ARGUMENT = re.compile(r"[(,=]\s*+([^\W\d][\w.]*+)(?=\s*+[,)])")


class FlowKind(Enum):
    """What a flow says about its scope."""

    NAME = auto()
    """What a name holds; `subject` is the name."""
    PLACE = auto()
    """What an attribute, an item or several places hold; `subject` is an expression."""
    CHANGED = auto()
    """What a name holds that may be bound further out; `subject` is the name."""
    REPLACED = auto()
    """What a part of a literal holds instead; `subject` is an expression."""
    DECLARED = auto()
    OUTER = auto()
    """Scopes and names without a value: bound here, bound further out."""
    IMPLIED = auto()
    """A value whose members bare names may be."""
    RESULT = auto()
    YIELD = auto()
    DECORATOR = auto()
    CALL = auto()
    """A call with its arguments; `subject` is what is called."""
    OVERLOADED_CALL = auto()


class FlowForm(NamedTuple):
    """What a flow is about."""

    kind: FlowKind
    subject: str


# Extraction notes these where a name would stand. Go lets a variable be called `yield`: what it is
# given counts as a result of its scope as well.
_RESERVED = {
    ".": FlowForm(FlowKind.IMPLIED, ""),
    "return": FlowForm(FlowKind.RESULT, ""),
    "yield": FlowForm(FlowKind.YIELD, ""),
    "@": FlowForm(FlowKind.DECORATOR, ""),
    "=": FlowForm(FlowKind.DECLARED, ""),
    "^": FlowForm(FlowKind.OUTER, ""),
}


def _given_by(text: str) -> Expression | None:
    parameter, _, rest = text.partition(" ")
    method, _, holder = rest.partition(" ")
    is_one = parameter.isdigit() and holder
    return GivenBy(parse_expression(holder), method, int(parameter)) if is_one else None


def _declared(text: str) -> Expression | None:
    argument, _, callee = text.partition(" ")
    is_one = argument.isdigit() and callee
    return Declared(parse_expression(callee), int(argument)) if is_one else None


def _contextual(text: str) -> Expression | None:
    argument, _, rest = text.partition(" ")
    parameter, _, callee = rest.partition(" ")
    if not parameter.isdigit() or argument.isdigit() != bool(callee):
        return None
    called = parse_expression(callee) if callee else None
    return Contextual(called, int(argument) if callee else 0, int(parameter))


_MARKED: dict[str, Callable[[str], Expression | None]] = {
    ":": parse_type,
    "is": lambda text: Narrowed(parse_type(text)),
    "in": lambda text: ElementOf(parse_expression(text)),
    "with": lambda text: Entered(parse_expression(text)),
    "of": _given_by,
    "out": _declared,
    "given": _contextual,
}
"""Words that values begin with that are no expression alone, and how the rest of them is read."""


@lru_cache(maxsize=1 << 14)
def flow_form(place: str) -> FlowForm:
    """What a flow with this place is about."""
    if place in _RESERVED:
        return _RESERVED[place]
    # First of the two: a callee in parentheses begins with one as well.
    if place.endswith("("):
        return FlowForm(FlowKind.CALL, place[:-1])
    if place.startswith("("):
        return FlowForm(FlowKind.OVERLOADED_CALL, place[1:])
    if place.startswith("="):
        is_name = NAMES.fullmatch(place, 1)
        return FlowForm(FlowKind.CHANGED if is_name else FlowKind.REPLACED, place[1:])
    return FlowForm(FlowKind.NAME if NAMES.fullmatch(place) else FlowKind.PLACE, place)


def flow_value(text: str, *, has_operators: bool) -> Expression:
    """The expression that a flow's value is, of all kinds but calls."""
    mark, blank, rest = text.partition(" ")
    read = _MARKED.get(mark) if blank else None
    found = read(rest) if read else None
    if found is not None:
        return found
    return parse_operated(text) if has_operators else parse_expression(text)


def dictionary_keys(flow: Flow) -> frozenset[str]:
    """The words that may be keys of what a flow puts into a dictionary."""
    # By words and not by parsing: a word too many is looked up in vain, one too few loses an edge.
    keys = _keys_of_place(flow.place)
    return keys.union(_KEY.findall(flow.value)) if "{" in flow.value else keys


@lru_cache(maxsize=1 << 14)
def _keys_of_place(place: str) -> frozenset[str]:
    return frozenset(NAMES.findall(place)) if "[" in place or "." in place else _NO_KEYS


@lru_cache(maxsize=1 << 14)
def first_word(name: str) -> str:
    """The first word of a name, as `NAMES` finds it: `x` of `$x`."""
    word = NAMES.search(name)
    return word[0] if word else ""


@lru_cache(maxsize=1 << 14)
def last_name(callee: str) -> str:
    """The name by which a call is found: the last one of what is called."""
    last = _LAST_NAME.search(callee)
    return last[1] if last else ""


def called_name(callee: str) -> str:
    """The name by which a call site is found; that of `make` for `make(…)(…)` too."""
    if callee.startswith(IN_FIELD):
        return IN_FIELD + last_name(callee)
    while callee.endswith(")"):
        depth = 0
        for i in range(len(callee) - 1, -1, -1):
            depth += (callee[i] == ")") - (callee[i] == "(")
            if depth == 0:
                break
        if depth or i == 0:
            break
        callee = callee[:i]
    return last_name(callee)


@lru_cache(maxsize=1 << 14)
def names_in_arguments(arguments: str) -> tuple[str, ...]:
    """The arguments of a call that are names, or paths of names."""
    found = _NAME_AS_ARGUMENT.findall(arguments)
    return tuple(found + _BOUND.findall(arguments) if "bind" in arguments else found)


@lru_cache(maxsize=1 << 14)
def made_in_arguments(arguments: str) -> tuple[str, ...]:
    """The classes of which the arguments of a call make instances: `new Name(…)`."""
    return tuple(_MADE.findall(arguments)) if "new " in arguments else ()
