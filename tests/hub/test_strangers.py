"""Strangers at a hub's door; all payloads in every parameter: `python -m bench.hub.strangers`."""

import httpx2

from bench.hub import strangers
from bench.hub.team import CANARY, call, message
from satchel.hub import access, database
from satchel.hub.checks import fingerprint
from satchel.hub.database import Hub
from satchel.hub.knowledge.ask import Asking, ask
from satchel.hub.serving.tools import TOOLS
from satchel.knowledge.requests import Entry, Remember
from tests.hub.conftest import Running, Team, new_hub
from tests.support.agent import PATIENCE_S


def test_no_tool_and_no_parameter_shows_what_was_not_granted(running: Running, owner: Hub) -> None:
    for scope, privacy in (("closed/own.py", "team"), ("project", "private")):
        entry = Entry(kind="note", summary=f"{CANARY} is fragile", scope=scope, privacy=privacy)
        ask(owner, Asking("bob"), Remember((entry,)))
    ann, zoe = strangers.prepare(owner)
    before = fingerprint(owner)
    # One value for each parameter, another for each: the command tries all in all.
    made = list(strangers.injections(1))
    assert {tool for tool, _ in made} == {tool.name for tool in TOOLS}
    found = strangers.ask_all(running.address, ann, iter(made), (CANARY,))
    assert (found.leaks, found.asked) == ([], len(made))
    assert found.refused < found.asked
    for token, hidden in ((ann, (CANARY,)), (zoe, (CANARY, "only_in_open"))):
        found = strangers.ask_all(running.address, token, strangers.matrix(), hidden)
        assert (found.leaks, found.asked) == ([], 40)
    assert strangers.hidden_changes(before, owner) == []


def test_tokens_that_stand_for_nobody_are_refused(
    running: Running, owner: Hub, server: str, team: Team
) -> None:
    n_tried, taken = strangers.refused_tokens(running.address, owner)
    assert (n_tried, taken) == (14, [])
    access.grant(owner, "bob", "*")
    with new_hub(server, team.template) as other, database.connected(other) as theirs:
        token = access.new_token(theirs, "bob", 1)
    with httpx2.Client(timeout=PATIENCE_S) as http:
        assert call(http, running.address, token, message("overview", {})).status_code == 401
