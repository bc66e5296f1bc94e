"""Connections that a server keeps: one for many calls, with nothing of a person left on it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import httpx2
import psycopg
import pytest
import uvicorn

from bench.hub.team import PATIENCE_S, headers, message, result_of, until
from satchel.hub import access, database
from satchel.hub.database import Hub, rows
from satchel.hub.serving import server
from satchel.hub.serving.connections import Connections, Running
from satchel.hub.serving.sessions import new_secret
from satchel.mcp_server.transport import http
from satchel.store.errors import HubUnavailable
from satchel.workspace.serving import connection_limits

_PID = "SELECT pg_backend_pid()"


@pytest.fixture
def hubs(url: str) -> Iterator[Connections]:
    with Connections(url, 1) as made:
        yield made


def _pid(hubs: Connections) -> int:
    with hubs.connected() as hub:
        return int(rows(hub, _PID)[0][0])


def test_nothing_of_a_person_is_left_for_the_next(hubs: Connections) -> None:
    with hubs.connected() as hub:
        access.grant(hub, "ann", "*")
        [(settings,)] = rows(hub, "SELECT array_agg(setting ORDER BY name) FROM pg_settings")
        first = _left(hub)
        hub.execute("SET ROLE satchel_reader_ann")
        hub.execute("SET statement_timeout = '7s'")
        hub.execute("SET application_name = 'satchel_reader_ann'")
        hub.execute("SET search_path = public")
        hub.execute("CREATE TEMPORARY TABLE kept (a text)")
        hub.execute("LISTEN heard")
        hub.execute("SELECT pg_advisory_lock(1)")
        pid = rows(hub, _PID)[0][0]
    with hubs.connected() as hub:
        assert rows(hub, _PID)[0][0] == pid
        assert _left(hub) == first
        assert rows(hub, "SELECT array_agg(setting ORDER BY name) FROM pg_settings") == [
            (settings,)
        ]


def _left(hub: Hub) -> list[tuple[object, ...]]:
    """What a session may leave for the next one."""
    return rows(
        hub,
        "SELECT current_user::text, session_user::text, current_setting('search_path'),"
        " to_regclass('pg_temp.kept')::text, array(SELECT pg_listening_channels()),"
        " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())",
    )


def test_a_statement_that_was_prepared_reads_for_whoever_asks(
    hubs: Connections, team: object
) -> None:
    with hubs.connected() as hub:
        access.grant(hub, "zoe", "nothing")
    found = []
    # Often enough for psycopg to have it prepared, and for PostgreSQL to keep one plan.
    for turn in range(24):
        role = access.role_of(("ann", "bob", "zoe")[turn % 3])
        with hubs.connected() as hub, database.reading(hub, role):
            sql = "SELECT name FROM repositories WHERE name <> %s ORDER BY name"
            found.append([name for (name,) in rows(hub, sql, ("x",))])
    assert found == [["open"], ["closed", "open"], []] * 8


def test_a_connection_that_was_cancelled_or_lost_is_not_used_again(
    url: str, hubs: Connections
) -> None:
    running, pid = Running(), _pid(hubs)

    def cancels() -> None:
        with database.opened(url) as other:
            until(lambda: rows(other, f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}"
                               " AND query = 'SELECT pg_sleep(600)'"))  # fmt: skip
        running.cancel()

    thread = threading.Thread(target=cancels)
    thread.start()
    with pytest.raises(HubUnavailable, match="cancel"), hubs.connected(running) as hub:
        hub.execute("SELECT pg_sleep(600)")
    thread.join()
    second = _pid(hubs)
    assert second != pid
    # Ended from outside while nobody used it, as when PostgreSQL is started again.
    with database.opened(url) as other:
        other.execute(f"SELECT pg_terminate_backend({second}, 60000)".encode())
    third = _pid(hubs)
    assert third not in (pid, second)
    # Whoever is told to stop too late stops nothing.
    running.cancel()
    assert _pid(hubs) == third


def test_a_call_that_fails_leaves_its_connection_usable(hubs: Connections) -> None:
    pid = _pid(hubs)
    for _ in range(3):
        with pytest.raises(HubUnavailable), hubs.connected() as hub, database.reading(hub):
            rows(hub, "SELECT 1 / 0")
    assert _pid(hubs) == pid


def test_what_cannot_be_connected_to_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.hub.serving.connections._PATIENCE_S", 0.5)
    with (
        Connections("postgresql://127.0.0.1:1/none", 1) as hubs,
        pytest.raises(HubUnavailable, match="connection"),
        hubs.connected(),
    ):
        raise psycopg.Error("never reached")


def test_a_token_that_is_looked_up_slowly_keeps_its_connection(
    url: str, hub: Hub, team: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "HEAD_SECONDS", 0.7)
    token = access.new_token(hub, "ann", 1)
    with socket.create_server((http.HOST, 0)) as listening, Connections(url, 2) as hubs:
        port = listening.getsockname()[1]
        serving = uvicorn.Server(
            connection_limits.config(server.app(hubs, port, new_secret()), port)
        )
        thread = threading.Thread(target=serving.run, args=([listening],))
        thread.start()
        try:
            with ThreadPoolExecutor() as pool, hub.transaction(force_rollback=True):
                hub.execute("LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE")
                asked = pool.submit(
                    httpx2.post,
                    f"http://{http.HOST}:{port}{http.PATH}",
                    content=message("overview", {}),
                    headers=headers(token),
                    timeout=PATIENCE_S,
                )
                with database.opened(url) as other:
                    until(lambda: rows(other, "SELECT 1 FROM pg_locks WHERE NOT granted"))
                assert not wait([asked], timeout=1.2).done
            assert "open" in result_of(asked.result().text)[0]
        finally:
            serving.should_exit = True
            thread.join(PATIENCE_S)
