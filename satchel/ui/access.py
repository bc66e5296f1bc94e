"""Who may see the page: whoever has the token of this start, from this machine, and nobody else.

A token is made at each start and stands in the address's fragment, which browsers send to nobody.
The page trades it for a cookie that scripts cannot read and other sites cannot use. Host and Origin
must name us. Changes take a second token, which only a page of ours can read. Every response
forbids scripts that are not files of ours.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
MAX_BODY_BYTES = 1 << 20
CHANGE_HEADER = "x-satchel-token"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        # No text can become markup or a script, whatever a page's own code does with it; the one
        # policy is for the address of the worker.
        "require-trusted-types-for 'script'",
        "trusted-types satchel",
    )
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
SESSION = "satchel.session"
"""The key of a request's scope under which its session is."""


@dataclass(slots=True)
class Session:
    """A browser that showed a token: what its changes must carry, the text it was last shown."""

    change_token: str
    last: str = ""


class Access:
    """The token of one start, and the sessions that it was traded for."""

    max_sessions = 64
    """A browser that is started again opens a new session; nobody has sixty at once."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self.token = token or secrets.token_urlsafe(32)
        # Cookies are not kept apart by port, so two pages on one machine need names of their own.
        self.cookie = f"satchel-{port}"
        self.names = frozenset(f"{name}:{port}" for name in (HOST, "localhost", "[::1]"))
        self._sessions: dict[str, Session] = {}

    @property
    def address(self) -> str:
        """Where a browser goes first."""
        return f"http://{HOST}:{self.port}/#token={self.token}"

    async def admits(self, token: str) -> bool:
        """Whether this is a token that opens the page."""
        # The comparison takes the same time wherever two tokens differ.
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    async def open(self, token: str) -> str | None:
        """A new session for who shows the token, None for who does not."""
        if not await self.admits(token):
            return None
        session = secrets.token_urlsafe(32)
        self.keep(session, Session(secrets.token_urlsafe(32)))
        return session

    def keep(self, cookie: str, session: Session) -> Session:
        """Keep the session of a cookie, and of all the newest alone."""
        self._sessions[cookie] = session
        if len(self._sessions) > self.max_sessions:
            # A dict keeps the order of insertion, so this is the oldest.
            del self._sessions[next(iter(self._sessions))]
        return session

    async def session(self, request: Request) -> Session | None:
        """The session of a request."""
        return self.kept(request.cookies.get(self.cookie, ""))

    def kept(self, cookie: str) -> Session | None:
        """The session of a cookie, if it is kept."""
        return self._sessions.get(cookie)


async def open_session(request: Request) -> Response:
    """Trade the token for a cookie: a script sends it as JSON, a page without scripts as a form."""
    access: Access = request.app.state.access
    is_form = "json" not in request.headers.get("content-type", "")
    session = await access.open(_token(await request.body(), is_form=is_form))
    if session is None:
        return refusal(HTTPStatus.UNAUTHORIZED, "this is not the token of the running page")
    response: Response = JSONResponse({"ok": True})
    if is_form:
        response = RedirectResponse("/last", HTTPStatus.SEE_OTHER)
    # No script can read it, and no request that another site makes carries it.
    response.set_cookie(access.cookie, session, httponly=True, samesite="strict", path="/")
    return response


def _token(body: bytes, *, is_form: bool) -> str:
    """The token that somebody sends, "" where the body holds none."""
    try:
        if is_form:
            return parse_qs(body.decode()).get("token", [""])[0]
        return msgspec.json.decode(body, type=_Shown).token
    except (ValueError, msgspec.MsgspecError):
        return ""


class _Shown(Struct, frozen=True):
    token: str


def refusal(status: HTTPStatus, error: str, hint: str = "") -> Response:
    """An error as the page shows it."""
    hint = hint or "open the address that `satchel ui` printed"
    return JSONResponse({"error": error, "hint": hint}, status)


def guarded(inner: ASGIApp, access: Access) -> ASGIApp:
    """The application, for requests that come from the page itself and have its token."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # starting and ending
            return await inner(scope, receive, send)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refused = await _refused(Request(scope), access)
        if refused is not None:
            return await refused(scope, receive, with_headers)
        return await inner(scope, _bounded(receive), with_headers)

    return guard


async def _refused(request: Request, access: Access) -> Response | None:
    """Why a request is not answered, None when it is."""
    headers = request.headers
    # A web page whose name was made to resolve to us sends its own name in Host; one that asks us
    # from elsewhere sends its own in Origin.
    if headers.get("host", "") not in access.names or not _is_ours(headers, access):
        return refusal(HTTPStatus.FORBIDDEN, "this page answers only itself")
    length = headers.get("content-length", "0")
    # A length that is no number may be any.
    if not (length.isascii() and length.isdecimal()) or int(length) > MAX_BODY_BYTES:
        return refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too much was sent", "send less")
    # The shell and its scripts are the same for everybody and hold nothing of the code.
    if not request.url.path.startswith(("/api/", "/last")):
        return None
    session = await access.session(request)
    if session is None:
        return refusal(HTTPStatus.UNAUTHORIZED, "this browser has no session")
    request.scope[SESSION] = session
    if request.method == "POST":
        change_token = headers.get(CHANGE_HEADER, "").encode("utf-8", "replace")
        if not hmac.compare_digest(change_token, session.change_token.encode()):
            return refusal(HTTPStatus.FORBIDDEN, "this request did not come from the page")
    return None


def _is_ours(headers: Headers, access: Access) -> bool:
    origin = headers.get("origin")
    if origin is not None and origin.removeprefix("http://") not in access.names:
        return False
    # A browser says with each request whether another site makes it; that site may link to us, and
    # no more.
    foreign = headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
    return not foreign or headers.get("sec-fetch-mode", "") == "navigate"


def _bounded(receive: Receive) -> Receive:
    """`receive`, for which a body without a length ends when it is too long."""
    n_bytes = 0

    async def within() -> Message:
        nonlocal n_bytes
        message = await receive()
        n_bytes += len(message.get("body", b""))
        # A body that is too long looks to the application like a client that went away.
        return {"type": "http.disconnect"} if n_bytes > MAX_BODY_BYTES else message

    return within
