"""The application factory: a serving project, its tools, resources and prompts as one server.

One server speaks every revision: the SDK reads from a client's first message which one is meant.
What handlers do not say here is in `calls`; this module only translates to the protocol's types.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplate,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from mcp_types import Prompt as WirePrompt
from mcp_types import Resource as WireResource
from mcp_types import Tool as WireTool

from satchel.assembler.quoting import clean
from satchel.mcp_server import prompts, resources, surface
from satchel.mcp_server.calls import Context, Worker, caller_of, client_of, session_of
from satchel.mcp_server.gateway.mounted_tools import is_mounted, visible
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.subscriptions import Subscriptions
from satchel.mcp_server.tool import UNKNOWN, error_lines, lists_memory, printable
from satchel.store.errors import SatchelError
from satchel.store.version import installed_version

# Few servers have processes that answer for them.
if TYPE_CHECKING:
    from satchel.mcp_server.answering.pool import WorkerPool
    from satchel.workspace.project import Project

# These lists stay the same for as long as a server runs, so a client may keep them for an hour.
_LISTS = CacheHint(ttl_ms=3_600_000, scope="private")
_MIME = "text/plain"
_MAKES_SPANS = "OpenTelemetryMiddleware"
"""The SDK's middleware of this name makes a span for each message."""


class SatchelServer(Server[Any]):
    """A server that says it may change its list of tools, in either era.

    What is published on `changes` reaches those who listen, since revision 2026-07-28.
    """

    changes: InMemorySubscriptionBus

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """What `initialize` answers with."""
        # The SDK's default says that the list of tools never changes, and a client of the older
        # revisions need not heed our notifications then.
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def create_server(serving: Serving, pool: WorkerPool | None = None) -> SatchelServer:
    """A server for one project, ready to be run over any transport; `pool` computes for it."""
    # One worker serves every request, because its limit on threads holds for all clients together.
    worker = Worker(serving, pool)
    changes = InMemorySubscriptionBus()
    # What is kept for the first time adds tools, and a focus changes which mounted ones fit.
    is_fixed = lists_memory(serving.project) and serving.gateway is None
    subscriptions = Subscriptions(serving, changes)
    server = SatchelServer(
        surface.NAME,
        version=installed_version(),
        title=surface.TITLE,
        description=surface.DESCRIPTION,
        instructions=surface.instructions(serving.project),
        cache_hints={
            **({"tools/list": _LISTS} if is_fixed else {}),
            "prompts/list": _LISTS,
            "resources/list": _LISTS,
            "resources/templates/list": _LISTS,
        },
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=partial(_read_resource, worker),
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=partial(_complete, worker),
        on_subscribe_resource=partial(_subscribe, subscriptions),
        on_unsubscribe_resource=partial(_unsubscribe, subscriptions),
        on_subscriptions_listen=partial(_listen, subscriptions, ListenHandler(changes)),
        lifespan=subscriptions.lifespan,
    )
    # The bus that subscribers listen on must be the one that tool calls publish to, or nobody hears
    # of a new focus.
    server.changes = changes
    if not serving.project.settings.telemetry.endpoint:
        # Nobody records its spans. The SDK does not export the class.
        server.middleware[:] = [
            each for each in server.middleware if type(each).__name__ != _MAKES_SPANS
        ]
    # These are added afterwards because tools publish on the server's bus.
    tools = _Tools(server, worker)
    server.add_request_handler("tools/list", PaginatedRequestParams, tools.list)
    server.add_request_handler("tools/call", CallToolRequestParams, tools.call)
    changed = "notifications/roots/list_changed"
    server.add_notification_handler(changed, NotificationParams, worker.roots.note_change)
    return server


