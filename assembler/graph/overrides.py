"""Which members override or implement which others. Pure.

A member overrides those of its name in the types that its own type is built on, however far up;
types are tied by edges of the kinds inherit and implement. Overloads are not told apart.
"""

from collections.abc import Sequence

from msgspec import Struct

from satchel.store.model import BUILT_ON, CLASS_LIKE
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_MAX_STEPS = 12
_MAX_TYPES = 2_000
"""Subtypes of one type that are looked at."""


class Override(Struct, frozen=True):
    """`member` stands in for `base`; `confidence` is that of the unsurest edge between their types,
    0..1. `implements`: the base has an interface or a trait for its type."""

    member: SymbolRecord
    base: SymbolRecord
    implements: bool
    confidence: float


def overriders(snapshot: Snapshot, members: Sequence[SymbolRecord]) -> tuple[Override, ...]:
    """What overrides some members in types built on theirs, by path and line."""
    return _related(snapshot, members, down=True)


def overridden(snapshot: Snapshot, members: Sequence[SymbolRecord]) -> tuple[Override, ...]:
    """What some members override, by path and line."""
    return _related(snapshot, members, down=False)


def _related(
    snapshot: Snapshot, members: Sequence[SymbolRecord], *, down: bool
) -> tuple[Override, ...]:
    found: dict[tuple[int, int], Override] = {}
    types = {t.id: t for t in snapshot.symbols.by_id(sorted({m.parent_id for m in members} - {0}))}
    for member in members:
        own = types.get(member.parent_id)
        if own is None or own.kind not in CLASS_LIKE:
            continue
        tied = _related_types(snapshot, own.id, down=down)
        others = [o for o in snapshot.symbols.named(member.name) if o.parent_id in tied]
        uppers = {t.id: t for t in snapshot.symbols.by_id(sorted({o.parent_id for o in others}))}
        for other in others:
            lower, upper = (other, member) if down else (member, other)
            base = own if down else uppers[other.parent_id]
            implements = base.kind in ("interface", "trait")
            found[lower.id, upper.id] = Override(lower, upper, implements, tied[other.parent_id])
    return tuple(sorted(found.values(), key=_order))


def _order(one: Override) -> tuple[str, int, str, str, int]:
    member, base = one.member, one.base
    return member.path, member.line, member.qualified_name, base.path, base.line


def _related_types(snapshot: Snapshot, start: int, *, down: bool) -> dict[int, float]:
    """Types below or above one, each with the confidence of the surest way there."""
    found = {start: 1.0}
    front = [start]
    for _ in range(_MAX_STEPS):
        symbols = snapshot.symbols
        edges = symbols.edges_to(front) if down else symbols.edges_from(front)
        following: dict[int, float] = {}
        for edge in [edge for edge in edges if edge.kind in BUILT_ON]:
            near, far = (edge.target, edge.source) if down else (edge.source, edge.target)
            sure = min(found[near], edge.confidence)
            if far not in found:
                following[far] = max(sure, following.get(far, 0.0))
        if not following or len(found) > _MAX_TYPES:
            break
        found |= following
        front = sorted(following)
    del found[start]
    return found
