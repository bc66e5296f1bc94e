"""A server of several processes: agents of both protocols, the page, and queries that are ended."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import psutil
import pytest
from mcp.client.client import Client

from bench.hub.team import served, until
from satchel.hub import access, database, settings
from satchel.hub.database import Hub, rows
from tests.hub.conftest import Running, Team, new_hub
from tests.hub.issuer import AUDIENCE, issuer
from tests.support.agent import PATIENCE_S, asked, over_http, refused


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_any_process_takes_any_call(mode: str, running: Running, owner: Hub) -> None:
    token = access.new_token(owner, "ann", 1)

    async def asks(client: Client) -> list[str]:
        await client.list_tools()
        return [await asked(client, "symbols", name="only_in_open") for _ in range(12)]

    for text in over_http(running.of(token), asks, mode=mode):
        assert "open/own.py" in text


def test_a_sign_on_token_is_a_bearer_token(running: Running, owner: Hub) -> None:
    async def asks(client: Client) -> str:
        return await asked(client, "search", query="retry_with_jitter", mode="exact")

    with issuer() as made:
        settings.put(owner, "oidc.issuer", made.address)
        settings.put(owner, "oidc.audience", AUDIENCE)
        text = over_http(running.of(made.token("e", "ES256")), asks)
        forged = {"Authorization": f"Bearer {made.token('e', 'ES256', aud='other')}"}
        reply = httpx2.post(running.address, headers=forged, json={}, timeout=PATIENCE_S)
    assert "open/shared.py" in text
    assert "closed" not in text
    assert reply.status_code == 401


def test_whom_the_sign_on_knows_and_nobody_granted_anything_is_told_so(
    running: Running, owner: Hub
) -> None:
    async def asks(client: Client) -> str:
        return await refused(client, "search", {"query": "retry"})

    with issuer() as made:
        settings.put(owner, "oidc.issuer", made.address)
        settings.put(owner, "oidc.audience", AUDIENCE)
        token = made.token("e", "ES256", preferred_username="newcomer")  # a role of no other test
        said = over_http(running.of(token), asks)
    assert "no repository of this hub was granted to you" in said
    assert "satchel hub grant" in said


def test_a_session_of_the_page_is_known_to_every_process(running: Running, owner: Hub) -> None:
    base = running.address.removesuffix("/mcp")
    token = access.new_token(owner, "ann", 1)
    # A connection for each request, so that the processes take turns.
    limits = httpx2.Limits(max_keepalive_connections=0)
    with httpx2.Client(base_url=base, timeout=PATIENCE_S, limits=limits) as page:
        opened = page.post("/session", json={"token": token})
        session = opened.json()["session"]
        assert token not in opened.text
        assert not page.cookies.jar
        held = {"Authorization": f"Bearer {session}"}
        known = [page.get("/api/session", headers=held) for _ in range(12)]
        drawn = [page.post("/api/map", json={}, headers=held) for _ in range(6)]
        assert {reply.status_code for reply in (*known, *drawn)} == {200}
        for forged in (f"{session[:-2]}xx", token, "é"):
            headers = [(b"Authorization", f"Bearer {forged}".encode())]
            assert page.get("/api/session", headers=headers).status_code == 401


def test_a_process_that_dies_is_replaced_and_the_other_goes_on(
    running: Running, owner: Hub
) -> None:
    token = access.new_token(owner, "ann", 1)
    before = until(lambda: len(running.workers()) == 2 and running.workers())
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    served = running.of(token)

    async def asks(client: Client) -> str:
        return await asked(client, "symbols", name="only_in_open")

    assert "open/own.py" in over_http(served, asks)
    after = until(lambda: len(running.workers() - {killed}) == 2 and running.workers())
    assert before - {killed} < after


def test_a_query_that_takes_too_long_is_ended_in_postgresql(running: Running, owner: Hub) -> None:
    token = access.new_token(owner, "ann", 1, seconds=1)

    async def asks(client: Client) -> tuple[str, str]:
        with database.connected(running.url) as locker, locker.transaction():
            locker.execute("LOCK TABLE builds IN ACCESS EXCLUSIVE MODE")
            late = await refused(client, "symbols", {"name": "only_in_open"})
        return late, await asked(client, "symbols", name="only_in_open")

    late, good = over_http(running.of(token), asks)
    assert "statement timeout" in late
    assert "name a repository or ask for less" in late
    assert "open/own.py" in good
    assert _active(owner, "ann") == 0


def test_hub_cancel_and_a_client_that_leaves_end_the_query(running: Running, owner: Hub) -> None:
    token = access.new_token(owner, "bob", 1)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "symbols", "arguments": {"name": "only_in_open"}}}  # fmt: skip
    headers = {"Authorization": f"Bearer {token}",
               "Accept": "application/json, text/event-stream"}  # fmt: skip

    def post(seconds: float) -> str:
        timeout = httpx2.Timeout(PATIENCE_S, read=seconds)
        return httpx2.post(running.address, json=call, headers=headers, timeout=timeout).text

    with (
        ThreadPoolExecutor(1) as pool,
        database.connected(running.url) as locker,
        locker.transaction(),
    ):
        locker.execute("LOCK TABLE builds IN ACCESS EXCLUSIVE MODE")
        ended = pool.submit(post, PATIENCE_S)
        until(lambda: _active(owner, "bob") == 1)
        assert access.cancel(owner, "ann") == 0
        assert access.cancel(owner, "bob") == 1
        assert "canceling statement due to user request" in ended.result(PATIENCE_S)
        with pytest.raises(httpx2.ReadTimeout):
            post(2.0)
        # The lock is still held: only the end of the connection can have ended the query.
        until(lambda: _active(owner, "bob") == 0)


def test_the_end_of_the_server_is_the_end_of_its_processes(
    server: str, team: Team, tmp_path: Path
) -> None:
    with new_hub(server, team.template) as url, served(url, "--workers", "2") as (_, process):
        pids = until(lambda: [each.pid for each in psutil.Process(process.pid).children()])
        process.terminate()
        process.wait(PATIENCE_S)
        until(lambda: not any(psutil.pid_exists(pid) for pid in pids))


def _active(hub: Hub, person: str) -> int:
    """How many queries run for a person just now."""
    sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND state = 'active'"
    return int(rows(hub, sql, (access.role_of(person),))[0][0])
