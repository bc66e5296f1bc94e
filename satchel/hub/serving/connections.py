"""A pool of connections from a server to its hub, which are reset between calls.

A call reads in the role of its person, so nothing of it may be left for the next one. PostgreSQL
itself clears roles, settings, locks and temporary tables of a connection that is returned; one
whose query was cancelled is closed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from msgspec import Struct, field
from psycopg_pool import ConnectionPool

from satchel.hub import database
from satchel.hub.database import Hub

NO_POSTGRES = "the hub's PostgreSQL does not answer\n"
"""The text of a refusal when PostgreSQL cannot be asked who sent the request."""
# Long enough for PostgreSQL to start again, short enough for somebody who waits.
_PATIENCE_S = 10.0
_IDLE_S = 300.0
# What PostgreSQL's manual lists for DISCARD ALL, without what was prepared: psycopg would go on to
# ask for it, and PostgreSQL plans a statement again when another role runs it.
_CLEAR = (
    "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *;"
    " SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES;"
    f" {database.NAME_SCHEMA}"
)
_CANCEL_S = 5.0


class Connections(AbstractContextManager["Connections"]):
    """Up to `most` connections, opened when they are needed; leaving the context closes all."""

    def __init__(self, url: str, most: int) -> None:
        self._pool: ConnectionPool[Hub] = ConnectionPool(
            url,
            kwargs=database.OPTIONS,
            configure=database.name_schema,
            # One that died while nobody used it, as when PostgreSQL is started again.
            check=ConnectionPool.check_connection,
            reset=_clear,
            min_size=0,
            max_size=most,
            max_idle=_IDLE_S,
            timeout=_PATIENCE_S,
            open=True,
        )

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    @contextmanager
    def connected(self, running: Running | None = None) -> Iterator[Hub]:
        """A connection to the hub; `running` lets another thread cancel its query.

        Raises:
            HubUnavailable: PostgreSQL cannot be reached.
            UsageError: there is no hub, or one of another version.
        """
        with database.explained_errors(), self._pool.connection() as connection:
            database.check(connection)
            if running is None:
                yield connection
                return
            with running.on(connection):
                yield connection


class Running(Struct):
    """The connection of a running call, so that another thread can cancel its query."""

    _hub: Hub | None = None
    _is_cancelled: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def on(self, hub: Hub) -> Iterator[None]:
        """Within this context the call runs on a connection."""
        with self._lock:
            self._hub = hub
        try:
            yield
        finally:
            with self._lock:
                self._hub = None
                # A cancellation that is still on its way must not reach the next call's query.
                if self._is_cancelled:
                    hub.close()

    def cancel(self) -> None:
        """Cancel the query that runs, if one does."""
        # Under the lock, so that the connection cannot pass to another call meanwhile.
        with self._lock:
            self._is_cancelled = True
            if self._hub is not None:
                self._hub.cancel_safe(timeout=_CANCEL_S)


def _clear(connection: Hub) -> None:
    connection.execute(_CLEAR)
