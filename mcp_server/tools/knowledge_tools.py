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
from satchel.mcp_server.tool import Answer, Call, Tool, error_lines, lists_memory
from satchel.mcp_server.tools.code_tools import SESSION
from satchel.questions.params import fields_of
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
    answer = _asking(requests.SetContext)(call)
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


def _by_name(name: str, about: str, kind: Any) -> Tool:  # noqa: ANN401
    """A tool as another system taught it; it is not listed."""
    error_text = _twining_error if name.startswith("twining_") else error_lines
    return Tool(name, about, fields_of(kind), _asking(kind), listed=False, error_text=error_text)


# No field of an item is required, since there may be several of them instead.
_ITEMS = tuple(
    replace(param, required=False)
    for param in (*fields_of(requests.Entry), *fields_of(requests.Remember))
)
TOOLS = (
    Tool(
        "remember", "Keep what the code does not say; a decision needs a rationale.",
        _ITEMS, _remember, reads=False, is_memory=True,
    ),
    Tool(
        "revise", "Change what is kept.", fields_of(requests.Revise), _asking(requests.Revise),
        reads=False, may_delete=True, is_memory=True,
    ),
    Tool(
        "recall",
        "Decisions and warnings about a question or place, and where code has changed since.",
        (*fields_of(requests.Recall), SESSION), _asking(requests.Recall), is_memory=True,
    ),
    Tool(
        "set_context", "Set the focus: context and recall without query follow it.",
        (*fields_of(requests.SetContext), SESSION), _set_context, reads=False, is_memory=True,
    ),
    _by_name(
        "get_context",
        "Memories for a query as Markdown, by seven factors, in at most token_budget tokens.",
        requests.GetContext,
    ),
    _by_name(
        "knowledge_context", "The memories that fit a hint, by words, recency, confidence and use.",
        requests.KnowledgeContext,
    ),
    _by_name(
        "twining_assemble",
        "Decisions, warnings, needs, questions and findings for a task in a scope.",
        requests.TwiningAssemble,
    ),
    _by_name(
        "twining_summarize", "Counts of what is open in a scope, and the last day in a sentence.",
        requests.TwiningSummarize,
    ),
    _by_name(
        "twining_what_changed",
        "New, overridden and reconsidered decisions and new entries since a moment.",
        requests.TwiningWhatChanged,
    ),
)  # fmt: skip
