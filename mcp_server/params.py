"""The parameters of a tool as frozen values and as JSON Schema.

`satchel.mcp_server.arguments` checks what a caller sends against them. A parameter is listed with
all that is known of it or not at all: one that is not listed is accepted like any other, and
`mcp.tools = "full"` lists it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any

from satchel.workspace.configuration.settings import Settings


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


def default_of(param: Param, settings: Settings) -> object:
    """What a call without the parameter means, None where the tool decides."""
    return attrgetter(param.setting)(settings) if param.setting else param.default


def schema(params: Sequence[Param], settings: Settings, *, full: bool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments: flat, without references or alternatives."""
    shown = [param for param in params if full or param.listed]
    whole: dict[str, Any] = {
        "type": "object",
        "properties": {param.name: _property(param, settings, full=full) for param in shown},
    }
    required = [param.name for param in shown if param.required]
    return {**whole, "required": required} if required else whole


def _property(param: Param, settings: Settings, *, full: bool) -> dict[str, Any]:
    # Two of our kinds are no types of JSON Schema, and are translated here to what a client
    # understands.
    kind = Kind.TEXTS if param.kind == Kind.ITEMS else param.kind
    types = ["number", "string"] if kind == Kind.GRADE else str(kind)
    found: dict[str, Any] = {"type": types}
    if param.kind in (Kind.TEXTS, Kind.ITEMS):
        found["items"] = {"type": "string" if param.kind == Kind.TEXTS else "object"}
    if param.about:
        found["description"] = param.about
    if param.choices:
        found["enum"] = list(param.choices)
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


_BOUND_NAMES = {
    Kind.TEXT: ("minLength", "maxLength"),
    Kind.WHOLE: ("minimum", "maximum"),
    Kind.NUMBER: ("minimum", "maximum"),
    Kind.TEXTS: ("minItems", "maxItems"),
    Kind.ITEMS: ("minItems", "maxItems"),
}


def tidy(bound: float) -> float:
    """A bound as people write it: 10 and not 10.0."""
    return int(bound) if float(bound).is_integer() else bound
