"""What is answered, as frozen values that become JSON. `text` of a reply is what a model reads."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from satchel.knowledge import timestamps
from satchel.knowledge.model import Change
from satchel.knowledge.operations.follow import Detailed
from satchel.knowledge.operations.overview import State, Told
from satchel.knowledge.operations.recall import Recalled
from satchel.knowledge.operations.remember import Remembered
from satchel.knowledge.operations.revise import Done, Revised
from satchel.knowledge.output.render import Row, data, row
from satchel.knowledge.ranking.pack import Packed, Totals

Value = Struct
_SHORT = 60
"""Characters before and after a change that a reply repeats."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: exactly the text to hand over, the same as a value, and what it cost."""

    text: str
    value: Value
    totals: Totals | None = None


class Kept(Struct, frozen=True, omit_defaults=True):
    """What became of one entry; `error` says why it was not kept, in its own words and a hint."""

    id: str = ""
    status: str = ""
    action: str = ""
    duplicate_of: str = ""
    conflicts: tuple[str, ...] = ()
    links_added: int = 0
    notices: tuple[str, ...] = ()
    error: str = ""
    hint: str = ""


class RememberReply(Struct, frozen=True):
    """What became of the entries, in their order."""

    items: tuple[Kept, ...]


class ChangedRow(Struct, frozen=True):
    """An item after a change, "deleted" with its last summary; `changes` says what an edit did."""

    id: str
    status: str
    summary: str
    changes: tuple[str, ...] = ()


class WrongRow(Struct, frozen=True):
    """An item that did not allow the change."""

    id: str
    reason: str


class ReviseReply(Struct, frozen=True):
    """What became of the ids."""

    changed: tuple[ChangedRow, ...]
    unchanged: tuple[str, ...]
    not_found: tuple[str, ...]
    wrong_status: tuple[WrongRow, ...]
    added: tuple[str, ...]
    notices: tuple[str, ...] = ()


class OmittedRow(Struct, frozen=True):
    """An item that was considered and left out."""

    id: str
    reason: str


class RecallReply(Struct, frozen=True):
    """Scored items, best first. `fallback`: vectors were not at hand, or not as configured."""

    used_tokens: int
    budget: int
    considered: int
    packed: int
    preset: str
    query: str
    scope: str
    items: tuple[Row, ...]
    omitted: tuple[OmittedRow, ...]
    fallback: bool = False


class LinkRow(Struct, frozen=True):
    """A link of an item."""

    src: str
    rel: str
    dst: str
    strength: float
    note: str


class EventRow(Struct, frozen=True):
    """Something that happened to an item."""

    at: str
    actor: str
    action: str
    from_status: str
    to_status: str
    reason: str
    changed: tuple[str, ...]


class DetailRow(Struct, frozen=True):
    """An item in full."""

    id: str
    kind: str
    label: str
    status: str
    summary: str
    detail: str
    rationale: str
    scope: str
    project: str
    tags: tuple[str, ...]
    privacy: str
    confidence: float
    importance: float
    verification: str
    source: str
    actor: str
    created_at: str
    uses: int
    depth: int
    links: tuple[LinkRow, ...]
    history: tuple[EventRow, ...]


class DetailReply(Struct, frozen=True):
    """Items in full, nearest first; `omitted` did not fit the budget."""

    items: tuple[DetailRow, ...]
    omitted: tuple[str, ...]
    used_tokens: int
    budget: int


class ToldRow(Struct, frozen=True, omit_defaults=True):
    """An item in a list of an overview."""

    id: str
    summary: str
    kind: str = ""
    reason: str = ""


class ChangesReply(Struct, frozen=True):
    """What happened since a moment."""

    new_decisions: tuple[ToldRow, ...]
    new_entries: tuple[ToldRow, ...]
    overridden_decisions: tuple[ToldRow, ...]
    reconsidered_decisions: tuple[ToldRow, ...]
    superseded: tuple[ToldRow, ...]
    resolved: tuple[ToldRow, ...]


class CheckRow(Struct, frozen=True):
    """One of Twining's checks; `verdict` is pass, warn, fail or skip."""

    name: str
    verdict: str
    bad: int
    of: int
    meaning: str


