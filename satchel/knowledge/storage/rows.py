"""Converts rows of knowledge.db to values, and back. Columns are named as fields of the values."""

from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from satchel.knowledge.model import Association, Event, Item, Link, Session
from satchel.knowledge.storage.fulltext import text_digest

ITEM_COLUMNS = ", ".join(f"i.{name}" for name in Item.__struct_fields__)
"""Of a table called i."""
EVENT_COLUMNS, LINK_COLUMNS, SESSION_COLUMNS, ASSOCIATION_COLUMNS = (
    ", ".join(kind.__struct_fields__) for kind in (Event, Link, Session, Association)
)
_AS_JSON = frozenset({"body", "tags", "changes", "calls", "shown", "searched"})
"""Fields that are kept as JSON."""
_T = TypeVar("_T", bound=Struct)


def from_row(kind: type[_T], row: tuple[Any, ...]) -> _T:
    """The value of a row that has a column for each of its fields. Raises: MsgspecError."""
    fields = dict(zip(kind.__struct_fields__, row, strict=True))
    for name in _AS_JSON & fields.keys():
        fields[name] = msgspec.json.decode(fields[name])
    return msgspec.convert(fields, kind)


def item_columns(item: Item) -> dict[str, Any]:
    """The columns of an item, by name."""
    # Every field of the struct is a column of that name; `digest` is derived, `seq` is SQLite's.
    return {
        **{name: getattr(item, name) for name in item.__struct_fields__},
        "body": to_json(item.body),
        "tags": to_json(item.tags),
        "digest": text_digest((item.summary, item.detail, item.rationale)),
    }


def to_json(value: object) -> str:
    """A value as JSON on one line."""
    return msgspec.json.encode(value).decode()
