"""The bounds of a request are declared once: what the tools state agrees with the request types."""

from typing import Any

import pytest
from msgspec import inspect

from satchel.knowledge import requests
from satchel.mcp_server.arguments import Kind, Param
from satchel.mcp_server.tools.knowledge_tools import TOOLS

_REQUESTS: dict[str, Any] = {
    "remember": requests.Entry,
    "revise": requests.Revise,
    "recall": requests.Recall,
    "set_context": requests.SetContext,
    "get_context": requests.GetContext,
    "knowledge_context": requests.KnowledgeContext,
    "twining_assemble": requests.TwiningAssemble,
    "twining_summarize": requests.TwiningSummarize,
    "twining_what_changed": requests.TwiningWhatChanged,
}
_NOT_IN_THE_REQUEST = {"session", "items"}
"""Parameters of the call: whose focus counts, and several requests in one."""


def fields(kind: Any) -> dict[str, Any]:
    """The type of each field of a request, without None."""
    return {field.name: without_none(field.type) for field in inspect.type_info(kind).fields}


def without_none(shape: Any) -> Any:
    if not isinstance(shape, inspect.UnionType):
        return shape
    kept = [part for part in shape.types if not isinstance(part, inspect.NoneType)]
    return kept[0] if len(kept) == 1 else shape


def bounds(shape: Any) -> tuple[Any, Any]:
    """(least, most): of a number, of the length of a text or list; None where there is none."""
    if isinstance(shape, inspect.IntType | inspect.FloatType):
        return shape.ge, shape.le
    return getattr(shape, "min_length", None), getattr(shape, "max_length", None)


CASES = [(tool.name, param) for tool in TOOLS for param in tool.params]


@pytest.mark.parametrize(("tool", "param"), CASES, ids=[f"{t}-{p.name}" for t, p in CASES])
def test_a_parameter_admits_what_its_request_does(tool: str, param: Param):
    known = fields(_REQUESTS[tool])
    if param.name in _NOT_IN_THE_REQUEST:
        assert param.name not in known
        return
    shape = known[param.name]
    low, high = bounds(shape)
    if low is not None and param.low is not None:
        assert param.low == low
    if param.kind in (Kind.ITEMS, Kind.OBJECT):
        assert (param.low, param.high) == (None, None)  # objects are checked by the request alone
    elif high is not None:
        assert param.high == high
    if isinstance(shape, inspect.EnumType):
        assert param.choices == tuple(str(value.value) for value in shape.cls)
    if isinstance(shape, inspect.LiteralType):
        assert set(param.choices) == set(shape.values)


def test_every_field_of_a_tool_that_is_passed_on_as_it_is_has_a_parameter():
    named = {tool.name: {param.name for param in tool.params} for tool in TOOLS}
    for tool in set(_REQUESTS) - {"remember", "revise", "recall"}:
        assert set(fields(_REQUESTS[tool])) == named[tool] - _NOT_IN_THE_REQUEST
