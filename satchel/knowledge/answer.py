"""The façade: a request comes in as a frozen value, a frozen reply with its text goes out.

Edges call `answer` and nothing else. The names that other systems taught their users are in
`satchel.knowledge.compat`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from satchel.assembler.budget import MAX_BUDGET
from satchel.knowledge import compat, replies
from satchel.knowledge.context import Desk
from satchel.knowledge.operations import notices
from satchel.knowledge.operations.focus import set_context
from satchel.knowledge.operations.follow import follow
from satchel.knowledge.operations.overview import overview
from satchel.knowledge.operations.recall import recall
from satchel.knowledge.operations.remember import remember
from satchel.knowledge.operations.revise import revise
from satchel.knowledge.output.render import encoded, line, quoted
from satchel.knowledge.replies import Reply
from satchel.knowledge.requests import (
    GetContext,
    KnowledgeContext,
    Overview,
    Recall,
    Remember,
    Request,
    Revise,
    SetContext,
    TwiningAssemble,
    TwiningSummarize,
    TwiningWhatChanged,
)
from satchel.knowledge.storage import read
from satchel.store.errors import NotFound, SatchelError, UsageError

_DETAIL_BUDGET = 8_192


def answer(desk: Desk, request: Request) -> Reply:
    """Carry out one request.

    Raises:
        UsageError: the request makes no sense, or names what the caller cannot see.
        WrongStatus: something does not allow what is asked of it.
    """
    carry_out: Callable[[Desk, Any], Reply] = _ANSWERS[type(request)]
    return carry_out(desk, request)


def _remember(desk: Desk, request: Remember) -> Reply:
    done: list[replies.Kept] = []
    for entry in request.items:
        try:
            done.append(replies.kept(remember(desk, entry)))
        except SatchelError as error:
            if len(request.items) == 1:
                raise
            done.append(replies.Kept(error=error.message, hint=error.hint))
    return Reply("".join(map(_kept_line, done)), replies.RememberReply(tuple(done)))


def _kept_line(kept: replies.Kept) -> str:
    if kept.error:
        return f"not kept: {kept.error} ({kept.hint})\n"
    if kept.action == "skipped":
        return f"{kept.id} is known already ({kept.status}); nothing was added\n"
    said = f"{kept.id} kept, {kept.status}"
    if kept.conflicts:
        said += f"; contradicts {', '.join(kept.conflicts)}"
        said += ": override one of them, and promote this if it stands"
    said += f"; like {kept.duplicate_of}" if kept.duplicate_of else ""
    return "".join((f"{said}\n", *(f"note: {line(notice)}\n" for notice in kept.notices)))


def _revise(desk: Desk, request: Revise) -> Reply:
    value = replies.revised(revise(desk, request))
    nothing = not (value.changed or value.unchanged or value.wrong_status)
    if value.not_found and nothing:
        raise NotFound(f"no item {', '.join(value.not_found)}", "ids are shown by `recall`")
    lines = [_changed_line(row) for row in value.changed]
    lines += [f"{item_id} is as it was\n" for item_id in value.unchanged]
    lines += [f"{item_id} not found\n" for item_id in value.not_found]
    lines += [f"{row.id} not changed: {row.reason}\n" for row in value.wrong_status]
    lines += [f"{item_id} added\n" for item_id in value.added]
    lines += [f"note: {line(notice)}\n" for notice in value.notices]
    return Reply("".join(lines), value)


def _changed_line(row: replies.ChangedRow) -> str:
    """`ID is overridden: summary`, or `ID (active) confidence 0.5 → 0.9: summary`."""
    if row.changes:
        return f"{row.id} ({row.status}) {line('; '.join(row.changes))}: {line(row.summary)}\n"
    return f"{row.id} is {row.status}: {line(row.summary)}\n"


def _recall(desk: Desk, request: Recall) -> Reply:
    if request.ids:
        return _details(desk, request)
    if request.follow:
        raise UsageError("follow needs ids", "name the items from which to follow links")
    done = recall(desk, request)
    value = replies.recalled(done, explain=request.explain)
    return Reply(done.packed.text, value, done.packed.totals)


def _details(desk: Desk, request: Recall) -> Reply:
    """Items in full, as many as the budget holds."""
    budget = min(request.budget_tokens or _DETAIL_BUDGET, MAX_BUDGET)
    found = follow(desk, request.ids, request.follow, request.depth)
    if not found:
        raise NotFound(f"no item {', '.join(request.ids)}", "ids are shown by `recall`")
    rows = [replies.detail_row(one) for one in found]
    shown: list[replies.DetailRow] = []
    text = ""
    for row in rows:
        longer = text + (_detail_text(row) if request.format != "json" else encoded(row) + "\n")
        if desk.count(longer) <= budget - 20:  # a line may follow that names what is left out
            text = longer
            shown.append(row)
    omitted = tuple(row.id for row in rows if row not in shown)
    if omitted:
        text += f"{len(omitted)} more did not fit {budget} tokens\n"
    return Reply(text, replies.DetailReply(tuple(shown), omitted, desk.count(text), budget))


def _detail_text(row: replies.DetailRow) -> str:
    facts = [
        row.status, row.privacy, row.verification, f"confidence {row.confidence:g}",
        f"importance {row.importance:g}", f"by {line(row.actor) or 'nobody'} ({row.source})",
        row.created_at, f"used {row.uses} times", line(row.scope), *map(line, row.tags),
    ]  # fmt: skip
    head = f"## [{line(row.label)}] {line(row.summary)}\n*{' | '.join(facts)} | {row.id}*\n"
    body = "".join(quoted(text) for text in (row.detail, row.rationale) if text)
    links = "".join(f"- {x.src} {x.rel} {line(x.dst)}\n" for x in row.links)
    past = "".join(
        f"- {event.at} {event.action} by {line(event.actor)}"
        f" {event.from_status}→{event.to_status} {line(event.reason)}\n"
        for event in row.history
    )
    return f"{head}{body}{links}{past}\n"


def _overview(desk: Desk, request: Overview) -> Reply:
    value = replies.overview(overview(desk, request.scope, request.since))
    lines = [
        f"knowledge of {line(value.scope)}: {value.active_decisions} active decisions,"
        f" {value.provisional_decisions} provisional ({value.stale_provisionals} for over a week),"
        f" {value.open_needs} needs, {value.active_warnings} warnings,"
        f" {value.unanswered_questions} questions, {value.drifted} drifted",
        value.recent_activity_summary,
        f"verify: {'; '.join(map(_check_said, value.checks))}",
        *(f"consider promoting {told.id} {line(told.summary)}" for told in value.promotable),
    ]
    for name in replies.ChangesReply.__struct_fields__ if value.changed else ():
        for told in getattr(value.changed, name)[-50:]:
            why = f" ({line(told.reason)})" if told.reason else ""
            lines.append(f"{name.replace('_', ' ')}: {told.id} {line(told.summary)}{why}")
    text = "".join(f"{said}\n" for said in lines)
    return Reply(text, value)


def _check_said(check: replies.CheckRow) -> str:
    about = f", {check.bad} of {check.of} {check.meaning}" if check.bad else ""
    return f"{check.name} {check.verdict}{about}"


def _set_context(desk: Desk, request: SetContext) -> Reply:
    session = set_context(desk, request)
    where, values = read.in_scope(desk.place(session.scope))
    clause = f"i.kind = 'warning' AND i.status IN ('provisional', 'active') AND {where}"
    warnings = read.count(desk.db, clause, values, desk.caller.actor)
    text = f'Context updated. Query: "{line(session.query)}", Intent: "{line(session.intent)}"\n'
    if warnings:
        text += f"{warnings} warnings hold for {line(session.scope)}; `recall` shows them\n"
    text += "".join(
        f"note: {line(notice)}\n" for notice in notices.of_scope(session.scope, desk.snapshot)
    )
    value = replies.FocusReply(session.id, session.query, session.intent, session.scope, warnings)
    return Reply(text, value)


_ANSWERS: dict[type, Callable[[Desk, Any], Reply]] = {
    Remember: _remember,
    Revise: _revise,
    Recall: _recall,
    Overview: _overview,
    SetContext: _set_context,
    GetContext: compat.get_context,
    KnowledgeContext: compat.knowledge_context,
    TwiningAssemble: compat.twining_assemble,
    TwiningSummarize: compat.twining_summarize,
    TwiningWhatChanged: compat.twining_what_changed,
}
