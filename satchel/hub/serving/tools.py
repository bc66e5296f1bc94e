"""The ten tools of a hub, in the order of `tools/list`; the last four are about what a team knows.

An item about a path of a repository is that repository's, others are the team's unless
`repositories` names one. Private items stay those of who wrote them.
"""

from collections.abc import Callable
from typing import Any

from satchel.hub.knowledge.ask import Asking, ask
from satchel.hub.serving.tool import REPOSITORIES, HubCall, ToolAnswer, of_hub
from satchel.knowledge import requests
from satchel.mcp_server.tools import code_tools, knowledge_tools, survey_tools


def _asking(kind: Any) -> Callable[[HubCall], ToolAnswer]:  # noqa: ANN401
    """What runs a tool whose parameters are the fields of a request."""

    def run(call: HubCall) -> ToolAnswer:
        return _answered(call, requests.read(kind, _item_arguments(call)))

    return run


def _remember(call: HubCall) -> ToolAnswer:
    return _answered(call, requests.remember_of(_item_arguments(call)))


def _item_arguments(call: HubCall) -> dict[str, object]:
    given = call.arguments.given()
    for name in ("session", REPOSITORIES.name):
        given.pop(name, None)
    return given


def _answered(call: HubCall, request: requests.Request) -> ToolAnswer:
    asking = Asking(call.person, call.pattern, call.arguments.text("session"))
    reply = ask(call.hub, asking, request)
    return ToolAnswer(reply.text, () if call.pattern == "*" else (call.pattern,))


_RUNS = {
    "remember": _remember,
    "revise": _asking(requests.Revise),
    "recall": _asking(requests.Recall),
    "set_context": _asking(requests.SetContext),
}
TOOLS = of_hub((*code_tools.TOOLS, *survey_tools.TOOLS, *knowledge_tools.TOOLS), _RUNS)
