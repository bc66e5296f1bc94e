"""What is known: `remember`, `revise`, `recall`, `set_context`, and other systems' names for them.

Tools turn arguments into the requests of `satchel.knowledge.requests`, which hold all bounds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from satchel.assembler.quoting import clean
from satchel.knowledge import requests
from satchel.knowledge.model import Source
from satchel.mcp_server.serving import PATIENCE_SECONDS
from satchel.mcp_server.tool import Answer, Call, Tool, lists_memory
from satchel.mcp_server.tools.code_tools import SESSION
from satchel.questions.params import params_of
from satchel.store.errors import NotFound, SatchelError, UsageError
from satchel.workspace.configuration.load import notes
from satchel.workspace.project import Project


def _asking(kind: Any) -> Callable[[Call], Answer]:  # noqa: ANN401
    """What runs a tool whose parameters are the fields of a request."""

    def run(call: Call) -> Answer:
        given = call.arguments.given()
        given.pop("session", None)
        return _answered(call, requests.read(kind, given))

    return run


def _set_context(call: Call) -> Answer:
    given = call.arguments.given()
    given.pop("session", None)
    answer = _answered(call, requests.read(requests.SetContext, given))
    if call.arguments.has("session"):
        from satchel.knowledge.output.render import safe_line

        session = safe_line(call.session)
        named = f'give session "{session}" to context and recall, to follow this focus\n'
        answer = replace(answer, text=answer.text + named)
    # Mounted tools come and go with the focus.
    if call.serving.gateway is not None:
        from satchel.mcp_server.gateway.mounted_tools import hidden_line  # with the SDK's client

        answer = replace(answer, text=answer.text + hidden_line(call.serving, call.session))
    changed = answer.tools_changed or call.serving.gateway is not None
    return replace(answer, tools_changed=changed)


def _answered(call: Call, request: requests.Request) -> Answer:
    from satchel.workspace.multi_root import known  # all of `knowledge`, which lists need not

    serving = call.serving
    notices: tuple[str, ...] = ()
    if serving.project.is_indexed:  # links are held against the code as it is now
        notices = serving.live.wait_fresh(seconds=PATIENCE_SECONDS, stop=call.stop)
    listed = lists_memory(serving.project)
    reply = known.ask(serving.project, request, session=call.session, source=Source.AGENT)
    has_begun = not listed and lists_memory(serving.project)
    # A write holds its links against the index, so its reply says when that may be behind.
    is_write = isinstance(request, requests.Remember | requests.Revise)
    is_ours = is_write or isinstance(request, requests.Recall | requests.SetContext)
    settings = notes(serving.project.left_out) if is_ours else ()
    said = (*(notices if is_write else ()), *_older(serving.project), *settings)
    text = "".join(f"note: {notice}\n" for notice in said) + reply.text
    # `recall` names the generation in its own words, and the shapes of other systems have no place.
    if is_ours and not isinstance(request, requests.Recall):
        text += _generation(serving.project)
    return Answer(text, tools_changed=has_begun)


def _generation(project: Project) -> str:
    """Which generation of the index a reply is of, where there is an index."""
    try:
        with project.snapshot() as snapshot:
            return f"[satchel] generation {snapshot.generation}\n"
    except SatchelError:  # what is known needs none
        return ""


def _older(project: Project) -> tuple[str, ...]:
    """A notice where knowledge of an earlier version lies in the checkout; it is not read."""
    from satchel.workspace.state import adopt

    found = adopt.older(project.folders)
    if found is None or found.refusal:
        return ()
    why = "was written by an earlier version and is not read"
    remedy = "`satchel state adopt` takes over what is known there, if its user trusts it"
    from satchel.knowledge.output.render import safe_line

    return (f"{safe_line(str(found.path))} {why}; {remedy}",)


def _twining_error(error: SatchelError) -> str:
    """An error as Twining's tools write it; the hint is part of the message."""
    code = "NOT_FOUND" if isinstance(error, NotFound) else "INTERNAL_ERROR"
    if isinstance(error, UsageError):
        code = "INVALID_INPUT"
    message = clean(f"{error.message}: {error.hint}" if error.hint else error.message)
    return json.dumps({"error": True, "message": message, "code": code}, ensure_ascii=False)


def _remember(call: Call) -> Answer:
    return _answered(call, requests.remember_of(call.arguments.given()))


_SCOPE = "path, symbol:Name or project"
_KINDS = "decision, warning, convention, need, question, finding, fact"

