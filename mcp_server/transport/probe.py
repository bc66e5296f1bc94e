"""A server started and asked as a client would: handshake, `tools/list`, and how long that took."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from satchel.store import tokens

_SECONDS = 30.0
"""What clients wait for a server to start."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a server said. `tools_tokens` is the cost of its list, in cl100k tokens."""

    name: str
    version: str
    protocol: str
    n_tools: int
    tools_tokens: int
    seconds: float


def probe(command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Probed | str:
    """What the server that `command` starts in `cwd` says, or why it says nothing."""
    parameters = StdioServerParameters(
        command=command[0], args=list(command[1:]), env=dict(environment), cwd=cwd
    )
    try:
        return anyio.run(_probe, parameters)
    except (OSError, MCPError, TimeoutError, ExceptionGroup) as error:
        # anyio wraps what fails in a task group, and the person should read the reason and not the
        # group.
        reason = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
        return f"{type(reason).__name__}: {reason}" if str(reason) else type(reason).__name__


async def _probe(parameters: StdioServerParameters) -> Probed:
    started = time.perf_counter()
    with anyio.fail_after(_SECONDS), Path(os.devnull).open("w", encoding="utf-8") as sink:
        async with Client(stdio_client(parameters, errlog=sink)) as client:
            listed = await client.list_tools()
            # The clock stops before tokens are counted, because reading the vocabulary is no part
            # of the server's start.
            seconds = time.perf_counter() - started
            wire = [tool.model_dump_json(by_alias=True, exclude_none=True) for tool in listed.tools]
            about = client.server_info
            return Probed(
                about.name if about else "",
                about.version if about else "",
                str(client.protocol_version),
                len(listed.tools),
                tokens.count('{"tools":[' + ",".join(wire) + "]}"),
                seconds,
            )
