"""The HTTP connections of clients: which are closed, and what one too many is told.

Idle connections cost nobody anything but the number of them, which is bounded: without this, a few
hundred from anybody on the machine would keep out who holds the token. A client that has sent a
request is answered, however long the machine takes: only who says nothing is closed.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, Transport

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

HOST = "127.0.0.1"
"""Where all of our servers listen: on this machine alone."""
ADMITTED = "satchel.admitted"
"""The key of a request's scope that says: it came with the token."""
EXAMINED = "satchel.examined"
"""The key of a request's scope that says: whether its token is good is being asked."""
MAX_STRANGERS = 256
"""Connections without a token; one more closes the oldest, of those first that said nothing."""
MAX_CLIENTS = 256
"""Connections whose token was good or is examined; requests of others are told to come again."""
HEAD_SECONDS = 10.0
"""Within which a new connection must have sent a request."""
_KEPT_SECONDS = 75
"""Between two requests. Longer than clients and proxies keep a connection (5 to 60 s), so that they
are the ones who close it: a request that crosses our closing would be lost."""
_REST_SECONDS = 5
"""For the rest of a request that was answered before it was complete."""
_GRACE_SECONDS = 2
"""For answers that are under way when a server is told to end; streams never end by themselves."""
_MAX_HEAD_BYTES = 256 << 10
"""A question of 10,000 characters stands in an address of the page, each as up to twelve bytes."""
COME_AGAIN = {"Retry-After": "2", "Connection": "close"}
"""Headers of a reply that says: not now."""


def config(application: ASGIApp, port: int) -> Config:
    """How an application is served: on the loopback address, to a bounded number of clients.

    An application sets `ADMITTED` in the scope of a request that came with a token.
    """
    return Config(
        application,
        host=HOST,
        port=port,
        # Over h11, since the other parser leaves white space around the value of a header.
        http=LimitedConnection,
        ws="none",
        log_level="warning",
        timeout_graceful_shutdown=_GRACE_SECONDS,
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        server_header=False,
    )


class LimitedConnection(H11Protocol):
    """uvicorn's HTTP/1.1, which closes connections that say nothing or are too many."""

    opened = 0.0
    _was_admitted = False

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._inner, self.app = self.app, self._answer

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Take a connection, and close the oldest stranger's when there are too many."""
        super().connection_made(transport)
        self.opened = self.loop.time()
        strangers = [each for each in self._others() if each.is_strange]
        if len(strangers) >= MAX_STRANGERS:
            # One that was asked something is an honest client's rather than a silent one.
            min(strangers, key=lambda each: (each.has_asked, each.opened)).turn_away()
        self.loop.call_later(HEAD_SECONDS, self._end_silence)

    @property
    def is_strange(self) -> bool:
        """Whether no request with a token has come through here, nor one whose token is examined.

        While a token is examined its client waits for us, and not we for it.
        """
        scope = self.scope or {}
        return not (self._was_admitted or ADMITTED in scope or EXAMINED in scope)

    @property
    def has_asked(self) -> bool:
        """Whether the head of a request has come."""
        return self.cycle is not None

    def on_response_complete(self) -> None:
        """Remember a token that came: the next request of the connection begins without one."""
        self._was_admitted |= ADMITTED in self.scope
        self.timeout_keep_alive = _REST_SECONDS if self.cycle.more_body else _KEPT_SECONDS
        super().on_response_complete()

    def turn_away(self) -> None:
        """Close the connection; it counts no more at once."""
        # An aborted transport leaves the set only a turn of the loop later.
        self.connections.discard(self)
        # Closing in the ordinary way would wait until a client that reads nothing has taken what is
        # written.
        self.transport.abort()

    def _end_silence(self) -> None:
        # What was asked is answered, with a token or without: a page's files need none.
        if not self.has_asked:
            self.turn_away()

    def _others(self) -> list[LimitedConnection]:
        every = (each for each in self.connections if isinstance(each, LimitedConnection))
        return [each for each in every if each is not self]

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say when to come again; who is in already stays in."""
        n_clients = 0 if self._was_admitted else sum(not each.is_strange for each in self._others())
        if n_clients >= MAX_CLIENTS:
            busy = PlainTextResponse("too many clients; try again later\n", 503, COME_AGAIN)
            await busy(scope, receive, send)
        else:
            await self._inner(scope, receive, send)
