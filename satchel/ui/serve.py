"""Runs the page: a free port of the loopback address, the server, the browser."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress

import anyio
import uvicorn

from satchel.api import CodeBase
from satchel.store.errors import UsageError
from satchel.ui.access import HOST, Access
from satchel.ui.app import create_app

PORT = 7423
"""Asked for first where nobody names a port, so that bookmarks keep working."""
_NEXT_PORTS = 20
_MAX_CONNECTIONS = 128
_MAX_HEAD_BYTES = 256 << 10
"""A question of 10,000 characters stands in the address, each as up to twelve bytes."""
# Streams of events never end by themselves, so they are not waited for.
_GRACE_SECONDS = 1


def run(code: CodeBase, port: int | None, announce: Callable[[str], None], *, browse: bool) -> None:
    """Serve the page until the process is told to end. `announce` is told its address.

    Raises:
        UsageError: nobody can be served on this port.
    """
    listener = _listener(port)
    access = Access(listener.getsockname()[1])
    config = uvicorn.Config(
        create_app(code, access), http="h11", ws="none", log_level="warning",
        limit_concurrency=_MAX_CONNECTIONS, h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        timeout_graceful_shutdown=_GRACE_SECONDS, server_header=False,
    )  # fmt: skip
    announce(access.address)
    if browse:
        # Where no browser can be started the address is there to be copied.
        with suppress(webbrowser.Error):
            webbrowser.open(access.address)
    anyio.run(uvicorn.Server(config).serve, [listener])


def _listener(port: int | None) -> socket.socket:
    """A socket on this machine alone, on the port that was named or near the usual one."""
    ports = (port,) if port is not None else (*range(PORT, PORT + _NEXT_PORTS), 0)
    for each in ports:
        found = socket.socket()
        # The port of a page that has just ended is free for the next one.
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((HOST, each))
            # Only listening takes the port for certain where addresses are reused.
            found.listen()
            return found
        except OSError:
            found.close()
    raise UsageError(f"port {port} cannot be used", "give another port, or none")