class _Tools:
    """The tools of the project that is served, listed and called; it may become another one."""

    def __init__(self, server: SatchelServer, worker: Worker) -> None:
        self._changes = server.changes
        self._worker = worker
        self._has_gateway = worker.serving.gateway is not None
        self._made_for: Project | None = None
        if not self._has_gateway:
            # Otherwise the SDK makes the whole list for each call over HTTP, to find one tool.
            self._make()
            schemas = {
                n: self._wire[n].input_schema for n, tool in self._known.items() if tool.listed
            }
            server.get_tool_input_schema = schemas.get

    def _make(self) -> None:
        if (project := self._worker.serving.project) is self._made_for:
            return
        # Tools that are not listed can be called all the same, so the table of names holds more
        # than the list that clients see.
        known = surface.tools(with_upstreams=self._has_gateway, of_several=bool(project.members))
        self._known = {tool.name: tool for tool in known}
        # Each entry is made once and keeps its place, so that a client's prompt cache finds the
        # same bytes again.
        self._wire = {
            tool.name: WireTool.model_validate(surface.entry(tool, project.settings))
            for tool in known
        }
        self._made_for = project

    async def list(self, ctx: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        worker = self._worker
        with suppress(SatchelError):  # a call will say what is wrong with the client's folders
            await worker.roots.follow(ctx)
        self._make()
        project = worker.serving.project
        listed = [
            self._wire[tool.name] for tool in surface.listed_tools(self._known.values(), project)
        ]
        if not self._has_gateway:
            return ListToolsResult(tools=listed)
        mounted = await worker.run(
            ctx, "tools/list", lambda _stop: visible(worker.serving, session_of(ctx))
        )
        return ListToolsResult(tools=[*listed, *(each.tool for each in mounted)])

    async def call(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        self._make()
        worker, tool = self._worker, self._known.get(params.name)
        # Our own names win over mounted ones, so an upstream server cannot stand in for one of our
        # tools.
        if tool is None and self._has_gateway and is_mounted(params.name):
            return await worker.mounted(ctx, params.name, params.arguments or {})
        # The refusal lists our tools, so that a model can correct itself; names of other systems
        # would lead it on.
        if tool is None:
            listed = surface.listed_tools(self._known.values(), worker.serving.project)
            refused = (
                f"unknown tool {clean(params.name)}; tools: {', '.join(t.name for t in listed)}"
            )
            worker.serving.count(UNKNOWN, Stop(client=client_of(ctx)), refused, failed=True)
            raise MCPError(INVALID_PARAMS, refused)
        result, answer = await worker.call(ctx, tool, params.arguments or {})
        # Both eras are told: modern clients listen on the bus, and older ones know only the
        # notification on their connection.
        if answer is not None and answer.tools_changed:
            await self._changes.publish(ToolsListChanged())
            await ctx.session.send_tool_list_changed()  # to this client, before 2026-07-28
        return result


async def _list_resources(
    _ctx: Context, _params: PaginatedRequestParams | None
) -> ListResourcesResult:
    fixed = [each for each in resources.RESOURCES if not each.is_template]
    return ListResourcesResult(
        resources=[
            WireResource(uri=each.uri, name=each.name, description=each.about, mime_type=_MIME)
            for each in fixed
        ]
    )


async def _list_templates(
    _ctx: Context, _params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    templates = [each for each in resources.RESOURCES if each.is_template]
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=each.uri, name=each.name, description=each.about, mime_type=_MIME
            )
            for each in templates
        ]
    )


@contextmanager
def _protocol_errors(data: object = None) -> Iterator[None]:
    """Answer an error for people as one of the protocol, with `data`."""
    try:
        yield
    except SatchelError as error:
        raise MCPError(INVALID_PARAMS, error_lines(error), data) from error


async def _read_resource(
    worker: Worker, ctx: Context, params: ReadResourceRequestParams
) -> ReadResourceResult:
    uri = str(params.uri)
    with _protocol_errors({"uri": uri}):
        text = await worker.run(
            ctx, "resources/read", lambda stop: resources.read(worker.serving, uri, stop)
        )
    content = TextResourceContents(uri=uri, mime_type=_MIME, text=printable(text))
    return ReadResourceResult(contents=[content])


async def _listen(
    subscriptions: Subscriptions,
    stream: ListenHandler,
    ctx: Context,
    params: SubscriptionsListenRequestParams,
) -> SubscriptionsListenResult:
    # A client may listen for other things than resources, and then it names no address.
    addresses = tuple(map(str, params.notifications.resource_subscriptions or ()))
    with _protocol_errors():
        async with subscriptions.listening(addresses):
            return await stream(ctx, params)


async def _subscribe(
    subscriptions: Subscriptions, ctx: Context, params: SubscribeRequestParams
) -> EmptyResult:
    with _protocol_errors():
        await subscriptions.subscribe(caller_of(ctx), ctx.session, str(params.uri))
    return EmptyResult()


async def _unsubscribe(
    subscriptions: Subscriptions, ctx: Context, params: UnsubscribeRequestParams
) -> EmptyResult:
    subscriptions.unsubscribe(caller_of(ctx), str(params.uri))
    return EmptyResult()


async def _list_prompts(_ctx: Context, _params: PaginatedRequestParams | None) -> ListPromptsResult:
    return ListPromptsResult(
        prompts=[
            WirePrompt(
                name=prompt.name,
                description=prompt.about,
                arguments=[
                    PromptArgument(
                        name=prompt.argument,
                        description=prompt.argument_about,
                        # An argument that has a default may be left out, and an empty default is
                        # how a prompt says that it has none.
                        required=not prompt.default,
                    )
                ],
            )
            for prompt in prompts.PROMPTS
        ]
    )


async def _get_prompt(_ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
    prompt = next((each for each in prompts.PROMPTS if each.name == params.name), None)
    if prompt is None:
        known = ", ".join(each.name for each in prompts.PROMPTS)
        raise MCPError(INVALID_PARAMS, f"unknown prompt; known: {known}")
    with _protocol_errors():
        text = prompts.text(prompt, params.arguments or {})
    message = PromptMessage(role="user", content=TextContent(type="text", text=printable(text)))
    return GetPromptResult(description=prompt.about, messages=[message])


async def _complete(worker: Worker, ctx: Context, params: CompleteRequestParams) -> CompleteResult:
    name, start = params.argument.name, params.argument.value
    with _protocol_errors():
        found = await worker.run(
            ctx,
            "completion/complete",
            lambda stop: resources.complete(worker.serving, name, start, stop),
        )
    return CompleteResult(completion=Completion(values=[printable(value) for value in found]))
