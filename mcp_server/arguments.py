"""What a tool may be told: parameters, their JSON Schema, and the check that words every refusal.

A refusal names the field, what it was, the bounds and what to do. Nothing is clamped, nothing is
guessed from another type, and an unknown name is an error: a misspelt parameter that is silently
ignored answers a question that nobody asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from satchel.store.errors import UsageError

_SHOWN = 60
"""Characters of a wrong value that an error repeats."""


class Kind(StrEnum):
    """JSON types, as JSON Schema calls them."""

    TEXT = "string"
    WHOLE = "integer"
    NUMBER = "number"
    FLAG = "boolean"
    TEXTS = "array"
    """A list of strings."""
    GRADE = "grade"
    """A number or a word for one, which the tool reads itself."""
    OBJECT = "object"
    """An object, which the tool checks itself."""
    ITEMS = "list"
    """A list of objects, which the tool checks itself."""


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter.

    `low` and `high` are inclusive: of the value where it is a number, of the number of characters
    of a text, of the number of entries of a list. `default` is what a call without it means, None
    where the tool decides. `also` maps other systems' words to ours; they are not in the schema.
    """

    name: str
    kind: Kind = Kind.TEXT
    about: str = ""
    required: bool = False
    default: object = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    quiet: bool = False
    """Whether its bounds stay out of the schema, where every token is read by every agent."""
    terse: bool = False
    """Whether its choices do as well; a wrong one is answered with what there is."""


class Arguments:
    """Checked arguments; what the caller left out has its default."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def has(self, name: str) -> bool:
        """Whether there is a value, said or by default."""
        return self._values.get(name) is not None

    def said(self) -> dict[str, object]:
        """Everything that has a value, by name, for a tool that reads it as a whole."""
        return {name: value for name, value in self._values.items() if value is not None}

    def text(self, name: str, default: str = "") -> str:
        """A text."""
        value = self._values.get(name)
        return value if isinstance(value, str) else default

    def whole(self, name: str, default: int = 0) -> int:
        """A whole number."""
        value = self._values.get(name)
        return value if isinstance(value, int) else default

    def number(self, name: str, default: float = 0.0) -> float:
        """A number."""
        value = self._values.get(name)
        return float(value) if isinstance(value, int | float) else default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True or false."""
        value = self._values.get(name)
        return value if isinstance(value, bool) else default

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._values.get(name)
        return tuple(value) if isinstance(value, tuple) else ()

    def items(self, name: str) -> tuple[Mapping[str, object], ...]:
        """A list of objects, not checked any further."""
        value = self._values.get(name)
        return tuple(value) if isinstance(value, tuple) else ()


