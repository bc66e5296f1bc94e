"""Serving one client over standard input and output, for as long as it lives.

A client that ends closes our input, and the server ends with it. Some are killed and leave the
pipe open in another child; then the server notices that its parent is gone. One that nobody has
asked for long ends as well, where the user wants that.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import anyio
from mcp.server.stdio import stdio_server

from satchel.mcp_server.app import create_server
from satchel.mcp_server.serving import Serving

_WATCH_SECONDS = 2.0


def run(serving: Serving, parent: int, end: Callable[[int], None]) -> None:
    """Serve until input ends, process `parent` does, or nobody has asked for long.

    `end(code)` ends our process at once: a thread that waits for input cannot be cancelled.
    """
    anyio.run(_serve, serving, parent, end)


async def _serve(serving: Serving, parent: int, end: Callable[[int], None]) -> None:
    server = create_server(serving)
    async with anyio.create_task_group() as group:
        group.start_soon(_watch, serving, parent, end)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _watch(serving: Serving, parent: int, end: Callable[[int], None]) -> None:
    is_wanted = True
    while is_wanted:
        await anyio.sleep(_WATCH_SECONDS)
        # The kernel gives an orphan to another parent, which is how the death of ours shows.
        is_wanted = os.getppid() == parent and not serving.is_forgotten()
    end(0)