class OverviewReply(Struct, frozen=True):
    """The state of knowledge about a scope."""

    scope: str
    active_decisions: int
    provisional_decisions: int
    open_needs: int
    active_warnings: int
    unanswered_questions: int
    recent_activity_summary: str
    stale_provisionals: int
    uninformed_decisions: int
    drifted: int
    promotable: tuple[ToldRow, ...]
    checks: tuple[CheckRow, ...]
    changed: ChangesReply | None = None


class FocusReply(Struct, frozen=True):
    """A focus that was set; `warnings` counts those that hold for its scope."""

    session: str
    query: str
    intent: str
    scope: str
    warnings: int


def kept(done: Remembered) -> Kept:
    """A kept entry as JSON."""
    return Kept(
        done.id, done.status, done.action, done.duplicate_of or "", done.conflicts,
        done.links_added, done.notices,
    )  # fmt: skip


def revised(done: Revised) -> ReviseReply:
    """A revision as JSON."""
    return ReviseReply(
        tuple(map(_changed_row, done.changed)),
        done.unchanged, done.not_found, tuple(WrongRow(*pair) for pair in done.wrong_status),
        done.added, done.notices,
    )  # fmt: skip


def _changed_row(done: Done) -> ChangedRow:
    status = "deleted" if done.is_deleted else str(done.item.status)
    changes = dict.fromkeys(_change_said(change) for change in done.changes)
    return ChangedRow(done.item.id, status, done.item.summary, tuple(changes))


def _change_said(change: Change) -> str:
    """`confidence 0.5 → 0.9`; long texts are only named."""
    if change.field == "anchor":
        return "held against the code as it is now"
    if change.field == "link":
        return f"linked: {change.new}"
    if len(change.old) + len(change.new) > _SHORT:
        return change.field
    return f"{change.field} {change.old or '(none)'} → {change.new or '(none)'}"


def recalled(done: Recalled, *, explain: bool) -> RecallReply:
    """An answer as JSON."""
    packed: Packed = done.packed
    totals = packed.totals
    return RecallReply(
        totals.used_tokens, totals.budget, totals.considered, totals.packed, done.preset.name,
        done.query, done.scope, tuple(row(shown, explain=explain) for shown in packed.shown),
        tuple(OmittedRow(one.item.id, one.reason) for one in packed.omitted), done.fallback,
    )  # fmt: skip


def detail_row(one: Detailed) -> DetailRow:
    """An item in full as JSON."""
    item = one.item
    events = tuple(
        EventRow(
            timestamps.iso(event.at), event.actor, event.action, event.from_status, event.to_status,
            event.reason, tuple(change.field for change in event.changes),
        )
        for event in one.events
    )  # fmt: skip
    links = tuple(LinkRow(x.src, x.rel, x.dst, x.strength, x.note) for x in one.links)
    return DetailRow(
        item.id, item.kind, item.label, item.status, data(item.summary), data(item.detail),
        data(item.rationale), item.scope, item.project, item.tags, item.privacy, item.confidence,
        item.importance, item.verification, item.source, item.actor,
        timestamps.iso(item.created_at), item.uses, one.depth, links, events,
    )  # fmt: skip


def overview(state: State) -> OverviewReply:
    """An overview as JSON."""
    changed = None
    if state.changed:
        names = ChangesReply.__struct_fields__
        changed = ChangesReply(*(_told(getattr(state.changed, name)) for name in names))
    return OverviewReply(
        state.scope, state.active_decisions, state.provisional_decisions, state.open_needs,
        state.active_warnings, state.unanswered_questions, state.recent_activity_summary,
        state.stale_provisionals, state.uninformed_decisions, state.drifted,
        _told(state.promotable),
        tuple(CheckRow(c.name, c.verdict, c.bad, c.of, c.meaning) for c in state.checks), changed,
    )  # fmt: skip


def _told(held: tuple[Told, ...]) -> tuple[ToldRow, ...]:
    return tuple(ToldRow(one.id, data(one.summary), one.kind, data(one.reason)) for one in held)
