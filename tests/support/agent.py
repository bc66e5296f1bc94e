"""An agent as tests need it: a real client of the SDK, over memory, a real process, or HTTP."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.client import Client
from mcp.client.session import MessageHandlerFnT
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ListRootsResult, Root, TextContent
from pydantic import FileUrl

from satchel.mcp_server.app import SatchelServer, create_server
from satchel.mcp_server.serving import Serving
from satchel.workspace.project import Project
from tests.support.satchel import index_folder, warm_command

T = TypeVar("T")
Session = Callable[[Client], Awaitable[T]]
PATIENCE_S = 240


def in_memory(
    root: Path,
    session: Session[T],
    *,
    over: Callable[[SatchelServer], SatchelServer] = lambda server: server,
    mode: str = "auto",
    hear: MessageHandlerFnT | None = None,
    **settings: str,
) -> T:
    """What `session` makes of a server in this process; `settings` are environment variables.

    `over` may lay something over the server, `hear` is called with what it says unasked.
    """
    serving = Serving(Project.at(root, {"SATCHEL_INDEX_WORKERS": "1", **settings}))
    serving.start()
    try:
        server = over(create_server(serving))
        return _run(lambda: Client(server, mode=mode, message_handler=hear), session)
    finally:
        serving.close()


def over_stdio(
    root: Path,
    session: Session[T],
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    mode: str = "auto",
    flags: Sequence[str] = (),
    command: Path | None = None,
    open_folders: Sequence[str] | None = None,
) -> T:
    """What `session` makes of `satchel serve` in a process of its own.

    `flags` stand in place of --root, `command` in place of `warm_command()`. The client says that
    the addresses in `open_folders` are its roots, whatever they are by then.
    """
    named = ["--root", str(root)] if cwd is None and not flags else []
    parameters = StdioServerParameters(
        command=str(command or warm_command()),
        args=["serve", *named, *flags],
        env={**os.environ, "SATCHEL_INDEX_WORKERS": "1", **(environment or {})},
        cwd=cwd,
    )

    async def roots(context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl(each)) for each in open_folders or ()])

    told = None if open_folders is None else roots
    return _run(
        lambda: Client(stdio_client(parameters), mode=mode, list_roots_callback=told), session
    )


@dataclass(frozen=True, slots=True)
class Served:
    """A running `satchel serve --http`."""

    url: str
    token: str
    process: subprocess.Popen[bytes]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@contextmanager
def http_server(root: Path, *options: str, command: Path | None = None) -> Iterator[Served]:
    """`satchel serve --http` on a free port, until the block ends; `command` as above.

    Unless `options` say so no other process computes answers: each takes long to start.
    """
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [command or warm_command(), "serve", "--root", root, "--http", str(port), *options],
        env={**os.environ, "SATCHEL_INDEX_WORKERS": "1", "SATCHEL_MCP_WORKERS": "0"},
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.05)
        token = (index_folder(root) / "token").read_text("ascii").strip()
        yield Served(f"http://127.0.0.1:{port}/mcp", token, process)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def over_http(served: Served, session: Session[T], *, mode: str = "auto") -> T:
    """What `session` makes of a server on the loopback address."""

    async def main() -> T:
        async with httpx2.AsyncClient(headers=served.headers, timeout=PATIENCE_S) as connection:
            transport = streamable_http_client(served.url, http_client=connection)
            with anyio.fail_after(PATIENCE_S):
                async with Client(transport, mode=mode) as client:
                    return await session(client)

    return anyio.run(main)


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
