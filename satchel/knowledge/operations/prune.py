"""Putting away what nobody looks at any more, and dropping what is only about use."""

from __future__ import annotations

from dataclasses import dataclass

from satchel.knowledge import timestamps
from satchel.knowledge.context import Desk
from satchel.knowledge.lifecycle import Action
from satchel.knowledge.model import Item, Kind
from satchel.knowledge.operations import stats
from satchel.knowledge.operations.learn import bounded
from satchel.knowledge.operations.transitions import become
from satchel.knowledge.ranking import signals
from satchel.knowledge.storage import read
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import transaction

_STANDING = (Kind.DECISION, Kind.CONVENTION, Kind.WARNING, Kind.NEED)
"""Kinds that hold until somebody says otherwise."""
_FADED = 0.1
"""Importance below which an idle item is put away."""
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was put away, and how many rows about use went."""

    archived: tuple[Item, ...]
    operations: int
    associations: int


def prune(desk: Desk, idle_days: int, *, dry_run: bool) -> Pruned:
    """Archive what was not shown for `idle_days` and has faded; nothing is deleted.

    Raises:
        UsageError: `idle_days` is not 1 to 3650.
    """
    if not 1 <= idle_days <= 3_650:
        raise UsageError(f"days is {idle_days}, must be 1 to 3650", "90 is usual")
    idle = [item for item in _idle(desk, idle_days) if _has_faded(desk, item)]
    if dry_run:
        return Pruned(tuple(idle), 0, 0)
    with transaction(desk.db):
        archived = [become(desk, item, Action.ARCHIVE, "idle") for item in idle]
        n_operations = stats.forget(desk.db, desk.caller.now)
        n_associations = bounded(desk.db, desk.caller.now)
    return Pruned(tuple(archived), n_operations, n_associations)


def _idle(desk: Desk, days: int) -> list[Item]:
    marks = ", ".join(repr(str(kind)) for kind in _STANDING)
    clause = (
        f"i.status IN ('active', 'provisional') AND i.kind NOT IN ({marks})"
        " AND coalesce(i.touched_at, i.created_at) < ?"
    )
    before = desk.caller.now - days * timestamps.DAY
    return read.admitted(desk.db, clause, (before,), desk.caller.actor, "i.id", _MOST)


def _has_faded(desk: Desk, item: Item) -> bool:
    since = item.touched_at if item.touched_at is not None else item.created_at
    return signals.faded(item.importance, (desk.caller.now - since) / timestamps.DAY) < _FADED
