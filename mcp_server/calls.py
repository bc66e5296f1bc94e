"""Runs a tool call: checks it, runs it on a worker thread, counts it, words its failure.

A call that its client cancels is told to stop, and one that asked for progress is told how far the
index is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, TextContent

from satchel.mcp_server import telemetry
from satchel.mcp_server.client_roots import ClientRoots
from satchel.mcp_server.gateway import mounted_tools
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import (
    DEPENDENCIES,
    STDIO,
    Answer,
    Call,
    Tool,
    client_name,
    error_lines,
    reply_text,
    run_counted,
    run_here,
    session_key,
)
from satchel.store.errors import SatchelError
from satchel.workspace.serving.build_progress import in_words

# Few servers have processes that answer for them.
if TYPE_CHECKING:
    from satchel.mcp_server.answering.pool import WorkerPool

_logger = logging.getLogger("satchel.mcp")
_CALLS_AT_ONCE = 8
"""Worker threads: more would only take turns at the interpreter's lock."""
_AHEAD = 2
"""Calls beyond the number of processes that are made ready for one."""
_PROGRESS_SECONDS = 0.25
_SESSION_HEADER = "mcp-session-id"
_T = TypeVar("_T")

Context = ServerRequestContext[Any, Any]


class Worker:
    """Runs the work of calls on threads, a few at a time; what is slow in a process, if it can."""

    def __init__(self, serving: Serving, pool: WorkerPool | None = None) -> None:
        self.serving = serving
        self.roots = ClientRoots(serving)
        self._pool = pool
        self._limiter = anyio.CapacityLimiter(_CALLS_AT_ONCE)
        # Their threads only wait, and quick calls must not wait for one of them.
        self._slow = anyio.CapacityLimiter(pool.n_processes + _AHEAD) if pool else self._limiter

    async def call(
        self, ctx: Context, tool: Tool, given: Mapping[str, object]
    ) -> tuple[CallToolResult, Answer | None]:
        """A tool's result, and its answer unless it failed.

        What the caller can mend comes back as a tool error.

        Raises:
            MCPError: the tool failed in a way nobody foresaw.
        """

        stop = Stop(client=client_of(ctx))

        def work(stop: Stop) -> Answer:
            return run_counted(tool, given, self.serving, stop, caller_of(ctx), self._computed)

        try:
            answer = await self.run(ctx, tool.name, work, stop, is_slow=tool.is_slow)
        except SatchelError as error:
            return _result(tool.error_text(error), is_error=True), None
        finally:
            if self.serving.project.settings.telemetry.endpoint:
                telemetry.add_stages(stop.began, stop.stages)
        return _result(answer.text), answer

    def _computed(self, tool: Tool, call: Call) -> Answer:
        # What is installed is indexed before it is asked, which a process of this kind does not do.
        if self._pool and tool.is_slow and not call.arguments.flag(DEPENDENCIES.name):
            return self._pool.run(tool, call)
        return run_here(tool, call)

    async def mounted(self, ctx: Context, name: str, given: Mapping[str, Any]) -> CallToolResult:
        """The result of an upstream server's tool; what goes wrong there is a tool error."""
        try:
            return await self.run(
                ctx,
                name,
                lambda _stop: mounted_tools.call(self.serving, session_of(ctx), name, given),
            )
        except SatchelError as error:
            return _result(error_lines(error), is_error=True)

    async def run(
        self,
        ctx: Context,
        name: str,
        work: Callable[[Stop], _T],
        stop: Stop | None = None,
        *,
        is_slow: bool = False,
    ) -> _T:
        """What `work` returns on a worker thread, saying how the index comes along meanwhile.

        When the client cancels, nothing waits for the thread: its `Stop` tells it to end.

        Raises:
            SatchelError: as `work` does.
            MCPError: it failed in a way nobody foresaw. What failed goes to the log: an exception's
                own words may quote the code base.
        """
        await self.roots.follow(ctx)
        # The time limit starts here, before a thread is free, so waiting for one counts against the
        # call.
        stop = stop or Stop()
        limiter = self._slow if is_slow else self._limiter

        def guarded() -> _T | Exception:
            try:
                return work(stop)
            except Exception as error:  # raised below: a task group would wrap it in a group
                return error

        try:
            async with anyio.create_task_group() as group:
                # Progress runs beside the work in one group, so that a cancelled request ends both.
                group.start_soon(_report, ctx, self.serving)
                with self.serving.busy():
                    # An abandoned thread gives its place in the limiter back although it still
                    # runs, so it must learn soon that nobody waits: `stop` is set in any case
                    # below.
                    found = await run_sync(guarded, abandon_on_cancel=True, limiter=limiter)
                # The reporter never ends by itself, and the group would wait for it forever.
                group.cancel_scope.cancel()
        finally:
            stop.set()
        # These two are worded for whoever asked, and pass as they are.
        if isinstance(found, SatchelError | MCPError):
            raise found
        if isinstance(found, Exception):
            _logger.error("%s failed", name, exc_info=found)
            raise MCPError(INTERNAL_ERROR, f"{name} failed: {type(found).__name__}") from found
        return found


async def _report(ctx: Context, serving: Serving) -> None:
    """Send progress while a refresh runs; the SDK drops it for a client that did not ask."""
    step = 0.0
    while True:
        await anyio.sleep(_PROGRESS_SECONDS)
        progress = serving.progress
        if progress is not None:
            step += 1.0  # the protocol wants a number that grows; stages start anew
            await ctx.session.report_progress(step, None, in_words(progress))


def session_of(ctx: Context) -> str:
    """Whose focus counts where a request cannot name one."""
    return session_key(caller_of(ctx))


def caller_of(ctx: Context) -> str:
    """Who calls, as far as the transport tells sessions apart; "" where it does not."""
    # Only HTTP has a request; without one there is a single client, on standard input.
    if ctx.request is None:
        return STDIO
    return str(ctx.request.headers.get(_SESSION_HEADER, ""))


def client_of(ctx: Context) -> str:
    """The name that the program which calls gave itself, "" where it gave none."""
    params = ctx.session.client_params
    return client_name(params.client_info.name) if params else ""


def _result(text: str, *, is_error: bool = False) -> CallToolResult:
    content = TextContent(type="text", text=reply_text(text))
    return CallToolResult(content=[content], is_error=is_error)
