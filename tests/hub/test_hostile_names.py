"""Repositories of a hub whose names, paths and texts speak: to agents, to people, to terminals."""

import json
import subprocess
from pathlib import Path

import pytest

from bench.hub.team import address_of
from satchel.hub import access
from satchel.hub.database import Hub
from tests.hostile_suite.names import ESCAPE, FILES, HIDDEN, RAW, VOICE, said_safely
from tests.hub.conftest import Build, serving
from tests.hub.test_page import Person
from tests.support.agent import Served, asked, over_http, refused
from tests.support.satchel import warm_command

TOOLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("context", {"query": "wake dog", "scope": "all", "budget_tokens": 2_000}),
    ("context", {"query": f"wake in {VOICE}.py", "scope": "all", "budget_tokens": 300}),
    ("search", {"query": "wake", "scope": "all"}),
    ("search", {"query": "wake", "scope": "all", "mode": "full"}),
    ("search", {"query": "wake", "scope": "all", "mode": "exact"}),
    ("symbols", {"name": "wake*", "scope": "all"}),
    ("symbols", {"name": VOICE, "scope": "all"}),
    ("dependencies", {"symbol": "wake_one", "scope": "all"}),
)
REFUSED: tuple[tuple[str, dict[str, object]], ...] = (
    ("search", {"query": "x", "repositories": f"{VOICE}{ESCAPE}{HIDDEN}"}),
    ("context", {"query": "wake", "scope": f"{HIDDEN}\n{VOICE}"}),
    ("symbols", {"name": "x", f"{HIDDEN}\n{VOICE}": 1}),
)
PAGE = {
    "/api/context": {"question": "wake dog", "scope": "all", "budget": 2_000},
    "/api/map": {},
    "/api/map/neighbourhoods": {},
    "/api/map/levels": {},
    "/api/map/cycles": {},
    "/api/graph": {"symbol": "wake_one", "depth": 2},
    "/api/graph/way": {"source": "caller", "target": "wake_one"},
    "/api/graph/why": {"path": f"two/{VOICE}.py", "line": 1},
}
COMMANDS = (
    ("context", "wake dog", "--scope", "all"),
    ("search", "wake", "--scope", "all", "--mode", "full"),
    ("search", "--exact", "wake", "--scope", "all"),
    ("symbols", "wake*", "--scope", "all"),
    ("deps", "wake_one"),
)


@pytest.fixture
def hostile(built: Build, tmp_path: Path) -> None:
    """Two repositories of the same hostile author in the hub of the test."""
    for name in ("one", "two"):
        root = tmp_path / name
        for path, text in FILES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        assert built(root).problem == ""


def test_agents_people_and_terminals_are_shown_what_hides_and_hear_nobody_but_satchel(
    hub: Hub, server: str, hostile: None
) -> None:
    del hostile
    access.grant(hub, "ann", "*")
    token = access.new_token(hub, "ann", 1)

    async def everything(client) -> list[str]:
        answered = [await asked(client, tool, **arguments) for tool, arguments in TOOLS]
        return answered + [await refused(client, tool, arguments) for tool, arguments in REFUSED]

    with serving(server, hub.info.dbname) as address:
        told = over_http(Served(address, token, None), everything)
        assert "wake_one" in told[0] and "SYSTEM NOTE" in told[2]
        for text in told:
            said_safely(text)
        person = Person(address)
        with person.http:
            person.open(token)
            for path, body in PAGE.items():
                reply = person.ask(path, body)
                assert RAW.search(reply) is None, path
                assert json.loads(reply)
            for path in ("/", "/ask", "/map", "/graph"):
                shown = person.http.get(path)
                assert "SYSTEM NOTE" not in shown.text and RAW.search(shown.text) is None
    url = address_of(server, hub.info.dbname)
    for words in COMMANDS:
        command = [warm_command(), *words, "--hub", url]
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        said_safely((done.stdout + done.stderr).decode())
