"""`satchel hub serve`: real agents over HTTP, each with the token of a person."""

import httpx2
from mcp.client.client import Client

from satchel.hub import access
from satchel.hub.database import Hub, rows
from tests.support.agent import PATIENCE_S, Served, asked, over_http, refused


def test_agents_get_what_their_token_may_read_and_it_is_noted(address: str, hub: Hub) -> None:
    tokens = {person: access.new_token(hub, person, 1) for person in ("ann", "bob")}

    async def everything(client: Client) -> list[str]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["context", "search", "symbols", "dependencies"]
        return [
            await asked(client, "context", query="retry with jitter", budget_tokens=600),
            await asked(client, "search", query="retry_with_jitter", mode="exact"),
            await asked(client, "symbols", name="retry_with_jitter"),
            await asked(client, "dependencies", symbol="retry_with_jitter"),
        ]

    async def forbidden(client: Client) -> list[str]:
        return [
            await refused(client, "search", {"query": "x", "repositories": "closed"}),
            await refused(client, "search", {"query": "x", "repositories": "' OR 1=1 --"}),
            await refused(client, "context", {"query": "x", "budget_tokens": 1}),
        ]

    def of(person: str) -> Served:
        return Served(address, tokens[person], None)

    for text in over_http(of("bob"), everything):
        assert "open/" in text
        assert "closed/" in text
    for text in over_http(of("ann"), everything):
        assert "shared.py" in text
        assert "closed" not in text
    first, second, third = over_http(of("ann"), forbidden)
    assert "no repository is called 'closed'" in first
    assert "no repository is called" in second
    assert "budget_tokens is 1" in third
    noted = rows(hub, "SELECT person, tool, repositories, outcome FROM audit ORDER BY at")
    assert ("bob", "context", ["closed", "open"], "answered") in noted
    assert ("ann", "symbols", ["open"], "answered") in noted
    assert noted[-1] == ("ann", "context", [], "refused")

    access.revoke(hub, "ann")
    ended = {"Authorization": f"Bearer {tokens['ann']}"}
    good = {"Authorization": f"Bearer {tokens['bob']}"}
    for headers in ({}, ended, {"Authorization": "Bearer x"}, {"Authorization": "Basic x"}):
        assert httpx2.post(address, headers=headers, json={}, timeout=PATIENCE_S).status_code == 401
    elsewhere = {**good, "Host": "evil.example"}
    assert httpx2.post(address, headers=elsewhere, json={}, timeout=PATIENCE_S).status_code == 421