TOOLS = (
    Tool(
        "remember",
        "Keep what the code does not say; a decision needs a rationale.",
        (
            *params_of(
                requests.Entry,
                {
                    "kind": _KINDS,
                    "summary": "one sentence",
                    "detail": "more than a sentence",
                    "rationale": "why",
                    "scope": _SCOPE,
                    "tags": "labels",
                    "confidence": "0 to 1, or high, medium, low",
                    "links": "{rel, to}: affects, depends_on, answers, commit, … and what",
                    "supersedes": "id of the item that this one replaces",
                    "domain": "of a decision",
                    "project": "name of a project",
                    "privacy": "who may see it; the default is knowledge.privacy",
                    "on_duplicate": "what becomes of an item that is there already",
                },
                unlisted=("detail", "tags", "confidence", "links", "supersedes", "domain",
                          "project", "privacy", "on_duplicate"),
                required=False,
            ),
            *params_of(
                requests.Remember, {"items": "several such objects"}, unlisted=("items",),
                required=False,
            ),
        ),
        _remember,
        reads=False,
        is_memory=True,
    ),
    Tool(
        "revise",
        "Change what is kept.",
        params_of(
            requests.Revise,
            {
                "ids": "from recall",
                "action": "what to do",
                "reason": "why",
                "by": "id that replaces or answers it",
                "fields": "new values, for edit and verify",
            },
            unlisted=("reason", "fields"),
        ),
        _asking(requests.Revise),
        reads=False,
        may_delete=True,
        is_memory=True,
    ),
    Tool(
        "recall",
        "Decisions and warnings about a question or place, and where code has changed since.",
        (
            *params_of(
                requests.Recall,
                {
                    "query": "terms",
                    "scope": _SCOPE,
                    "kinds": "as in remember",
                    "tags": "labels that an item has all of",
                    "project": "name of a project",
                    "min_confidence": "least confidence",
                    "status": "open, all or statuses",
                    "limit": "items",
                    "budget_tokens": "size of the reply; the preset has a default",
                    "preset": "how items are scored",
                    "recency_weight": "share of recency in the score",
                    "format": "how the reply is written",
                    "ids": "these in full, with history",
                    "follow": "relations to follow from ids, or all",
                    "depth": "steps to follow",
                    "since": "changed since: 24h, 7d or ISO time",
                    "order": "what comes first",
                    "explain": "what each signal adds to a score",
                },
                unlisted=("kinds", "tags", "project", "min_confidence", "status", "limit", "preset",
                          "recency_weight", "format", "follow", "depth", "since", "order",
                          "explain", "budget_tokens"),
            ),
            SESSION,
        ),
        _asking(requests.Recall),
        is_memory=True,
    ),
    Tool(
        "set_context",
        "Set the focus: context and recall without query follow it.",
        (
            *params_of(
                requests.SetContext,
                {"query": "what you are about to do", "intent": "why", "scope": _SCOPE},
                unlisted=("intent", "scope"),
            ),
            SESSION,
        ),
        _set_context,
        reads=False,
        is_memory=True,
    ),
    Tool(
        "get_context",
        "Memories for a query as Markdown, by seven factors, in at most token_budget tokens.",
        params_of(
            requests.GetContext,
            {
                "query": "words, or * for what weighs most",
                "project_id": "name of a project",
                "kind": "one kind of memory",
                "tags": "separated by commas",
                "token_budget": "size of the reply",
            },
        ),
        _asking(requests.GetContext),
        listed=False,
    ),
    Tool(
        "knowledge_context",
        "The memories that fit a hint, by words, recency, confidence and use.",
        params_of(
            requests.KnowledgeContext,
            {
                "context_hint": "what is needed, in words",
                "include_types": "kinds of memories",
                "min_confidence": "least confidence",
                "max_results": "how many; 5 without it",
                "limit": "another name of max_results",
                "recency_weight": "share of recency in the score",
                "include_superseded": "what was replaced, too",
            },
        ),
        _asking(requests.KnowledgeContext),
        listed=False,
    ),
    Tool(
        "twining_assemble",
        "Decisions, warnings, needs, questions and findings for a task in a scope.",
        params_of(
            requests.TwiningAssemble,
            {
                "task": "what is to be done", "scope": _SCOPE,
                "max_tokens": "size of the reply (default: `assemble.max_tokens`, 4000)",
            },
        ),
        _asking(requests.TwiningAssemble),
        listed=False,
        error_text=_twining_error,
    ),
    Tool(
        "twining_summarize",
        "Counts of what is open in a scope, and the last day in a sentence.",
        params_of(requests.TwiningSummarize, {"scope": _SCOPE}),
        _asking(requests.TwiningSummarize),
        listed=False,
        error_text=_twining_error,
    ),
    Tool(
        "twining_what_changed",
        "New, overridden and reconsidered decisions and new entries since a moment.",
        params_of(requests.TwiningWhatChanged, {"since": "ISO 8601", "scope": _SCOPE}),
        _asking(requests.TwiningWhatChanged),
        listed=False,
        error_text=_twining_error,
    ),
)  # fmt: skip
