"""Serving a hub to agents: MCP over HTTP, a bearer token a request, a role of PostgreSQL a person.

The server listens on the loopback address; whoever wants it on a network puts a proxy with TLS in
front. It keeps nothing: each call has a connection of its own, reads in the role of the person
whose token came with it, and leaves a row in the audit log.
"""

from __future__ import annotations

from typing import Any

import anyio
import uvicorn
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as WireTool
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.hub import access, database
from satchel.hub.serving.page import hub_page
from satchel.hub.serving.tools import TOOLS, HubTool
from satchel.mcp_server.arguments import checked
from satchel.mcp_server.calls import printable, told
from satchel.mcp_server.params import schema
from satchel.mcp_server.transport import http
from satchel.mcp_server.transport.connection_limits import ADMITTED
from satchel.store.errors import SatchelError, UsageError
from satchel.store.version import installed_version
from satchel.workspace.configuration.settings import Settings

# A call holds a connection of PostgreSQL, of which there are 100 unless somebody says otherwise.
_CALLS_AT_ONCE = 8
_SECONDS = 60
"""A query that takes longer is ended in PostgreSQL."""
_PERSON = "satchel.person"
_SETTINGS = Settings()
_BY_NAME = {tool.name: tool for tool in TOOLS}
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
Context = ServerRequestContext[Any, Any]


def run(url: str, port: int) -> None:
    """Serve until the process is told to end.

    Raises:
        UsageError: nobody can be served on this port, or there is no hub.
        HubUnavailable: PostgreSQL cannot be reached.
    """
    with database.connected(url):
        pass  # an error now, and not with the first call
    server = uvicorn.Server(http.config(app(url, port), port))

    async def serve() -> None:
        try:
            await server.serve()
        except SystemExit:  # how uvicorn says that it could not start
            return

    anyio.run(serve)
    if not server.started:
        raise UsageError(f"port {port} cannot be served on", "give another port")


def app(url: str, port: int) -> ASGIApp:
    """The server as an ASGI application: agents at /mcp, people and their page everywhere else."""
    limiter = anyio.CapacityLimiter(_CALLS_AT_ONCE)

    async def list_tools(_ctx: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                WireTool(
                    name=tool.name,
                    description=tool.about,
                    input_schema=schema(tool.params, _SETTINGS, full=True),
                    annotations=_READS,
                )
                for tool in TOOLS
            ]
        )

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = _BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"unknown tool; known: {', '.join(_BY_NAME)}")
        person = str(ctx.request.scope[_PERSON]) if ctx.request is not None else ""
        given = params.arguments or {}
        return await run_sync(lambda: _answer(url, person, tool, given), limiter=limiter)

    server: Server[Any] = Server(
        "satchel-hub",
        version=installed_version(),
        instructions="The code of a team's repositories: ask `context` first, in words and names.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    # A page in a browser must not reach the server under a name of its own (DNS rebinding).
    names = [f"{name}:{port}" for name in (http.HOST, "localhost", "[::1]")]
    inner = server.streamable_http_app(
        streamable_http_path=http.PATH,
        max_request_body_size=http.MAX_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        ),
    )
    agents, people = _guarded(inner, url, limiter), hub_page(url, port, limiter)

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        is_page = scope["type"] == "http" and not scope["path"].startswith(http.PATH)
        await (people if is_page else agents)(scope, receive, send)

    return either


def _guarded(inner: ASGIApp, url: str, limiter: anyio.CapacityLimiter) -> ASGIApp:
    """`inner`, for whoever sends a token that is good now."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # starting and ending
            return await inner(scope, receive, send)
        authorization = Request(scope).headers.get("authorization", "")
        status, why = 401, "send a token of `satchel hub token` as a bearer token\n"
        try:
            person = await run_sync(lambda: _person(url, authorization), limiter=limiter)
        except SatchelError:
            person, status, why = None, 503, "the hub's PostgreSQL does not answer\n"
        if person is None:
            headers = {"WWW-Authenticate": "Bearer", "Connection": "close"}
            return await PlainTextResponse(why, status, headers)(scope, receive, send)
        # The person travels with the request; nothing in its body can say who asks.
        scope[ADMITTED], scope[_PERSON] = True, person
        await inner(scope, http.hurried(receive), send)
        return None

    return guard


def _person(url: str, authorization: str) -> str | None:
    scheme, _, token = authorization.partition(" ")
    # Without a token nothing is asked of PostgreSQL.
    if scheme.lower() != "bearer" or not token:
        return None
    with database.connected(url) as hub:
        return access.person_of(hub, token.strip())


def _answer(url: str, person: str, tool: HubTool, given: dict[str, Any]) -> CallToolResult:
    """A tool's result in the role of a person; what the caller can mend is a tool error."""
    repositories: tuple[str, ...] = ()
    outcome, text = "answered", ""
    try:
        arguments = checked(tool.params, given, _SETTINGS)
        with database.connected(url) as hub:
            # A question must not hold one of few connections for as long as it likes.
            hub.execute(f"SET statement_timeout = '{_SECONDS}s'")
            answer = tool.run(hub, access.role_of(person), arguments)
            text, repositories = answer.text, answer.repositories
            access.note(hub, person, tool.name, repositories, outcome)
    except SatchelError as error:
        # On a new connection, since the error may have been that of the other one.
        outcome, text = "refused", told(error)
        with database.connected(url) as hub:
            access.note(hub, person, tool.name, repositories, outcome)
    content = TextContent(type="text", text=printable(text))
    return CallToolResult(content=[content], is_error=outcome != "answered")
