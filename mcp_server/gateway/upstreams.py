"""Upstream servers that are mounted: connected in the background, with time limits, untrusted.

They run on an event loop in its own thread. A server that hangs is abandoned, one that crashes is
restarted after a growing pause, and the relay ends one that sends too much. Other calls do not wait
for that. Texts are cut to a size before an agent gets them.
"""

import logging
import math
import os
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolResult,
    TextContent,
)
from mcp_types import Tool as WireTool

from satchel.assembler.quoting import foreign
from satchel.store.errors import Interrupted, UsageError
from satchel.store.platform import isolation
from satchel.workspace.configuration.upstreams import Upstream

SEPARATOR = "__"
CONNECT_SECONDS = 20.0
CALL_SECONDS = 25.0
MAX_TOOLS = 200
"""Tools of one server that are mounted at most."""
MAX_TEXT = 100_000
"""Characters of one result."""
_RELAY = f"{__package__}.relay"
_MAX_ABOUT = 1_000
_MAX_SCHEMA = 20_000
_PAGES = 20
_PING_SECONDS = 30.0
_LOST = (CONNECTION_CLOSED, REQUEST_TIMEOUT)
"""Errors that the client makes up itself when a server is gone; any other the server sent."""
_PAUSES = (1.0, 2.0, 5.0, 15.0, 60.0)
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_logger = logging.getLogger("satchel.gateway")


@dataclass(frozen=True, slots=True)
class Mounted:
    """A tool of an upstream server under the name it has here."""

    name: str
    tool: WireTool

    @property
    def about(self) -> str:
        """Its server's description, without the server's name in front."""
        return (self.tool.description or "").partition("] ")[2]

    @property
    def params(self) -> tuple[str, ...]:
        """The names of its parameters."""
        properties = self.tool.input_schema.get("properties")
        return tuple(properties) if isinstance(properties, dict) else ()


@dataclass(frozen=True, slots=True)
class _Connected:
    client: Client
    tools: tuple[Mounted, ...]
    broken: anyio.Event


class Gateway:
    """The upstream servers: starts them, lists their tools and calls them."""

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        self._upstreams = upstreams
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._connected: dict[str, _Connected] = {}
        # Only the event loop's thread changes these; questions on other threads just read them.
        self._tried: set[str] = set()
        self._starting: set[anyio.Event] = set()
        self.version = 0
        """Counts changes of what is mounted."""

    def start(self) -> None:
        """Begin to connect. Returns at once."""
        # The loop runs in a thread of its own, because an upstream that hangs must not hold up our
        # clients.
        self._portal = self._stack.enter_context(start_blocking_portal())
        for upstream in self._upstreams:
            self._portal.start_task_soon(self._keep, upstream)

    def close(self) -> None:
        """End every upstream process."""
        if self._portal is not None:
            # The attribute is cleared first: `_keep` looks at it to see that it must not start an
            # upstream anew.
            portal, self._portal = self._portal, None
            portal.call(self._all_started)
            portal.call(portal.stop, True)
            self._stack.close()

    @property
    def is_settled(self) -> bool:
        """Whether every upstream has been reached, or has failed once."""
        return len(self._tried) == len(self._upstreams)

    def tools(self) -> list[Mounted]:
        """The tools mounted at present, by server in the order of the configuration."""
        # The order of the configuration is kept, since servers connect in any order and lists must
        # not change with that.
        known = [self._connected.get(upstream.name) for upstream in self._upstreams]
        return [tool for connected in known if connected for tool in connected.tools]

    def call(self, name: str, given: Mapping[str, Any]) -> CallToolResult:
        """The result of a mounted tool, cut to a size.

        Raises:
            UsageError: there is no such tool just now.
            Interrupted: its server did not answer in time, or went away.
        """
        # The first separator counts, so a tool of an upstream may have one in its own name.
        server, _, tool = name.partition(SEPARATOR)
        connected = self._connected.get(server)
        if connected is None or self._portal is None:
            known = ", ".join(sorted(self._connected)) or "none"
            raise UsageError(f"no upstream {server!r} is connected", f"connected: {known}")
        result = self._portal.call(self._ask, connected, server, tool, dict(given))
        # The texts of a result up to a size; other content is named, not passed on.
        left = MAX_TEXT
        parts: list[TextContent] = []
        for content in result.content:
            if not isinstance(content, TextContent):
                parts.append(TextContent(type="text", text=f"[{content.type} left out]"))
                continue
            # The text is cut before it is made safe, since making a whole flood safe would take as
            # long as the flood is.
            text = foreign(content.text[: left + 1])
            if len(content.text) > left:
                text = f"{text[:left]}\n[cut: {len(content.text) - left} more characters]"
            left = max(left - len(content.text), 0)
            parts.append(TextContent(type="text", text=text))
            if not left:
                break
        return CallToolResult(content=list(parts), is_error=result.is_error)

    async def _ask(
        self, connected: _Connected, server: str, tool: str, given: dict[str, Any]
    ) -> CallToolResult:
        try:
            with anyio.fail_after(CALL_SECONDS):
                return await connected.client.call_tool(tool, given)
        except Exception as error:
            if isinstance(error, MCPError) and error.code not in _LOST:
                message = f"{server} refused: {foreign(error.message[:_MAX_ABOUT])}"
                raise UsageError(message, "find_tools shows what its tools take") from error
            late = f"did not answer within {CALL_SECONDS:g} seconds"
            what = late if isinstance(error, TimeoutError) else f"failed: {type(error).__name__}"
            # The session that owns this connection waits for the event, ends it, and `_keep` starts
            # another process.
            connected.broken.set()
            hint = "it is started again; try once more, or without it"
            raise Interrupted(f"{server} {what}", hint) from error

    async def _keep(self, upstream: Upstream) -> None:
        """Stay connected; pause longer after each failure in a row."""
        failures = 0
        while self._portal is not None:
            try:
                if await self._session(upstream):
                    failures = 0
            except Exception as error:
                _logger.warning("%s: %s", upstream.name, type(error).__name__)
            finally:
                # Tools go away with their server at once, so a call finds none to ask and does not
                # wait for a timeout.
                self._connected.pop(upstream.name, None)
                self.version += 1
            # A failure counts as tried, or `is_settled` would wait forever for a server that never
            # starts.
            self._tried.add(upstream.name)
            failures += 1
            await anyio.sleep(_PAUSES[min(failures, len(_PAUSES)) - 1])

    async def _all_started(self) -> None:
        """Wait for processes that are being started just now."""
        # asyncio leaves the pipe of a process open whose start is cancelled again and again, as
        # anyio does it.
        with anyio.move_on_after(CONNECT_SECONDS):
            for started in tuple(self._starting):
                await started.wait()

    @asynccontextmanager
    async def _process(
        self, parameters: StdioServerParameters, errors: TextIO
    ) -> AsyncGenerator[Any, None]:
        """The streams of an upstream's process."""
        started = anyio.Event()
        self._starting.add(started)
        try:
            async with stdio_client(parameters, errlog=errors) as streams:
                started.set()
                yield streams
        finally:
            started.set()
            self._starting.discard(started)

    async def _session(self, upstream: Upstream) -> bool:
        """Run an upstream process once; returns whether it ever answered."""
        # Never in the checkout: programs look for settings and modules where they are started.
        folder = upstream.cwd or isolation.home(dict(upstream.env))
        # The relay stands between, so that a flood of output ends the upstream and does not fill
        # our memory.
        command, *args = isolation.command(_RELAY, upstream.command, *upstream.args)
        parameters = StdioServerParameters(
            command=command, args=args, env=dict(upstream.env), cwd=folder
        )
        useful = False
        with (
            # What an upstream writes to stderr is dropped: it is not trusted either, and nothing
            # here would cut it to a size.
            Path(os.devnull).open("w", encoding="utf-8") as nowhere,
            anyio.CancelScope(deadline=anyio.current_time() + CONNECT_SECONDS) as scope,
        ):
            async with Client(self._process(parameters, nowhere)) as client:
                tools = await _listed(client, upstream.name)
                scope.deadline = math.inf
                broken = anyio.Event()
                self._connected[upstream.name] = _Connected(client, tools, broken)
                self.version += 1
                self._tried.add(upstream.name)
                # This is set before the wait, because a ping without an answer cancels the scope,
                # and the session was of use all the same.
                useful = True
                await _until_broken(client, broken, scope)
        return useful


