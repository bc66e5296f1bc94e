"""An agent as tests need it: a real client of the SDK, over memory, a real process, or HTTP."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from mcp_server.app import create_server
from mcp_server.serving import Serving
from tests.satchel import COMMAND
from workspace.project import Project

T = TypeVar("T")
Session = Callable[[Client], Awaitable[T]]
PATIENCE_S = 60


def in_memory(root: Path, session: Session[T], **settings: str) -> T:
    """What `session` makes of a server in this process; `settings` are environment variables."""
    server = create_server(Serving(Project.at(root, {"SATCHEL_INDEX_WORKERS": "1", **settings})))
    return _run(lambda: Client(server), session)


def over_stdio(
    root: Path,
    session: Session[T],
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    mode: str = "auto",
) -> T:
    """What `session` makes of `satchel serve` in a process of its own."""
    parameters = StdioServerParameters(
        command=str(COMMAND),
        args=["serve", "--root", str(root)] if cwd is None else ["serve"],
        env={**os.environ, "SATCHEL_INDEX_WORKERS": "1", **(environment or {})},
        cwd=cwd,
    )
    return _run(lambda: Client(stdio_client(parameters), mode=mode), session)


def said(result: CallToolResult) -> str:
    """The text of a reply, which is all there is in it."""
    assert result.structured_content is None
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def asked(client: Client, name: str, /, **arguments: object) -> str:
    """The text of a tool's reply, which must not be an error."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, said(result)
    return said(result)


async def refused(client: Client, name: str, arguments: Mapping[str, Any]) -> str:
    """The text of a tool error."""
    result = await client.call_tool(name, dict(arguments))
    assert result.is_error, said(result)
    return said(result)


def _run(connect: Callable[[], AbstractAsyncContextManager[Client]], session: Session[T]) -> T:
    async def main() -> T:
        with anyio.fail_after(PATIENCE_S):
            async with connect() as client:
                return await session(client)

    return anyio.run(main)
