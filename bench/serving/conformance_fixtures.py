"""What the protocol's conformance suite asks of any server: tools, prompts and resources by name.

They are laid over a server that the application factory made, so that transport, dispatch, errors,
lists and completion are the real ones. Names, texts and schemas are the suite's own; none of this
is shipped. State that a client hands back is sealed by the SDK.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as t
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged

from bench.serving.conformance_schemas import ELICITED, NOTHING, SCHEMAS
from satchel.mcp_server.app import SatchelServer
from satchel.mcp_server.calls import Context

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5E"
    "rkJggg=="
)
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
STATIC, BINARY = "test://static-text", "test://static-binary"
WATCHED, TEMPLATE = "test://watched-resource", "test://template/{id}/data"

Content = t.TextContent | t.ImageContent | t.AudioContent | t.EmbeddedResource
Params = t.CallToolRequestParams
Run = Callable[[Context, Params], Awaitable[t.CallToolResult | t.InputRequiredResult]]


def _text(text: str) -> t.TextContent:
    return t.TextContent(type="text", text=text)


def _said(text: str) -> t.CallToolResult:
    return t.CallToolResult(content=[_text(text)])


def _image() -> t.ImageContent:
    return t.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def _embedded(uri: str, text: str) -> t.EmbeddedResource:
    held = t.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return t.EmbeddedResource(type="resource", resource=held)


def _resource(uri: str) -> t.Resource:
    return t.Resource(uri=uri, name=uri.removeprefix("test://"), description="A fixture.")


def lay_over(server: SatchelServer) -> SatchelServer:
    """Add the suite's surface to `server`."""
    tools = _Tools(server)
    _extend(server, "tools/list", "tools", tools.listed())
    _extend(server, "prompts/list", "prompts", _PROMPTS)
    _extend(server, "resources/list", "resources", [_resource(STATIC), _resource(BINARY)])
    template = t.ResourceTemplate(uri_template=TEMPLATE, name="template", description="By id.")
    _extend(server, "resources/templates/list", "resource_templates", [template])
    _divert(server, "tools/call", lambda p: tools.run(p.name))
    _divert(server, "prompts/get", lambda p: _prompt if _is_prompt(p.name) else None)
    _divert(server, "resources/read", lambda p: _read if str(p.uri).startswith("test:") else None)
    for method, params in (
        ("logging/setLevel", t.SetLevelRequestParams),
        ("resources/subscribe", t.SubscribeRequestParams),
        ("resources/unsubscribe", t.UnsubscribeRequestParams),
    ):
        server.add_request_handler(method, params, _accept)
    security = RequestStateSecurity(keys=[b"a key of the fixtures, 32 bytes or more"])
    server.middleware.append(RequestStateBoundary(security, default_audience=server.name))
    return server


def _extend(server: SatchelServer, method: str, field: str, more: list[Any]) -> None:
    entry = server.get_request_handler(method)
    assert entry is not None

    async def handler(ctx: Context, params: Any) -> Any:  # noqa: ANN401
        found: Any = await entry.handler(ctx, params)
        return found.model_copy(update={field: [*getattr(found, field), *more]})

    server.add_request_handler(method, entry.params_type, handler)


def _divert(server: SatchelServer, method: str, choose: Callable[[Any], Any]) -> None:
    entry = server.get_request_handler(method)
    assert entry is not None

    async def handler(ctx: Context, params: Any) -> Any:  # noqa: ANN401
        return await (choose(params) or entry.handler)(ctx, params)

    server.add_request_handler(method, entry.params_type, handler)


async def _accept(_ctx: Context, _params: Any) -> t.EmptyResult:  # noqa: ANN401
    return t.EmptyResult()


