"""Taking in items that were written elsewhere: an export of ours, or what an importer read.

Ids decide what is the same: importers derive them from where an item was read, so reading the same
source again changes nothing, on this machine or another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec import structs

from satchel.knowledge.code_links.anchors import with_anchor
from satchel.knowledge.model import Item, ItemId, Link, Source
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import read, rows, write
from satchel.knowledge.transfer.export_format import is_same_item
from satchel.knowledge.transfer.import_drafts import Draft
from satchel.store.sqlite.database import select, transaction


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What became of each item."""

    added: tuple[ItemId, ...]
    updated: tuple[ItemId, ...]
    unchanged: tuple[ItemId, ...]
    refused: tuple[ItemId, ...]
    """Somebody else's, and private."""


def ingest(
    context: RequestContext, drafts: Iterable[Draft], *, dry_run: bool = False
) -> IngestResult:
    """Take in items with their links, all of them or, when something is raised, none."""
    done: dict[str, list[ItemId]] = {}
    with transaction(context.db):
        for item, links in drafts:
            outcome = _outcome(context, item)
            if outcome in ("added", "updated") and not dry_run:
                _write_item(context, item, links, outcome)
            done.setdefault(outcome, []).append(item.id)
    names = ("added", "updated", "unchanged", "refused")
    return IngestResult(*(tuple(done.get(name, ())) for name in names))


def _outcome(context: RequestContext, item: Item) -> str:
    old = _stored_item(context, item.id)
    if old is None:
        return "added"
    if not read.items_by_id(context.db, context.caller.actor, [item.id]):
        return "refused"
    if is_same_item(_merged(item, old), old):
        return "unchanged"
    is_ours = item.source != Source.IMPORT
    return "unchanged" if is_ours and item.updated_at <= old.updated_at else "updated"


def _stored_item(context: RequestContext, item_id: ItemId) -> Item | None:
    found = select(context.db, f"SELECT {rows.ITEM_COLUMNS} FROM item i WHERE i.id = ?", (item_id,))
    return rows.item_from_row(found[0]) if found else None


def _merged(item: Item, old: Item) -> Item:
    """The item as it comes in, with what only this machine knows of it."""
    item = structs.replace(
        item, uses=old.uses, touched_at=old.touched_at, session=old.session, privacy=old.privacy
    )
    if item.source == Source.IMPORT:  # its source says nothing of what was done with it here
        item = structs.replace(
            item, status=old.status, verification=old.verification, actor=old.actor,
            created_at=old.created_at, updated_at=old.updated_at,
        )  # fmt: skip
    return item


def _write_item(context: RequestContext, item: Item, links: Sequence[Link], outcome: str) -> None:
    old = _stored_item(context, item.id)
    if old is None:
        write.insert_item(context.db, item)
    else:
        merged = _merged(item, old)
        if item.source == Source.IMPORT:
            merged = structs.replace(merged, updated_at=context.caller.now)
        write.update_item(context.db, merged)
    if context.snapshot:
        links = [link if link.anchor else with_anchor(link, context.snapshot) for link in links]
    write.add_links(context.db, links)
    action = "import" if outcome == "added" else "import again"
    write.add_event(context.db, context.caller, action, item, old)
