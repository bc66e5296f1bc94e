"""Shows items in full, with links and history, and follows their links to other items."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.knowledge.model import Event, Item, Link, Relation
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import ITEM
from satchel.knowledge.storage import read
from satchel.store.errors import UsageError

_MAX_ITEMS = 100


class ItemDetail(Struct, frozen=True):
    """An item with its links and events; `depth` is 0 for an item that was asked for."""

    item: Item
    links: tuple[Link, ...]
    """To and from it, as far as the caller can see both ends."""
    events: tuple[Event, ...]
    depth: int = 0


def follow(
    context: RequestContext, ids: Sequence[str], relations: Sequence[str], depth: int
) -> list[ItemDetail]:
    """The items asked for and those that links of some relations lead to, in either direction.

    Nearest first, at most a hundred. The relation "all" follows every link; without a relation
    nothing is followed.

    Raises:
        UsageError: no link has that relation, and it is none of the usual.
    """
    for name in relations:
        if name not in ("all", *Relation) and not read.relation_exists(context.db, name):
            raise UsageError(f"no link is called {name!r}", f"use all, or {', '.join(Relation)}")
    # Breadth-first: each wave holds the items one link further away than the wave before.
    wave = read.items_by_id(context.db, context.caller.actor, ids)
    found: dict[str, ItemDetail] = {}
    for distance in range(depth + 1 if relations else 1):
        for item in wave:
            found.setdefault(item.id, _item_detail(context, item, distance))
        reached = {
            _other_end(link, item.id)
            for item in wave
            for link in found[item.id].links
            if "all" in relations or link.rel in relations
        }
        wave = read.items_by_id(
            context.db, context.caller.actor, sorted(reached - set(found) - {""})
        )
        if len(found) + len(wave) > _MAX_ITEMS:
            break
    return list(found.values())


def _other_end(link: Link, item_id: str) -> str:
    """The item at the other end, "" when that is no item."""
    if link.src != item_id:
        return link.src
    return link.dst.removeprefix(ITEM) if link.dst.startswith(ITEM) else ""


def _item_detail(context: RequestContext, item: Item, depth: int) -> ItemDetail:
    links = read.links_from(context.db, [item.id])
    into = read.links_to(context.db, [ITEM + item.id])
    seen = {_other_end(link, item.id) for link in (*links, *into)} - {""}
    # A link is shown only with both ends: its mere existence would tell of a private item.
    visible = {
        other.id for other in read.items_by_id(context.db, context.caller.actor, sorted(seen))
    } | {""}
    links_shown = [link for link in (*links, *into) if _other_end(link, item.id) in visible]
    return ItemDetail(
        item, tuple(links_shown), tuple(read.item_history(context.db, item.id)), depth
    )