def schema(params: Sequence[Param]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments: flat, without references or alternatives."""
    whole: dict[str, Any] = {
        "type": "object",
        "properties": {param.name: _property(param) for param in params},
    }
    required = [param.name for param in params if param.required]
    return {**whole, "required": required} if required else whole


def checked(params: Sequence[Param], said: Mapping[str, object]) -> Arguments:
    """What a caller said, held against the parameters.

    Raises:
        UsageError: a name is unknown, a value is missing, of another type or out of bounds.
    """
    known = {param.name: param for param in params}
    for name in said:
        # Unknown names are refused before values are looked at, so that a misspelt required
        # parameter is named as such and not reported as missing.
        if name not in known:
            near = get_close_matches(name, list(known), n=1)
            listed = f"known: {', '.join(known)}" if known else "this tool takes none"
            hint = f"did you mean {near[0]}? {listed}" if near else listed
            raise UsageError(f"unknown parameter {_shown(name)}", hint)
    values: dict[str, object] = {}
    for param in params:
        value = said.get(param.name)
        # A null counts as left out, so a client may fill in every parameter: no kind takes null for
        # a value.
        if value is None:
            if param.required:
                raise UsageError(f"{param.name} is missing", _wanted(param))
            values[param.name] = param.default
        else:
            values[param.name] = _value(param, value)
    return Arguments(values)


def _property(param: Param) -> dict[str, Any]:
    # Two of our kinds are no types of JSON Schema, and are translated here to what a client
    # understands.
    kind = Kind.TEXTS if param.kind == Kind.ITEMS else param.kind
    types = ["number", "string"] if kind == Kind.GRADE else str(kind)
    found: dict[str, Any] = {"type": types}
    if param.kind in (Kind.TEXTS, Kind.ITEMS):
        found["items"] = {"type": "string" if param.kind == Kind.TEXTS else "object"}
    if param.about:
        found["description"] = param.about
    if param.choices and not param.terse:
        found["enum"] = list(param.choices)
    # Only bounds of numbers are listed; those of lengths would cost every agent tokens, and the
    # refusal names them.
    if param.kind in (Kind.WHOLE, Kind.NUMBER) and not param.quiet:
        bounds = (("minimum", param.low), ("maximum", param.high))
        found |= {key: _tidy(bound) for key, bound in bounds if bound is not None}
    if param.default is not None and not param.quiet:
        found["default"] = param.default
    return found


def _value(param: Param, value: object) -> object:
    read = _READ[param.kind](value)
    if read is None:
        raise UsageError(f"{param.name} is {_shown(value)}", _wanted(param))
    # JSON can escape half of a surrogate pair, which Python keeps and SQLite and UTF-8 cannot.
    if isinstance(read, str) and not _is_text(read):
        raise UsageError(f"{param.name} has half of a surrogate pair in it", "give Unicode text")
    if param.choices:
        # Another system's word is translated before the check, so that the check needs to know only
        # ours.
        read = dict(param.also).get(str(read), read)
        if read not in param.choices:
            raise UsageError(f"{param.name} is {_shown(value)}", _wanted(param))
    size = len(read) if isinstance(read, str | tuple) else read
    # A bool is an int in Python, and has no bounds.
    if isinstance(size, int | float) and not isinstance(size, bool):
        # A NaN compares false with every bound, infinite ones included, so it is refused wherever a
        # number is asked for.
        low = float("-inf") if param.low is None else param.low
        high = float("inf") if param.high is None else param.high
        if not low <= size <= high:
            counted = f"has {size} {_UNIT[param.kind]}" if size is not read else f"is {size}"
            raise UsageError(f"{param.name} {counted}", _wanted(param))
    return read


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():  # 10.0 is a whole number in JSON
        return int(value)
    # Python takes true for 1, but a client that says true where a number belongs has mistaken the
    # parameter.
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _grade(value: object) -> float | str | None:
    return value if isinstance(value, str) else _number(value)


def _object(value: object) -> Mapping[str, object] | None:
    return value if isinstance(value, dict) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    return None


def _items(value: object) -> tuple[Mapping[str, object], ...] | None:
    if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        return tuple(value)
    return None


# These return None for a value of the wrong type. No kind accepts null, so None cannot be a value.
_READ: dict[Kind, Callable[[object], Any]] = {
    Kind.TEXT: _text,
    Kind.WHOLE: _whole,
    Kind.NUMBER: _number,
    Kind.GRADE: _grade,
    Kind.FLAG: _flag,
    Kind.TEXTS: _texts,
    Kind.OBJECT: _object,
    Kind.ITEMS: _items,
}
_CALLED = {
    Kind.TEXT: "a text",
    Kind.WHOLE: "a whole number",
    Kind.NUMBER: "a number",
    Kind.GRADE: "a number or a word",
    Kind.FLAG: "true or false",
    Kind.TEXTS: "a list of texts",
    Kind.OBJECT: "an object",
    Kind.ITEMS: "a list of objects",
}
_UNIT = {Kind.TEXT: "characters", Kind.TEXTS: "entries", Kind.ITEMS: "entries"}


def _wanted(param: Param) -> str:
    """What to do instead: the bounds, and the default where there is one."""
    if param.choices:
        wanted = f"use one of: {', '.join(param.choices)}"
    else:
        wanted = f"give {_CALLED[param.kind]}{_bounds(param)}"
    return wanted if param.default is None else f"{wanted} (default: {param.default})"


def _bounds(param: Param) -> str:
    unit = f" {_UNIT[param.kind]}" if param.kind in _UNIT else ""
    if param.low is not None and param.high is not None:
        return f" of {_tidy(param.low)} to {_tidy(param.high)}{unit}"
    if param.high is not None:
        return f" of at most {_tidy(param.high)}{unit}"
    return f" of at least {_tidy(param.low)}{unit}" if param.low is not None else ""


def _tidy(bound: float) -> float:
    return int(bound) if float(bound).is_integer() else bound


def _shown(value: object) -> str:
    # The value may be a whole file that was pasted by mistake, so the error repeats only its
    # beginning.
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
