"""Who may see the page: whoever shows a token that we gave out, from this machine.

A token opens the page once. It stands in the fragment of an address, which browsers send to nobody.
The page trades it for a session, which it keeps in the storage of its origin and sends in a header.
A cookie would do less: a browser sends it to every port of this machine, and with each request that
another page makes. Host and Origin must name us. Every response forbids scripts that are not files
of ours.
"""

import hmac
import secrets
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.workspace.serving.connection_limits import ADMITTED, HOST

MAX_BODY_BYTES = 1 << 20
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
    # Nobody else learns an address; with none at all a form would say that it comes from nowhere.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Access:
    """The tokens that open the page, and the sessions that they were traded for."""

    max_sessions = 64
    """A browser that is started again opens a new session; nobody has sixty at once."""

    def __init__(self, port: int) -> None:
        self.port = port
        # No name but the number: another program of this machine may stand behind `localhost` where
        # that is an address of IPv6 as well, and would read what our page keeps for that origin.
        self.origin = f"http://{HOST}:{port}"
        self.last_pack = ""
        self._tokens: dict[str, Callable[[], None]] = {}
        self._sessions: dict[str, None] = {}

    def invite(self, on_opened: Callable[[], None]) -> str:
        """An address that opens the page once; `on_opened` is called when it has."""
        token = secrets.token_urlsafe(32)
        self._tokens[token] = on_opened
        return f"{self.origin}/#token={token}"

    async def open(self, token: str) -> str | None:
        """A new session for who shows a token, which opens no other; None for who has none."""
        given = token.encode("utf-8", "replace")
        # The comparison takes the same time wherever two tokens differ.
        found = [each for each in self._tokens if hmac.compare_digest(given, each.encode())]
        if not found:
            return None
        self._tokens.pop(found[0])()
        session = secrets.token_urlsafe(32)
        self._sessions[session] = None
        if len(self._sessions) > self.max_sessions:
            # A dict keeps the order of insertion, so this is the oldest.
            del self._sessions[next(iter(self._sessions))]
        return session

    def remember(self, text: str) -> None:
        """Keep the pack that the page shows, for readers without scripts."""
        self.last_pack = text

    async def admits(self, request: Request) -> bool:
        """Whether a request carries a session."""
        return session_in(request) in self._sessions


def session_in(request: Request) -> str:
    """The session that a request carries, "" where it carries none."""
    scheme, _, session = request.headers.get("authorization", "").partition(" ")
    return session.strip() if scheme.lower() == "bearer" else ""


async def open_session(request: Request) -> Response:
    """Trade a token for a session."""
    access: Access = request.app.state.access
    try:
        token = msgspec.json.decode(await request.body(), type=_Shown).token
    except (ValueError, msgspec.MsgspecError):
        token = ""
    session = await access.open(token)
    if session is None:
        return token_refused()
    return JSONResponse({"session": session})


class _Shown(Struct, frozen=True):
    token: str


async def has_form_token(request: Request) -> bool:
    """Whether the form that a page without scripts sent holds a token; it is used up by this."""
    access: Access = request.app.state.access
    try:
        token = parse_qs((await request.body()).decode()).get("token", [""])[0]
    except ValueError:
        token = ""
    return await access.open(token) is not None


def token_refused() -> Response:
    """What is told who has no token, or one that was used before."""
    return refusal(HTTPStatus.UNAUTHORIZED, "this token opens the page no more")


def refusal(status: HTTPStatus, error: str, hint: str = "") -> Response:
    """An error as the page shows it."""
    hint = hint or "open the address that `satchel ui` printed last"
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
    """What a request is answered that does not reach the application, None for one that does."""
    headers, url = request.headers, request.url
    if url.netloc == f"localhost:{access.port}":
        return RedirectResponse(url.replace(netloc=f"{HOST}:{access.port}"))
    # A web page whose name was made to resolve to us sends its own name in Host; one that asks us
    # from elsewhere sends its own in Origin.
    if f"http://{headers.get('host')}" != access.origin or not _is_ours(headers, access):
        return refusal(HTTPStatus.FORBIDDEN, "this page answers only itself")
    length = headers.get("content-length", "0")
    # A length that is no number may be any.
    if not (length.isascii() and length.isdecimal()) or int(length) > MAX_BODY_BYTES:
        return refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too much was sent", "send less")
    # The shell and its scripts are the same for everybody and hold nothing of the code.
    if not url.path.startswith("/api/"):
        return None
    if not await access.admits(request):
        return refusal(HTTPStatus.UNAUTHORIZED, "this browser has no session")
    # From here on the connection counts as a client's and not as a stranger's.
    request.scope[ADMITTED] = True
    return None


def _is_ours(headers: Headers, access: Access) -> bool:
    if headers.get("origin", access.origin) != access.origin:
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
