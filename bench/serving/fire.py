"""Malformed frames, over standard input and over HTTP, with questions in between.

Run as `python -m bench.serving.load frames [--over stdio|http]`. Over HTTP a frame is the body of a
request with the token, so that it gets past the door; one in four has its headers, its length or
its first line spoiled as well. After every so many a well-formed question must be answered.
"""

from __future__ import annotations

import json
import socket
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

from bench import processes
from tests.support.agent import Served, asked, http_server, over_http
from tests.support.frames import frames
from tests.support.stdio_server import META, StdioServer

_WAKE = {"name": "symbols", "arguments": {"name": "wake"}}
_SECONDS = 20.0
_HEADERS = (
    b"Mcp-Protocol-Version: \x7f", b"Mcp-Protocol-Version: 1999-01-01", b"Mcp-Session-Id: ../../x",
    b"Mcp-Session-Id: " + b"a" * 9_000, b"Accept: nothing/at-all", b"Content-Type: text/plain",
    b"Last-Event-ID: -1", b"Mcp-Method: tools/call", b"Mcp-Name: \xff\xfe", b"Expect: 100-continue",
    b"Transfer-Encoding: chunked", b"Content-Length: 7", b"Origin: null", b": no name",
    b"folded\r\n x",
)  # fmt: skip
_LINES = (
    b"POST /mcp HTTP/9.9", b"POST  /mcp HTTP/1.1", b"DELETE /mcp HTTP/1.1", b"GET /mcp HTTP/1.0",
    b"PATCH /mcp HTTP/1.1", b"POST /mcp/../mcp HTTP/1.1", b"POST /\xff HTTP/1.1", b"",
    b"POST " + b"/a" * 40_000 + b" HTTP/1.1", b"OPTIONS * HTTP/1.1", b"PRI * HTTP/2.0",
)  # fmt: skip


def add(command: ArgumentParser) -> None:
    """Its options."""
    command.add_argument("--n", type=int, default=100_000)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--over", choices=("stdio", "http"), default="stdio")
    command.set_defaults(run=_run)


def _run(args: Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "a.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")
        started = time.perf_counter()
        fire = over_stdio if args.over == "stdio" else over_the_net
        alive, n_asked, worst, said = fire(root, args.n, args.seed)
        seconds = time.perf_counter() - started
    peak = processes.peak_memory(of_children=True)
    print(
        f"{args.n:,} malformed frames over {args.over} in {seconds:.0f} s, seed {args.seed}:"
        f" server alive: {alive};\n{n_asked} questions in between answered, the slowest after"
        f" {worst:.2f} s (what was sent before it included); peak memory {peak:.0f} MB"
    )
    if said:
        print("answers: " + ", ".join(f"{what} {n:,}" for what, n in sorted(said.items())))


Outcome = tuple[bool, int, float, Counter[str]]
"""(the server lives, questions answered, the slowest in seconds, answers to frames by kind)."""


def over_stdio(root: Path, n: int, seed: int, every: int = 1000) -> Outcome:
    """Send `n` frames to a server's standard input."""
    worst, n_asked = 0.0, 0
    with StdioServer(root) as server:
        for number, frame in enumerate(frames(n, seed), start=1):
            server.send(frame)
            if number % every == 0:
                before = time.perf_counter()
                reply = server.ask("tools/call", _WAKE)
                assert "a.py:1" in json.dumps(reply), reply
                worst = max(worst, time.perf_counter() - before)
                n_asked += 1
        return server.process.poll() is None, n_asked, worst, Counter()


def over_the_net(root: Path, n: int, seed: int, every: int = 1000) -> Outcome:
    """Send `n` frames to a server's port, each on a connection of its own."""
    worst, n_asked, random, said = 0.0, 0, Random(seed), Counter[str]()
    with http_server(root) as served:
        for number, frame in enumerate(frames(n, seed), start=1):
            said[_sent(served, _request(served, frame, random))] += 1
            if number % every == 0:
                before = time.perf_counter()
                over_http(served, _ask)
                worst = max(worst, time.perf_counter() - before)
                n_asked += 1
        return served.process.poll() is None, n_asked, worst, said


async def _ask(client: object) -> None:
    assert "a.py:1" in await asked(client, "symbols", name="wake")  # type: ignore[arg-type]


def _request(served: Served, frame: bytes, random: Random) -> bytes:
    port = served.url.split(":")[2].partition("/")[0]
    line, body = b"POST /mcp HTTP/1.1", frame
    more: list[bytes] = []
    if random.random() < 0.5:
        body, more = _modern(frame)
    headers = [
        f"Host: 127.0.0.1:{port}".encode(), f"Authorization: Bearer {served.token}".encode(),
        b"Content-Type: application/json", b"Accept: application/json, text/event-stream",
        b"Content-Length: " + str(len(body)).encode(), b"Connection: close",
        *more,
    ]  # fmt: skip
    if random.random() < 0.25:
        how = random.randrange(4)
        if how == 0:
            line = random.choice(_LINES)
        elif how == 1:
            headers.insert(random.randrange(len(headers)), random.choice(_HEADERS))
        elif how == 2:
            del headers[random.randrange(len(headers))]
        else:
            headers[4] = b"Content-Length: " + random.choice((b"-1", b"x", b"0", b"99999999999"))
    return b"\r\n".join([line, *headers, b"", body])


def _modern(frame: bytes) -> tuple[bytes, list[bytes]]:
    """(body, headers) that say which revision is meant: otherwise few get past the session."""
    headers = [b"Mcp-Protocol-Version: 2026-07-28"]
    with suppress(ValueError, RecursionError):
        message = json.loads(frame)
        if isinstance(message, dict) and isinstance(message.get("params"), dict):
            message["params"]["_meta"] = META
            frame = json.dumps(message).encode()
            name = message["params"].get("name")
            for header, value in ((b"Mcp-Method", message.get("method")), (b"Mcp-Name", name)):
                if isinstance(value, str) and value.isprintable() and value.isascii():
                    headers.append(header + b": " + value.encode())
    return frame, headers


def _sent(served: Served, request: bytes) -> str:
    """What the server made of it: a status, a hang-up or silence, after which we hang up."""
    host, port = served.url.removeprefix("http://").partition("/")[0].split(":")
    with suppress(OSError), socket.create_connection((host, int(port)), _SECONDS) as connection:
        connection.settimeout(0.25)
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)
        try:
            start = connection.recv(64)
        except TimeoutError:
            return "silence"
        return start[9:12].decode("ascii", "replace") or "hung up"
    return "refused"
