"""Counts what is open in a scope, and lists what happened there, as the events tell it."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.knowledge import timestamps
from satchel.knowledge.code_links import anchors, resolve_scope
from satchel.knowledge.model import Item, Kind, Timestamp
from satchel.knowledge.operations.verify import VerifyResult, verify
from satchel.knowledge.output.render import safe_text
from satchel.knowledge.ranking import signals
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.scopes import ResolvedScope
from satchel.knowledge.storage import read
from satchel.store.counted import counted
from satchel.store.sqlite.database import select

STALE_DAYS = 7
"""A decision that stays provisional for longer wants attention (Twining)."""
PROMOTE_FROM = 0.6
"""The promotion score from which a provisional item is suggested for promotion (jido_code)."""
_MAX_EVENTS = 10_000
_MAX_ANCHORED = 2_000
_MAX_SCORED = 200
"""Provisional items that are scored, the newest; what is older is counted as stale."""
_MAX_PROMOTABLE = 10


class ListedItem(Struct, frozen=True, omit_defaults=True):
    """An item of a list, its texts escaped, and the event or the score that put it there."""

    id: str
    summary: str
    kind: str = ""
    reason: str = ""
    """Why the event happened, "" where nobody said."""
    score: float | None = None
    """0..1, of an item to promote."""


class ChangedItems(Struct, frozen=True):
    """The items to which something happened since a time, oldest event first."""

    new_decisions: tuple[ListedItem, ...]
    new_entries: tuple[ListedItem, ...]
    overridden_decisions: tuple[ListedItem, ...]
    reconsidered_decisions: tuple[ListedItem, ...]
    superseded: tuple[ListedItem, ...]
    resolved: tuple[ListedItem, ...]


class KnowledgeState(Struct, frozen=True):
    """The counts of what is open in a scope, with the checks of `verify`; becomes JSON as it is."""

    scope: str
    active_decisions: int
    provisional_decisions: int
    open_needs: int
    active_warnings: int
    unanswered_questions: int
    recent_activity_summary: str
    stale_provisionals: int
    uninformed_decisions: int
    """Active decisions whose session had not asked for context."""
    drifted: int
    """Items whose code has changed or gone, of those that are anchored."""
    promotable: tuple[ListedItem, ...]
    checks: tuple[VerifyResult, ...]
    changed: ChangedItems | None = None


def overview(context: RequestContext, scope: str, since: str = "") -> KnowledgeState:
    """The state of a scope, and with `since` what happened to it.

    Raises:
        UsageError: `since` is not a time, or the scope leaves the code base.
    """
    place = context.resolve_scope(scope)
    where, values = read.scope_condition(place)

    def count(clause: str, *more: object) -> int:
        return read.count_visible(
            context.db, f"{clause} AND {where}", (*more, *values), context.caller.actor
        )

    now = context.caller.now
    stale = now - STALE_DAYS * timestamps.DAY
    # A provisional decision counts as stale from its last change of status, not from its creation.
    provisional = "i.kind = 'decision' AND i.status = 'provisional'"
    active = "i.kind = 'decision' AND i.status = 'active'"
    n_drifted = len(drifted_items(context, place))
    # Most needs have no date: then the first parameter, which is now, stands in for it.
    unexpired = "coalesce(json_extract(i.body, '$.expires_at'), ?) >= ?"
    # Twining's sentence about the last day, word for word.
    day = changes_since(context, place, Timestamp(now - timestamps.DAY))
    findings = sum(listed.kind == Kind.FINDING for listed in day.new_entries)
    warnings = sum(listed.kind == Kind.WARNING for listed in day.new_entries)
    return KnowledgeState(
        scope=place.scope,
        active_decisions=count(active),
        provisional_decisions=count(provisional),
        open_needs=count(f"i.kind = 'need' AND {read.IS_OPEN} AND {unexpired}", now, now),
        active_warnings=count(f"i.kind = 'warning' AND {read.IS_OPEN}"),
        unanswered_questions=count(f"i.kind = 'question' AND {read.IS_OPEN}"),
        recent_activity_summary=(
            f"In the last 24 hours: {counted(len(day.new_decisions), 'decision')} made,"
            f" {counted(findings, 'finding')} posted, {counted(warnings, 'warning')} raised."
        ),
        stale_provisionals=count(f"{provisional} AND i.status_at < ?", stale),
        uninformed_decisions=count(f"{active} AND json_extract(i.body, '$.informed') IS NULL"),
        drifted=n_drifted,
        promotable=_promotable(context, where, values),
        checks=verify(context, place, n_drifted),
        changed=changes_since(context, place, timestamps.parse(since, now)) if since else None,
    )


def changes_since(context: RequestContext, place: ResolvedScope, since: Timestamp) -> ChangedItems:
    """What happened in a scope since a time, oldest first, each item once in each list.

    Told from events and not from the items' own times, so that a late override of an old decision
    is found.
    """
    where, values = read.scope_condition(place)
    sql = (
        "SELECT e.action, e.item_id, e.reason, i.summary, i.kind, e.to_status FROM event e"
        f" JOIN item i ON i.id = e.item_id WHERE e.at >= ? AND {where} AND {read.VISIBLE}"
        " ORDER BY e.seq LIMIT ?"
    )
    rows = select(context.db, sql, (since, *values, context.caller.actor, _MAX_EVENTS))

    def listed(actions: Sequence[str], *, decision: bool | None = None) -> tuple[ListedItem, ...]:
        # A dictionary keeps the place of the first event of an item, with the reason of the last.
        found = {
            item_id: ListedItem(item_id, safe_text(summary), kind, safe_text(reason))
            for action, item_id, reason, summary, kind, _ in rows
            if action in actions and (decision is None or (kind == Kind.DECISION) == decision)
        }
        return tuple(found.values())

    return ChangedItems(
        listed(("create", "import"), decision=True), listed(("create", "import"), decision=False),
        listed(("override",)), listed(("reconsider",)), listed(("supersede",)),
        listed(("resolve",)),
    )  # fmt: skip


def drifted_items(
    context: RequestContext, place: ResolvedScope
) -> list[tuple[Item, tuple[anchors.Anchor, ...]]]:
    """Open items of a scope whose code has changed or gone, with those anchors, by id."""
    if context.snapshot is None:
        return []
    where, values = read.scope_condition(place)
    clause = f"{read.IS_OPEN} AND {where} AND i.id IN (SELECT src FROM link WHERE anchor != '')"
    items = read.visible_items(
        context.db, clause, values, context.caller.actor, "i.id", _MAX_ANCHORED
    )
    links = read.links_from(context.db, [item.id for item in items])
    known = anchors.anchors_by_item(links, context.snapshot)
    found = [
        (item, tuple(a for a in known.get(item.id, ()) if a.freshness)) for item in items
    ]  # fmt: skip
    return [(item, stale) for item, stale in found if stale]


def items_about_missing_code(context: RequestContext) -> list[tuple[Item, tuple[str, ...]]]:
    """Open items about code that the index never had, with messages of what is missing, by id.

    Code that was there once has left an anchor; these links have none.
    """
    if context.snapshot is None:
        return []
    # A link without an anchor led to nothing when it was made, or no index was there to ask.
    bare = "SELECT src FROM link WHERE anchor = '' AND (dst LIKE 'path:%' OR dst LIKE 'symbol:%')"
    clause = f"{read.IS_OPEN} AND i.id IN ({bare})"
    items = read.visible_items(context.db, clause, (), context.caller.actor, "i.id", _MAX_ANCHORED)
    missing: dict[str, list[str]] = {}
    for link in read.links_from(context.db, [item.id for item in items]):
        if not link.anchor and resolve_scope.is_missing_from_index(context.snapshot, link.dst):
            missing.setdefault(link.src, []).append(resolve_scope.missing_message(link.dst))
    return [(item, tuple(missing[item.id])) for item in items if item.id in missing]


def _promotable(
    context: RequestContext, where: str, values: Sequence[object]
) -> tuple[ListedItem, ...]:
    """Provisional items to suggest for promotion, by jido_code's score, best first."""
    clause = f"i.status = 'provisional' AND {where}"
    items = read.visible_items(
        context.db, clause, values, context.caller.actor, "i.created_at DESC, i.id", _MAX_SCORED
    )
    scored = [(signals.promotion_score(item, context.caller.now), item) for item in items]
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1].id))
    return tuple(
        ListedItem(item.id, safe_text(item.summary), item.kind, score=round(score, 2))
        for score, item in best
        if score >= PROMOTE_FROM
    )[:_MAX_PROMOTABLE]
