"""The HTTP server of a hub: MCP for agents, the page for people, webhooks for code hosts.

Each request carries a bearer token, and each person has a role of PostgreSQL. The server listens on
the loopback address; a network needs a proxy with TLS in front. It stores nothing but connections.
Each call has its own connection, reads in the role of the person whose token it carries, and adds a
row to the audit log. If the client cancels a call, its query is cancelled in PostgreSQL.
"""

import socket
from contextlib import suppress
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
from satchel.hub.access import Caller
from satchel.hub.asking import CANNOT
from satchel.hub.serving import webhooks
from satchel.hub.serving.connections import NO_POSTGRES, Connections, Running
from satchel.hub.serving.page import hub_page
from satchel.hub.serving.sessions import CALLER, new_secret
from satchel.hub.serving.sign_on import SignOn
from satchel.hub.serving.tool import HubCall, HubTool
from satchel.hub.serving.tools import TOOLS
from satchel.mcp_server.tool import error_lines, printable
from satchel.mcp_server.transport import http
from satchel.questions.arguments import checked
from satchel.questions.params import schema
from satchel.questions.request import refuse_given
from satchel.store.errors import SatchelError, UsageError
from satchel.store.version import installed_version
from satchel.workspace.configuration.settings import Settings
from satchel.workspace.serving.connection_limits import ADMITTED, COME_AGAIN, EXAMINED, config

# Each call needs a connection of PostgreSQL, which allows 100 by default.
_CALLS_AT_ONCE = 8
# Separate from calls: a caller without a token must not learn how busy others are, nor wait.
_TOKENS_AT_ONCE = 4
_SETTINGS = Settings()
_BY_NAME = {tool.name: tool for tool in TOOLS}
Context = ServerRequestContext[Any, Any]


def run(url: str, port: int, listening: socket.socket | None = None, secret: bytes = b"") -> None:
    """Serve until the process is told to end, on the socket `listening` if there is one.

    Processes that share a socket share a `secret` of `sessions.new_secret` as well.

    Raises:
        UsageError: nobody can be served on this port, or there is no hub.
        HubUnavailable: PostgreSQL cannot be reached.
    """
    with database.connected(url):
        pass  # an error now, and not with the first call
    with Connections(url, _CALLS_AT_ONCE + _TOKENS_AT_ONCE) as hubs:
        server = uvicorn.Server(config(app(hubs, port, secret or new_secret()), port))

        async def serve() -> None:
            try:
                await server.serve(sockets=[listening] if listening else None)
            except SystemExit:  # how uvicorn says that it could not start
                return

        anyio.run(serve)
    if not server.started:
        raise UsageError(f"port {port} cannot be used", "give another port")


def app(hubs: Connections, port: int, secret: bytes) -> ASGIApp:
    """The server as an ASGI application: agents at /mcp, people and their page everywhere else."""
    limiter = anyio.CapacityLimiter(_CALLS_AT_ONCE)

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = _BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"unknown tool; known: {', '.join(_BY_NAME)}")
        assert ctx.request is not None  # there is no transport but HTTP
        caller: Caller = ctx.request.scope[CALLER]
        given, running = params.arguments or {}, Running()
        try:
            return await run_sync(
                lambda: _answer(hubs, caller, tool, given, running),
                limiter=limiter,
                abandon_on_cancel=True,
            )
        except anyio.get_cancelled_exc_class():
            # The thread goes on until PostgreSQL answers, so PostgreSQL is told to stop.
            with anyio.CancelScope(shield=True):
                await run_sync(running.cancel)
            raise

    server: Server[Any] = Server(
        "satchel-hub",
        version=installed_version(),
        instructions="The code of a team's repositories: ask `context` first, in words and names.",
        on_list_tools=_list_tools,
        on_call_tool=call_tool,
    )
    # A page in a browser must not reach the server under a name of its own (DNS rebinding).
    names = [f"{name}:{port}" for name in (http.HOST, "localhost", "[::1]")]
    inner = server.streamable_http_app(
        streamable_http_path=http.PATH,
        # Older clients open a session, which no other process of this port would know.
        stateless_http=True,
        max_request_body_size=http.MAX_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        ),
    )
    sign_on = SignOn()
    agents = _guarded(inner, hubs, anyio.CapacityLimiter(_TOKENS_AT_ONCE), sign_on)
    people, hooks = hub_page(hubs, port, limiter, sign_on, secret), webhooks.webhooks(hubs, limiter)

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else http.PATH
        if path == webhooks.PATH:
            return await hooks(scope, http.with_deadline(receive), send)
        return await (agents if path.startswith(http.PATH) else people)(scope, receive, send)

    return either


async def _list_tools(_ctx: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(
        tools=[
            WireTool(
                name=tool.name,
                description=tool.about,
                input_schema=schema(tool.params, _SETTINGS, full=True),
                annotations=ToolAnnotations(
                    read_only_hint=tool.reads,
                    destructive_hint=tool.may_delete,
                    open_world_hint=False,
                ),
            )
            for tool in TOOLS
        ]
    )


def _guarded(
    inner: ASGIApp, hubs: Connections, limiter: anyio.CapacityLimiter, sign_on: SignOn
) -> ASGIApp:
    """`inner`, for requests with a valid token."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # starting and ending
            return await inner(scope, receive, send)
        authorization = Request(scope).headers.get("authorization", "")
        refusal = PlainTextResponse(
            "send a token of `satchel hub token` as a bearer token\n",
            401,
            {"WWW-Authenticate": "Bearer", "Connection": "close"},
        )
        scope[EXAMINED] = True
        try:
            caller = await run_sync(lambda: _caller(hubs, sign_on, authorization), limiter=limiter)
        except SatchelError:
            caller, refusal = None, PlainTextResponse(NO_POSTGRES, 503, COME_AGAIN)
        finally:
            del scope[EXAMINED]
        if caller is None:
            return await refusal(scope, receive, send)
        # The person comes from the token alone; nothing in the body can name another.
        scope[ADMITTED], scope[CALLER] = True, caller
        await inner(scope, http.with_deadline(receive), send)
        return None

    return guard


def _caller(hubs: Connections, sign_on: SignOn, authorization: str) -> Caller | None:
    scheme, _, token = authorization.partition(" ")
    # Without a token nothing is asked of PostgreSQL.
    if scheme.lower() != "bearer" or not token:
        return None
    with hubs.connected() as hub:
        return sign_on.caller(hub, token.strip())


def _answer(
    hubs: Connections, caller: Caller, tool: HubTool, given: dict[str, Any], running: Running
) -> CallToolResult:
    """The result of a tool, run in the role of a person.

    Errors that the caller can correct become tool errors.
    """
    repositories: tuple[str, ...] = ()
    outcome, text, asked = "answered", "", str(given)
    try:
        with hubs.connected(running) as hub:
            access.admit(hub, caller)
            refuse_given(given, CANNOT)
            arguments = checked(tool.params, given, _SETTINGS)
            answer = tool.run(HubCall(hub, caller.person, arguments))
            text, repositories = answer.text, answer.repositories
            access.note(hub, caller.person, tool.name, repositories, outcome, asked)
    except SatchelError as error:
        outcome, text = "refused", error_lines(error)
        # On a new connection, since the first may have failed. Where PostgreSQL does not answer the
        # caller is told so, and there is no log to write to.
        with suppress(SatchelError), hubs.connected() as hub:
            access.note(hub, caller.person, tool.name, (), outcome, asked)
    content = TextContent(type="text", text=printable(text))
    return CallToolResult(content=[content], is_error=outcome != "answered")
