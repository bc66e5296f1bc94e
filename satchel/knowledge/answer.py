"""Answers every request about knowledge: a frozen request comes in, a frozen reply goes out.

The tools and the commands for single requests call `answer` and nothing else. Requests under the
names of other systems are answered in `satchel.knowledge.compat`.
"""

from collections.abc import Callable
from typing import Any

from satchel.assembler.budget import MAX_BUDGET
from satchel.knowledge import compat, replies
from satchel.knowledge.operations import notices
from satchel.knowledge.operations.focus import set_context
from satchel.knowledge.operations.follow import follow
from satchel.knowledge.operations.overview import overview
from satchel.knowledge.operations.recall import recall
from satchel.knowledge.operations.remember import Remembered, remember
from satchel.knowledge.operations.revise import ChangedRow, revise
from satchel.knowledge.operations.verify import VerifyResult
from satchel.knowledge.output.render import quoted_block, safe_line
from satchel.knowledge.replies import Reply
from satchel.knowledge.request_context import RequestContext
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
from satchel.knowledge.storage.rows import to_json
from satchel.store.counted import counted
from satchel.store.errors import NotFound, SatchelError, UsageError

_DETAIL_BUDGET = 8_192
# Tokens that are left for the lines which say how many items did not fit, and of which index.
_OMITTED_TOKENS = 30
# Changes of one sort that the text of an overview lists, the newest; the JSON has all of them.
_MAX_LISTED = 50


def answer(context: RequestContext, request: Request) -> Reply:
    """Carry out one request.

    Raises:
        UsageError: the request makes no sense.
        NotFound: it names an item that does not exist or that the caller cannot see.
        WrongStatus: the item that a new one supersedes is no longer open.
    """
    carry_out: Callable[[RequestContext, Any], Reply] = _ANSWERS[type(request)]
    return carry_out(context, request)


def _remember(context: RequestContext, request: Remember) -> Reply:
    done: list[Remembered] = []
    for entry in request.items:
        try:
            done.append(remember(context, entry))
        except SatchelError as error:
            if len(request.items) == 1:
                raise  # one item that fails is a failed request; of several, the others are stored
            done.append(Remembered(error=error.message, hint=error.hint))
    return Reply("".join(map(_remembered_line, done)), replies.RememberReply(tuple(done)))


def _remembered_line(row: Remembered) -> str:
    if row.error:
        return f"not kept: {row.error} ({row.hint})\n"
    if row.action == "skipped":
        return f"{row.id} is known already ({row.status}); nothing was added\n"
    text = f"{row.id} kept, {row.status}"
    if row.conflicts:
        text += f"; contradicts {', '.join(row.conflicts)}"
        text += ": override one of them, and promote this if it stands"
    text += f"; like {row.duplicate_of}" if row.duplicate_of else ""
    return "".join((f"{text}\n", *(f"note: {safe_line(notice)}\n" for notice in row.notices)))


def _revise(context: RequestContext, request: Revise) -> Reply:
    value = revise(context, request)
    # A request whose ids are all unknown is a failed one; a few unknown ids among others are
    # reported in the reply.
    nothing = not (value.changed or value.unchanged or value.wrong_status)
    if value.not_found and nothing:
        raise NotFound(f"no item {', '.join(value.not_found)}", "ids are shown by `recall`")
    lines = [_changed_line(row) for row in value.changed]
    lines += [f"{item_id} is as it was\n" for item_id in value.unchanged]
    lines += [f"{item_id} not found\n" for item_id in value.not_found]
    lines += [f"{row.id} not changed: {row.reason}\n" for row in value.wrong_status]
    lines += [f"{item_id} added\n" for item_id in value.added]
    lines += [f"note: {safe_line(notice)}\n" for notice in value.notices]
    return Reply("".join(lines), value)


def _changed_line(row: ChangedRow) -> str:
    """`ID is overridden: summary`, or `ID (active) confidence 0.5 → 0.9: summary`."""
    done = (
        f"({row.status}) {safe_line('; '.join(row.changes))}" if row.changes else f"is {row.status}"
    )
    return f"{row.id} {done}: {safe_line(row.summary)}\n"


