"""Runs the page: a free port of the loopback address, the server, the browser."""

import socket
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

import anyio
import uvicorn

from satchel.api import CodeBase
from satchel.store import private
from satchel.store.errors import UsageError
from satchel.ui.access import Access
from satchel.ui.app import create_app
from satchel.workspace.serving import connection_limits
from satchel.workspace.serving.connection_limits import HOST

PORT = 7423
"""Asked for first where nobody names a port, so that bookmarks keep working."""
_NEXT_PORTS = 20
_START_PAGE = "open-page.html"


def run(
    code: CodeBase, port: int | None, announce: Callable[[str], None], folder: Path | None
) -> None:
    """Serve the page until the process is told to end.

    `announce` is told an address that opens the page once, and when that was used the next one.
    A browser is opened by a file in `folder`, which is the user's alone; None opens no browser.

    Raises:
        UsageError: nobody can be served on this port.
    """
    listener = _listener(port)
    access = Access(port := listener.getsockname()[1])
    settings = connection_limits.config(create_app(code, access), port)

    def tell() -> None:
        announce(access.invite(tell))

    tell()
    with _opened(access, folder) if folder else nullcontext():
        anyio.run(uvicorn.Server(settings).serve, [listener])


@contextmanager
def _opened(access: Access, folder: Path) -> Iterator[None]:
    """A browser that goes to the page, by a file that is there until the browser has.

    Everybody on this machine can read the arguments of a browser, and so an address in them.
    """
    page = folder / _START_PAGE
    address = access.invite(partial(page.unlink, missing_ok=True))
    goes_on = f'<meta http-equiv="refresh" content="0; url={address}">'
    private.write(page, f"<!doctype html><title>Satchel</title>{goes_on}".encode(), durable=False)
    try:
        # Where no browser can be started the address that was told is there to be copied.
        with suppress(webbrowser.Error):
            webbrowser.open(page.as_uri())
        yield
    finally:
        page.unlink(missing_ok=True)


def _listener(port: int | None) -> socket.socket:
    """A socket on this machine alone, on the port that was named or near the usual one."""
    ports = (port,) if port is not None else (*range(PORT, PORT + _NEXT_PORTS), 0)
    for each in ports:
        found = socket.socket()
        if sys.platform != "win32":  # where it would share the port with another program
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
