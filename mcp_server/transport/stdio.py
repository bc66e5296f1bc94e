"""Serving one client over standard input and output, for as long as it lives.

A client that ends closes our input, and the server ends with it. Some are killed and leave the
pipe open in another child; then the server notices that its parent is gone. One that nobody has
asked for long ends as well, where the user wants that.

The first messages are answered before the protocol's SDK is loaded (`first_messages`), where the
system can say whether input is there.
"""

import io
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress

from satchel.mcp_server.serving import Serving
from satchel.mcp_server.transport.first_messages import Handover, answer_first

_WATCH_SECONDS = 2.0
_SURROGATES = re.compile(
    r"(\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2}", re.IGNORECASE
)
"""Escaped backslashes and whole pairs, or a half of one."""


def run(serving: Serving, parent: int, end: Callable[[int], None]) -> None:
    """Serve until input ends, process `parent` does, or nobody has asked for long.

    `end(code)` ends our process at once: a thread that waits for input cannot be cancelled.
    """
    wire = _wire()
    handover = answer_first(serving, *wire) if wire else Handover()
    if handover.is_over:
        return
    serving.read_ahead()
    import anyio  # with the SDK, below: what takes long comes after the first answers

    anyio.run(_serve, serving, parent, end, wire, handover)


def _wire() -> tuple[int, int] | None:
    """Input and output as descriptors of our own; None where the SDK is to take care of them.

    From then on whatever else reads finds nothing, and whatever else prints does not get between
    the messages.
    """
    # Only sockets can be waited for on Windows.
    if sys.platform == "win32":
        return None
    try:
        source, sink, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    except OSError:
        return None
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    os.close(nothing)
    return source, sink


async def _serve(
    serving: Serving,
    parent: int,
    end: Callable[[int], None],
    wire: tuple[int, int] | None,
    handover: Handover,
) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    from satchel.mcp_server.app import create_server

    server = create_server(serving)
    streams: tuple[anyio.AsyncFile[str], ...] = ()
    if wire:
        unread: io.BufferedReader = io.BufferedReader(_Input(handover.lines, wire[0]))
        text = _Lines(unread, encoding="utf-8", errors="replace")
        streams = (anyio.wrap_file(text), anyio.wrap_file(_Output(wire[1], handover.answered)))
    async with anyio.create_task_group() as group:
        group.start_soon(_watch, serving, parent, end)
        async with stdio_server(*streams) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _watch(serving: Serving, parent: int, end: Callable[[int], None]) -> None:
    import anyio

    is_wanted = True
    while is_wanted:
        await anyio.sleep(_WATCH_SECONDS)
        # The kernel gives an orphan to another parent, which is how the death of ours shows.
        is_wanted = os.getppid() == parent and not serving.is_idle_too_long()
    end(0)


class _Input(io.RawIOBase):
    """Some bytes, and then what comes from a descriptor, which is never closed: a thread may still
    wait for it when all else has ended."""

    def __init__(self, first: bytes, source: int) -> None:
        self._first = first
        self._source = source

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill some of `buffer`; 0 at the end."""
        read = self._first[: len(buffer)] or os.read(self._source, len(buffer))
        self._first = self._first[len(buffer) :]
        buffer[: len(read)] = read
        return len(read)


class _Lines(io.TextIOWrapper):
    """Messages, a line each, with `\ufffd` where JSON escapes half of a pair: the SDK would take
    such a line for no message, and nobody would get an answer."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """The next line, "" at the end."""
        line = super().readline(size)
        if "\\ud" not in line and "\\uD" not in line:
            return line
        return _SURROGATES.sub(lambda found: found[1] or "\\ufffd", line)


class _Output(io.TextIOWrapper):
    """Text for a descriptor, without the answer to the handshake that the client has already."""

    def __init__(self, sink: int, answered: int | str | None) -> None:
        super().__init__(os.fdopen(sink, "wb", closefd=False), encoding="utf-8")
        self._answered = answered

    def write(self, text: str) -> int:
        """Write a message, unless it is that answer; a refusal of the handshake is none."""
        if self._answered is not None:
            with suppress(ValueError):
                message = json.loads(text)
                if message.get("id") == self._answered and "result" in message:
                    self._answered = None
                    return len(text)
        return super().write(text)
