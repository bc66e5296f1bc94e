"""The state of knowledge about a scope, and what happened to it, told from events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.knowledge import timestamps
from satchel.knowledge.code_links import anchors, scope_places
from satchel.knowledge.context import Desk
from satchel.knowledge.model import OPEN, Item, Kind, Moment
from satchel.knowledge.operations.verify import Checked, verify
from satchel.knowledge.ranking import signals
from satchel.knowledge.scopes import Place
from satchel.knowledge.storage import read
from satchel.store.sqlite.database import select

STALE_DAYS = 7
"""A decision that stays provisional for longer wants attention (Twining)."""
PROMOTE_FROM = 0.6
_MOST_EVENTS = 10_000
_MOST_ANCHORS = 2_000
_OPEN = f"i.status IN ({', '.join(repr(str(status)) for status in OPEN)})"


@dataclass(frozen=True, slots=True)
class Told:
    """An item as it appears in a list; `reason` says why it came to be there."""

    id: str
    summary: str
    kind: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """What happened since a moment, oldest first."""

    new_decisions: tuple[Told, ...]
    new_entries: tuple[Told, ...]
    overridden_decisions: tuple[Told, ...]
    reconsidered_decisions: tuple[Told, ...]
    superseded: tuple[Told, ...]
    resolved: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class State:
    """Counts of what is open in a scope."""

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
    promotable: tuple[Told, ...]
    checks: tuple[Checked, ...]
    changed: Changed | None = None


def overview(desk: Desk, scope: str, since: str = "") -> State:
    """What there is to know about a scope.

    Raises:
        UsageError: `since` is not a time, or the scope no place.
    """
    place = desk.place(scope)
    where, values = read.in_scope(place)

    def count(clause: str, *more: object) -> int:
        return read.count(desk.db, f"{clause} AND {where}", (*more, *values), desk.caller.actor)

    now = desk.caller.now
    stale = now - STALE_DAYS * timestamps.DAY
    provisional = "i.kind = 'decision' AND i.status = 'provisional'"
    active = "i.kind = 'decision' AND i.status = 'active'"
    n_drifted = len(drifted(desk, place))
    unexpired = "coalesce(json_extract(i.body, '$.expires_at'), ?) >= ?"
    return State(
        scope=place.scope,
        active_decisions=count(active),
        provisional_decisions=count(provisional),
        open_needs=count(f"i.kind = 'need' AND {_OPEN} AND {unexpired}", now, now),
        active_warnings=count(f"i.kind = 'warning' AND {_OPEN}"),
        unanswered_questions=count(f"i.kind = 'question' AND {_OPEN}"),
        recent_activity_summary=_activity(changes(desk, place, Moment(now - timestamps.DAY))),
        stale_provisionals=count(f"{provisional} AND i.status_at < ?", stale),
        uninformed_decisions=count(f"{active} AND json_extract(i.body, '$.informed') IS NULL"),
        drifted=n_drifted,
        promotable=_promotable(desk, where, values),
        checks=verify(desk, place, n_drifted),
        changed=changes(desk, place, timestamps.read(since, now)) if since else None,
    )


def changes(desk: Desk, place: Place, since: Moment) -> Changed:
    """What happened in a scope since a moment, each item once a list, oldest first."""
    where, values = read.in_scope(place)
    sql = (
        "SELECT e.action, e.item_id, e.reason, i.summary, i.kind, e.to_status FROM event e"
        f" JOIN item i ON i.id = e.item_id WHERE e.at >= ? AND {where} AND {read.VISIBLE}"
        " ORDER BY e.seq LIMIT ?"
    )
    rows = select(desk.db, sql, (since, *values, desk.caller.actor, _MOST_EVENTS))

    def told(actions: Sequence[str], *, decision: bool | None = None) -> tuple[Told, ...]:
        found = {
            item_id: Told(item_id, summary, kind, reason)
            for action, item_id, reason, summary, kind, _ in rows
            if action in actions and (decision is None or (kind == Kind.DECISION) == decision)
        }
        return tuple(found.values())

    return Changed(
        told(("create", "import"), decision=True), told(("create", "import"), decision=False),
        told(("override",)), told(("reconsider",)), told(("supersede",)), told(("resolve",)),
    )  # fmt: skip


def _activity(day: Changed) -> str:
    """Twining's sentence."""
    findings = sum(told.kind == Kind.FINDING for told in day.new_entries)
    warnings = sum(told.kind == Kind.WARNING for told in day.new_entries)
    return (
        f"In the last 24 hours: {len(day.new_decisions)} decisions made,"
        f" {findings} findings posted, {warnings} warnings raised."
    )


def drifted(desk: Desk, place: Place) -> list[tuple[Item, tuple[anchors.Anchor, ...]]]:
    """Open items of a scope whose code is not what they were said about, by id."""
    if desk.snapshot is None:
        return []
    where, values = read.in_scope(place)
    clause = f"{_OPEN} AND {where} AND i.id IN (SELECT src FROM link WHERE anchor != '')"
    held = read.admitted(desk.db, clause, values, desk.caller.actor, "i.id", _MOST_ANCHORS)
    links = read.links_from(desk.db, [item.id for item in held])
    known = anchors.by_item(links, desk.snapshot)
    found = [
        (item, tuple(a for a in known.get(item.id, ()) if a.freshness)) for item in held
    ]  # fmt: skip
    return [(item, stale) for item, stale in found if stale]


def unfounded(desk: Desk) -> list[tuple[Item, tuple[str, ...]]]:
    """Open items about code that was not there when they were written and is not now, with what is
    missing, by id.
    """
    if desk.snapshot is None:
        return []
    bare = "SELECT src FROM link WHERE anchor = '' AND (dst LIKE 'path:%' OR dst LIKE 'symbol:%')"
    clause = f"{_OPEN} AND i.id IN ({bare})"
    held = read.admitted(desk.db, clause, (), desk.caller.actor, "i.id", _MOST_ANCHORS)
    missing: dict[str, list[str]] = {}
    for link in read.links_from(desk.db, [item.id for item in held]):
        if not link.anchor and scope_places.is_missing(desk.snapshot, link.dst):
            missing.setdefault(link.src, []).append(scope_places.said_missing(link.dst))
    return [(item, tuple(missing[item.id])) for item in held if item.id in missing]


def _promotable(desk: Desk, where: str, values: Sequence[object]) -> tuple[Told, ...]:
    """Provisional items that have earned it, by jido_code's promotion score, best first."""
    clause = f"i.status = 'provisional' AND {where}"
    held = read.admitted(desk.db, clause, values, desk.caller.actor, "i.created_at DESC, i.id", 200)
    scored = [(signals.promotion(item, desk.caller.now), item) for item in held]
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1].id))
    return tuple(
        Told(item.id, item.summary, item.kind, f"{worth:.2f}")
        for worth, item in best
        if worth >= PROMOTE_FROM
    )[:10]
