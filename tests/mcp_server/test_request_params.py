"""Tools that ask about knowledge take types, bounds and choices from the requests they make."""

from typing import Annotated, Literal

import pytest
from msgspec import Meta, Struct

from satchel.knowledge import requests
from satchel.mcp_server import surface
from satchel.questions.params import Kind, fields_of, said


class Asked(Struct):
    name: Annotated[str, Meta(min_length=2, max_length=9), said("the name")]
    count: Annotated[Annotated[int, Meta(ge=1, le=5)] | None, said("the count")] = None
    share: Annotated[float, Meta(le=1), said("the share")] = 0.5
    order: Annotated[Literal["up", "down"], said("the order")] = "up"
    tags: Annotated[tuple[str, ...], Meta(max_length=3), said("the tags", listed=False)] = ("open",)
    parts: Annotated[tuple[requests.LinkTo, ...], said("the parts")] = ()
    grade: Annotated[float | str | None, said("the grade")] = None
    whole: Annotated[bool, said("the whole")] = False
    other: bytes = b""


class Untaken(Struct):
    other: Annotated[bytes, said("bytes")] = b""


def test_a_parameter_has_the_type_bounds_choices_and_default_of_its_field():
    found = {each.name: each for each in fields_of(Asked)}
    assert list(found) == [name for name in Asked.__struct_fields__ if name != "other"]
    shapes = {name: (p.kind, p.low, p.high, p.default) for name, p in found.items()}
    assert shapes == {
        "name": (Kind.TEXT, 2, 9, None),
        "count": (Kind.WHOLE, 1, 5, None),
        "share": (Kind.NUMBER, None, 1, 0.5),
        "order": (Kind.TEXT, None, None, "up"),
        "tags": (Kind.TEXTS, None, 3, ["open"]),
        "parts": (Kind.ITEMS, None, None, None),
        "grade": (Kind.GRADE, None, None, None),
        "whole": (Kind.FLAG, None, None, False),
    }
    assert found["order"].choices == ("down", "up")
    assert [name for name, param in found.items() if param.required] == ["name"]
    assert [name for name, param in found.items() if not param.listed] == ["tags"]
    assert all(param.about == f"the {name}" for name, param in found.items())


def test_a_field_that_no_tool_can_take_is_an_error_at_the_start():
    with pytest.raises(ValueError, match="BytesT"):
        fields_of(Untaken)


@pytest.mark.parametrize(
    ("tool", "request_type"),
    [
        ("set_context", requests.SetContext),
        ("get_context", requests.GetContext),
        ("knowledge_context", requests.KnowledgeContext),
        ("twining_assemble", requests.TwiningAssemble),
        ("twining_summarize", requests.TwiningSummarize),
        ("twining_what_changed", requests.TwiningWhatChanged),
        ("recall", requests.Recall),
    ],
)
def test_every_field_of_a_request_has_a_parameter(tool: str, request_type: type[Struct]):
    [found] = [each for each in surface.tools() if each.name == tool]
    named = {param.name for param in found.params} - {"session"}
    assert named == set(request_type.__struct_fields__)
