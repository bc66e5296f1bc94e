"""The application factory: a serving project and its tools as a protocol server.

One server speaks every revision: the SDK reads from a client's first message which one is meant.
Tools run on worker threads; a call that its client cancels is told to stop, and one that asked for
progress hears how far the index is.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as WireTool

from mcp_server import surface
from mcp_server.arguments import checked, schema
from mcp_server.serving import Serving, Stop
from mcp_server.tool import Answer, Call, Tool
from store.errors import SatchelError

_logger = logging.getLogger("satchel.mcp")
_CALLS_AT_ONCE = 8
"""Worker threads: more would only take turns at the interpreter's lock."""
_PROGRESS_SECONDS = 0.25
_TOOLS_TTL_MS = 3_600_000
_SESSION_HEADER = "mcp-session-id"
STDIO_CALLER = "stdio"

Context = ServerRequestContext[Any, Any]


def create_server(serving: Serving) -> Server[Any]:
    """A server for one project, ready to be run over any transport."""
    known = surface.tools()
    full = serving.project.settings.mcp.tools == "full"
    wire = [_wire(tool) for tool in surface.listed(known, full=full)]
    by_name = {tool.name: tool for tool in known}
    limiter = anyio.CapacityLimiter(_CALLS_AT_ONCE)

    async def list_tools(_ctx: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=wire)

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"unknown tool; known: {', '.join(by_name)}")
        return await _called(ctx, tool, params.arguments or {}, serving, limiter)

    return Server(
        surface.NAME,
        version=_version(),
        title="Satchel",
        description="Packs the right code into the tokens you have.",
        instructions=surface.INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=_TOOLS_TTL_MS, scope="private")},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _called(
    ctx: Context,
    tool: Tool,
    said: Mapping[str, object],
    serving: Serving,
    limiter: anyio.CapacityLimiter,
) -> CallToolResult:
    """Run a tool; what its caller can mend comes back as a tool error, a bug as a protocol one.

    Raises:
        MCPError: the tool failed in a way nobody foresaw. What failed goes to the log: an
            exception's own words may quote the code base.
    """
    stop = Stop()
    try:
        call = Call(checked(tool.params, said), serving, stop, _caller(ctx))
        answer = await _run(ctx, tool, call, limiter)
    except SatchelError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        text = f"{error.message}{hint}"
        serving.count(tool.name, stop.elapsed, text, 0, failed=True)
        return _text(text, is_error=True)
    except Exception as error:
        _logger.exception("%s failed", tool.name)
        raise MCPError(INTERNAL_ERROR, f"{tool.name} failed: {type(error).__name__}") from error
    finally:
        stop.set()
    return _text(answer.text)


async def _run(ctx: Context, tool: Tool, call: Call, limiter: anyio.CapacityLimiter) -> Answer:
    """Run a tool on a worker thread, saying how the index comes along meanwhile.

    When the client cancels, nothing waits for the thread: `call.stop` tells it to end.
    """

    def work() -> Answer | Exception:
        try:
            answer = tool.run(call)
            call.serving.count(
                tool.name, call.stop.elapsed, answer.text, answer.whole_tokens, failed=False
            )
            return answer
        except Exception as error:  # raised below: a task group would wrap it in a group of errors
            return error

    async with anyio.create_task_group() as group:
        group.start_soon(_report, ctx, call.serving)
        answer = await run_sync(work, abandon_on_cancel=True, limiter=limiter)
        group.cancel_scope.cancel()
    if isinstance(answer, Exception):
        raise answer
    return answer


async def _report(ctx: Context, serving: Serving) -> None:
    """Send progress while a refresh runs; the SDK drops it for a client that did not ask."""
    step = 0.0
    while True:
        await anyio.sleep(_PROGRESS_SECONDS)
        progress = serving.progress
        if progress is not None:
            step += 1.0  # the protocol wants a number that grows; stages start anew
            await ctx.session.report_progress(
                step, None, f"{progress.stage}: {progress.files:,} files"
            )


def _caller(ctx: Context) -> str:
    """Who calls, as far as the transport tells sessions apart; "" where it does not."""
    if ctx.request is None:
        return STDIO_CALLER
    return str(ctx.request.headers.get(_SESSION_HEADER, ""))


def _wire(tool: Tool) -> WireTool:
    if tool.reads:
        hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    else:
        hints = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
    return WireTool(
        name=tool.name,
        description=tool.about,
        input_schema=schema(tool.params),
        annotations=hints,
        _meta=dict(tool.meta) or None,
    )


def _text(text: str, *, is_error: bool = False) -> CallToolResult:
    printable = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return CallToolResult(content=[TextContent(type="text", text=printable)], is_error=is_error)


def _version() -> str:
    try:
        return version("satchel")
    except PackageNotFoundError:
        return "0"
