"""What the JSON of several replies is made of; `schema` in each names the version of its shape.

A field is never renamed or removed within a version; new ones may be added.
"""

from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType, convert

VERSION = 1
_S = TypeVar("_S")


class Row(Struct, frozen=True):
    """A piece of code: a search result or an excerpt of a pack.

    `parsed` says of an excerpt whether the parser read all of its file.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    score: float
    tokens: int
    text: str | UnsetType = UNSET
    detail: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    why: dict[str, float] | UnsetType = UNSET
    parsed: bool | UnsetType = UNSET


class SymbolRow(Struct, frozen=True):
    """A definition."""

    name: str
    qualified_name: str
    kind: str
    path: str
    line: int
    start_line: int
    end_line: int
    signature: str
    doc: str
    visibility: str
    is_test: bool


class ReferenceRow(Struct, frozen=True):
    """A use as written."""

    path: str
    line: int
    name: str
    receiver: str
    kind: str


def shaped(value: object, shape: type[_S]) -> _S:
    """What a shape has of a value: its fields by their names there, and so within them.

    What JSON calls otherwise is a `msgspec.field` with that name.
    """
    return convert(value, shape, from_attributes=True)
