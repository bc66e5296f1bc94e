"""Who subscribed to a resource hears when it reads differently, in either era."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from satchel.mcp_server.app import SatchelServer
from tests.support.agent import asked, in_memory

CODE = """
//- app/send.py
def send(message):
    return message
//- app/sort.py
def sort(items):
    return sorted(items)
"""
CHANGED, SAME, GIVEN_UP = (
    "satchel://file/app/send.py", "satchel://symbol/sort", "satchel://symbol/sendoff",
)  # fmt: skip
_MORE_SECONDS = 0.7
"""More than one look at the index."""

pytestmark = pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


def _edit(root: Path) -> None:
    text = "def sendoff(message):\n    return message\n"
    (root / "app" / "send.py").write_text(text, encoding="utf-8")


def test_a_subscriber_hears_of_what_changed_and_of_nothing_else(root: Path):
    heard: list[str] = []

    async def hear(message):
        if type(message).__name__ == "ResourceUpdatedNotification":
            heard.append(str(message.params.uri))

    async def session(client):
        await asked(client, "overview")
        for uri in (CHANGED, SAME, GIVEN_UP):
            await client.subscribe_resource(uri)
        await client.unsubscribe_resource(GIVEN_UP)
        _edit(root)
        await _until(lambda: heard)

    in_memory(root, session, mode="legacy", hear=hear)
    assert heard == [CHANGED]


def test_a_listener_hears_of_what_changed_and_of_nothing_else(root: Path):
    heard: list[str] = []

    async def session(client):
        await asked(client, "overview")
        async with client.listen(resource_subscriptions=[CHANGED, SAME]) as changes:
            _edit(root)
            with anyio.move_on_after(120):
                async for change in changes:
                    heard.append(change.uri)
                    _edit(root)  # the same again is no change
                    with anyio.move_on_after(_MORE_SECONDS):
                        heard.append((await anext(changes)).uri)
                    break

    in_memory(root, session)
    assert heard == [CHANGED]


def test_too_many_subscriptions_are_refused(root: Path):
    async def session(client):
        for number in range(256):
            await client.subscribe_resource(f"satchel://symbol/s{number}")
        with pytest.raises(MCPError, match="more than 256"):
            await client.subscribe_resource("satchel://symbol/one-more")
        await client.unsubscribe_resource("satchel://symbol/s0")
        await client.subscribe_resource("satchel://symbol/one-more")

    in_memory(root, session, mode="legacy")


def test_an_address_that_no_resource_can_have_is_refused(root: Path):
    async def session(client):
        for uri in ("satchel://nothing/x", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="no such resource"):
                await client.subscribe_resource(uri)

    in_memory(root, session, mode="legacy")


def test_what_a_client_subscribed_to_is_forgotten_when_it_goes(root: Path):
    servers: list[SatchelServer] = []

    def seen(server: SatchelServer) -> SatchelServer:
        servers.append(server)
        return server

    async def session(client):
        # Clients in one process cannot be told apart, so they share the bound.
        async with Client(servers[0], mode="legacy") as other:
            for number in range(256):
                await other.subscribe_resource(f"satchel://symbol/s{number}")
            with pytest.raises(MCPError, match="more than 256"):
                await client.subscribe_resource("satchel://symbol/one-more")
        await client.subscribe_resource("satchel://symbol/one-more")

    in_memory(root, session, mode="legacy", over=seen)


async def _until(condition: Callable[[], object]) -> None:
    with anyio.fail_after(120):
        while not condition():
            await anyio.sleep(0.05)
    await anyio.sleep(_MORE_SECONDS)
