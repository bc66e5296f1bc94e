"""Moves of the status machine, told in events, and what they bring about: a conflict is over, and
what warned of it resolved, once no two that disagree are open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from satchel.knowledge.context import Desk
from satchel.knowledge.lifecycle import Action, after
from satchel.knowledge.model import Item, Kind, Link, Source
from satchel.knowledge.storage import read, write

CONFLICTING = "Conflicting decisions: "
"""How a warning of a conflict begins; what it relates to are the parties."""
_ITEM = "item:"


def become(desk: Desk, item: Item, action: Action, reason: str) -> Item:
    """Move an item to where an action leads, and tell of it.

    Raises:
        WrongStatus: the item does not allow it.
    """
    now = desk.caller.now
    moved = structs.replace(item, status=after(item, action), status_at=now, updated_at=now)
    write.update(desk.db, moved)
    write.add_event(desk.db, desk.caller, str(action), moved, item, reason)
    if item.kind == Kind.DECISION:
        settle(desk, conflicts_of(desk, item))
    return moved


def conflicts_of(desk: Desk, item: Item) -> list[Item]:
    """The open warnings of conflicts that an item is part of, whoever may see them."""
    related = [
        link.src
        for link in read.links_to(desk.db, [_ITEM + item.id])
        if link.rel == "relates_to"
    ]  # fmt: skip
    return [
        found
        for found in read.whoever_sees(desk.db, related)
        if (found.kind, found.source) == (Kind.WARNING, Source.DERIVED)
        and found.is_open and found.summary.startswith(CONFLICTING)
    ]  # fmt: skip


def settle(desk: Desk, warnings: Iterable[Item]) -> None:
    """Resolve the warnings of conflicts that are over."""
    for warning in warnings:
        links = read.links_from(desk.db, [warning.id])
        parties = [link.dst.removeprefix(_ITEM) for link in links if link.rel == "relates_to"]
        if not live(desk, read.links_from(desk.db, parties)):
            become(desk, warning, Action.RESOLVE, "the conflict is settled")


def live(desk: Desk, links: Sequence[Link]) -> list[tuple[str, str]]:
    """Of some links, which items contradict each other and are both open."""
    pairs = {
        (str(link.src), link.dst.removeprefix(_ITEM))
        for link in links
        if link.rel == "contradicts" and link.dst.startswith(_ITEM)
    }
    ends = sorted({end for pair in pairs for end in pair})
    is_open = {item.id for item in read.whoever_sees(desk.db, ends) if item.is_open}
    return sorted(pair for pair in pairs if is_open.issuperset(pair))
