"""The parameters of a question, taken from the type of its request, and as JSON Schema.

Types, bounds, allowed values and defaults stand in the fields of a request alone; `said` adds what
is said of a field, and what faces know it by. `satchel.questions.arguments` checks what a caller
sends against them. A parameter is listed with all that is known of it or not at all: one that is
not listed is accepted like any other, and `mcp.tools = "full"` lists it too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import attrgetter
from typing import Any

from msgspec import NODEFAULT, Meta, Struct, inspect


class Kind(StrEnum):
    """What a parameter may be. `TEXT` to `TEXTS` and `OBJECT` are types of JSON Schema."""

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
    NAMES = "names"
    """A text, or a list of texts, which is read as one text with commas between."""


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a tool.

    `low` and `high` are inclusive: of the value where it is a number, of the number of characters
    of a text, of the number of entries of a list. `default` is what a call without it means, None
    where the tool decides.
    """

    name: str
    kind: Kind = Kind.TEXT
    about: str = ""
    required: bool = False
    default: object = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    other_choices: tuple[tuple[str, str], ...] = ()
    """Other systems' words for a choice, and ours. They are not in the schema."""
    other_names: tuple[str, ...] = ()
    """Names that callers know it by from other tools. They are not in the schema."""
    setting: str = ""
    """The setting that holds the default, as "section.key"."""
    listed: bool = True
    """Whether the compact list of tools shows it."""


def default_of(param: Param, settings: object) -> object:
    """What a call without the parameter means, None where the tool decides."""
    return attrgetter(param.setting)(settings) if param.setting else param.default


