"""The parameters of a tool, taken from the type of the request that it makes.

Types, bounds, allowed values and defaults of what is asked about knowledge stand in
`satchel.knowledge.requests` alone; a tool adds what it says of each to agents, and which of them
its compact schema lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import NODEFAULT, Struct, inspect

from satchel.mcp_server.params import Kind, Param


def params_of(
    request: type[Struct],
    about: Mapping[str, str],
    unlisted: Iterable[str] = (),
    *,
    required: bool = True,
) -> tuple[Param, ...]:
    """Parameters for the fields of a request that `about` describes, in the order of `about`.

    Where `required` is false no field is: the tool takes another shape as well.

    Raises:
        ValueError: the request has no such field, or one of a type that tools do not take.
    """
    shape = inspect.type_info(request)
    assert isinstance(shape, inspect.StructType)
    fields = {field.encode_name: field for field in shape.fields}
    if unknown := about.keys() - fields.keys():
        raise ValueError(f"{request.__name__} has no field {', '.join(sorted(unknown))}")
    hidden = frozenset(unlisted)
    return tuple(
        _param(fields[name], description, required=required, listed=name not in hidden)
        for name, description in about.items()
    )


def _param(field: inspect.Field, about: str, *, required: bool, listed: bool) -> Param:
    kind, low, high, choices = _shape(_without_none(field.type))
    return Param(
        field.encode_name, kind, about, required=field.required and required,
        default=_default(field), low=low, high=high, choices=choices, listed=listed,
    )  # fmt: skip


def _default(field: inspect.Field) -> object:
    """The default as JSON has it; None where it says what leaving the field out says."""
    if field.default is NODEFAULT or isinstance(field.default, Struct):
        return None
    plain = list(field.default) if isinstance(field.default, tuple) else field.default
    return None if plain in ("", []) else plain


def _without_none(shape: inspect.Type) -> inspect.Type:
    """`T` of `T | None`; a union of several types as it is."""
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
