"""Checks the arguments of a tool call, and words each refusal.

Plain variants are accepted: a number written as text, one text where a list of them is meant, a
list or object as the text of its JSON, and the names that other tools use. Beyond that nothing is
guessed and nothing is clamped: a refusal names the field, its value, the bounds and what to do. An
unknown name is an error, because a misspelt parameter that is ignored would answer another question
than the one that was asked.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from satchel.questions.params import UNIT, Kind, Param, bounds_of, default_of, tidy
from satchel.store.errors import UsageError

_SHOWN = 60
"""Characters of a wrong value that an error repeats."""
_WHOLE = re.compile(r"\s*[+-]?\d{1,18}\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})\s*", re.ASCII)
_FLAGS = {"true": True, "false": False}


class Arguments:
    """Checked arguments; what the caller left out has its default."""

    def __init__(self, given: Mapping[str, object], defaults: Mapping[str, object]) -> None:
        self._given = given
        self._values = {**defaults, **given}

    def has(self, name: str) -> bool:
        """Whether there is a value, given or by default."""
        return self._values.get(name) is not None

    def given(self) -> dict[str, object]:
        """What the caller gave, by name, for a tool that reads it as a whole."""
        return dict(self._given)

    def values(self) -> dict[str, object]:
        """Every value by name, given or by default; None where there is none."""
        return dict(self._values)

    def text(self, name: str, default: str = "") -> str:
        """A text."""
        value = self._values.get(name)
        return value if isinstance(value, str) else default

    def whole(self, name: str, default: int = 0) -> int:
        """A whole number."""
        value = self._values.get(name)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        """True or false, false without one."""
        return self._values.get(name) is True


def checked(params: Sequence[Param], given: Mapping[str, object], settings: object) -> Arguments:
    """What a caller sent, held against the parameters; `settings` hold some of the defaults.

    Raises:
        UsageError: a name is unknown, a value is missing, of another type or out of bounds.
    """
    named = by_own_name(params, given)
    values: dict[str, object] = {}
    for param in params:
        if param.name in named:
            values[param.name] = _value(param, named[param.name])
        elif param.required:
            raise UsageError(f"{param.name} is missing", _expectation(param))
    return Arguments(values, {param.name: default_of(param, settings) for param in params})


def by_own_name(params: Sequence[Param], given: Mapping[str, object]) -> dict[str, object]:
    """What has a value, under the names that the parameters have here.

    Raises:
        UsageError: a name is unknown, or two names of one parameter have different values.
    """
    names = {other: param.name for param in params for other in param.other_names}
    # A tool's own names come last: what another tool calls so is not meant here.
    names |= {param.name: param.name for param in params}
    found: dict[str, object] = {}
    for name, value in given.items():
        # Unknown names are refused before values are looked at, so that a misspelt required
        # parameter is named as such and not reported as missing.
        if name not in names:
            from difflib import get_close_matches  # which takes long to load

            known = [param.name for param in params]
            near = get_close_matches(name, known, n=1)
            listed = f"known: {', '.join(known)}" if known else "this tool takes none"
            hint = f"did you mean {near[0]}? {listed}" if near else listed
            raise UsageError(f"unknown parameter {_short_repr(name)}", hint)
        # A null counts as left out, so a client may fill in every parameter: no kind takes null for
        # a value.
        if value is None:
            continue
        ours = names[name]
        if found.setdefault(ours, value) != value:
            raise UsageError(f"{ours} is given twice", f"{_short_repr(name)} is another name of it")
    return found


def _value(param: Param, value: object) -> object:
    read = _READ[param.kind](value)
    if read is None:
        raise UsageError(f"{param.name} is {_short_repr(value)}", _expectation(param))
    # JSON can escape half of a surrogate pair, which Python keeps and SQLite and UTF-8 cannot.
    if not _is_text(read):
        raise UsageError(f"{param.name} is no text", "write it in UTF-8")
    if param.choices:
        # Another system's word is translated before the check, so that the check needs to know only
        # ours.
        known = dict(param.other_choices)
        read = (
            tuple(known.get(each, each) for each in read)
            if isinstance(read, tuple)
            else (known.get(str(read), read))
        )
        if not set(read if isinstance(read, tuple) else (read,)) <= set(param.choices):
            raise UsageError(f"{param.name} is {_short_repr(value)}", _expectation(param))
    size = len(read) if isinstance(read, str | tuple) else read
    # A bool is an int in Python, and has no bounds.
    if isinstance(size, int | float) and not isinstance(size, bool):
        # A NaN compares false with every bound, infinite ones included, so it is refused wherever a
        # number is asked for.
        low = float("-inf") if param.low is None else param.low
        high = float("inf") if param.high is None else param.high
        if not low <= size <= high:
            counted = f"has {size} {UNIT[param.kind]}" if size is not read else f"is {tidy(size)}"
            counted = counted if size or size is read else "is empty"
            raise UsageError(f"{param.name} {counted}", _expectation(param))
    return read


def _is_text(value: object) -> bool:
    """Whether every text in a value is one that UTF-8 can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole_number(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():  # 10.0 is a whole number in JSON
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    # Python takes true for 1, but a client that says true where a number belongs has mistaken the
    # parameter.
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _grade(value: object) -> float | str | None:
    number = _number(value)
    return value if number is None and isinstance(value, str) else number


def _flag(value: object) -> bool | None:
    if isinstance(value, str):
        return _FLAGS.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _object(value: object) -> Mapping[str, object] | None:
    value = _from_json(value, "{")
    return value if isinstance(value, dict) else None


def _texts(value: object) -> tuple[str, ...] | None:
    value = _from_json(value, "[")
    # A text where a list belongs is a list of that one text.
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    return None


def _names(value: object) -> str | None:
    found = _texts(value)
    # `[]` is the name of an operator, and no list of names.
    if not found and isinstance(value, str):
        return value
    return None if found is None else ", ".join(found)


def _items(value: object) -> tuple[Mapping[str, object], ...] | None:
    value = _from_json(value, "[{")
    if isinstance(value, dict):
        return (value,)
    if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        return tuple(value)
    return None


def _from_json(value: object, beginnings: str) -> object:
    """The value of a text that is JSON and begins so; many agents send lists and objects as such.

    Anything else is returned as it is.
    """
    if not isinstance(value, str) or value.lstrip()[:1] not in tuple(beginnings):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


# These return None for a value of the wrong type. No kind accepts null, so None cannot be a value.
_READ: dict[Kind, Callable[[object], Any]] = {
    Kind.TEXT: lambda value: value if isinstance(value, str) else None,
    Kind.WHOLE: _whole_number,
    Kind.NUMBER: _number,
    Kind.GRADE: _grade,
    Kind.FLAG: _flag,
    Kind.TEXTS: _texts,
    Kind.NAMES: _names,
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
    Kind.NAMES: "a text",
    Kind.OBJECT: "an object",
    Kind.ITEMS: "a list of objects",
}


def _expectation(param: Param) -> str:
    """What to do instead: the bounds, and the default where there is one."""
    if param.choices:
        wanted = f"use one of: {', '.join(param.choices)}"
    else:
        wanted = f"give {_CALLED[param.kind]}{bounds_of(param)}"
    return wanted if param.default is None else f"{wanted} (default: {param.default})"


def _short_repr(value: object) -> str:
    # The value may be a whole file that was pasted by mistake, so the error repeats only its
    # beginning.
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
