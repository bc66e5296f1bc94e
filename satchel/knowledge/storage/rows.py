"""Converts rows of knowledge.db to values, and back. Columns are named as fields of the values."""

from __future__ import annotations

from typing import Any

import msgspec

from satchel.knowledge.model import (
    Body,
    Change,
    Event,
    Item,
    ItemId,
    Kind,
    Link,
    Privacy,
    Session,
    Source,
    Status,
    Verification,
)
from satchel.knowledge.storage.fulltext import text_digest

# In the order in which the functions below unpack them.
ITEM_COLUMNS = (
    "i.id, i.kind, i.subkind, i.status, i.summary, i.detail, i.rationale, i.body, i.scope,"
    " i.project, i.tags, i.privacy, i.confidence, i.importance, i.verification, i.source, i.actor,"
    " i.session, i.created_at, i.updated_at, i.status_at, i.touched_at, i.uses"
)
"""The columns that `item_from_row` reads, of a table called i."""

EVENT_COLUMNS = (
    "seq, at, actor, session, action, item_id, summary, from_status, to_status, reason, changes"
)
LINK_COLUMNS = "src, rel, dst, strength, note, anchor"
SESSION_COLUMNS = "id, query, intent, scope, updated_at, assembled_at, calls, shown, searched"
ASSOCIATION_COLUMNS = "focus, target, confidence, hits, created_at, last_used_at"

# Made once: a decoder compiles its type, and a question decodes hundreds of items.
_body = msgspec.json.Decoder(Body)
_names = msgspec.json.Decoder(tuple[str, ...])
_changes = msgspec.json.Decoder(tuple[Change, ...])


def item_from_row(row: tuple[Any, ...]) -> Item:
    """The item of a row of `ITEM_COLUMNS`."""
    (item_id, kind, subkind, status, summary, detail, rationale, body, scope, project, tags,
     privacy, confidence, importance, verification, source, actor, session, created_at,
     updated_at, status_at, touched_at, uses) = row  # fmt: skip
    return Item(
        id=ItemId(item_id), kind=Kind(kind), subkind=subkind, status=Status(status),
        summary=summary, detail=detail, rationale=rationale, body=_body.decode(body), scope=scope,
        project=project, tags=_names.decode(tags), privacy=Privacy(privacy), confidence=confidence,
        importance=importance, verification=Verification(verification), source=Source(source),
        actor=actor, session=session, created_at=created_at, updated_at=updated_at,
        status_at=status_at, touched_at=touched_at, uses=uses,
    )  # fmt: skip


def item_columns(item: Item) -> dict[str, Any]:
    """The columns of an item, by name."""
    # Every field of the struct is a column of that name; `digest` is derived, `seq` is SQLite's.
    return {
        **{name: getattr(item, name) for name in item.__struct_fields__},
        "body": to_json(item.body),
        "tags": to_json(item.tags),
        "digest": text_digest((item.summary, item.detail, item.rationale)),
    }


def link_from_row(row: tuple[Any, ...]) -> Link:
    """The link of a row of `LINK_COLUMNS`."""
    return Link(ItemId(row[0]), *row[1:])


def event_from_row(row: tuple[Any, ...]) -> Event:
    """The event of a row of `EVENT_COLUMNS`."""
    seq, at, actor, session, action, item_id, summary, before, after, reason, changes = row
    return Event(
        seq=seq, at=at, actor=actor, session=session, action=action, item_id=ItemId(item_id),
        summary=summary, from_status=before, to_status=after, reason=reason,
        changes=_changes.decode(changes),
    )  # fmt: skip


def session_from_row(row: tuple[Any, ...]) -> Session:
    """The session of a row of `SESSION_COLUMNS`."""
    key, query, intent, scope, updated_at, assembled_at, calls, shown, searched = row
    return Session(
        id=key, query=query, intent=intent, scope=scope, updated_at=updated_at,
        assembled_at=assembled_at, calls=_names.decode(calls), shown=_names.decode(shown),
        searched=_names.decode(searched),
    )  # fmt: skip


def to_json(value: object) -> str:
    """A value as JSON on one line."""
    return msgspec.json.encode(value).decode()
