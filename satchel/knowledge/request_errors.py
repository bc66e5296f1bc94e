"""Words the errors of requests: the field, the bounds, what to do instead. Pure.

msgspec finds the errors and words them for programmers: a text is `str` there, and an unknown field
gets no suggestion. Its messages are the only thing that it hands over, so they are parsed here; a
message of another form is passed on as it is.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from msgspec import Struct, inspect

from satchel.knowledge.model import Kind, Relation
from satchel.store.counted import counted
from satchel.store.errors import UsageError

# JSON's types as people call them; a type that is not here is named as msgspec names it.
_TYPE_NAMES = {
    "str": "a text", "int": "a whole number", "float": "a number", "bool": "true or false",
    "array": "a list", "object": "an object", "null": "nothing",
}  # fmt: skip
_UNITS = {"str": ("character", "characters"), "array": ("entry", "entries")}
# The forms of msgspec's messages, without the path at their end.
_BOUND = re.compile(r"Expected `(\w+)`( of length)? ([<>]=) ([\d.]+)")
_TYPE = re.compile(r"Expected `([^`]+)`, got `(\w+)`")
_FIELD = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.S)
_PATH_STEP = re.compile(r"\.?(\w+)|\[(?:\d+|\.\.\.)\]")
# Usual values of fields that accept any label.
_USUAL: dict[str, Sequence[str]] = {"kind": tuple(Kind), "rel": tuple(Relation)}


def request_error(kind: type[Struct], message: str) -> UsageError:
    """msgspec's message about data that is no request of a kind, in words for people and agents."""
    what, _, where = message.partition(" - at `$")
    path = where.strip("`.")
    name = path or kind.__name__.lower()
    shape = _type_at(inspect.type_info(kind), path)
    if field := _FIELD.fullmatch(what):
        return _field_error(shape, path, field[2], is_missing=field[1].startswith("missing"))
    if what.startswith("Invalid enum value"):
        value = what.removeprefix("Invalid enum value ")
        values = getattr(shape, "values", ())
        if isinstance(shape, inspect.EnumType):
            values = [member.value for member in shape.cls]
        return UsageError(f"{path} is {value}", f"use one of: {', '.join(map(str, values))}")
    if bound := _BOUND.fullmatch(what):
        return _bound_error(path, bound)
    if typed := _TYPE.fullmatch(what):
        # None counts as left out, so that it is never the type to give.
        wanted = [part for part in typed[1].split(" | ") if part != "null"] or ["null"]
        names = " or ".join(_TYPE_NAMES.get(part, part) for part in wanted)
        return UsageError(f"{name} is {_TYPE_NAMES.get(typed[2], typed[2])}", f"give {names}")
    usual = _USUAL.get(re.sub(r"\[.*\]$", "", path.rpartition(".")[2]))
    return UsageError(
        f"{name} cannot be used", f"use one of: {', '.join(usual)}" if usual else what
    )


def _field_error(shape: object, path: str, name: str, *, is_missing: bool) -> UsageError:
    """An error about a field that an object lacks, or that it may not have."""
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


def _bound_error(path: str, bound: re.Match[str]) -> UsageError:
    """An error about a value that is too long or short, too large or small."""
    kind, is_length, is_minimum = bound[1], bool(bound[2]), bound[3] == ">="
    below, above = ("short", "long") if is_length else ("small", "large")
    side = "at least" if is_minimum else "at most"
    amount = bound[4].removesuffix(".0")
    if is_length and kind in _UNITS:
        amount = counted(int(amount), *_UNITS[kind])
    return UsageError(f"{path} is too {below if is_minimum else above}", f"give {side} {amount}")


def _type_at(shape: object, path: str) -> object:
    """The type at a path as msgspec writes it: `items[0].links[1].rel`; None where it leads out."""
    for step in _PATH_STEP.finditer(path):
        shape = _without_null(shape)
        if step[1]:
            fields = {field.encode_name: field.type for field in getattr(shape, "fields", ())}
            shape = fields.get(step[1])
        else:
            shape = getattr(shape, "item_type", None)
    return _without_null(shape)


def _without_null(shape: object) -> object:
    """`T` of `T | None`, without what is said of it; a union of several types as it is."""
    if isinstance(shape, inspect.Metadata):
        shape = shape.type
    if not isinstance(shape, inspect.UnionType):
        return shape
    types = [part for part in shape.types if not isinstance(part, inspect.NoneType)]
    return types[0] if len(types) == 1 else shape
