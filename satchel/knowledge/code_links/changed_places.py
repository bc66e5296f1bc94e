"""Finds the decisions and warnings about places that a change touches."""

from collections.abc import Sequence

from satchel.knowledge.model import Item, Kind
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL, ResolvedScope, overlap
from satchel.knowledge.storage import read
from satchel.knowledge.storage.read import ItemFilter

_KINDS = ((Kind.DECISION, ""), (Kind.WARNING, ""), (Kind.CONVENTION, ""))


def items_about(context: RequestContext, places: Sequence[str]) -> list[Item]:
    """Open decisions, warnings and conventions about any of the places, or linked to one; by id.

    A place is a path or "symbol:Name". Items about the whole project are left out, since every
    change touches the project.
    """
    item_filter = ItemFilter(context.caller.actor, kinds=_KINDS, now=context.caller.now)
    found: dict[str, Item] = {}
    for place in places:
        candidates = read.candidates(context.db, "", ResolvedScope(place), item_filter)
        target = place if place.startswith(SYMBOL) else f"{PATH}{place}"
        linked = {link.src for link in read.links_to(context.db, [target])}
        for item, _ in candidates:
            # The candidates include project-wide items that hold anywhere; those are dropped here.
            if item.id in linked or (item.scope != PROJECT and overlap(item.scope, place)):
                found[item.id] = item
    return [found[key] for key in sorted(found)]
