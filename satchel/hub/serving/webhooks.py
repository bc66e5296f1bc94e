"""Webhooks of GitHub and GitLab: a push marks a repository, which a watching sync then builds.

GitHub signs the body with HMAC-SHA256, GitLab sends the secret itself; both are compared in
constant time, and before a byte of the body is read as JSON. Nothing in a body says where to fetch
from: it only names repositories that are there already.
"""

import hmac
from hashlib import sha256

import anyio
import msgspec
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.hub import settings
from satchel.hub.building import wanted
from satchel.hub.serving.connections import NO_POSTGRES, Connections
from satchel.store.counted import counted
from satchel.store.errors import SatchelError
from satchel.workspace.serving.connection_limits import ADMITTED, COME_AGAIN

PATH = "/hook"
_MAX_BODY = 1 << 20
_SIGNATURE, _TOKEN = "x-hub-signature-256", "x-gitlab-token"


class _Repository(msgspec.Struct):
    """A repository as GitHub's and GitLab's bodies name it; any field may be missing."""

    clone_url: str = ""
    ssh_url: str = ""
    git_http_url: str = ""
    git_ssh_url: str = ""


class _Push(msgspec.Struct):
    """What is read of a body: GitHub says `repository`, GitLab `project`."""

    repository: _Repository | None = None
    project: _Repository | None = None


def webhooks(hubs: Connections, limiter: anyio.CapacityLimiter) -> ASGIApp:
    """The ASGI application at `PATH`; a sender must know the secret of the hub's configuration."""

    async def hook(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        status, said = 405, "a webhook is sent with POST\n"
        if request.method == "POST":
            read = bytearray()
            async for part in request.stream():
                read += part
                if len(read) > _MAX_BODY:
                    break
            body = bytes(read)
            headers = (request.headers.get(_SIGNATURE, ""), request.headers.get(_TOKEN, ""))
            try:
                status, said = await run_sync(
                    lambda: _handle_event(hubs, *headers, body), limiter=limiter
                )
            except SatchelError:
                away = PlainTextResponse(NO_POSTGRES, 503, COME_AGAIN)
                return await away(scope, receive, send)
        if status < 400:
            scope[ADMITTED] = True
        return await PlainTextResponse(said, status)(scope, receive, send)

    return hook


def _handle_event(hubs: Connections, signature: str, token: str, body: bytes) -> tuple[int, str]:
    """The status and text of a reply; the text names no repository."""
    if len(body) > _MAX_BODY:
        return 413, "the body is too long\n"
    with hubs.connected() as hub:
        secret = settings.value(hub, "webhook.secret")
        if not secret or not is_signed(secret, signature, token, body):
            return 401, "the signature is not that of the hub's secret\n"
        try:
            push = msgspec.json.decode(body, type=_Push)
        except msgspec.MsgspecError:
            return 400, "the body is not that of a push event\n"
        # A repository has several addresses; those that the hub knows count.
        named = [each for each in (push.repository, push.project) if each is not None]
        addresses = [address for each in named for address in msgspec.structs.astuple(each)]
        found = wanted.want(hub, addresses)
    return 202, f"{counted(len(found), 'repository', 'repositories')} will be synced\n"


def is_signed(secret: str, signature: str, token: str, body: bytes) -> bool:
    """Whether a request proves that its sender knows the secret, in GitHub's or in GitLab's way."""
    key = secret.encode()
    if signature:
        mine = "sha256=" + hmac.new(key, body, sha256).hexdigest()
        return hmac.compare_digest(mine.encode(), signature.encode("utf-8", "replace"))
    return bool(token) and hmac.compare_digest(key, token.encode("utf-8", "replace"))
