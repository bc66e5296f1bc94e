"""Sessions of a hub's page, valid in each of several processes that share a port.

A session is the person's token, encrypted with a secret that the processes share and that ends with
them: what a browser keeps opens nothing afterwards.
"""

import anyio
from anyio.to_thread import run_sync
from cryptography.fernet import Fernet, InvalidToken
from starlette.requests import Request

from satchel.hub.access import Caller
from satchel.hub.serving.connections import Connections
from satchel.hub.serving.sign_on import SignOn
from satchel.store.errors import SatchelError
from satchel.ui.access import Access, session_in
from satchel.workspace.serving.connection_limits import EXAMINED

CALLER = "satchel.caller"
"""The key of a request's scope under which its caller is."""


def new_secret() -> bytes:
    """A key for encrypting sessions; processes with the same key accept each other's sessions."""
    return Fernet.generate_key()


class HubAccess(Access):
    """Sessions of persons; each is valid as long as its token of `satchel hub token` is."""

    def __init__(
        self,
        port: int,
        hubs: Connections,
        limiter: anyio.CapacityLimiter,
        sign_on: SignOn,
        secret: bytes,
    ) -> None:
        super().__init__(port)
        self._hubs = hubs
        self._sign_on = sign_on
        self._limiter = limiter
        self._secret = secret

    async def open(self, token: str) -> str | None:
        """A new session; None for a token that is not valid."""
        if await self._caller(token) is None:
            return None
        return Fernet(self._secret).encrypt(token.encode()).decode("ascii")

    def remember(self, text: str) -> None:
        """Keep nothing: what one person was shown is no other's."""

    async def admits(self, request: Request) -> bool:
        """Whether a request carries a session whose token is valid still."""
        try:
            token = Fernet(self._secret).decrypt(session_in(request).encode()).decode()
        except (InvalidToken, UnicodeError):
            return False
        request.scope[EXAMINED] = True
        try:
            # Looked up with every request: a token that is revoked ends its sessions.
            caller = await self._caller(token)
        finally:
            del request.scope[EXAMINED]
        request.scope[CALLER] = caller
        return caller is not None

    async def _caller(self, token: str) -> Caller | None:
        def asked() -> Caller | None:
            with self._hubs.connected() as hub:
                return self._sign_on.caller(hub, token)

        try:
            return await run_sync(asked, limiter=self._limiter) if token else None
        except SatchelError:  # PostgreSQL is away: nobody is known
            return None