class _Tools:
    """The suite's tools by name."""

    def __init__(self, server: SatchelServer) -> None:
        self._server = server
        self._plain: dict[str, list[Content]] = {
            "test_simple_text": [_text("This is a simple text response for testing.")],
            "test_image_content": [_image()],
            "test_audio_content": [
                t.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")
            ],
            "test_embedded_resource": [_embedded("test://embedded-resource", "Embedded content.")],
            "test_multiple_content_types": [
                _text("Multiple content types test:"),
                _image(),
                _embedded("test://mixed-content-resource", '{"test": "data", "value": 123}'),
            ],
        }
        self._active: dict[str, Run] = {
            "test_error_handling": _failing,
            "test_tool_with_progress": _progressing,
            "test_tool_with_logging": _logging,
            "test_logging_tool": _logging,
            "test_sampling": _sampling,
            "test_elicitation": _eliciting,
            "test_streaming_elicitation": _ROUNDS["elicitation"],
            "test_missing_capability": _missing_capability,
            "test_trigger_tool_change": self._tools_changed,
            "test_trigger_prompt_change": self._prompts_changed,
            "test_x_mcp_header": _done,
            "json_schema_2020_12_tool": _done,
        }
        self._active |= {f"test_input_required_result_{n}": run for n, run in _ROUNDS.items()}
        self._active |= {f"test_elicitation_{n}": _eliciting for n in ELICITED if n}

    def listed(self) -> list[t.Tool]:
        """Their definitions."""
        return [
            t.Tool(name=name, description="A fixture.", input_schema=SCHEMAS.get(name, NOTHING))
            for name in (*self._plain, *self._active)
        ]

    def run(self, name: str) -> Run | None:
        """What carries a tool out; None where it is none of ours."""
        content = self._plain.get(name)
        if content is None:
            return self._active.get(name)

        async def plain(_ctx: Context, _params: Params) -> t.CallToolResult:
            return t.CallToolResult(content=list(content))

        return plain

    async def _tools_changed(self, _ctx: Context, _params: Params) -> t.CallToolResult:
        await self._server.changes.publish(ToolsListChanged())
        return _said("changed")

    async def _prompts_changed(self, _ctx: Context, _params: Params) -> t.CallToolResult:
        await self._server.changes.publish(PromptsListChanged())
        return _said("changed")


async def _done(_ctx: Context, _params: Params) -> t.CallToolResult:
    return _said("done")


async def _failing(_ctx: Context, _params: Params) -> t.CallToolResult:
    text = _text("This tool intentionally returns an error for testing")
    return t.CallToolResult(content=[text], is_error=True)


async def _progressing(ctx: Context, _params: Params) -> t.CallToolResult:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100, f"Completed step {done} of 100")
    return _said("progressed")


async def _logging(ctx: Context, _params: Params) -> t.CallToolResult:
    for what in ("started", "processing data", "completed"):
        await ctx.session.send_log_message("info", f"Tool {what}", None, ctx.request_id)
    return _said("logged")


async def _sampling(ctx: Context, params: Params) -> t.CallToolResult:
    prompt = str((params.arguments or {}).get("prompt", ""))
    asked = [t.SamplingMessage(role="user", content=_text(prompt))]
    found = await ctx.session.create_message(
        asked, max_tokens=100, related_request_id=ctx.request_id
    )
    content = found.content
    return _said(f"LLM response: {content.text if isinstance(content, t.TextContent) else '?'}")


async def _eliciting(ctx: Context, params: Params) -> t.CallToolResult:
    kind = params.name.removeprefix("test_elicitation").lstrip("_")
    message = str((params.arguments or {}).get("message", "Please provide information"))
    found = await ctx.session.elicit_form(message, ELICITED[kind], ctx.request_id)
    return _said(f"User response: action={found.action}, content={json.dumps(found.content)}")


