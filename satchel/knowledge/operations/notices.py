"""Notices: messages to the writer where something was stored in another form than it was written.

They tell of secrets that were taken out, of links to code that the index does not have, and of
relations with unusual names. Pure.
"""

from collections.abc import Sequence

from msgspec import Struct

from satchel.knowledge import redact
from satchel.knowledge.code_links import resolve_scope
from satchel.knowledge.model import Item, Link, Relation
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL
from satchel.store.reading.snapshot import Snapshot

# How many of the usual relations are named to somebody who uses another.
_SHOWN_RELATIONS = 9
_SHOWN_OTHERS = 3


def redaction_notices(written: Struct, stored: Struct) -> list[str]:
    """A notice if secrets were taken out between what was written and what is stored."""
    if str(stored).count(redact.MARK) <= str(written).count(redact.MARK):
        return []
    return [f"what looks like a secret is not kept: {redact.MARK} stands in its place"]


def kind_notices(item: Item) -> list[str]:
    """A notice if the kind was given by a label that stands for one."""
    if not item.subkind:
        return []
    return [f"{item.subkind} is kept as a {item.kind}, under that label"]


def same_symbol_notices(others: Sequence[Item]) -> list[str]:
    """A notice of other open decisions about the symbol that a new one is about."""
    return [
        f"{other.id} decides about the same symbol: {other.summary}; if the new one replaces it,"
        " supersede it"
        for other in others[:_SHOWN_OTHERS]
    ]


def alike_notices(others: Sequence[Item]) -> tuple[str, ...]:
    """A notice of open items nearby that say nearly the same, or perhaps the opposite."""
    return tuple(
        f"{other.id} stands beside it and reads much alike: {other.summary}; if the new one"
        " replaces it, supersede it"
        for other in others[:_SHOWN_OTHERS]
    )


def same_text_notices(others: Sequence[Item]) -> list[str]:
    """A notice of each open item that says the same about another place."""
    return [
        f"{other.id} says the same about {other.scope}; if that place was a mistake, delete it"
        " with `revise`"
        for other in others
    ]


def link_notices(links: Sequence[Link], snapshot: Snapshot | None) -> list[str]:
    """Notices of code that the index does not have, and of unusual relations; each once."""
    found = []
    for link in links:
        if link.rel not in tuple(Relation):
            usual = ", ".join(tuple(Relation)[:_SHOWN_RELATIONS])
            found.append(f"{link.rel} is no usual relation, as {usual}, …; it is kept all the same")
        if snapshot is not None and resolve_scope.is_missing_from_index(snapshot, link.dst):
            found.append(f"{resolve_scope.missing_message(link.dst)}; it is kept all the same")
    return list(dict.fromkeys(found))


def scope_notices(scope: str, snapshot: Snapshot | None) -> list[str]:
    """A notice if a focus is set on code that the index does not have."""
    target = scope if scope.startswith(SYMBOL) else PATH + scope
    if snapshot is None or scope == PROJECT:
        return []
    if not resolve_scope.is_missing_from_index(snapshot, target):
        return []
    return [f"{resolve_scope.missing_message(target)}; the focus is set all the same"]