async def _until_broken(client: Client, broken: anyio.Event, scope: anyio.CancelScope) -> None:
    while True:
        # A hanging server cannot be told from an idle one, so each is asked for its tools now and
        # then.
        with anyio.move_on_after(_PING_SECONDS):
            await broken.wait()
            return
        scope.deadline = anyio.current_time() + CONNECT_SECONDS
        await client.list_tools(cache_mode="refresh")  # all protocol versions answer this
        scope.deadline = math.inf


async def _listed(client: Client, server: str) -> tuple[Mounted, ...]:
    """The tools of a server that have a sane name and size, at most 200."""
    found: list[Mounted] = []
    cursor: str | None = None
    # The number of pages has a bound, because a server may hand out a new cursor for ever.
    for _ in range(_PAGES):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            size = len(str(tool.input_schema))
            # A tool whose name or schema is beyond the bounds is left out alone, and the rest of
            # its server stays.
            if _NAME.fullmatch(tool.name) and size <= _MAX_SCHEMA:
                # The server's name stands in front, so that an agent can tell whose words the
                # description is.
                about = f"[{server}] {foreign((tool.description or '')[:_MAX_ABOUT])}"
                name = f"{server}{SEPARATOR}{tool.name}"
                hints = tool.annotations
                if hints is not None and hints.title is not None:
                    # A title is shown to people, so it is made safe like every other text.
                    hints = hints.model_copy(update={"title": foreign(hints.title)})
                wire = WireTool(
                    name=name,
                    description=about,
                    input_schema=_cleaned_schema(tool.input_schema),
                    annotations=hints,
                )
                found.append(Mounted(name, wire))
        cursor = page.next_cursor
        if cursor is None or len(found) >= MAX_TOOLS:
            break
    # The last page may go beyond the limit, so the list is cut once more.
    return tuple(found[:MAX_TOOLS])


def _cleaned_schema(value: Any, depth: int = 20) -> Any:  # noqa: ANN401
    """A schema with each of its texts as one that can be shown."""
    if isinstance(value, str):
        return foreign(value)
    # A stranger's schema may nest until Python's stack overflows, so what lies deeper is left out.
    if not depth:
        return None
    if isinstance(value, list):
        return [_cleaned_schema(each, depth - 1) for each in value]
    if isinstance(value, dict):
        return {foreign(str(key)): _cleaned_schema(each, depth - 1) for key, each in value.items()}
    return value
