"""What `--help` says: at 80 columns, with examples that are no inventions, and the exit codes."""

import plistlib
import re
import shlex
from argparse import ArgumentParser
from collections.abc import Iterator

import pytest

from satchel.cli.command_line import parser
from satchel.cli.command_table import COMMANDS, EXAMPLES, GROUPS
from satchel.knowledge.lifecycle import Action
from tests.support.satchel import ROOT, satchel

NAMES = [name for about in COMMANDS.values() for name in about]


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_a_terminal_and_ends_with_examples_and_exit_codes(
    name: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit):
        parser(name).parse_args([name, "--help"])
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if len(line) > 80] == []
    assert "\nexample" in printed and "\nexit code: 0 " in printed


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_is_described(name: str):
    assert [
        (command.prog, action.dest)
        for command in _commands(parser(name), name)
        for action in command._actions
        if not isinstance(action.choices, dict) and not action.help
    ] == []


def _commands(top: ArgumentParser, name: str) -> Iterator[ArgumentParser]:
    """The command of a name, and what is below it."""
    for action in top._actions:
        below = action.choices if isinstance(action.choices, dict) else {}
        for word, command in below.items():
            if isinstance(command, ArgumentParser) and name in (word, ""):
                yield command
                yield from _commands(command, "")


@pytest.mark.parametrize("example", [line for lines in EXAMPLES.values() for line in lines])
def test_examples_are_commands_that_can_be_typed(example: str):
    typed = re.search(r"satchel ((?:\"[^\"]*\"|[^|)\"])*)", example)
    assert typed
    words = shlex.split(typed[1])
    if "ACTION" not in words:
        assert parser(words[0]).parse_args(words).run


def test_a_revision_may_be_named_as_agents_and_git_name_it():
    assert parser("changes").parse_args(["changes", "--since", "24h"]).named_since == "24h"
    assert parser("impact").parse_args(["impact", "--since", "main"]).diff == "main"


def test_every_action_on_what_is_known_is_named():
    (command,) = _commands(parser("revise"), "revise")
    (text,) = (action.help for action in command._actions if action.dest == "action")
    assert str(text).split(", ") == list(Action)


def test_settings_are_shown_without_saying_so():
    assert parser("config").parse_args(["config"]).setting == "show"


def test_units_and_hooks_start_commands_that_can_be_typed():
    units = sorted((ROOT / "ci/units").iterdir())
    started = [
        shlex.split(line.partition("=")[2])
        for unit in units
        for line in unit.read_text("utf-8").splitlines()
        if line.startswith("ExecStart=")
    ]
    agents = [unit for unit in units if unit.suffix == ".plist"]
    started += [plistlib.loads(unit.read_bytes())["ProgramArguments"] for unit in agents]
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    started += [shlex.split(line) for line in re.findall(r"entry: (.+)", hooks)]
    assert len(started) == 6
    for program, *words in started:
        assert program.endswith("satchel") and parser(words[0]).parse_args(words).run


@pytest.mark.parametrize("words", [(), ("help",), ("--help",)])
def test_help_groups_the_commands_by_what_people_do(words: tuple[str, ...], tmp_path):
    reply = satchel(*words, cwd=tmp_path, environment={"COLUMNS": "80"})
    assert (reply.returncode, reply.stderr) == (0, b"")
    shown = re.findall(r"^  ([a-z][\w-]+)", reply.stdout.decode(), re.MULTILINE)
    assert shown == [name for names in GROUPS.values() for name in names]
    assert sorted(shown) == sorted(NAMES)


def test_help_of_a_command_is_its_help(tmp_path):
    asked = (("help", "show"), ("show", "--help"))
    one, other = (satchel(*words, cwd=tmp_path).stdout for words in asked)
    assert one == other and one.startswith(b"usage: satchel show")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("how do I greet",), "satchel context 'how do I greet'"),
        (("how", "do", "I", "greet"), "satchel context how do I greet"),
        (("ask", "who greets"), "satchel context 'who greets'"),
        (("find", "greet"), "satchel search greet"),
        (("mcp",), "`satchel setup CLIENT` enters the server"),
        (("install",), "`satchel setup CLIENT` enters the server"),
        (("update",), "`satchel reindex` brings the index up to date"),
        (("serch", "for", "a", "greeting"), "did you mean search?"),
        (("dependencies", "greet"), "satchel deps greet"),
        (("list",), "`satchel --help` lists"),
        (("explain", "greet"), "`satchel --help` lists"),
    ],
)
def test_what_is_no_command_has_a_hint_of_what_was_meant(words, hint: str, tmp_path):
    reply = satchel(*words, cwd=tmp_path)
    assert (reply.returncode, reply.stdout) == (2, b"")
    assert f"\nhint: {hint}" in reply.stderr.decode()
