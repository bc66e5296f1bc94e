"""Answers requests under the names that Shabka, jido_code and Twining gave them, in their shapes.

Parameters, defaults and bounds are theirs (`knowledge.requests`); scores come from the presets that
reproduce their formulas. Their defects are not reproduced: budgets are kept, a late override of an
old decision is reported, and src/auth does not cover src/authorization.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.budget import MAX_BUDGET
from satchel.knowledge import replies, timestamps
from satchel.knowledge.code_links.resolve_scope import is_missing_from_index
from satchel.knowledge.operations.overview import ListedItem, changes_since, overview
from satchel.knowledge.operations.recall import rank_items, recall, record_shown_items
from satchel.knowledge.output import render
from satchel.knowledge.output.layouts import sections_layout
from satchel.knowledge.output.render import MarkdownLayout, safe_text
from satchel.knowledge.ranking.fitting_items import FittingItem, ItemTotals, fit_items
from satchel.knowledge.ranking.presets import PresetName, preset_named
from satchel.knowledge.replies import Reply
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import (
    GetContext,
    KnowledgeContext,
    Recall,
    TwiningAssemble,
    TwiningSummarize,
    TwiningWhatChanged,
)
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL
from satchel.knowledge.storage.rows import to_json
from satchel.store.errors import UsageError

_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
# Memories that `get_context` looks at.
_CANDIDATES = 50
# Twining has no limit but its tokens; this one bounds the time of a request.
_MAX_ASSEMBLED = 1_000
_NO_ROOM = "{}\n"
"""What says least: one token."""
# Items in one list of `twining_what_changed`; the newest stay.
_MAX_LISTED = 200


def get_context(context: RequestContext, request: GetContext) -> Reply:
    """Shabka's pack: memories for a query, ranked by seven factors, as Markdown."""
    query = request.query.strip() or "*"
    asked = Recall(
        query=query, project=request.project_id, preset=PresetName.PACK,
        kinds=(request.kind,) if request.kind else (),
        tags=tuple(tag.strip() for tag in (request.tags or "").split(",") if tag.strip()),
    )  # fmt: skip
    preset = preset_named(PresetName.PACK)
    ranked = rank_items(context, asked, preset, "" if query == "*" else query, PROJECT)
    layout = MarkdownLayout(about=request.project_id or "all")
    # Packed here and not by `recall`: Shabka allows budgets from 0 to 2^32 - 1 tokens, which the
    # bounds of our own request do not.
    packed = fit_items(ranked, layout, request.token_budget, _CANDIDATES, context.count_tokens)
    record_shown_items(context, packed)
    totals = packed.totals
    value = replies.RecallReply(
        totals.used_tokens, totals.budget, totals.considered, totals.packed, "pack", query,
        PROJECT, tuple(render.item_row(shown, explain=False) for shown in packed.shown),
        tuple(replies.OmittedRow(one.item.id, one.reason) for one in packed.omitted),
    )  # fmt: skip
    return Reply(packed.text, value, totals)


class Memory(Struct, frozen=True):
    """A memory as jido_code returns it."""

    id: str
    content: str
    type: str
    confidence: float
    timestamp: str
    rationale: str | None
    relevance_score: float


class Memories(Struct, frozen=True):
    """The reply of `knowledge_context`."""

    context_hint: str
    count: int
    memories: tuple[Memory, ...]


class _MemoriesLayout:
    """jido_code's JSON as a layout."""

    def __init__(self, hint: str) -> None:
        self._hint = hint

    def block(self, shown: FittingItem) -> str:
        """One memory."""
        return to_json(_memory(shown)) + ","

    def whole(self, shown: Sequence[FittingItem], _totals: ItemTotals) -> str:
        """All of it."""
        return to_json(self.value(shown)) + "\n"

    def value(self, shown: Sequence[FittingItem]) -> Memories:
        """The reply as a value."""
        return Memories(self._hint, len(shown), tuple(map(_memory, shown)))


def _memory(shown: FittingItem) -> Memory:
    item = shown.item
    # jido_code has one text for each memory, where an item has a summary and a detail.
    content = item.summary if shown.short else f"{item.summary}\n{item.detail}".strip()
    return Memory(
        item.id, safe_text(content), item.label, item.confidence,
        timestamps.format_iso(item.created_at), safe_text(item.rationale) or None,
        round(shown.ranked.score, 3),
    )  # fmt: skip