def _recall(context: RequestContext, request: Recall) -> Reply:
    if request.ids:
        # Items in full, as many as the budget holds.
        budget = min(request.budget_tokens or _DETAIL_BUDGET, MAX_BUDGET)
        found = follow(context, request.ids, request.follow, request.depth)
        if not found:
            raise NotFound(f"no item {', '.join(request.ids)}", "ids are shown by `recall`")
        # Nearest first, and one that does not fit is passed over: a long item must not hide all
        # that come after it.
        rows = [replies.detail_row(one) for one in found]
        shown: list[replies.DetailRow] = []
        text = ""
        for row in rows:
            longer = text + (_detail_text(row) if request.format != "json" else to_json(row) + "\n")
            if context.count_tokens(longer) <= budget - _OMITTED_TOKENS:
                text = longer
                shown.append(row)
        omitted = tuple(row.id for row in rows if row not in shown)
        if omitted:
            text += f"{len(omitted)} more did not fit {budget} tokens\n"
        generation = _generation(context)
        if generation and request.format != "json":
            text += f"generation {generation} of the index\n"
        used = context.count_tokens(text)
        return Reply(text, replies.DetailReply(tuple(shown), omitted, used, budget, generation))
    if request.follow:
        # Links could be followed from what a question finds; nobody has asked for that, and a
        # misplaced `follow` should not be ignored.
        raise UsageError("follow needs ids", "name the items from which to follow links")
    done = recall(context, request)
    value = replies.recall_reply(done, _generation(context), explain=request.explain)
    return Reply(done.packed.text, value, done.packed.totals)


def _generation(context: RequestContext) -> int:
    """Generation of the index that an answer was held against, 0 for none."""
    return context.snapshot.generation if context.snapshot else 0


def _detail_text(row: replies.DetailRow) -> str:
    facts = [
        row.status, row.privacy, row.verification, f"confidence {row.confidence:g}",
        f"importance {row.importance:g}", f"by {safe_line(row.actor) or 'nobody'} ({row.source})",
        row.created_at, f"used {row.uses} times", safe_line(row.scope), *map(safe_line, row.tags),
    ]  # fmt: skip
    head = (
        f"## [{safe_line(row.label)}] {safe_line(row.summary)}\n*{' | '.join(facts)} | {row.id}*\n"
    )
    body = "".join(quoted_block(text) for text in (row.detail, row.rationale) if text)
    links = "".join(f"- {x.src} {x.rel} {safe_line(x.dst)}\n" for x in row.links)
    history = "".join(
        f"- {event.at} {event.action} by {safe_line(event.actor)}"
        f" {event.from_status}→{event.to_status} {safe_line(event.reason)}\n"
        for event in row.history
    )
    return f"{head}{body}{links}{history}\n"


def _overview(context: RequestContext, request: Overview) -> Reply:
    value = overview(context, request.scope, request.since)
    lines = [
        f"knowledge of {safe_line(value.scope)}:"
        f" {counted(value.active_decisions, 'active decision')},"
        f" {value.provisional_decisions} provisional ({value.stale_provisionals} for over a week),"
        f" {counted(value.open_needs, 'need')}, {counted(value.active_warnings, 'warning')},"
        f" {counted(value.unanswered_questions, 'question')}, {value.drifted} drifted",
        value.recent_activity_summary,
        f"checks: {'; '.join(map(_check_text, value.checks))}",
        *(f"consider promoting {row.id} {safe_line(row.summary)}" for row in value.promotable),
    ]
    changes: list[str] = []
    for name in value.changed.__struct_fields__ if value.changed else ():
        for row in getattr(value.changed, name)[-_MAX_LISTED:]:
            why = f" ({safe_line(row.reason)})" if row.reason else ""
            changes.append(f"{name.replace('_', ' ')}: {row.id} {safe_line(row.summary)}{why}")
    state, happened = ("".join(f"{line}\n" for line in part) for part in (lines, changes))
    return Reply(state + happened, value, changes_text=happened)


def _check_text(check: VerifyResult) -> str:
    if not check.bad:
        return f"{check.name}: {check.verdict}"
    return f"{check.bad} of {check.of} {check.meaning} ({check.name}: {check.verdict})"


def _set_context(context: RequestContext, request: SetContext) -> Reply:
    session = set_context(context, request)
    where, values = read.scope_condition(context.resolve_scope(session.scope))
    clause = f"i.kind = 'warning' AND {read.IS_OPEN} AND {where}"
    warnings = read.count_visible(context.db, clause, values, context.caller.actor)
    query, intent = safe_line(session.query), safe_line(session.intent)
    text = f'Context updated. Query: "{query}", Intent: "{intent}"\n'
    if warnings:
        found = counted(warnings, "warning")
        text += f"{found} for {safe_line(session.scope)}; `recall` shows them\n"
    text += "".join(
        f"note: {safe_line(notice)}\n"
        for notice in notices.scope_notices(session.scope, context.snapshot)
    )
    value = replies.FocusReply(session.id, session.query, session.intent, session.scope, warnings)
    return Reply(text, value)


# Each type of `requests.Request` has its entry.
_ANSWERS: dict[type, Callable[[RequestContext, Any], Reply]] = {
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
