"""The four questions about code: `context`, `search`, `symbols` and `dependencies`.

What each may be asked, and what it answers, is its own (`satchel.questions`); here is what only a
server has: a focus and a memory for each session.
"""

from dataclasses import replace
from functools import partial

from msgspec import structs

from satchel.mcp_server.tool import (
    DEPENDENCIES,
    MAX_CHARACTERS,
    Answer,
    Call,
    Tool,
    params_of,
    reply_lines,
    tool_of,
)
from satchel.questions import request
from satchel.questions.context import CONTEXT
from satchel.questions.dependencies import DEPENDENCIES as DEPENDENCIES_OF
from satchel.questions.params import Kind, Param
from satchel.questions.request import Style
from satchel.questions.search import SEARCH
from satchel.questions.symbols import SYMBOLS
from satchel.store.errors import UsageError

SESSION = Param("session", about="a name for this conversation", high=200, listed=False)
"""Whose focus counts, where the transport does not tell or an agent has several; and of whose
replies `only_new` speaks."""
_READER = replace(SESSION, about="your own name, for only_new", listed=True)
_ONLY_NEW = Param(
    "only_new", Kind.FLAG, "leave out what this session was sent", default=False,
)  # fmt: skip


def _context(call: Call) -> Answer:
    """A pack of files as they are now; without what its session was sent, if that is asked for."""
    serving, arguments = call.serving, call.arguments
    values = arguments.values()
    # A call without a query follows the focus, so an agent that has said what it does need not
    # repeat it.
    values["query"] = arguments.text("query") or _focus(call) or None
    if not values["query"] and not arguments.has("diff"):
        hint = "say what you are about to do, or set_context first (with session: name it here too)"
        raise UsageError("query is missing", hint)
    if arguments.flag("only_new") and not call.reader:
        hint = "name a session that no other agent uses, and a new one once you forgot replies"
        raise UsageError("only_new needs a session", hint)
    held = serving.sent_to(call.reader)
    asked = structs.replace(
        request.request_of(CONTEXT.request, {**values, "session": call.session}),
        sent=held if arguments.flag("only_new") else held.forgotten(),
    )
    reply = request.answered(CONTEXT, asked, partial(call.code, ranked=True))
    # Replies are remembered even where `only_new` is not asked for, since a later call may ask for
    # it.
    if reply.pack.sent is not None:
        serving.remember_sent(call.reader, held.joined(reply.pack.sent))
    text = reply_lines(CONTEXT.text(reply, Style()))
    return Answer(text, reply.n_whole, pack=reply.pack.receipt.id)


def _focus(call: Call) -> str:
    """What the session of a call said it is about, "" for nothing."""
    from satchel.workspace import knowledge

    return knowledge.focus(call.serving.project, call.session)


# The compact list may cost 900 tokens before anything is kept, 1,100 with the tools of memory: what
# few calls need is not listed.
TOOLS = (
    Tool(
        "context",
        "The source a task needs, whole functions, with callers, callees and decisions. Ask first.",
        (*params_of(CONTEXT), _ONLY_NEW, _READER, DEPENDENCIES),
        _context,
        is_slow=True,
        meta=(("anthropic/alwaysLoad", True), ("anthropic/maxResultSizeChars", MAX_CHARACTERS)),
        question=CONTEXT,
    ),
    tool_of(
        SEARCH, "search", "Where something is: path:lines, symbol and score.", DEPENDENCIES,
        is_slow=True,
    ),
    tool_of(
        SYMBOLS, "symbols", "Definitions of a name with signature and lines, else its uses.",
        DEPENDENCIES,
    ),
    tool_of(
        DEPENDENCIES_OF, "dependencies",
        "Callers and callees of a symbol, or ways to `until`; rules, confidence.", is_slow=True,
    ),
)  # fmt: skip
