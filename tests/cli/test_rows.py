"""What commands print at a terminal: its width, places that open from there, colours, links."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from satchel.cli import rows, screen
from satchel.cli.screen import Screen
from tests.support.pseudo_terminal import run
from tests.support.satchel import index, satchel, warm_command

CODE = """
//- app/sending/messages.py
from app.queue import push_the_message_to_a_queue_of_the_right_priority

def send_a_message(message, priority, deadline, on_delivered=None, on_failed=None, retries=3):
    '''Deliver a message later.'''
    push_the_message_to_a_queue_of_the_right_priority(message, priority, deadline, retries)
//- app/queue.py
def push_the_message_to_a_queue_of_the_right_priority(item, priority, deadline, retries):
    return [item, priority, deadline, retries]
"""
ASKED = [
    ("status", "--skipped"),
    ("overview",),
    ("symbols", "send_a_message"),
    ("symbols", "send_a_massage"),
    ("search", "deliver a message later"),
    ("deps", "send_a_message"),
    ("graph", "central"),
    ("state",),
    ("config", "show"),
    ("knowledge", "stats"),
    ("frobnicate",),
]
_CODES = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;.*?\x1b\\\\")


@pytest.fixture
def root(project) -> Path:
    root = project(CODE)
    index(root)
    return root


def at_terminal(words: tuple[str, ...], cwd: Path, variables: Mapping[str, str]) -> str:
    """What a command prints to a terminal of 80 columns."""
    # Nobody would press a key to leave a pager.
    settings = {"SATCHEL_PAGER": "", **variables}
    seen = run(*words, cwd=cwd, environment=settings, size=(50, 80), program=warm_command())
    return seen.text.replace("\r\n", "\n")


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_no_line_is_wider_than_the_terminal(words: tuple[str, ...], root: Path):
    printed = at_terminal(words, root, {})
    wide = [line for line in _CODES.sub("", printed).splitlines() if len(line) > 80]
    # A word that is longer than a line, as a path, cannot be broken: it would not open any more.
    assert [line for line in wide if max(map(len, line.split())) < 70] == []
    assert printed.strip()


def test_places_open_from_where_the_person_stands(root: Path):
    below = root / "app" / "sending"
    plain = satchel("symbols", "send_a_message", cwd=below).stdout.decode()
    assert plain.startswith("messages.py:3-5  function send_a_message")
    rows_below = satchel("search", "--exact", "return [item", cwd=below).stdout.decode()
    assert rows_below.startswith("../queue.py\n  2 ")
    as_json = satchel("symbols", "send_a_message", "--json", cwd=below).stdout
    assert b'"path":"app/sending/messages.py"' in as_json
    context = satchel("context", "deliver a message", cwd=below).stdout
    assert b"\napp/sending/messages.py\n" in context  # a pack is for a model, which stands nowhere


def test_colours_are_where_a_terminal_has_them_and_nobody_declined(root: Path):
    asked = ("symbols", "send_a_message")
    coloured = at_terminal(asked, root, {})
    assert coloured.startswith("\x1b[35mapp/sending/messages.py\x1b[0m:\x1b[32m3-5\x1b[0m")
    assert "\x1b" not in at_terminal(asked, root, {"NO_COLOR": "1"})
    assert "\x1b" not in at_terminal(asked, root, {"TERM": "dumb"})
    assert "\x1b" not in at_terminal((*asked, "--color", "never"), root, {})
    assert b"\x1b" not in satchel(*asked, cwd=root).stdout
    assert b"\x1b[35m" in satchel(*asked, "--color", "always", cwd=root).stdout
    linked = at_terminal(asked, root, {"VTE_VERSION": "7600"})
    assert f"\x1b]8;;{(root / 'app/sending/messages.py').as_uri()}\x1b\\" in linked
    assert "\x1b]8" not in coloured


@pytest.mark.parametrize(
    ("variables", "colours"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm"}, False),  # this test runs without a terminal
    ],
)
def test_variables_decide_about_colours(variables: Mapping[str, str], colours: bool):
    assert screen.of_process(variables).colours is colours


def test_a_row_is_broken_at_words_and_what_is_no_file_stays(tmp_path: Path):
    (tmp_path / "a.py").touch()
    row = "  a.py:3  b.py:4  " + "word " * 20
    shown = rows.lay_out(row.rstrip(), tmp_path, tmp_path, Screen(columns=40, colours=True))
    assert shown.startswith("  \x1b[35ma.py\x1b[0m:\x1b[32m3\x1b[0m  b.py:4  word")
    assert all(len(_CODES.sub("", line)) <= 40 for line in shown.split("\n"))
    assert [line[:6] for line in shown.split("\n")[1:]] == ["      "] * 3
    assert rows.lay_out(row, tmp_path, tmp_path, Screen()) == row