async def _missing_capability(ctx: Context, _params: Params) -> t.CallToolResult:
    declared = ctx.session.client_capabilities
    if declared is None or declared.sampling is None:
        raise MCPError(
            t.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool requires the client 'sampling' capability",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return _said("declared")


def _ask(message: str, field: str = "name", kind: str = "string") -> t.ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return t.ElicitRequest(
        params=t.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def _sample(question: str) -> t.CreateMessageRequest:
    message = t.SamplingMessage(role="user", content=_text(question))
    return t.CreateMessageRequest(
        params=t.CreateMessageRequestParams(messages=[message], max_tokens=100)
    )


def _rounds(requests: dict[str, Any], state: str | None = None) -> Run:
    """A tool that asks once for everything in `requests`, then is done."""

    async def run(_ctx: Context, params: Params) -> t.CallToolResult | t.InputRequiredResult:
        answered = params.input_responses or {}
        if requests.keys() <= answered.keys() and params.request_state == state:
            return _said(f"state-ok: {_answers(answered)}")
        return t.InputRequiredResult(input_requests=dict(requests), request_state=state)

    return run


async def _several_rounds(
    _ctx: Context, params: Params
) -> t.CallToolResult | t.InputRequiredResult:
    answered = params.input_responses or {}
    if params.request_state == "first" and "step1" in answered:
        color = _ask("Step 2: What is your favorite color?", "color")
        return t.InputRequiredResult(input_requests={"step2": color}, request_state="second")
    if params.request_state == "second" and "step2" in answered:
        return _said(_answers(answered))
    name = _ask("Step 1: What is your name?")
    return t.InputRequiredResult(input_requests={"step1": name}, request_state="first")


async def _as_declared(ctx: Context, _params: Params) -> t.InputRequiredResult:
    declared = ctx.session.client_capabilities
    requests: dict[str, Any] = {}
    if declared is None or declared.sampling is not None:
        requests["sample"] = _sample("Say hello")
    if declared is None or declared.elicitation is not None:
        requests["ask"] = _ask("What is your name?")
    return t.InputRequiredResult(input_requests=requests, request_state="gated")


def _answers(answered: dict[str, Any]) -> str:
    dumped = {name: answer.model_dump(mode="json") for name, answer in sorted(answered.items())}
    return json.dumps(dumped)


_ROUNDS: dict[str, Run] = {
    "elicitation": _rounds({"user_name": _ask("What is your name?")}),
    "sampling": _rounds({"capital_question": _sample("What is the capital of France?")}),
    "list_roots": _rounds({"client_roots": t.ListRootsRequest()}),
    "request_state": _rounds({"confirm": _ask("Please confirm", "ok", "boolean")}, "nonce"),
    "multiple_inputs": _rounds(
        {
            "user_name": _ask("What is your name?"),
            "greeting": _sample("Generate a greeting"),
            "client_roots": t.ListRootsRequest(),
        },
        "several",
    ),
    "multi_round": _several_rounds,
    "tampered_state": _rounds({"confirm": _ask("Please confirm", "ok", "boolean")}, "round-1"),
    "capabilities": _as_declared,
}


async def _prompt(
    _ctx: Context, params: t.GetPromptRequestParams
) -> t.GetPromptResult | t.InputRequiredResult:
    said = params.arguments or {}
    if params.name == "test_input_required_result_prompt" and not params.input_responses:
        context = _ask("What context should the prompt use?", "context")
        return t.InputRequiredResult(input_requests={"user_context": context})
    content: dict[str, list[Content]] = {
        "test_simple_prompt": [_text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            _text(f"Prompt with arguments: arg1='{said.get('arg1')}', arg2='{said.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            _embedded(said.get("resourceUri", "test://none"), "Embedded resource content."),
            _text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [_image(), _text("Please analyze the image above.")],
        "test_input_required_result_prompt": [_text(_answers(params.input_responses or {}))],
    }
    found = [t.PromptMessage(role="user", content=each) for each in content[params.name]]
    return t.GetPromptResult(messages=found)


async def _read(_ctx: Context, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
    uri = str(params.uri)
    found: t.TextResourceContents | t.BlobResourceContents
    if uri == BINARY:
        found = t.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
    elif uri in (STATIC, WATCHED):
        found = t.TextResourceContents(uri=uri, mime_type="text/plain", text=f"This is {uri}.")
    elif uri.startswith("test://template/") and uri.endswith("/data"):
        name = uri.split("/")[3]
        text = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
        found = t.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    else:
        raise MCPError(t.INVALID_PARAMS, "no such resource", {"uri": uri})
    return t.ReadResourceResult(contents=[found])


def _is_prompt(name: str) -> bool:
    return any(prompt.name == name for prompt in _PROMPTS)


_PROMPTS = [
    t.Prompt(
        name=name,
        description="A fixture.",
        arguments=[t.PromptArgument(name=n, description="Any.", required=True) for n in arguments],
    )
    for name, arguments in (
        ("test_simple_prompt", ()),
        ("test_prompt_with_arguments", ("arg1", "arg2")),
        ("test_prompt_with_embedded_resource", ("resourceUri",)),
        ("test_prompt_with_image", ()),
        ("test_input_required_result_prompt", ()),
    )
]
