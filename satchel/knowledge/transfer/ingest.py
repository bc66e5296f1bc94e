"""Imports items that were written elsewhere: from an export of ours, or by an importer.

Ids decide which items are the same. Importers derive them from where an item was read, so that
reading the same source again changes nothing, on this machine or another.
"""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct, structs

from satchel.knowledge.code_links.anchors import with_anchor
from satchel.knowledge.model import Item, ItemId, Source
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import read, rows, write
from satchel.knowledge.transfer.export_format import is_same_item
from satchel.knowledge.transfer.import_drafts import Draft
from satchel.store.sqlite.database import select, transaction


class _Outcome(StrEnum):
    """What becomes of an item; also the fields of `IngestResult`."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    OLDER = "older"
    REFUSED = "refused"


class IngestResult(Struct, frozen=True):
    """What became of each item."""

    added: tuple[ItemId, ...]
    updated: tuple[ItemId, ...]
    unchanged: tuple[ItemId, ...]
    older: tuple[ItemId, ...]
    """Others than the items here, which were changed later and stay."""
    refused: tuple[ItemId, ...]
    """Private items of somebody else, which an import may not change."""


def ingest(
    context: RequestContext, drafts: Iterable[Draft], *, dry_run: bool = False
) -> IngestResult:
    """Import items with their links: all of them or, when something is raised, none."""
    done: dict[_Outcome, list[ItemId]] = {outcome: [] for outcome in _Outcome}
    with transaction(context.db):
        for draft in drafts:
            found = select(
                context.db,
                f"SELECT {rows.ITEM_COLUMNS} FROM item i WHERE i.id = ?",
                (draft.item.id,),
            )
            old = rows.from_row(Item, found[0]) if found else None
            outcome = _outcome(context, draft.item, old)
            if outcome in (_Outcome.ADDED, _Outcome.UPDATED) and not dry_run:
                item, links = draft
                if old is None:
                    write.insert_item(context.db, item)
                else:
                    merged = _merged(item, old)
                    if item.source == Source.IMPORT:
                        merged = structs.replace(merged, updated_at=context.caller.now)
                    write.update_item(context.db, merged)
                if context.snapshot:
                    # An export brings the anchors of its machine; what an importer read is about
                    # the code now.
                    snapshot = context.snapshot
                    links = tuple(
                        link if link.anchor else with_anchor(link, snapshot) for link in links
                    )
                write.add_links(context.db, links)
                action = "import again" if old else "import"
                context.record(action, item, old)
            done[outcome].append(draft.item.id)
    return IngestResult(*(tuple(done[outcome]) for outcome in _Outcome))


def _outcome(context: RequestContext, item: Item, old: Item | None) -> _Outcome:
    if old is None:
        return _Outcome.ADDED
    if not read.items_by_id(context.db, context.caller.actor, [item.id]):
        return _Outcome.REFUSED
    if is_same_item(_merged(item, old), old):
        return _Outcome.UNCHANGED
    # Of two versions of an item of ours the newer wins; a document is always as it is now.
    is_ours = item.source != Source.IMPORT
    if is_ours and item.updated_at <= old.updated_at:
        return _Outcome.OLDER
    return _Outcome.UPDATED


def _merged(item: Item, old: Item) -> Item:
    """The imported item with what only this machine knows of it: uses, session, privacy."""
    item = structs.replace(
        item, uses=old.uses, touched_at=old.touched_at, session=old.session, privacy=old.privacy
    )
    if old.body.derived_kind and not item.body.derived_kind:
        # An export of an older version does not have it, and no edit takes it away.
        body = structs.replace(item.body, derived_kind=old.body.derived_kind)
        item = structs.replace(item, body=body)
    if item.source == Source.IMPORT:
        # A document does not tell what was done with its items here: status, verdict, author.
        item = structs.replace(
            item, status=old.status, verification=old.verification, actor=old.actor,
            created_at=old.created_at, updated_at=old.updated_at,
        )  # fmt: skip
    return item
