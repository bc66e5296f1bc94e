"""Archives items that nobody looks at any more, and deletes old records about use."""

from msgspec import Struct

from satchel.knowledge import timestamps
from satchel.knowledge.lifecycle import Action
from satchel.knowledge.model import Item, Kind
from satchel.knowledge.operations import stats
from satchel.knowledge.operations.learn import evict_associations
from satchel.knowledge.operations.transitions import change_status
from satchel.knowledge.ranking import signals
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import read
from satchel.store.errors import UsageError
from satchel.store.sqlite.database import transaction

# Kinds that hold until somebody says otherwise, however rarely they are looked at.
_LASTING_KINDS = (Kind.DECISION, Kind.CONVENTION, Kind.WARNING, Kind.NEED)
# An idle item is archived when its importance, halved every 30 days of idleness, is below this.
_FADED_IMPORTANCE = 0.1
_MAX_ITEMS = 10_000


class PruneResult(Struct, frozen=True):
    """The items that were archived, and how many records about use were deleted."""

    archived: tuple[Item, ...]
    operations: int
    associations: int


def prune(context: RequestContext, idle_days: int, *, dry_run: bool) -> PruneResult:
    """Archive items that were not shown for `idle_days` and have faded; no item is deleted.

    Raises:
        UsageError: `idle_days` is not 1 to 3650.
    """
    if not 1 <= idle_days <= 3_650:
        raise UsageError(f"days is {idle_days}, must be 1 to 3650", "90 is usual")
    faded = [item for item in _idle_items(context, idle_days) if _has_faded(context, item)]
    if dry_run:
        return PruneResult(tuple(faded), 0, 0)
    with transaction(context.db):
        archived = [change_status(context, item, Action.ARCHIVE, "idle") for item in faded]
        n_operations = stats.delete_old_operations(context.db, context.caller.now)
        n_associations = evict_associations(context.db, context.caller.now)
    return PruneResult(tuple(archived), n_operations, n_associations)


def _idle_items(context: RequestContext, days: int) -> list[Item]:
    """Open items of kinds that do not last, which nobody was shown for some days, by id."""
    lasting = ", ".join(repr(str(kind)) for kind in _LASTING_KINDS)
    clause = (
        f"{read.IS_OPEN} AND i.kind NOT IN ({lasting}) AND coalesce(i.touched_at, i.created_at) < ?"
    )
    before = context.caller.now - days * timestamps.DAY
    return read.visible_items(
        context.db, clause, (before,), context.caller.actor, "i.id", _MAX_ITEMS
    )


def _has_faded(context: RequestContext, item: Item) -> bool:
    since = item.touched_at if item.touched_at is not None else item.created_at
    idle_days = (context.caller.now - since) / timestamps.DAY
    return signals.decayed_importance(item.importance, idle_days) < _FADED_IMPORTANCE
