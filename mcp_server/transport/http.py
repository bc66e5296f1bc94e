"""Serving clients over streamable HTTP, on this machine alone.

The socket listens on the loopback address. A request must name it in Host, come from it where there
is an Origin (a web page that was made to resolve to us does not), and carry the bearer token from a
file that only its owner can read. Bodies are limited in size and in time.
"""

from __future__ import annotations

import gc
import hmac
import os
import secrets
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satchel.mcp_server.app import create_server
from satchel.mcp_server.serving import Serving
from satchel.store.errors import ConfigError, UsageError
from satchel.store.platform import folders, ownership
from satchel.workspace.serving import connection_limits
from satchel.workspace.serving.connection_limits import ADMITTED, config
from satchel.workspace.state.state_folder import TOKEN_NAME

# Few servers have processes that answer for them.
if TYPE_CHECKING:
    from satchel.mcp_server.answering.pool import WorkerPool

HOST = connection_limits.HOST
PATH = "/mcp"
MAX_BODY_BYTES = 1 << 20
BODY_SECONDS = 10.0
_IDLE_LOOK_SECONDS = 2.0
_GARBAGE = 2_000
"""Values that are made before they are looked through for garbage. All clients wait meanwhile: for
the 50,000 of a command 40 ms of processor time, for these 1."""


@contextmanager
def listener(port: int) -> Iterator[socket.socket]:
    """A socket on a port of this machine, before anybody is told of it; `run` lets clients in.

    Raises:
        UsageError: nobody can be served on this port.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
        if sys.platform != "win32":  # where it would share the port with another program
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, port))
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be used: {error.strerror}",
                "another program may use it: give another port",
            ) from error
        yield made


def run(serving: Serving, listening: socket.socket, pool: WorkerPool | None = None) -> None:
    """Serve on a `listener` until the process is told to end, or nobody has asked for long."""
    port = int(listening.getsockname()[1])
    # What questions need is read by whoever computes their answers.
    if pool is None:
        serving.read_ahead()
    # The token lies in the index's folder, so that must exist before the token is read.
    serving.project.prepare()
    application = app(serving, read_token(serving.project.directory), port, pool)
    server = uvicorn.Server(config(application, port))
    gc.freeze()  # what is loaded by now stays
    gc.set_threshold(_GARBAGE)
    anyio.run(_serve, server, listening, serving)


async def _serve(server: uvicorn.Server, listening: socket.socket, serving: Serving) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(_watch, server, serving)
        await server.serve([listening])
        group.cancel_scope.cancel()


async def _watch(server: uvicorn.Server, serving: Serving) -> None:
    while not serving.is_idle_too_long():
        await anyio.sleep(_IDLE_LOOK_SECONDS)
    server.should_exit = True


def app(serving: Serving, token: str, port: int, pool: WorkerPool | None = None) -> ASGIApp:
    """The server as an ASGI application: the token first, then what the protocol asks for."""
    # Only these names are taken in Host and Origin: a web page whose name was made to resolve to us
    # sends its own.
    names = [f"{name}:{port}" for name in (HOST, "localhost", "[::1]")]
    inner = create_server(serving, pool).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        ),
    )
    return _guarded(inner, token)


def read_token(directory: Path) -> str:
    """The token of the index in `directory`, made when there is none.

    Raises:
        ConfigError: others than its owner can read the file, or it is no plain file of ours.
    """
    path = directory / TOKEN_NAME
    try:
        # O_EXCL decides between two servers that start at once, and O_NOFOLLOW keeps a link from
        # leading the write elsewhere.
        made = os.open(path, folders.CREATE | folders.NO_FOLLOW, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(made, "w", encoding="ascii") as stream:
            stream.write(secrets.token_urlsafe(32) + "\n")
    hint = "remove it; the next start makes a new one"
    try:
        # A pipe in place of the file does not block the start; the check below refuses it then.
        found = os.open(path, folders.READ | folders.NO_FOLLOW | folders.NO_WAIT)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", hint) from error
    with os.fdopen(found, encoding="ascii", errors="replace") as stream:
        # The open file is looked at and not the path, which could be exchanged between the check
        # and the reading.
        state = os.fstat(stream.fileno())
        if not stat.S_ISREG(state.st_mode):
            raise ConfigError(f"{path} is not a regular file", hint)
        if not ownership.is_mine(state) or ownership.others_may_read(state):
            raise ConfigError(f"{path} can be read by others than you", hint)
        token = stream.read(1024).strip()
    if not token:
        raise ConfigError(f"{path} is empty", hint)
    return token


def _guarded(inner: ASGIApp, token: str) -> ASGIApp:
    expected = f"Bearer {token}".encode()

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # starting and ending
            return await inner(scope, receive, send)
        given = Request(scope).headers.get("authorization", "").encode("utf-8", "replace")
        # The comparison takes the same time wherever two tokens differ, so that timing tells
        # nothing of ours.
        if not hmac.compare_digest(given, expected):
            refusal = PlainTextResponse(
                "send the token that `satchel serve` names as a bearer token\n",
                401,
                {"WWW-Authenticate": "Bearer", "Connection": "close"},
            )
            return await refusal(scope, receive, send)
        # From here on the connection counts as a client's and not as a stranger's, and is not
        # turned away.
        scope[ADMITTED] = True
        await inner(scope, with_deadline(receive), send)
        return None

    return guard


def with_deadline(receive: Receive) -> Receive:
    """`receive`, for which a body must be complete within `BODY_SECONDS`."""
    deadline = anyio.current_time() + BODY_SECONDS
    complete = False

    async def bounded_receive() -> Message:
        nonlocal complete
        if complete:  # what comes now is the end of the connection, as late as it likes
            return await receive()
        with anyio.move_on_at(deadline) as scope:
            message = await receive()
            complete = not message.get("more_body", False)
            return message
        # A body that takes too long looks to the application like a client that went away.
        assert scope.cancelled_caught
        complete = True
        return {"type": "http.disconnect"}

    return bounded_receive