def knowledge_context(context: RequestContext, request: KnowledgeContext) -> Reply:
    """jido_code's list: what fits a hint, by words, recency, confidence and use."""
    hint = request.context_hint.strip()
    if len(hint) < 3:  # counted again without blanks: the bound of the request counts them
        raise UsageError("context_hint must be at least 3 characters", "say what is needed")
    statuses = ("open", "superseded") if request.include_superseded else ("open",)
    asked = Recall(
        query=hint, preset=PresetName.HINT, kinds=request.include_types, status=statuses,
        min_confidence=request.min_confidence, recency_weight=request.recency_weight,
        limit=request.max_results or request.limit or preset_named(PresetName.HINT).limit,
        budget_tokens=MAX_BUDGET, scope=PROJECT,
    )  # fmt: skip
    layout = _MemoriesLayout(hint)
    done = recall(context, asked, layout)
    return Reply(done.packed.text, layout.value(done.packed.shown), done.packed.totals)


def twining_assemble(context: RequestContext, request: TwiningAssemble) -> Reply:
    """Twining's context for a task in a scope, in sections, warnings and needs first.

    Where its frame alone is too long, task and related entities are left out, then everything.
    """
    scope = _task_scope(context, request.scope)
    task = request.task.strip()
    asked = Recall(query=task, scope=scope, preset=PresetName.TASK)
    ranked = rank_items(context, asked, context.task_preset, task, scope, whole_scope=True)
    layout = sections_layout(context, ranked, request.task, scope)
    max_tokens = request.max_tokens or context.task_tokens
    for frame in (layout, replace(layout, task="", related=())):
        packed = fit_items(ranked, frame, max_tokens, _MAX_ASSEMBLED, context.count_tokens)
        if packed.totals.used_tokens <= max_tokens:
            record_shown_items(context, packed)
            return Reply(packed.text, frame.value(packed.shown, packed.totals), packed.totals)
    totals = replace(packed.totals, used_tokens=context.count_tokens(_NO_ROOM))
    return Reply(_NO_ROOM, frame.value((), totals), totals)


def _task_scope(context: RequestContext, written: str) -> str:
    """A scope as Twining's callers write it: a path, "project", or the bare name of a symbol."""
    scope = context.normalize_scope(written)
    snapshot = context.snapshot
    is_name = scope != PROJECT and _NAME.fullmatch(scope) is not None
    if snapshot is None or not is_name or not is_missing_from_index(snapshot, f"{PATH}{scope}"):
        return scope
    symbol = f"{SYMBOL}{scope}"
    return scope if is_missing_from_index(snapshot, symbol) else symbol


class Summary(Struct, frozen=True):
    """The reply of `twining_summarize`."""

    scope: str
    active_decisions: int
    provisional_decisions: int
    open_needs: int
    active_warnings: int
    unanswered_questions: int
    recent_activity_summary: str


def twining_summarize(context: RequestContext, request: TwiningSummarize) -> Reply:
    """Twining's counts of what is open in a scope, and its sentence about the last day."""
    state = overview(context, request.scope)
    # The fields of the reply are those of the state, by name and in Twining's order.
    value = Summary(*(getattr(state, name) for name in Summary.__struct_fields__))
    return Reply(to_json(value) + "\n", value)


class NewRow(Struct, frozen=True):
    """A decision."""

    id: str
    summary: str


class NewEntry(Struct, frozen=True):
    """Anything else; `entry_type` is its label."""

    id: str
    entry_type: str
    summary: str


class OverriddenRow(Struct, frozen=True):
    """A decision that was overridden, and why."""

    id: str
    summary: str
    reason: str


class WhatChanged(Struct, frozen=True):
    """The reply of `twining_what_changed`."""

    new_decisions: tuple[NewRow, ...]
    new_entries: tuple[NewEntry, ...]
    overridden_decisions: tuple[OverriddenRow, ...]
    reconsidered_decisions: tuple[NewRow, ...]


def twining_what_changed(context: RequestContext, request: TwiningWhatChanged) -> Reply:
    """Twining's four lists of what happened in a scope since a time, as the events tell it."""
    since = timestamps.parse(request.since, context.caller.now)
    happened = changes_since(context, context.resolve_scope(request.scope), since)
    value = WhatChanged(
        tuple(NewRow(one.id, one.summary) for one in _newest(happened.new_decisions)),
        tuple(NewEntry(one.id, one.kind, one.summary) for one in _newest(happened.new_entries)),
        tuple(
            OverriddenRow(one.id, one.summary, one.reason or "No reason provided")
            for one in _newest(happened.overridden_decisions)
        ),
        tuple(NewRow(one.id, one.summary) for one in _newest(happened.reconsidered_decisions)),
    )  # fmt: skip
    return Reply(to_json(value) + "\n", value)


def _newest(items: Sequence[ListedItem]) -> Sequence[ListedItem]:
    return items[-_MAX_LISTED:]
