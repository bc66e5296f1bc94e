"""Which folders the client has open, asked where a server was started in no code base.

Desktop clients start servers in the home folder or in `/`. One that said at the handshake that it
has roots is asked for them before the first answer, and again once it says that they have changed.
Revision 2026-07-28 has no such question, and deprecates roots.
"""

import logging
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import ListRootsRequest, ListRootsResult

from satchel.mcp_server.serving import Serving

_logger = logging.getLogger("satchel.mcp")
_ANSWER_SECONDS = 5.0
"""How long an answer waits for the client's; who does not answer is not asked again."""


class ClientRoots:
    """Moves a server to the folders that its client has open, where it may. On the event loop."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._lock = anyio.Lock()
        self._is_to_ask = serving.project_of is not None

    async def note_change(self, _ctx: ServerRequestContext[Any, Any], _params: object) -> None:
        """The client says that it has other folders open."""
        self._is_to_ask = self._serving.project_of is not None

    async def follow(self, ctx: ServerRequestContext[Any, Any]) -> None:
        """Serve what the client has open, before it is answered.

        Raises:
            SatchelError: that cannot be served as a whole, or a setting cannot be used.
        """
        # Nearly every call of nearly every server ends here.
        if not self._is_to_ask:
            return
        async with self._lock:
            if self._is_to_ask and (found := await self._open(ctx)) is not None:
                await run_sync(self._serving.move, found)
                self._is_to_ask = self._serving.project.takes_a_word

    async def _open(self, ctx: ServerRequestContext[Any, Any]) -> list[str] | None:
        """The addresses of the folders; None where the client does not say."""
        session = ctx.session
        if session.client_capabilities is None or session.client_capabilities.roots is None:
            return None
        try:
            # `session.list_roots` is this and a warning that roots are deprecated.
            listed = await session.send_request(
                ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=_ANSWER_SECONDS
            )
        except (MCPError, ValueError) as error:  # ValueError: no list of `file:` addresses
            _logger.warning("the client does not say which folders it has open: %s", error)
            self._is_to_ask = False
            return None
        return [str(root.uri) for root in listed.roots]
