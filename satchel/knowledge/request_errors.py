"""What a request lacks or has too much of, in words: the field, the bounds, what to do. Pure.

msgspec says it in its own; what is a text to people is `str` there, and its hints name no fields.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from msgspec import Struct, inspect

from satchel.knowledge.kinds import RELATIONS
from satchel.knowledge.model import Kind
from satchel.store.errors import UsageError

_CALLED = {
    "str": "a text", "int": "a whole number", "float": "a number", "bool": "true or false",
    "array": "a list", "object": "an object", "null": "nothing",
}  # fmt: skip
_UNIT = {"str": "characters", "array": "entries"}
_BOUND = re.compile(r"Expected `(\w+)`( of length)? ([<>]=) ([\d.]+)")
_TYPE = re.compile(r"Expected `([^`]+)`, got `(\w+)`")
_NAMED = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.S)
_STEP = re.compile(r"\.?(\w+)|\[(?:\d+|\.\.\.)\]")
# What may stand in fields that any label fits.
_USUAL: dict[str, Sequence[str]] = {"kind": tuple(Kind), "rel": RELATIONS}


def request_error(kind: type[Struct], said: str) -> UsageError:
    """What msgspec said of data that is not of a kind, as people and agents can use it."""
    what, _, where = said.partition(" - at `$")
    path = where.strip("`.")
    shape = _shape(inspect.type_info(kind), path)
    named = _NAMED.fullmatch(what)
    if named:
        return _of_name(shape, path, named[2], is_missing=named[1].startswith("missing"))
    last = re.sub(r"\[.*\]$", "", path.rpartition(".")[2])
    if what.startswith("Invalid enum value"):
        value = what.removeprefix("Invalid enum value ")
        return UsageError(f"{path} is {value}", f"use one of: {', '.join(_values(shape))}")
    bound = _BOUND.fullmatch(what)
    if bound:
        return UsageError(f"{path} is {_beyond(bound)}", _bounds(bound))
    typed = _TYPE.fullmatch(what)
    if typed:
        wanted = " or ".join(_CALLED.get(part, part) for part in _parts(typed[1]))
        got = _CALLED.get(typed[2], typed[2])
        return UsageError(f"{path or kind.__name__.lower()} is {got}", f"give {wanted}")
    usual = _USUAL.get(last)
    hint = f"use one of: {', '.join(usual)}" if usual else what
    return UsageError(f"{path or kind.__name__.lower()} cannot be used", hint)


def _of_name(shape: object, path: str, name: str, *, is_missing: bool) -> UsageError:
    """A field that is missing in an object, or that it does not have."""
    at = f" in {path}" if path else ""
    known = [field.encode_name for field in getattr(shape, "fields", ())]
    if is_missing:
        usual = _USUAL.get(name)
        hint = f"use one of: {', '.join(usual)}" if usual else f"fields: {', '.join(known)}"
        return UsageError(f"{name} is missing{at}", hint)
    near = get_close_matches(name, known, n=1)
    listed = f"fields: {', '.join(known)}"
    hint = f"did you mean {near[0]}? {listed}" if near else listed
    return UsageError(f"unknown field {name[:60]!r}{at}", hint)


def _shape(shape: object, path: str) -> object:
    """The type at a path as msgspec writes it: `items[0].links[1].rel`."""
    for step in _STEP.finditer(path):
        shape = _without_null(shape)
        if step[1]:
            fields = {field.encode_name: field.type for field in getattr(shape, "fields", ())}
            shape = fields.get(step[1])
        else:
            shape = getattr(shape, "item_type", None)
    return _without_null(shape)


def _without_null(shape: object) -> object:
    if not isinstance(shape, inspect.UnionType):
        return shape
    kept = [part for part in shape.types if not isinstance(part, inspect.NoneType)]
    return kept[0] if len(kept) == 1 else shape


def _values(shape: object) -> list[str]:
    if isinstance(shape, inspect.EnumType):
        return [str(value.value) for value in shape.cls]
    return [str(value) for value in getattr(shape, "values", ())]


def _parts(types: str) -> list[str]:
    return [part for part in types.split(" | ") if part != "null"] or ["null"]


def _beyond(bound: re.Match[str]) -> str:
    if bound[2]:
        return "too short" if bound[3] == ">=" else "too long"
    return "too small" if bound[3] == ">=" else "too large"


def _bounds(bound: re.Match[str]) -> str:
    side = "at least" if bound[3] == ">=" else "at most"
    number = bound[4].removesuffix(".0")
    return f"give {side} {number} {_UNIT.get(bound[1], '') if bound[2] else ''}".rstrip()
