"""The questions of Shabka, jido_code and Twining under their own names, answered in their shapes.

Parameters, defaults and bounds are theirs (`knowledge.requests`); scores come from the presets that
reproduce their formulas. What their code got wrong is not reproduced: budgets hold, late overrides
are told, folders are not their namesakes.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from satchel.assembler.budget import MAX_BUDGET
from satchel.knowledge import replies, timestamps
from satchel.knowledge.context import Desk
from satchel.knowledge.operations.overview import Told, changes, overview
from satchel.knowledge.operations.recall import find, recall, used
from satchel.knowledge.output import render
from satchel.knowledge.output.layouts import sections
from satchel.knowledge.output.render import Markdown, data, encoded
from satchel.knowledge.ranking.pack import Shown, Totals, pack
from satchel.knowledge.ranking.presets import preset_named
from satchel.knowledge.replies import Reply
from satchel.knowledge.requests import (
    GetContext,
    KnowledgeContext,
    Recall,
    TwiningAssemble,
    TwiningSummarize,
    TwiningWhatChanged,
)
from satchel.knowledge.scopes import PROJECT
from satchel.store.errors import UsageError

_CANDIDATES = 50
"""Memories that `get_context` looks at."""
_MOST_ASSEMBLED = 1_000
_MOST_LISTED = 200
"""Items in one list of `twining_what_changed`; the newest stay."""


def get_context(desk: Desk, request: GetContext) -> Reply:
    """Shabka's pack: memories for a query, ranked by seven factors, as Markdown."""
    query = request.query.strip() or "*"
    asked = Recall(
        query=query, project=request.project_id, preset="pack",
        kinds=(request.kind,) if request.kind else (),
        tags=tuple(tag.strip() for tag in (request.tags or "").split(",") if tag.strip()),
    )  # fmt: skip
    preset = preset_named("pack")
    ranked = find(desk, asked, preset, "" if query == "*" else query, PROJECT)
    layout = Markdown(project=request.project_id or "all")
    packed = pack(ranked, layout, request.token_budget, _CANDIDATES, desk.count)
    used(desk, packed)
    totals = packed.totals
    value = replies.RecallReply(
        totals.used_tokens, totals.budget, totals.considered, totals.packed, "pack", query,
        PROJECT, tuple(render.row(shown, explain=False) for shown in packed.shown),
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


class _Memories:
    """jido_code's JSON as a layout."""

    def __init__(self, hint: str) -> None:
        self._hint = hint

    def block(self, shown: Shown) -> str:
        """One memory."""
        return encoded(_memory(shown)) + ","

    def whole(self, shown: Sequence[Shown], _totals: Totals) -> str:
        """All of it."""
        return encoded(self.value(shown)) + "\n"

    def value(self, shown: Sequence[Shown]) -> Memories:
        """The same as a value."""
        return Memories(self._hint, len(shown), tuple(map(_memory, shown)))


def _memory(shown: Shown) -> Memory:
    item = shown.item
    content = item.summary if shown.short else f"{item.summary}\n{item.detail}".strip()
    return Memory(
        item.id, data(content), item.label, item.confidence, timestamps.iso(item.created_at),
        data(item.rationale) or None, round(shown.ranked.score, 3),
    )  # fmt: skip


def knowledge_context(desk: Desk, request: KnowledgeContext) -> Reply:
    """jido_code's list: what fits a hint, by words, recency, confidence and use."""
    hint = request.context_hint.strip()
    if len(hint) < 3:
        raise UsageError("context_hint must be at least 3 characters", "say what is needed")
    kept = ("open", "superseded") if request.include_superseded else ("open",)
    asked = Recall(
        query=hint, preset="hint", kinds=request.include_types, status=kept,
        min_confidence=request.min_confidence, recency_weight=request.recency_weight,
        limit=request.max_results or request.limit or preset_named("hint").limit,
        budget_tokens=MAX_BUDGET, scope=PROJECT,
    )  # fmt: skip
    layout = _Memories(hint)
    done = recall(desk, asked, layout)
    return Reply(done.packed.text, layout.value(done.packed.shown), done.packed.totals)


def twining_assemble(desk: Desk, request: TwiningAssemble) -> Reply:
    """Twining's context for a task in a scope, in sections, warnings first."""
    scope = desk.scope(request.scope)
    task = request.task.strip()
    asked = Recall(query=task, scope=scope, preset="task")
    ranked = find(desk, asked, preset_named("task"), task, scope)
    layout = sections(desk, ranked, request.task, scope)
    packed = pack(ranked, layout, request.max_tokens, _MOST_ASSEMBLED, desk.count)
    used(desk, packed)
    return Reply(packed.text, layout.value(packed.shown, packed.totals), packed.totals)


class Summary(Struct, frozen=True):
    """The reply of `twining_summarize`."""

    scope: str
    active_decisions: int
    provisional_decisions: int
    open_needs: int
    active_warnings: int
    unanswered_questions: int
    recent_activity_summary: str


def twining_summarize(desk: Desk, request: TwiningSummarize) -> Reply:
    """Twining's counts of what is open in a scope, and its sentence about the last day."""
    state = overview(desk, request.scope)
    value = Summary(*(getattr(state, name) for name in Summary.__struct_fields__))
    return Reply(encoded(value) + "\n", value)


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


def twining_what_changed(desk: Desk, request: TwiningWhatChanged) -> Reply:
    """Twining's four lists of what happened in a scope since a moment, told from events."""
    since = timestamps.read(request.since, desk.caller.now)
    happened = changes(desk, desk.place(request.scope), since)
    again = happened.reconsidered_decisions
    value = WhatChanged(
        tuple(NewRow(one.id, data(one.summary)) for one in _newest(happened.new_decisions)),
        tuple(
            NewEntry(one.id, one.kind, data(one.summary)) for one in _newest(happened.new_entries)
        ),
        tuple(
            OverriddenRow(one.id, data(one.summary), data(one.reason) or "No reason provided")
            for one in _newest(happened.overridden_decisions)
        ),
        tuple(NewRow(one.id, data(one.summary)) for one in _newest(again)),
    )  # fmt: skip
    return Reply(encoded(value) + "\n", value)


def _newest(told: Sequence[Told]) -> Sequence[Told]:
    return told[-_MOST_LISTED:]
