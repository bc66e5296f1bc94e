"""The HTTP connection of a client that has not shown a token yet: short, and one of a few.

Idle connections cost nobody anything but the number of them, which is bounded: without this, a few
hundred from anybody on the machine would keep out who holds the token.
"""

from __future__ import annotations

from asyncio import Transport

from uvicorn.protocols.http.h11_impl import H11Protocol

ADMITTED = "satchel.admitted"
"""The key of a request's scope that says: it came with the token."""
MAX_STRANGERS = 64
"""Connections without a token; one more closes the oldest."""
HEAD_SECONDS = 5.0
"""Within which a new connection must have sent a request with a token."""


class LimitedConnection(H11Protocol):
    """uvicorn's HTTP/1.1, which closes connections that show no token in time or are too many."""

    opened = 0.0
    _was_admitted = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Take a connection, and close the oldest stranger's when there are too many."""
        # The base class enters us among the connections, so the count below includes the new one.
        super().connection_made(transport)
        self.opened = self.loop.time()
        strangers = [
            each
            for each in self.connections
            if isinstance(each, LimitedConnection) and each.is_strange
        ]
        if len(strangers) > MAX_STRANGERS:
            # The oldest goes, since an honest client shows its token at once and is a stranger only
            # for a moment.
            min(strangers, key=lambda each: each.opened).turn_away()
        # The timer is never taken back: by then a client with a token is no stranger and stays.
        self.loop.call_later(HEAD_SECONDS, self.turn_away)

    @property
    def is_strange(self) -> bool:
        """Whether no request with a token has come through here."""
        return not (self._was_admitted or (self.scope and self.scope.get(ADMITTED)))

    def on_response_complete(self) -> None:
        """Remember a token that came: the next request of the connection begins without one."""
        self._was_admitted = not self.is_strange
        super().on_response_complete()

    def turn_away(self) -> None:
        """Close the connection if its client is still a stranger; it counts no more at once."""
        if self.is_strange:
            # uvicorn counts this set against its limit, and an aborted transport leaves it only a
            # turn of the loop later.
            self.connections.discard(self)
            # Closing in the ordinary way would wait until a client that reads nothing has taken
            # what is written.
            self.transport.abort()
