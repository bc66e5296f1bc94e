"""Which connections of a server are closed, and what one is told that comes when it is full."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import anyio
import httpx2
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from satchel.mcp_server.transport import http
from satchel.workspace.serving import connection_limits
from satchel.workspace.serving.connection_limits import ADMITTED, EXAMINED

HEAD_SECONDS = 0.3
PATIENCE_S = 60.0


class Gate:
    """An application whose answers to "/slow" wait until they are let go."""

    def __init__(self) -> None:
        self.is_open = threading.Event()
        self.n_waiting = 0
        self.loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # starting
            self.loop = asyncio.get_running_loop()
            return
        if scope["path"] == "/slow":
            # As a hub does while it asks PostgreSQL for a token.
            scope[EXAMINED] = True
            self.n_waiting += 1
            while not self.is_open.is_set():
                await anyio.sleep(0.01)
            self.n_waiting -= 1
            del scope[EXAMINED]
        if scope["path"] in ("/slow", "/known"):
            scope[ADMITTED] = True
        if scope["path"] == "/file":
            await anyio.sleep(3 * HEAD_SECONDS)
        await PlainTextResponse("good\n")(scope, receive, send)


@contextmanager
def served(gate: Gate) -> Iterator[int]:
    """The port of a server of it."""
    with socket.create_server((http.HOST, 0)) as listening:
        port = listening.getsockname()[1]
        server = uvicorn.Server(connection_limits.config(gate, port))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield port
        finally:
            gate.is_open.set()
            server.should_exit = True
            thread.join(PATIENCE_S)


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def port(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connection_limits, "MAX_STRANGERS", 3)
    monkeypatch.setattr(connection_limits, "MAX_CLIENTS", 2)
    with served(gate) as found:
        until(lambda: gate.loop is not None)
        yield found


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "HEAD_SECONDS", HEAD_SECONDS)


@pytest.fixture
def opened(port: int) -> Iterator[Callable[[], socket.socket]]:
    """Opens a connection."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(socket.create_connection((http.HOST, port), PATIENCE_S))


@contextmanager
def standing(gate: Gate) -> Iterator[None]:
    """The server stands still meanwhile: what clients send is there before it counts seconds."""
    go_on = threading.Event()
    assert gate.loop is not None
    gate.loop.call_soon_threadsafe(go_on.wait)
    try:
        yield
    finally:
        go_on.set()


def ask(connection: socket.socket, path: str) -> None:
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has closed; waits for what comes."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.usefixtures("impatient")
def test_who_says_nothing_is_closed_and_who_asks_is_answered(gate: Gate, opened) -> None:
    with standing(gate):
        silent, half, asking = opened(), opened(), opened()
        half.sendall(b"GET / HT")
        ask(asking, "/file")
    assert is_closed(silent)
    assert is_closed(half)
    # The answer came later than that, and what follows it is answered as well.
    assert b"good" in asking.recv(4_096)
    time.sleep(2 * HEAD_SECONDS)
    ask(asking, "/")
    assert b"good" in asking.recv(4_096)


@pytest.mark.usefixtures("impatient")
def test_a_client_whose_token_is_examined_keeps_its_connection(gate: Gate, opened) -> None:
    with standing(gate):
        waiting = [opened() for _ in range(2)]
        for each in waiting:
            ask(each, "/slow")
    until(lambda: gate.n_waiting == 2)
    # More strangers than are let in, and longer than one of them may be silent.
    strangers = [opened() for _ in range(5)]
    assert all(map(is_closed, strangers))
    gate.is_open.set()
    for each in waiting:
        assert b"good" in each.recv(4_096)


def test_of_too_many_strangers_the_silent_are_closed_first(opened) -> None:
    asking = opened()
    ask(asking, "/")
    assert b"good" in asking.recv(4_096)
    silent = [opened() for _ in range(4)]
    assert is_closed(silent[0])
    ask(asking, "/")
    assert b"good" in asking.recv(4_096)


def test_one_client_too_many_is_told_to_come_again(gate: Gate, port: int, opened) -> None:
    inside = opened()
    ask(inside, "/known")
    assert b"good" in inside.recv(4_096)
    waiting = opened()
    ask(waiting, "/slow")
    until(lambda: gate.n_waiting == 1)
    address = f"http://{http.HOST}:{port}/known"
    # With a body as long as any may be: the reply must arrive although nobody reads that.
    refused = httpx2.post(address, content=b"x" * http.MAX_BODY_BYTES, timeout=PATIENCE_S)
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    # Who is in already stays in.
    ask(inside, "/known")
    assert b"200 OK" in inside.recv(4_096)
    gate.is_open.set()
    assert b"good" in waiting.recv(4_096)
    for each in (inside, waiting):
        each.close()
    until(lambda: httpx2.get(address, timeout=PATIENCE_S).status_code == 200)
