"""What is known: `remember`, `revise`, `recall`, `set_context`, and other systems' names for them.

Tools turn arguments into the requests of `satchel.knowledge.requests`, which hold the finer bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.knowledge import requests
from satchel.knowledge.lifecycle import Action
from satchel.knowledge.model import MAX_DETAIL, MAX_SUMMARY, MAX_TAGS, Privacy, Source
from satchel.knowledge.output.render import safe_line
from satchel.knowledge.ranking.presets import PRESETS, Format
from satchel.mcp_server.arguments import Kind, Param
from satchel.mcp_server.serving import PATIENCE_SECONDS
from satchel.mcp_server.tool import Answer, Call, Tool
from satchel.mcp_server.tools.code_tools import SESSION
from satchel.store.errors import UsageError
from satchel.workspace import knowledge

_QUERY = 10_000
_SCOPE = 1_000


def _asking(kind: Any) -> Callable[[Call], Answer]:  # noqa: ANN401
    """What runs a tool whose parameters are the fields of a request."""

    def run(call: Call) -> Answer:
        said = call.said.said()
        said.pop("session", None)
        return _answered(call, requests.read(kind, said))

    return run


def _set_context(call: Call) -> Answer:
    said = call.said.said()
    said.pop("session", None)
    answer = _answered(call, requests.read(requests.SetContext, said))
    if call.said.has("session"):
        session = safe_line(call.session)
        named = f'give session "{session}" to context and recall, to follow this focus\n'
        answer = replace(answer, text=answer.text + named)
    # Only mounted tools come and go with the focus, so without a gateway no client need read the
    # list again.
    return replace(answer, tools_changed=call.serving.gateway is not None)


def _answered(call: Call, request: requests.Request) -> Answer:
    serving = call.serving
    notices: tuple[str, ...] = ()
    if serving.project.is_indexed:  # links are held against the code as it is now
        notices = serving.live.wait_fresh(seconds=PATIENCE_SECONDS, stop=call.stop)
    reply = knowledge.ask(serving.project, request, session=call.session, source=Source.AGENT)
    # A write holds its links against the index, so its reply says when that may be behind.
    is_write = isinstance(request, requests.Remember | requests.Revise)
    said = "".join(f"note: {notice}\n" for notice in notices) if is_write else ""
    return Answer(said + reply.text)


def _remember(call: Call) -> Answer:
    said = call.said.said()
    items = said.pop("items", None)
    if items is None:  # what is wrong with it is then said of it, not of items[0]
        return _answered(call, requests.Remember((requests.read(requests.Entry, said),)))
    # Fields beside `items` could mean each item or none of them, so this is refused and not
    # guessed.
    if said:
        raise UsageError("items stands beside other fields", "give items alone, or one item")
    return _answered(call, requests.read(requests.Remember, {"items": items}))


_TAGS = Param("tags", Kind.TEXTS, high=MAX_TAGS)
_WHERE = Param("scope", about="path, symbol:Name or project", high=_SCOPE)

TOOLS = (
    Tool(
        "remember",
        "Keep what the code does not say: decision (with rationale), warning, convention, need,"
        " question, finding, fact.",
        (
            Param("kind", high=40),
            Param("summary", high=MAX_SUMMARY, about="≤200 characters"),
            Param("detail", high=MAX_DETAIL),
            Param("rationale", high=16_384),
            _WHERE,
            _TAGS,
            Param("confidence", Kind.GRADE),
            Param("links", Kind.ITEMS, about="{rel, to}: affects, depends_on, answers, commit, …"),
            Param("supersedes", high=40),
            Param("domain", high=200, quiet=True),
            Param("project", high=200, quiet=True),
            Param("privacy", choices=tuple(Privacy)),
            Param("on_duplicate", choices=("skip", "add"), quiet=True),
            Param("items", Kind.ITEMS, about="several, ≤50"),
        ),
        _remember,
        reads=False,
    ),
    Tool(
        "revise",
        "Change what is kept. by names what replaces or answers it.",
        (
            Param("ids", Kind.TEXTS, required=True, low=1, high=50),
            Param("action", required=True, choices=tuple(Action)),
            Param("reason", high=2_000),
            Param("by", high=40),
            Param("fields", Kind.OBJECT, about="for edit, verify"),
        ),
        _asking(requests.Revise),
        reads=False,
    ),
    Tool(
        "recall",
        "What is known of a question or place, ranked, within budget_tokens; says what code has"
        " changed since. ids gives items in full with their history.",
        (
            Param("query", high=_QUERY),
            _WHERE,
            Param("kinds", Kind.TEXTS, high=50),
            _TAGS,
            Param("project", high=200, quiet=True),
            Param("min_confidence", Kind.NUMBER, low=0.0, high=1.0, quiet=True),
            Param("status", Kind.TEXTS, about="open, all or statuses", high=10, quiet=True),
            Param("limit", Kind.WHOLE, low=1, high=50, quiet=True),
            Param("budget_tokens", Kind.WHOLE, low=MIN_BUDGET, high=MAX_BUDGET),
            Param("preset", choices=tuple(PRESETS), quiet=True),
            Param("recency_weight", Kind.NUMBER, low=0.0, high=1.0, quiet=True),
            Param("format", choices=tuple(Format), quiet=True),
            Param("ids", Kind.TEXTS, high=50),
            Param("follow", Kind.TEXTS, about="relations, or all", high=20),
            Param("depth", Kind.WHOLE, low=1, high=5, quiet=True),
            Param("since", high=40, quiet=True),
            Param("order", choices=("score", "time", "confidence", "importance"), quiet=True),
            Param("explain", Kind.FLAG, quiet=True),
            SESSION,
        ),
        _asking(requests.Recall),
    ),
    Tool(
        "set_context",
        "Say what you are about to do; context and recall without query and the tools shown follow"
        " it.",
        (
            Param("query", required=True, low=1, high=_QUERY),
            Param("intent", high=200),
            _WHERE,
            SESSION,
        ),
        _set_context,
        reads=False,
    ),
    Tool(
        "get_context",
        "Memories for a query as Markdown, by seven factors, in at most token_budget tokens.",
        (
            Param("query", default="*", high=_QUERY),
            Param("project_id", high=200),
            Param("kind", high=40),
            Param("tags", about="separated by commas", high=2_000),
            Param("token_budget", Kind.WHOLE, default=2_000, low=0, high=2**32 - 1, quiet=True),
        ),
        _asking(requests.GetContext),
        listed=False,
    ),
    Tool(
        "knowledge_context",
        "The memories that fit a hint, by words, recency, confidence and use.",
        (
            Param("context_hint", required=True, low=3, high=1_000),
            Param("include_types", Kind.TEXTS, high=50),
            Param("min_confidence", Kind.NUMBER, default=0.5, low=0.0, high=1.0),
            Param("max_results", Kind.WHOLE, about="default 5", low=1, high=50),
            Param("limit", Kind.WHOLE, about="another name of max_results", low=1, high=50),
            Param("recency_weight", Kind.NUMBER, default=0.3, low=0.0, high=1.0),
            Param("include_superseded", Kind.FLAG, default=False),
        ),
        _asking(requests.KnowledgeContext),
        listed=False,
    ),
    Tool(
        "twining_assemble",
        "Decisions, warnings, needs, questions and findings for a task in a scope.",
        (
            Param("task", required=True, low=1, high=_QUERY),
            Param("scope", required=True, high=_SCOPE),
            Param("max_tokens", Kind.WHOLE, default=4_000, low=1),
        ),
        _asking(requests.TwiningAssemble),
        listed=False,
    ),
    Tool(
        "twining_summarize",
        "Counts of what is open in a scope, and the last day in a sentence.",
        (Param("scope", default="project", high=_SCOPE),),
        _asking(requests.TwiningSummarize),
        listed=False,
    ),
    Tool(
        "twining_what_changed",
        "New, overridden and reconsidered decisions and new entries since a moment.",
        (
            Param("since", about="ISO 8601", required=True, low=1, high=40),
            Param("scope", default="project", high=_SCOPE),
        ),
        _asking(requests.TwiningWhatChanged),
        listed=False,
    ),
)  # fmt: skip
