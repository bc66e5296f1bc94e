"""The page of a hub: a person sees the repositories that were granted, and a stranger nothing."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx2
import pytest

from bench.hub.team import PATIENCE_S
from satchel.hub import access
from satchel.hub.database import Hub, rows
from satchel.ui.app import STATIC
from tests.ui.browser import IS_THERE, WHY_NOT, Browser, browser

SEEN = {
    "/api/context": {"question": "retry with jitter", "scope": "all", "budget": 800},
    "/api/map": {},
    "/api/map/neighbourhoods": {},
    "/api/map/levels": {},
    "/api/map/cycles": {},
    "/api/graph": {"symbol": "retry_with_jitter", "depth": 2},
    "/api/graph/way": {"source": "only_in_open", "target": "retry_with_jitter"},
}


class Person:
    """Requests of somebody who opened the page with a token."""

    def __init__(self, address: str) -> None:
        self.http = httpx2.Client(base_url=address.removesuffix("/mcp"), timeout=PATIENCE_S)
        self.status = 0

    def open(self, token: str) -> None:
        """Trades a token for a session."""
        reply = self.http.post("/session", json={"token": token})
        self.status = reply.status_code
        self.http.headers["Authorization"] = f"Bearer {reply.json().get('session')}"

    def ask(self, path: str, body: object) -> str:
        """The text of an answer."""
        reply = self.http.post(path, json=body)
        assert reply.status_code == 200, reply.text
        return reply.text


@pytest.fixture
def person(address: str) -> Iterator[Callable[[str], Person]]:
    """Opens the page with a token."""
    with ExitStack() as stack:

        def opened(token: str) -> Person:
            found = Person(address)
            # Entered before the first request, so that it is closed whatever becomes of that.
            stack.enter_context(found.http)
            found.open(token)
            return found

        yield opened


def test_a_person_sees_what_was_granted_and_nothing_else(person, hub: Hub) -> None:
    ann, bob = (person(access.new_token(hub, name, 1)) for name in ("ann", "bob"))
    assert ann.status == bob.status == 200
    listed = [row["name"] for row in ann.http.get("/api/repositories").json()["repositories"]]
    assert listed == ["open"]
    for path, body in SEEN.items():
        mine, all_of_it = ann.ask(path, body), bob.ask(path, body)
        assert "closed" not in mine, path
        assert '"error"' not in mine, (path, mine)
        if path in ("/api/context", "/api/map", "/api/graph"):
            assert "open/" in mine and "closed/" in all_of_it
    refused = ann.ask("/api/graph/why", {"path": "closed/own.py", "line": 1})
    assert "is not indexed" in refused
    assert "only_in_closed" not in refused
    noted = rows(hub, "SELECT DISTINCT person, outcome FROM audit WHERE tool = '/api/graph/why'")
    assert [tuple(row) for row in noted] == [("ann", "refused")]


def test_changes_and_what_a_hub_does_not_know_have_no_route(person, hub: Hub) -> None:
    bob = person(access.new_token(hub, "bob", 1))
    for path in ("/api/knowledge", "/api/knowledge/revise", "/api/review", "/api/validate"):
        assert bob.http.post(path, json={}).status_code == 404
    assert "a hub has no working tree to review" in bob.ask(
        "/api/context", {"question": "x", "diff": "HEAD"}
    )
    assert bob.http.get("/api/pack/7").status_code == 404


def test_a_stranger_sees_nothing_and_a_revoked_token_ends_the_session(person, hub: Hub) -> None:
    stranger = person("satchel-guessed")
    assert stranger.status == 401
    for path, body in SEEN.items():
        assert stranger.http.post(path, json=body).status_code == 401
    for path in ("/api/session", "/api/repositories"):
        assert stranger.http.get(path).status_code == 401
    for name in ("/", "/ask", "/map", "/health"):
        assert stranger.http.get(name).text == (STATIC / "index.html").read_text("utf-8")
    elsewhere = {"Origin": "https://evil.example"}
    assert stranger.http.post("/session", json={}, headers=elsewhere).status_code == 403
    ann = person(access.new_token(hub, "ann", 1))
    assert "open/" in ann.ask("/api/map", {})
    access.revoke(hub, "ann")
    assert ann.http.post("/api/map", json={}).status_code == 401


@pytest.fixture
def window() -> Iterator[Browser]:
    if not IS_THERE:
        pytest.skip(WHY_NOT)
    with browser() as opened:
        yield opened


def test_the_page_shows_repositories_apart(
    window: Browser,
    address: str,
    hub: Hub,
) -> None:
    token = access.new_token(hub, "bob", 1)
    window.look("light", "laptop")
    window.enter(f"{address.removesuffix('/mcp')}/#token={token}")
    window.open("/ask?q=retry+with+jitter&budget=1024")
    assert "open/shared.py" in window.sees("Where the tokens went")
    window.open("/map")
    window.sees("closed/")
    window.open("/health")
    window.click("td a", "open")
    window.sees("shared.py")
    window.open("/graph/open%2Fshared.py:1")
    window.wait("return document.querySelector('.g-node.root')")
    shown = window.js("return [...document.querySelectorAll('nav a')].filter(e => !e.hidden)"
                      ".map((e) => e.innerText)")  # fmt: skip
    assert {"Ask", "Map", "Graph", "Health"} <= set(shown)
    assert not {"Review", "Knowledge"} & set(shown)
    assert json.dumps(window.problems()) == "[]"
