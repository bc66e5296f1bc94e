"""Items in full: their text, links and history, and what their links lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.knowledge.context import Desk
from satchel.knowledge.kinds import RELATIONS
from satchel.knowledge.model import Event, Item, Link
from satchel.knowledge.storage import read
from satchel.store.errors import UsageError

_ITEM = "item:"
_MOST = 100


@dataclass(frozen=True, slots=True)
class Detailed:
    """An item with everything that is kept of it; `depth` is 0 for one that was asked for."""

    item: Item
    links: tuple[Link, ...]
    """To and from it, as far as the caller can see both ends."""
    events: tuple[Event, ...]
    depth: int = 0


def follow(desk: Desk, ids: Sequence[str], relations: Sequence[str], depth: int) -> list[Detailed]:
    """The items asked for and what is reached from them along links of these relations, either way,
    nearest first, at most a hundred. "all" follows every relation; none follows nothing.

    Raises:
        UsageError: a relation is none of the usual, and no link's.
    """
    for name in relations:
        if name not in ("all", *RELATIONS) and not read.is_relation(desk.db, name):
            raise UsageError(f"no link is called {name!r}", f"use all, or {', '.join(RELATIONS)}")
    wave = read.items(desk.db, desk.caller.actor, ids)
    found: dict[str, Detailed] = {}
    for distance in range(depth + 1 if relations else 1):
        for item in wave:
            found.setdefault(item.id, _detailed(desk, item, distance))
        reached = {
            _other(link, item.id)
            for item in wave
            for link in found[item.id].links
            if "all" in relations or link.rel in relations
        }
        wave = read.items(desk.db, desk.caller.actor, sorted(reached - set(found) - {""}))
        if len(found) + len(wave) > _MOST:
            break
    return list(found.values())


def _other(link: Link, item_id: str) -> str:
    """The item at the other end, "" when that is no item."""
    if link.src != item_id:
        return link.src
    return link.dst.removeprefix(_ITEM) if link.dst.startswith(_ITEM) else ""


def _detailed(desk: Desk, item: Item, depth: int) -> Detailed:
    links = read.links_from(desk.db, [item.id])
    into = read.links_to(desk.db, [_ITEM + item.id])
    seen = {_other(link, item.id) for link in (*links, *into)} - {""}
    visible = {other.id for other in read.items(desk.db, desk.caller.actor, sorted(seen))} | {""}
    kept = [link for link in (*links, *into) if _other(link, item.id) in visible]
    return Detailed(item, tuple(kept), tuple(read.history(desk.db, item.id)), depth)
