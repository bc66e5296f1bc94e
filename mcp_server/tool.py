"""A tool as a frozen value: its name, description, parameters and function.

A module of tools exports `TOOLS`; `surface` lists the modules. A tool runs on a worker thread,
gets a `Call` and returns an `Answer`; a `SatchelError` it raises reaches the agent as a tool error
with its hint, so that a model can correct itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

from satchel.assembler.quoting import clean, decodable, neutral
from satchel.mcp_server.serving import Serving, Stop
from satchel.questions import request
from satchel.questions.arguments import Arguments, checked
from satchel.questions.params import Kind, Param
from satchel.questions.request import A, Question, R, ReplyText, Style
from satchel.store.errors import SatchelError
from satchel.workspace.checkout_view import CANNOT, CheckoutView
from satchel.workspace.project import Project

REPOSITORIES = Param("repositories", about="only these: a name or a glob", low=1, high=200)
"""Taken by every tool that asks about code, where a workspace of several is served."""
DEPENDENCIES = Param(
    "with_dependencies", Kind.FLAG, "ask the installed code of what is imported here, too",
    default=False, listed=False,
)  # fmt: skip
MAX_CHARACTERS = 200_000
"""Of a reply; the largest pack has fewer."""
_OF_REST = 100
STDIO = "stdio"
"""The caller on standard input: there is one for a process."""
UNKNOWN = "(unknown tool)"
"""What calls of tools that there are not are counted as: their names are a client's own text."""
_MAX_NAME = 80


def client_name(given: str) -> str:
    """The name of a program as it is kept: a line, and no long one."""
    return clean(given)[:_MAX_NAME]


