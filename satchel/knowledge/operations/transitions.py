"""Moves items through the status machine, records each move, and resolves conflicts that are over.

A conflict is over once no two of the decisions that contradict each other are open. The warning
about it is then resolved with them.
"""

from collections.abc import Iterable, Sequence

from msgspec import structs

from satchel.knowledge.lifecycle import Action, status_after
from satchel.knowledge.model import DerivedKind, Item, Kind, Link, Relation
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import ITEM
from satchel.knowledge.storage import read, write


def change_status(context: RequestContext, item: Item, action: Action, reason: str) -> Item:
    """Move an item to the status that an action leads to, and record the move.

    Raises:
        WrongStatus: the item does not allow it.
    """
    now = context.caller.now
    status = status_after(item, action)
    moved = structs.replace(item, status=status, status_at=now, updated_at=now)
    write.update_item(context.db, moved)
    context.record(str(action), moved, item, reason)
    if item.kind == Kind.DECISION:
        resolve_settled(context, conflict_warnings_of(context, item))
    return moved


def conflict_warnings_of(context: RequestContext, item: Item) -> list[Item]:
    """The open warnings about conflicts that an item is part of, those of other people included.

    A warning is known by its `derived_kind`: its summary may have been edited.
    """
    linked = read.links_to(context.db, [ITEM + item.id])
    warnings = [link.src for link in linked if link.rel == Relation.RELATES_TO]
    # A conflict may be between items that the caller cannot see: it must be settled all the same,
    # and nothing of these items reaches the reply.
    return [
        found
        for found in read.items_of_everybody(context.db, warnings)
        if (found.kind, found.body.derived_kind) == (Kind.WARNING, DerivedKind.CONFLICT)
        and found.is_open
    ]


def resolve_settled(context: RequestContext, warnings: Iterable[Item]) -> None:
    """Resolve those of some conflict warnings whose conflict is over."""
    for warning in warnings:
        links = read.links_from(context.db, [warning.id])
        parties = [link.dst.removeprefix(ITEM) for link in links if link.rel == Relation.RELATES_TO]
        if not open_contradictions(context, read.links_from(context.db, parties)):
            change_status(context, warning, Action.RESOLVE, "the conflict is settled")


def open_contradictions(context: RequestContext, links: Sequence[Link]) -> list[tuple[str, str]]:
    """Pairs of ids of items that some links say contradict each other, where both are open."""
    pairs = {
        (str(link.src), link.dst.removeprefix(ITEM))
        for link in links
        if link.rel == Relation.CONTRADICTS and link.dst.startswith(ITEM)
    }
    ends = sorted({end for pair in pairs for end in pair})
    open_ids = {item.id for item in read.items_of_everybody(context.db, ends) if item.is_open}
    return sorted(pair for pair in pairs if open_ids.issuperset(pair))
