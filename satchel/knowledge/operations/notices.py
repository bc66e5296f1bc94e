"""What somebody who wrote something should know of what was made of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from satchel.knowledge import redact
from satchel.knowledge.code_links import resolve_scope
from satchel.knowledge.code_links.anchors import PATH, SYMBOL
from satchel.knowledge.kinds import RELATIONS
from satchel.knowledge.model import Link
from satchel.knowledge.scopes import PROJECT
from satchel.store.reading.snapshot import Snapshot

# Relations that are named to whoever uses another.
_SHOWN = 9


def redaction_notices(said: Struct, kept: Struct) -> list[str]:
    """That secrets were taken out on the way from `said` to `kept`."""
    if str(kept).count(redact.MARK) <= str(said).count(redact.MARK):
        return []
    return [f"what looks like a secret is not kept: {redact.MARK} stands in its place"]


def link_notices(links: Sequence[Link], snapshot: Snapshot | None) -> list[str]:
    """Code that the index does not hold, and relations that are none of the usual."""
    found = []
    for link in links:
        if link.rel not in RELATIONS:
            usual = ", ".join(RELATIONS[:_SHOWN])
            found.append(f"{link.rel} is no usual relation, as {usual}, …; it is kept all the same")
        if snapshot is not None and resolve_scope.is_missing_from_index(snapshot, link.dst):
            found.append(f"{resolve_scope.missing_message(link.dst)}; it is kept all the same")
    return list(dict.fromkeys(found))


def scope_notices(scope: str, snapshot: Snapshot | None) -> list[str]:
    """That the index does not hold what a focus is set on."""
    target = scope if scope.startswith(SYMBOL) else PATH + scope
    if (
        snapshot is None
        or scope == PROJECT
        or not resolve_scope.is_missing_from_index(snapshot, target)
    ):
        return []
    return [f"{resolve_scope.missing_message(target)}; the focus is set all the same"]