def session_key(caller: str) -> str:
    """The session of a caller: on standard input that of this process."""
    # Two agents on standard input are two processes on one project, and the process id keeps their
    # focus apart.
    return f"{caller}:{os.getpid()}" if caller == STDIO else caller


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. `caller` is the same for all calls of one client's session."""

    arguments: Arguments
    serving: Serving
    stop: Stop
    caller: str = ""

    @property
    def session(self) -> str:
        """The session whose focus applies: the named one, the transport's, this process, or "".

        Every call of a modern client over HTTP may come from anybody: it has no focus then.
        """
        # An agent that names a session means it, whatever the transport says, because several may
        # share a connection.
        if self.arguments.has("session"):
            return self.arguments.text("session")
        return session_key(self.caller)

    @property
    def reader(self) -> str:
        """Whose replies are remembered, "" for nobody's: the session that the call itself names.

        A transport cannot tell who reads: agents share a server, and one forgets what it has read.
        """
        named = self.arguments.has("session")
        return f"{self.caller}\n{self.arguments.text('session')}" if named else ""

    def code(self, *, ranked: bool = False) -> AbstractContextManager[CheckoutView]:
        """The index, updated as far as the time limit allows; open it only where code is needed."""
        named = self.arguments.text(REPOSITORIES.name)
        return self.serving.code(
            self.stop, ranked=ranked, repositories=named,
            dependencies=self.arguments.flag(DEPENDENCIES.name),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of a tool. `whole_tokens` counts the tokens of the files that it quotes."""

    text: str
    whole_tokens: int = 0
    tools_changed: bool = False
    """Whether `tools/list` shows something else now; clients are told."""
    n_tokens: int | None = None
    """Tokens of the text; None where nobody has counted them."""
    pack: str = ""
    """The id of the pack that it is."""


def error_lines(error: SatchelError) -> str:
    """An error as an agent reads it."""
    # A message may quote a path or an argument, which could otherwise hold control characters or
    # forge a hint line.
    message = clean(error.message)
    return f"{message}\nhint: {clean(error.hint)}" if error.hint else message


@dataclass(frozen=True, slots=True)
class Tool:
    """Something an agent can call."""

    name: str
    about: str
    params: tuple[Param, ...]
    run: Callable[[Call], Answer]
    reads: bool = True
    """Whether it changes nothing that somebody wrote."""
    may_delete: bool = False
    is_slow: bool = False
    """Whether it computes for long, so that an answering process should run it if there is one."""
    listed: bool = True
    """Whether `tools/list` shows it; other tools can still be called."""
    is_memory: bool = False
    """Whether it is listed only where something is remembered, or the user wants it."""
    error_text: Callable[[SatchelError], str] = error_lines
    """How an error is written."""
    meta: tuple[tuple[str, object], ...] = ()
    """Hints to single clients."""
    question: Question[Any, Any] | None = None
    """The question about code that it asks, if it is one that every source answers."""


def lists_memory(project: Project) -> bool:
    """Whether `tools/list` has the tools of memory: something is kept, or the user wants them.

    Mounted tools are filtered by a focus, and one of these tools sets it.
    """
    return project.remembers or project.settings.mcp.tools != "compact" or bool(project.upstreams)


def tool_of(
    question: Question[Any, Any], name: str, about: str, *more: Param, is_slow: bool = False
) -> Tool:
    """A tool that asks a question; `more` are parameters that say of what it is asked."""

    def run(call: Call) -> Answer:
        asked = request.request_of(question.request, call.arguments.values())
        return reply_of(question, asked, call)

    return Tool(name, about, (*params_of(question), *more), run, is_slow=is_slow, question=question)


def params_of(question: Question[Any, Any]) -> tuple[Param, ...]:
    """The parameters of a question, without those that a checkout has no answer to."""
    return tuple(p for p in request.params(question.request) if p.name not in CANNOT)


def reply_of(question: Question[R, A], asked: R, call: Call) -> Answer:
    """What a tool answers to a request."""
    reply = request.answered(question, asked, partial(call.code, ranked=asked.is_ranked))
    return Answer(reply_lines(question.text(reply, Style())), question.n_whole(reply))


Run = Callable[[Tool, Call], Answer]
"""Computes what a tool answers, here or elsewhere."""


def run_here(tool: Tool, call: Call) -> Answer:
    """Compute it here."""
    return tool.run(call)


def run_counted(
    tool: Tool,
    given: Mapping[str, object],
    serving: Serving,
    stop: Stop,
    caller: str,
    run: Run = run_here,
) -> Answer:
    """What a tool answers to what a caller sent; the call is counted, refused arguments as well.

    Raises:
        SatchelError: arguments are refused, or the tool cannot answer.
    """
    try:
        arguments = checked(tool.params, given, serving.project.settings)
        answer = run(tool, Call(arguments, serving, stop, caller))
    except SatchelError as error:
        serving.count(tool.name, stop, error_lines(error), failed=True)
        raise
    returned = answer.text if answer.n_tokens is None else answer.n_tokens
    serving.count(tool.name, stop, returned, answer.whole_tokens, answer.pack)
    return answer


def printable(text: str) -> str:
    """The text that agents get; every answer passes through this function.

    Hidden characters are shown; undecodable bytes of a name, which JSON cannot carry, become `�`.
    """
    return neutral(decodable(text))


def reply_text(text: str) -> str:
    """A reply as agents get it; of one that is longer than any client reads, the beginning."""
    shown = printable(text)
    if len(shown) <= MAX_CHARACTERS:
        return shown
    end = shown.rfind("\n", 0, MAX_CHARACTERS - _OF_REST) + 1
    left = shown.count("\n", end)
    return f"{shown[:end]}[satchel] {left:,} lines are left out: ask for less, with limit or path\n"


def lines(first: str, notices: Iterable[str], rest: Iterable[str]) -> str:
    """An answer's text: a line about the answer, its notices, and its content."""
    # Notices come before the content, so whoever reads it knows by then what to make of it.
    return "\n".join((first, *(f"note: {notice}" for notice in notices), *rest)) + "\n"


def reply_lines(reply: ReplyText) -> str:
    """A reply as a tool answers it."""
    if reply.whole:
        return reply.whole
    return lines(f"[satchel] {reply.head}", reply.notices, (*reply.rows, *reply.rest))
