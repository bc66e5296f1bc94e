"""The status machine of items: which actions an item allows, and the status after each. Pure.

    provisional ─▶ active ─▶ resolved | superseded | overridden | archived

An item is open while it is provisional or active.
"""

from enum import StrEnum

from satchel.knowledge.kinds import RESOLVABLE
from satchel.knowledge.model import OPEN, Item, Status
from satchel.store.errors import WrongStatus


class Action(StrEnum):
    """What `revise` can do to an item."""

    PROMOTE = "promote"
    RECONSIDER = "reconsider"
    SUPERSEDE = "supersede"
    OVERRIDE = "override"
    RESOLVE = "resolve"
    VERIFY = "verify"
    EDIT = "edit"
    ADD_EVIDENCE = "add_evidence"
    SET_CONFIDENCE = "set_confidence"
    ARCHIVE = "archive"
    RESTORE = "restore"
    DELETE = "delete"


_ANY_STATUS = tuple(Status)
# For each action the statuses from which it is allowed, and the status after it; None for an action
# that leaves the status as it is.
_TRANSITIONS: dict[Action, tuple[tuple[Status, ...], Status | None]] = {
    Action.PROMOTE: ((Status.PROVISIONAL,), Status.ACTIVE),
    Action.RECONSIDER: ((Status.ACTIVE,), Status.PROVISIONAL),
    Action.SUPERSEDE: (OPEN, Status.SUPERSEDED),
    Action.OVERRIDE: (OPEN, Status.OVERRIDDEN),
    Action.RESOLVE: (OPEN, Status.RESOLVED),
    Action.VERIFY: (_ANY_STATUS, None),
    Action.EDIT: (_ANY_STATUS, None),
    Action.ADD_EVIDENCE: (_ANY_STATUS, None),
    Action.SET_CONFIDENCE: (_ANY_STATUS, None),
    Action.ARCHIVE: (tuple(s for s in Status if s != Status.ARCHIVED), Status.ARCHIVED),
    Action.RESTORE: ((Status.ARCHIVED,), Status.ACTIVE),
    Action.DELETE: (_ANY_STATUS, None),
}


def allowed_actions(item: Item) -> list[Action]:
    """The actions that an item allows, in the order of `Action`."""
    return [
        action
        for action, (sources, _) in _TRANSITIONS.items()
        if item.status in sources and (action != Action.RESOLVE or item.kind in RESOLVABLE)
    ]


def status_after(item: Item, action: Action) -> Status:
    """The status of an item after an action.

    `restore` gives ACTIVE here; `revise` puts back the earlier status where the events tell it.

    Raises:
        WrongStatus: the item does not allow it.
    """
    if action not in allowed_actions(item):
        allowed = ", ".join(allowed_actions(item))
        raise WrongStatus(
            f"{item.id} is a {item.kind} and {item.status}: {action} does not apply",
            f"it allows: {allowed}",
        )
    return _TRANSITIONS[action][1] or item.status
