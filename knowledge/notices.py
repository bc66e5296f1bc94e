"""What somebody who wrote something should know of what was made of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from knowledge import places, redact
from knowledge.kinds import RELATIONS
from knowledge.model import Link
from store.snapshot import Snapshot

_SHOWN = 9
"""Relations that are named to whoever uses another."""


def of_secrets(said: Struct, kept: Struct) -> list[str]:
    """That secrets were taken out on the way from `said` to `kept`."""
    n_out = str(kept).count(redact.MARK) - str(said).count(redact.MARK)
    if n_out <= 0:
        return []
    return [f"what looks like a secret is not kept: {redact.MARK} stands for it, {n_out} times"]


def of_links(links: Sequence[Link], snapshot: Snapshot | None) -> list[str]:
    """Code that the index does not hold, and relations that are none of the usual."""
    found = []
    for link in links:
        if link.rel not in RELATIONS:
            usual = ", ".join(RELATIONS[:_SHOWN])
            found.append(f"{link.rel} is no usual relation, as {usual}, …; it is kept all the same")
        if snapshot is not None and places.is_missing(snapshot, link.dst):
            found.append(f"{places.said_missing(link.dst)}; it is kept all the same")
    return list(dict.fromkeys(found))
