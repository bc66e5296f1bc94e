"""What people decided and warned about places that a change touches."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.knowledge.model import Item, Kind
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import PROJECT, SYMBOL, ResolvedScope, overlap
from satchel.knowledge.storage import read
from satchel.knowledge.storage.read import ItemFilter

_KINDS = ((Kind.DECISION, ""), (Kind.WARNING, ""), (Kind.CONVENTION, ""))


def items_about(context: RequestContext, places: Sequence[str]) -> list[Item]:
    """Open decisions, warnings and conventions about any of the places, or linked to one; by id.

    A place is a path or "symbol:Name". What is about the whole project is left out: every change
    touches that.
    """
    admitted = ItemFilter(context.caller.actor, kinds=_KINDS)
    found: dict[str, Item] = {}
    for place in places:
        found_near = read.candidates(
            context.db, "", ResolvedScope(place), admitted, context.caller.now
        )
        near = [item for item, _ in found_near]
        target = place if place.startswith(SYMBOL) else f"path:{place}"
        linked = {link.src for link in read.links_to(context.db, [target])}
        for item in near:
            if item.id in linked or (item.scope != PROJECT and overlap(item.scope, place)):
                found[item.id] = item
    return [found[key] for key in sorted(found)]
