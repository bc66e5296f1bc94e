"""Makes items of what importers read, with ids that follow from where an item was read."""

import re
from hashlib import blake2b
from typing import NamedTuple

from msgspec import structs

from satchel.knowledge import kinds, redact
from satchel.knowledge.model import (
    MAX_DETAIL,
    MAX_RATIONALE,
    MAX_SUMMARY,
    MAX_TAG,
    MAX_TAGS,
    Body,
    Caller,
    Item,
    ItemId,
    Link,
    Origin,
    Privacy,
    Source,
    Timestamp,
)
from satchel.knowledge.storage.write import ulid

_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


class Draft(NamedTuple):
    """An item that was read and is not stored yet, with its links."""

    item: Item
    links: tuple[Link, ...]


def import_id(origin: Origin) -> ItemId:
    """The item's own id where that is a ULID, else a ULID that the same origin gives again."""
    key = origin.key
    if _ID.fullmatch(key):
        return ItemId(key)
    name = f"{origin.system}\x1f{origin.path}\x1f{key}".encode("utf-8", "replace")
    # 10 bytes are the 80 bits of a ULID that are random otherwise; its time is 1970.
    return ulid(Timestamp(0), int.from_bytes(blake2b(name, digest_size=10).digest(), "big"))


def make_draft_item(
    caller: Caller, origin: Origin, label: str, summary: str, at: Timestamp, **fields: object
) -> Item:
    """An imported item: texts that are too long are cut, missing fields get their defaults.

    A summary of more than 200 characters is repeated in full in the detail.
    """
    kind, subkind = kinds.parse_kind(label)
    # Cut and not refused: a document is not written for these bounds.
    summary = " ".join(summary.split()) or "(no summary)"
    detail = str(fields.pop("detail", "")).strip()
    if len(summary) > MAX_SUMMARY:
        detail = f"{summary}\n\n{detail}".strip()
        summary = _cut(summary, MAX_SUMMARY)
    usual = kinds.CONVENTION_IMPORTANCE if kind == "convention" else kinds.DEFAULT_IMPORTANCE
    item = Item(
        id=import_id(origin),
        kind=kind, subkind=subkind, summary=summary, detail=_cut(detail, MAX_DETAIL),
        body=Body(origin=origin), privacy=Privacy.TEAM, confidence=kinds.CONFIDENCE[kind],
        importance=usual, source=Source.IMPORT, actor=caller.actor, created_at=at, updated_at=at,
        status_at=at,
    )  # fmt: skip
    item = structs.replace(item, **fields)
    tidy = (" ".join(str(tag).split())[:MAX_TAG] for tag in item.tags)
    return redact.every_text(
        structs.replace(
            item,
            rationale=_cut(item.rationale, MAX_RATIONALE),
            tags=tuple(dict.fromkeys(tag for tag in tidy if tag))[:MAX_TAGS],
        ),
        redact.secrets,
    )


def _cut(text: str, most: int) -> str:
    """A text of at most so many characters, which says where it was cut."""
    return text if len(text) <= most else text[: most - 1] + "…"
