"""A tool of a hub as a frozen value: that of a checkout, with the parameter `repositories`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from msgspec import Struct

from satchel.hub import asking
from satchel.hub.access import role_of
from satchel.hub.asking import HubView
from satchel.hub.database import Hub
from satchel.mcp_server import tool as checkout
from satchel.questions import request
from satchel.questions.arguments import Arguments
from satchel.questions.params import Param
from satchel.questions.request import Question, Style

REPOSITORIES = replace(
    checkout.REPOSITORIES, about="only these: a name or a glob; else the question chooses",
    default="*",
)  # fmt: skip


class HubCall(Struct, frozen=True):
    """One call of a tool: the hub, the person that asks, and the arguments."""

    hub: Hub
    person: str
    arguments: Arguments

    @property
    def role(self) -> str:
        """The role of PostgreSQL that reads for the person."""
        return role_of(self.person)

    @property
    def pattern(self) -> str:
        """The repositories that are meant, as a glob."""
        return self.arguments.text(REPOSITORIES.name)


class ToolAnswer(Struct, frozen=True):
    """The text of an answer, and the names of the repositories that it comes from."""

    text: str
    repositories: tuple[str, ...]


class HubTool(Struct, frozen=True):
    """Something an agent can call: `run` reads the hub in the role of the caller's person."""

    name: str
    about: str
    params: tuple[Param, ...]
    run: Callable[[HubCall], ToolAnswer]
    reads: bool = True
    may_delete: bool = False


def of_hub(
    known: Iterable[checkout.Tool], runs: Mapping[str, Callable[[HubCall], ToolAnswer]] = {}
) -> tuple[HubTool, ...]:
    """The tools of a checkout that ask a question or that `runs` implements.

    They are listed without the parameters that a hub has no answer to, which are refused.
    """
    return tuple(
        HubTool(
            tool.name, tool.about, _params(tool),
            _asking(tool.question) if tool.question else runs[tool.name], tool.reads,
            tool.may_delete,
        )
        for tool in known
        if tool.name in runs or tool.question
    )  # fmt: skip


def _params(tool: checkout.Tool) -> tuple[Param, ...]:
    """Those of the question, and what a server of a checkout takes beside it."""
    own = request.params(tool.question.request) if tool.question else ()
    named = {param.name: param for param in (*own, *tool.params)}
    kept = [param for name, param in named.items() if name not in asking.CANNOT]
    return (*kept, REPOSITORIES)


def _asking(question: Question[Any, Any]) -> Callable[[HubCall], ToolAnswer]:
    """What asks a question of the repositories that it is about."""

    def run(call: HubCall) -> ToolAnswer:
        asked = request.request_of(question.request, call.arguments.values())
        with asking.opened(call.hub, call.pattern, asked, call.person, named=True) as view:
            reply = question.answer(view, asked)
            names = names_of(view)
        return ToolAnswer(checkout.reply_lines(question.text(reply, Style())), names)

    return run


def names_of(view: HubView) -> tuple[str, ...]:
    """The repositories of a view, by name."""
    return tuple(part.build.repository for part in view.snapshot.parts)
