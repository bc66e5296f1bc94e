"""Moves of the status machine, told in events, and what they bring about: a conflict is over, and
what warned of it resolved, once no two that disagree are open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from satchel.knowledge.lifecycle import Action, status_after
from satchel.knowledge.model import Item, Kind, Link, Source
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import read, write

CONFLICTING = "Conflicting decisions: "
"""How a warning of a conflict begins; what it relates to are the parties."""
_ITEM = "item:"


def change_status(context: RequestContext, item: Item, action: Action, reason: str) -> Item:
    """Move an item to where an action leads, and tell of it.

    Raises:
        WrongStatus: the item does not allow it.
    """
    now = context.caller.now
    moved = structs.replace(item, status=status_after(item, action), status_at=now, updated_at=now)
    write.update_item(context.db, moved)
    write.add_event(context.db, context.caller, str(action), moved, item, reason)
    if item.kind == Kind.DECISION:
        resolve_settled(context, conflict_warnings_of(context, item))
    return moved


def conflict_warnings_of(context: RequestContext, item: Item) -> list[Item]:
    """The open warnings of conflicts that an item is part of, whoever may see them."""
    related = [
        link.src
        for link in read.links_to(context.db, [_ITEM + item.id])
        if link.rel == "relates_to"
    ]  # fmt: skip
    return [
        found
        for found in read.items_of_everybody(context.db, related)
        if (found.kind, found.source) == (Kind.WARNING, Source.DERIVED)
        and found.is_open and found.summary.startswith(CONFLICTING)
    ]  # fmt: skip


def resolve_settled(context: RequestContext, warnings: Iterable[Item]) -> None:
    """Resolve the warnings of conflicts that are over."""
    for warning in warnings:
        links = read.links_from(context.db, [warning.id])
        parties = [link.dst.removeprefix(_ITEM) for link in links if link.rel == "relates_to"]
        if not open_contradictions(context, read.links_from(context.db, parties)):
            change_status(context, warning, Action.RESOLVE, "the conflict is settled")


def open_contradictions(context: RequestContext, links: Sequence[Link]) -> list[tuple[str, str]]:
    """Of some links, which items contradict each other and are both open."""
    pairs = {
        (str(link.src), link.dst.removeprefix(_ITEM))
        for link in links
        if link.rel == "contradicts" and link.dst.startswith(_ITEM)
    }
    ends = sorted({end for pair in pairs for end in pair})
    is_open = {item.id for item in read.items_of_everybody(context.db, ends) if item.is_open}
    return sorted(pair for pair in pairs if is_open.issuperset(pair))
