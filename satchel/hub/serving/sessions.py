"""Sessions of a hub's page, valid in each of several processes that share a port.

A session is a cookie with the person's token, encrypted with a secret that the processes share and
that ends with them. The cookie alone does not reveal the token.
"""

from __future__ import annotations

import hmac
from hashlib import sha256

import anyio
from anyio.to_thread import run_sync
from cryptography.fernet import Fernet, InvalidToken
from starlette.requests import Request

from satchel.hub.access import Caller
from satchel.hub.serving.connections import Connections
from satchel.hub.serving.sign_on import SignOn
from satchel.mcp_server.transport.connection_limits import ADMITTED
from satchel.store.errors import SatchelError
from satchel.ui.access import Access, Session

CALLER = "satchel.caller"
"""The key of a request's scope under which its caller is."""
# In bytes: browsers drop longer cookies, and the next request would have no session.
_MAX_COOKIE = 4_000


def new_secret() -> bytes:
    """A key for encrypting cookies; processes with the same key accept each other's sessions."""
    return Fernet.generate_key()


class HubAccess(Access):
    """Sessions of persons; each is valid as long as its token of `satchel hub token` is."""

    max_sessions = 256

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
        """The cookie of a new session; None for a token that is invalid or too long."""
        if await self._caller(token) is None:
            return None
        sealed = Fernet(self._secret).encrypt(token.encode()).decode("ascii")
        return sealed if len(sealed) <= _MAX_COOKIE else None

    async def session(self, request: Request) -> Session | None:
        """The session of a request; None without one, or once its token is not valid any more."""
        cookie = request.cookies.get(self.cookie, "")
        try:
            token = Fernet(self._secret).decrypt(cookie.encode()).decode()
        except (InvalidToken, UnicodeError):
            return None
        # Looked up with every request: a token that is revoked ends its sessions.
        caller = await self._caller(token)
        if caller is None:
            return None
        # From here on the connection counts as a client's and not as a stranger's.
        request.scope[ADMITTED], request.scope[CALLER] = True, caller
        return self._session(cookie)

    def _session(self, cookie: str) -> Session:
        """The session of a cookie; another process may have opened it."""
        found = self.kept(cookie)
        if found is not None:
            return found
        change_token = hmac.new(self._secret, cookie.encode(), sha256).hexdigest()
        return self.keep(cookie, Session(change_token))

    async def _caller(self, token: str) -> Caller | None:
        def asked() -> Caller | None:
            with self._hubs.connected() as hub:
                return self._sign_on.caller(hub, token)

        try:
            return await run_sync(asked, limiter=self._limiter) if token else None
        except SatchelError:  # PostgreSQL is away: nobody is known
            return None