def schema(params: Sequence[Param], settings: object, *, full: bool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments: flat, without references or alternatives."""
    shown = [param for param in params if full or param.listed]
    whole: dict[str, Any] = {
        "type": "object",
        "properties": {param.name: _property(param, settings, full=full) for param in shown},
    }
    required = [param.name for param in shown if param.required]
    return {**whole, "required": required} if required else whole


def _property(param: Param, settings: object, *, full: bool) -> dict[str, Any]:
    # Two of our kinds are no types of JSON Schema, and are translated here to what a client
    # understands.
    kind = _AS_TYPE.get(param.kind, param.kind)
    types = ["number", "string"] if kind == Kind.GRADE else str(kind)
    found: dict[str, Any] = {"type": types}
    if param.kind in (Kind.TEXTS, Kind.ITEMS):
        found["items"] = {"type": "string" if param.kind == Kind.TEXTS else "object"}
    if param.about:
        found["description"] = param.about
    if param.choices:
        (found["items"] if param.kind == Kind.TEXTS else found)["enum"] = list(param.choices)
    # The compact list has the bounds of numbers only: those of lengths would cost every agent
    # tokens, and a refusal names them.
    if full or param.kind in (Kind.WHOLE, Kind.NUMBER):
        low, high = _BOUND_NAMES.get(param.kind, ("", ""))
        bounds = ((low, param.low), (high, param.high))
        found |= {key: tidy(bound) for key, bound in bounds if key and bound is not None}
    default = default_of(param, settings)
    # An empty default says nothing that leaving the parameter out does not say.
    if default not in (None, "", ()):
        found["default"] = default
    return found


_AS_TYPE = {Kind.ITEMS: Kind.TEXTS, Kind.NAMES: Kind.TEXT}
_BOUND_NAMES = {
    Kind.TEXT: ("minLength", "maxLength"),
    Kind.NAMES: ("minLength", "maxLength"),
    Kind.WHOLE: ("minimum", "maximum"),
    Kind.NUMBER: ("minimum", "maximum"),
    Kind.TEXTS: ("minItems", "maxItems"),
    Kind.ITEMS: ("minItems", "maxItems"),
}


def tidy(bound: float) -> float:
    """A bound as people write it: 10 and not 10.0."""
    return int(bound) if float(bound).is_integer() else bound


def said(
    about: str,
    *,
    other_names: tuple[str, ...] = (),
    other_choices: tuple[tuple[str, str], ...] = (),
    setting: str = "",
    kind: Kind | None = None,
    listed: bool = True,
) -> Meta:
    """What is said of a field of a request, beside its type; see the fields of `Param`.

    `kind` is given where the type does not say it.
    """
    extra = {
        "other_names": other_names, "other_choices": other_choices, "setting": setting,
        "listed": listed, **({"kind": kind} if kind else {}),
        **({"required": False} if setting else {}),
    }  # fmt: skip
    return Meta(description=about, extra=extra)


def fields_of(request: type[Struct]) -> tuple[Param, ...]:
    """A parameter for each field of a request that something is said of, in their order.

    Raises:
        ValueError: one has a type that nobody can be asked for.
    """
    found = []
    shape = inspect.type_info(request)
    assert isinstance(shape, inspect.StructType)
    for field in shape.fields:
        # A field of which nothing is said is for callers in Python, as what a session was sent.
        if not isinstance(field.type, inspect.Metadata) or not field.type.extra:
            continue
        about = (field.type.extra_json_schema or {})["description"]
        found.append(replace(_param(field, about), **field.type.extra))
    return tuple(found)


def _param(field: inspect.Field, about: str) -> Param:
    kind, low, high, choices = _shape(_without_none(field.type))
    return Param(
        field.encode_name, kind, about, required=field.required, default=_default(field),
        low=low, high=high, choices=choices,
    )  # fmt: skip


def _default(field: inspect.Field) -> object:
    """The default as JSON has it; None where it says what leaving the field out says."""
    if field.default is NODEFAULT or isinstance(field.default, Struct):
        return None
    plain = list(field.default) if isinstance(field.default, tuple) else field.default
    return None if plain in ("", []) else plain


def _without_none(shape: inspect.Type) -> inspect.Type:
    """`T` of `T | None`, without what is said of it; a union of several types as it is."""
    if isinstance(shape, inspect.Metadata):
        shape = shape.type
    if not isinstance(shape, inspect.UnionType):
        return shape
    types = tuple(part for part in shape.types if not isinstance(part, inspect.NoneType))
    return types[0] if len(types) == 1 else inspect.UnionType(types)


def _shape(shape: inspect.Type) -> tuple[Kind, Any, Any, tuple[str, ...]]:
    """(kind, least, most, choices); the bounds are of a number, or of a length.

    Raises:
        ValueError: tools take no values of this type.
    """
    if isinstance(shape, inspect.EnumType):
        return Kind.TEXT, None, None, tuple(str(member.value) for member in shape.cls)
    if isinstance(shape, inspect.LiteralType):
        return Kind.TEXT, None, None, tuple(map(str, shape.values))
    if isinstance(shape, inspect.VarTupleType):
        if isinstance(shape.item_type, inspect.EnumType):
            return Kind.TEXTS, shape.min_length, shape.max_length, _shape(shape.item_type)[3]
        of_objects = isinstance(shape.item_type, inspect.StructType)
        kind = Kind.ITEMS if of_objects else Kind.TEXTS
        return kind, shape.min_length, shape.max_length, ()
    if type(shape) not in _SCALARS:
        raise ValueError(f"a tool cannot take a {type(shape).__name__}")
    kind, low, high = _SCALARS[type(shape)]
    return kind, getattr(shape, low, None), getattr(shape, high, None), ()


# Each type with the names of its bounds. A union is of a number and a word for one.
_SCALARS: dict[type[inspect.Type], tuple[Kind, str, str]] = {
    inspect.BoolType: (Kind.FLAG, "", ""),
    inspect.IntType: (Kind.WHOLE, "ge", "le"),
    inspect.FloatType: (Kind.NUMBER, "ge", "le"),
    inspect.StrType: (Kind.TEXT, "min_length", "max_length"),
    inspect.StructType: (Kind.OBJECT, "", ""),
    inspect.UnionType: (Kind.GRADE, "", ""),
}


UNIT = {
    Kind.TEXT: "characters",
    Kind.NAMES: "characters",
    Kind.TEXTS: "entries",
    Kind.ITEMS: "entries",
}


def bounds_of(param: Param) -> str:
    """The bounds of a parameter in words: " of 1 to 200", "" for none."""
    unit = f" {UNIT[param.kind]}" if param.kind in UNIT else ""
    if param.low is not None and param.high is not None:
        return f" of {tidy(param.low)} to {tidy(param.high)}{unit}"
    if param.high is not None:
        return f" of at most {tidy(param.high)}{unit}"
    return f" of at least {tidy(param.low)}{unit}" if param.low is not None else ""
