"""A field of a request is taken by every face, or refused by a source in words of its own."""

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Meta, Struct

from satchel.cli import asking, command_line
from satchel.mcp_server import surface
from satchel.questions import request
from satchel.questions.changes import CHANGES
from satchel.questions.context import CONTEXT
from satchel.questions.dependencies import DEPENDENCIES
from satchel.questions.overview import OVERVIEW
from satchel.questions.params import said
from satchel.questions.request import Question, Request, Style, read
from satchel.questions.search import SEARCH
from satchel.questions.symbols import SYMBOLS
from satchel.store.errors import UsageError
from satchel.workspace.checkout_view import CANNOT, view
from satchel.workspace.configuration.settings import Settings
from satchel.workspace.project import Project
from tests.support.satchel import satchel, silent

QUESTIONS = {
    "context": (CONTEXT, "context"),
    "search": (SEARCH, "search"),
    "symbols": (SYMBOLS, "symbols"),
    "dependencies": (DEPENDENCIES, "deps"),
    "changes": (CHANGES, "changes"),
    "overview": (OVERVIEW, "overview"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_field_is_a_parameter_of_its_tool_and_an_argument_of_its_command(name: str):
    question, command = QUESTIONS[name]
    fields = {param.name for param in request.params(question.request)}
    [tool] = [each for each in surface.tools() if each.name == name]
    assert fields - CANNOT.keys() <= {param.name for param in tool.params}
    # --ways and --until of `deps` are what `graph path` takes, under the same names.
    taken = {action.dest for action in command_line.parser(command)._actions}
    assert fields <= taken | _nested(command_line.parser(command), command)


def _nested(parser: ArgumentParser, command: str) -> set[str]:
    """What the command itself takes, where its parser is nested in that of all commands."""
    found: set[str] = set()
    for action in parser._actions:
        if isinstance(action.choices, dict) and command in action.choices:
            found |= {each.dest for each in action.choices[command]._actions}
    return found


def test_what_an_index_lacks_that_may_be_behind_its_files_is_not_found_yet(project):
    root = project("//- a.py\ndef here():\n    pass\n")
    code = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"})
    code.refresh(silent)

    def told(question: Question, notices: tuple[str, ...]) -> str:
        asked = read(question.request, {"name": "gone"}, code.settings)
        opened = partial(view, code, notices, ranked=False)
        try:
            return " ".join(question.text(request.answered(question, asked, opened), Style()).rows)
        except UsageError as error:
            return error.message

    assert told(SYMBOLS, ()) == "gone is not defined in the 1 file searched"
    assert told(DEPENDENCIES, ()) == "nothing here is called 'gone'"
    behind = ("the index is being brought up to date",)
    assert told(SYMBOLS, behind) == "gone is not found yet in the 1 file searched"
    assert told(DEPENDENCIES, behind) == "nothing here is called 'gone' yet"


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_hub_takes_every_field_or_says_why_not(name: str):
    pytest.importorskip("psycopg", reason="the extra `team` is not installed")
    from satchel.hub import asking as hub
    from satchel.hub.serving.tools import TOOLS

    question, _ = QUESTIONS[name]
    [tool] = [each for each in TOOLS if each.name == name]
    taken = {param.name for param in tool.params}
    fields = {param.name for param in request.params(question.request)}
    assert fields - taken == fields & hub.CANNOT.keys()


class _Asked(Request, frozen=True, kw_only=True):
    name: Annotated[str, Meta(max_length=9), said("a name", other_names=("called",))]
    rows: Annotated[int, Meta(ge=1, le=5), said("how many")] = 2


def test_a_new_field_is_read_from_arguments_under_its_own_name(tmp_path: Path):
    """The recipe of CONTRIBUTING: nothing but the field itself."""
    command = ArgumentParser()
    asking.add_fields(command, _Asked)
    args = command.parse_args(["--name", "send", "--rows", "3"])
    [line] = asking.read_questions(_Asked, args, tmp_path, Settings())
    assert line.request == _Asked(name="send", rows=3)
    assert read(_Asked, {"called": "send", "rows": "3"}, Settings()) == line.request


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("symbols", "x" * 1_001), "name has 1001 characters"),
        (("symbols", b"caf\xe9"), "name is no text"),
        (("search", "x", "--path", "y" * 5_000), "path has 5000 characters"),
        (("search", "x", "--max-results", str(10**30)), "max_results is "),
        (("deps", "x", "--depth", str(10**30)), "depth is "),
        (("context", "x", "--budget", "nan"), "budget_tokens is 'nan'"),
        (("deps", "x", "--across"), "a checkout has no other repositories"),
    ],
)
def test_a_command_has_the_bounds_that_a_tool_has(project, arguments, words: str):
    root = project("//- a.py\ndef x(): pass\n")
    shown = [a.decode("utf-8", "surrogateescape") if isinstance(a, bytes) else a for a in arguments]
    reply = satchel(*shown, "--root", root, cwd=root)
    assert reply.returncode == 2
    assert words in reply.stderr.decode()


def test_types_of_fields_are_those_of_a_struct():
    assert all(issubclass(question.request, Struct) for question, _ in QUESTIONS.values())
    with pytest.raises(UsageError, match="rows is 6"):
        read(_Asked, {"name": "a", "rows": 6}, Settings())
