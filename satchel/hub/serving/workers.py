"""Several processes that answer on one port: one listens, all accept; one that dies is replaced."""

import multiprocessing
import signal
import socket
import threading
from contextlib import chdir
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from satchel.hub import database
from satchel.hub.serving.sessions import new_secret
from satchel.store.errors import UsageError
from satchel.store.platform import isolation
from satchel.workspace.serving.connection_limits import HOST

MOST = 64
_BACKLOG = 256
_GRACE_S = 10.0
_PAUSE_S = 1.0


def run(url: str, port: int, n_workers: int) -> None:
    """Serve with `n_workers` processes until this one is told to end.

    Raises:
        UsageError: nobody can be served on this port, there is no hub, or too many are asked for.
        HubUnavailable: PostgreSQL cannot be reached.
    """
    if not 1 <= n_workers <= MOST:
        raise UsageError(f"--workers is {n_workers}, must be 1 to {MOST}", "one for each core")
    if n_workers == 1:
        _serve_alone(url, port)
        return
    with database.connected(url):
        pass  # an error now, and not in each of the processes
    try:
        listening = socket.create_server((HOST, port), backlog=_BACKLOG)
    except OSError as error:
        raise UsageError(f"port {port} cannot be used", "give another port") from error
    # SIGTERM raises KeyboardInterrupt here, so that `finally` ends the others too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started: list[BaseProcess] = []
    given = (url, port, listening, new_secret())
    try:
        # Each is started with the socket that listens, and takes connections from it.
        started += [_started(given) for _ in range(n_workers)]
        while True:
            wait([process.sentinel for process in started])
            # A pause, so that one that cannot start is not restarted in a tight loop.
            threading.Event().wait(_PAUSE_S)
            started = [process if process.is_alive() else _started(given) for process in started]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.join(_GRACE_S)


def _started(given: tuple[str, int, socket.socket, bytes]) -> BaseProcess:
    # Spawned and not forked: nothing of this process, such as its threads, comes along. They look
    # for modules where they start, which may be somebody's checkout.
    with chdir(isolation.NEUTRAL):
        process = multiprocessing.get_context("spawn").Process(
            target=_serve, args=given, daemon=True
        )
        process.start()
    return process


def _serve(url: str, port: int, listening: socket.socket, secret: bytes) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _serve_alone(url, port, listening, secret)


def _serve_alone(
    url: str, port: int, listening: socket.socket | None = None, secret: bytes = b""
) -> None:
    # The process that only watches the others does not load the protocol: a second, and 60 MB.
    from satchel.hub.serving import server

    server.run(url, port, listening, secret)


def _end_with_parent() -> None:
    """End this process when the one that started it does, however that ends."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # Otherwise it would go on listening, and no new server could have the port.
        signal.raise_signal(signal.SIGTERM)
