"""`satchel hub serve`: real agents over HTTP, each with the token of a person."""

from pathlib import Path

import httpx2
import psycopg
import pytest
from mcp.client.client import Client

from satchel.hub import access, database, settings
from satchel.hub.database import Hub, rows
from tests.support.agent import PATIENCE_S, Served, asked, over_http, refused

TEN = [
    *("context", "search", "symbols", "dependencies", "changes", "overview"),
    *("remember", "revise", "recall", "set_context"),
]


def test_agents_get_what_their_token_may_read_and_it_is_noted(address: str, hub: Hub) -> None:
    tokens = {person: access.new_token(hub, person, 1) for person in ("ann", "bob")}

    async def everything(client: Client) -> list[str]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == TEN
        return [
            await asked(client, "context", query="retry with jitter", budget_tokens=600),
            await asked(client, "search", query="retry_with_jitter", mode="exact"),
            await asked(client, "symbols", name="retry_with_jitter", source=True),
            await asked(client, "dependencies", name="retry_with_jitter"),
            await asked(client, "overview"),
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
        assert "open/" in text
        assert "closed" not in text
    first, second, third = over_http(of("ann"), forbidden)
    assert "no repository is called 'closed'" in first
    assert "no repository is called" in second
    assert "budget_tokens is 1" in third
    noted = rows(hub, "SELECT person, tool, repositories, outcome FROM audit ORDER BY at")
    assert ("bob", "context", ["closed", "open"], "answered") in noted
    assert ("ann", "symbols", ["open"], "answered") in noted
    assert noted[-1] == ("ann", "context", [], "refused")
    assert rows(hub, "SELECT DISTINCT question FROM audit") == [(None,)]

    access.revoke(hub, "ann")
    ended = {"Authorization": f"Bearer {tokens['ann']}"}
    good = {"Authorization": f"Bearer {tokens['bob']}"}
    for headers in ({}, ended, {"Authorization": "Bearer x"}, {"Authorization": "Basic x"}):
        assert httpx2.post(address, headers=headers, json={}, timeout=PATIENCE_S).status_code == 401
    elsewhere = {**good, "Host": "evil.example"}
    assert httpx2.post(address, headers=elsewhere, json={}, timeout=PATIENCE_S).status_code == 421


def test_what_is_known_is_the_teams_and_private_stays_private(address: str, hub: Hub) -> None:
    tokens = {person: access.new_token(hub, person, 1) for person in ("ann", "bob")}

    async def remembers(client: Client) -> list[str]:
        return [
            await asked(client, "remember", kind="decision", summary="Jitter is drawn evenly",
                        rationale="herds", scope="open/shared.py", domain="retries"),
            await asked(client, "remember", kind="note", summary="Ann looks for a new job",
                        privacy="private"),
            await asked(client, "remember", kind="warning", summary="Billing wants whole seconds"),
            await asked(client, "set_context", query="jitter of retries", session="s1"),
            await asked(client, "recall", session="s1"),
            await asked(client, "recall", query="job"),
        ]  # fmt: skip

    async def reads(client: Client) -> list[str]:
        return [
            await asked(client, "recall", query="*"),
            await asked(client, "recall", query="*", repositories="closed"),
            await asked(client, "context", query="retry_with_jitter", budget_tokens=1200),
            await asked(client, "remember", kind="decision", summary="Jitter is normal",
                        rationale="x", scope="open/shared.py", domain="retries"),
            await asked(client, "remember", kind="note", summary="Only of closed",
                        scope="closed/own.py"),
        ]  # fmt: skip

    async def reads_later(client: Client) -> str:
        return await asked(client, "recall", query="*")

    def of(person: str) -> Served:
        return Served(address, tokens[person], None)

    *_, focused, private = over_http(of("ann"), remembers)
    assert "Jitter is drawn evenly" in focused
    assert "new job" in private
    every, narrow, pack, contradiction, _ = over_http(of("bob"), reads)
    assert "Jitter is drawn evenly" in every and "open/shared.py" in every
    assert "Billing wants whole seconds" in every
    assert "new job" not in every
    assert "Jitter" not in narrow
    assert "Jitter is drawn evenly" in pack
    assert "contradicts" in contradiction
    assert "Only of closed" not in over_http(of("ann"), reads_later)
    kept = rows(hub, "SELECT repository, person, privacy FROM knowledge")
    assert ("", "ann", "private") in kept
    assert ("closed", "bob", "team") in kept
    role = access.role_of("bob")
    with database.reading(hub, role):
        seen = rows(hub, "SELECT count(*) FROM knowledge WHERE privacy = 'private'")
    assert seen == [(0,)]
    for statement in (
        "UPDATE knowledge SET person = 'bob'",
        "UPDATE knowledge SET repository = ''",
        "DELETE FROM knowledge",
        "INSERT INTO knowledge VALUES ('X', '', 'ann', 'team', '{}')",
        "INSERT INTO focus VALUES ('ann', 's1', 'q', '', 'project')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), database.writing(hub, role):
            hub.execute(statement)
    # Nobody can make what another wrote their own secret, nor touch what they cannot see.
    with pytest.raises(psycopg.errors.InsufficientPrivilege), database.writing(hub, role):
        hub.execute("UPDATE knowledge SET privacy = 'private' WHERE person = 'ann'")
    ann = access.role_of("ann")
    with database.writing(hub, ann):
        changed = hub.execute("UPDATE knowledge SET line = line WHERE repository = 'closed'")
    assert changed.rowcount == 0


def test_what_changed_since_then_is_told_from_what_builds_replaced(
    address: str, hub: Hub, tmp_path: Path, built
) -> None:
    token = access.new_token(hub, "bob", 1)
    (tmp_path / "open" / "shared.py").write_text("def retry_with_jitter(n):\n    return n\n")
    (tmp_path / "open" / "new.py").write_text("def brand_new():\n    return 1\n")
    assert built(tmp_path / "open").changed

    async def asks(client: Client) -> list[str]:
        return [
            await asked(client, "changes", since="1h", repositories="open"),
            await asked(client, "changes", since="1h", repositories="closed"),
            await refused(client, "changes", {"since": "HEAD~3"}),
        ]

    changed, same, revision = over_http(Served(address, token, None), asks)
    assert "retry_with_jitter" in changed and "brand_new" in changed
    assert "only_in_open" in changed  # calls what changed, and did not change with it
    assert "0 changes" in same
    assert "a hub takes times, not revisions" in revision


def test_limits_of_a_token_hold_and_the_log_keeps_questions_where_it_is_told_to(
    address: str, hub: Hub
) -> None:
    token = access.new_token(hub, "bob", 1, calls_a_minute=2)
    settings.put(hub, "audit.text", "yes")

    async def asks(client: Client) -> list[bool]:
        results = [await client.call_tool("symbols", {"name": "find_me"}) for _ in range(4)]
        return [result.is_error for result in results]

    failed = over_http(Served(address, token, None), asks)
    # A minute may begin in between.
    assert failed[:2] == [False, False]
    assert sum(failed) >= 1
    assert "find_me" in rows(hub, "SELECT question FROM audit ORDER BY at LIMIT 1")[0][0]
