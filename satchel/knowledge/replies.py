"""Replies as frozen values that become JSON; `Reply.text` is what a model reads."""

from msgspec import Struct

from satchel.knowledge import timestamps
from satchel.knowledge.operations.follow import ItemDetail
from satchel.knowledge.operations.recall import RecallResult
from satchel.knowledge.operations.remember import Remembered
from satchel.knowledge.output.render import ItemRow, item_row, safe_text
from satchel.knowledge.ranking.fitting_items import FittingItems, ItemTotals


class Reply(Struct, frozen=True):
    """An answer: the exact text for the caller, the same as a value, and its token counts."""

    text: str
    value: Struct
    totals: ItemTotals | None = None
    changes_text: str = ""
    """The end of `text` that lists what happened, of an overview with a `since`."""


class RememberReply(Struct, frozen=True):
    """What became of the entries, in their order."""

    items: tuple[Remembered, ...]


class OmittedRow(Struct, frozen=True):
    """An item that was considered and left out."""

    id: str
    reason: str


class RecallReply(Struct, frozen=True):
    """Scored items, best first. `fallback`: vectors were not at hand."""

    used_tokens: int
    budget: int
    considered: int
    packed: int
    preset: str
    query: str
    scope: str
    items: tuple[ItemRow, ...]
    omitted: tuple[OmittedRow, ...]
    fallback: bool = False
    generation: int = 0
    """Generation of the index that the items' links were compared with, 0 for none."""


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
    generation: int = 0


class FocusReply(Struct, frozen=True):
    """A focus that was set; `warnings` counts those that hold for its scope."""

    session: str
    query: str
    intent: str
    scope: str
    warnings: int


def recall_reply(done: RecallResult, generation: int, *, explain: bool) -> RecallReply:
    """An answer as JSON; `generation` is that of the index, 0 for none."""
    packed: FittingItems = done.packed
    totals = packed.totals
    return RecallReply(
        totals.used_tokens, totals.budget, totals.considered, totals.packed, done.preset.name,
        done.query, done.scope, tuple(item_row(shown, explain=explain) for shown in packed.shown),
        tuple(OmittedRow(one.item.id, one.reason) for one in packed.omitted), done.fallback,
        generation,
    )  # fmt: skip


def detail_row(one: ItemDetail) -> DetailRow:
    """An item in full as JSON."""
    item = one.item
    events = tuple(
        EventRow(
            timestamps.format_iso(event.at), event.actor, event.action, event.from_status,
            event.to_status, event.reason, tuple(change.field for change in event.changes),
        )
        for event in one.events
    )  # fmt: skip
    links = tuple(LinkRow(x.src, x.rel, x.dst, x.strength, x.note) for x in one.links)
    return DetailRow(
        item.id, item.kind, item.label, item.status, safe_text(item.summary),
        safe_text(item.detail), safe_text(item.rationale), item.scope, item.project, item.tags,
        item.privacy, item.confidence, item.importance, item.verification, item.source, item.actor,
        timestamps.format_iso(item.created_at), item.uses, one.depth, links, events,
    )  # fmt: skip
