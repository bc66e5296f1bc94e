"""A tool of a hub as a frozen value: that of a checkout, with the parameter `repositories`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

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


@dataclass(frozen=True, slots=True)
class HubCall:
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


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The text of an answer, and the names of the repositories that it comes from."""

    text: str
    repositories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HubTool:
    """Something an agent can call: `run` reads the hub in the role of the caller's person."""

    name: str
    about: str
    params: tuple[Param, ...]
    run: Callable[[HubCall], ToolAnswer]
    reads: bool = True


def of_hub(
    known: Iterable[checkout.Tool],
    runs: Mapping[str, Callable[[HubCall], ToolAnswer]],
    without: frozenset[str],
) -> tuple[HubTool, ...]:
    """The tools of a checkout that ask a question or that `runs` implements.

    Parameters that are named in `without` are left out.
    """
    return tuple(
        HubTool(
            tool.name,
            tool.about,
            (*(param for param in tool.params if param.name not in without), REPOSITORIES),
            _asking(tool.question) if tool.question else runs[tool.name],
            tool.reads,
        )
        for tool in known
        if tool.name in runs or tool.question
    )


def _asking(question: Question[Any, Any]) -> Callable[[HubCall], ToolAnswer]:
    """What asks a question of the repositories that it is about."""

    def run(call: HubCall) -> ToolAnswer:
        asked = request.made(question.request, call.arguments.values())
        opened = asking.opened(
            call.hub, call.pattern, asked.about, call.role, named=True, ranked=asked.is_ranked
        )
        with opened as view:
            reply = question.answer(view, asked)
            names = names_of(view)
        return ToolAnswer(checkout.told_lines(question.text(reply, Style())), names)

    return run


def code_answer(view: HubView, head: str, lines: Iterable[str]) -> ToolAnswer:
    """An answer about code: a headline, the notices of the view, and the lines."""
    first = f"[satchel] {head}, {view.state}"
    return ToolAnswer(checkout.lines(first, view.notices, lines), names_of(view))


def names_of(view: HubView) -> tuple[str, ...]:
    """The repositories of a view, by name."""
    return tuple(part.build.repository for part in view.snapshot.parts)
