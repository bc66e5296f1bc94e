"""A question that adds an option is shown where options are declared, in whatever way they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.assembler import assemble
from satchel.assembler.kinds import Scope
from satchel.assembler.packing import shown as shown_module
from satchel.assembler.packing.shown import Piece, reader
from satchel.assembler.packing.units import Unit
from satchel.assembler.query import change_requests
from satchel.assembler.query.question import NamedPlace, Question
from satchel.store.model import RepoPath
from tests.support.satchel import index

CODE = """
//- app/client.py
def send_request(session, args):
    for attempt in range(args.max_attempts):
        response = session.send(timeout=args.read_timeout)
        if response.ok:
            return response
//- app/other.py
def max_attempts_of(server):
    return server.pool.read_timeout + 1
"""
DECLARED = {
    "a field": """
//- app/%s.py
class Values:
    max_attempts: int = 3
    read_timeout: float = 1.0
""",
    "a parser": """
//- app/%s.py
def build(parser):
    parser.accept("--max-attempts", type=int)
    parser.accept("--read-timeout", type=float)
""",
    "a key": """
//- app/%s.py
VALUES = {
    "max_attempts": 3,
    "read_timeout": 1.0,
}
""",
}
ASKED = "Add an option to send_request that waits before each further attempt"


def shown(project_at: Path, question: str) -> list[str]:
    with index(project_at).snapshot() as snapshot:
        pack = assemble.context(snapshot, Question(question, Scope.IMPL), 4_000)
    return [e.path for e in pack.excerpts if e.reason.startswith("options declared")]


@pytest.mark.parametrize("way", DECLARED)
def test_the_list_of_options_that_the_code_reads_is_shown(project, way: str):
    # Names that nothing of the question is in, so that words alone do not lead there.
    assert shown(project(CODE + DECLARED[way] % "settings"), ASKED) == ["app/settings.py"]


def test_a_question_about_the_code_brings_no_list(project):
    tree = project(CODE + DECLARED["a field"] % "settings")
    assert shown(tree, "how does send_request wait before each further attempt") == []


def test_a_list_in_a_file_that_has_changed_is_left_out_and_said(project):
    with index(project(CODE + DECLARED["a field"] % "settings")).snapshot() as snapshot:
        pack = assemble.context(
            snapshot,
            Question(ASKED, Scope.IMPL),
            4_000,
            assemble.PackOptions(is_current=lambda path, _: path != "app/settings.py"),
        )
    assert pack.excerpts
    assert all(e.path != "app/settings.py" for e in pack.excerpts)
    assert "app/settings.py" in pack.text


def test_a_list_that_was_taken_out_by_hand_stays_out(project):
    tree = project(CODE + DECLARED["a field"] % "settings")
    question = Question(ASKED, Scope.IMPL, taken_out=(NamedPlace("app/settings.py", 1, 3),))
    with index(tree).snapshot() as snapshot:
        pack = assemble.context(snapshot, question, 4_000)
    assert pack.excerpts
    assert all(e.path != "app/settings.py" for e in pack.excerpts)


def test_a_list_that_was_sent_before_is_named_and_not_sent_again(project):
    with index(project(CODE + DECLARED["a field"] % "settings")).snapshot() as snapshot:
        first = assemble.context(snapshot, Question(ASKED, Scope.IMPL), 4_000)
        again = assemble.context(
            snapshot, Question(ASKED, Scope.IMPL), 4_000, assemble.PackOptions(sent=first.sent)
        )
    assert "max_attempts: int = 3" in first.text
    assert "max_attempts: int = 3" not in again.text


def test_of_two_lists_the_one_that_is_called_after_options_comes_first(project):
    two = DECLARED["a key"] % "wire" + DECLARED["a field"] % "config"
    assert shown(project(CODE + two), ASKED)[0] == "app/config.py"


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Add an option that hides the default value", True),
        ("support --retry N in the client", True),
        ("Could you please add an option that hides the default value?", True),
        ("Let the parser take a setting for the longest line", True),
        ("Fix the option that hides the default value", False),
        ("Add a test for the parser", False),
        ("how are options added to the parser", False),
    ],
)
def test_a_task_that_adds_an_option_is_told_by_its_first_line(text: str, is_so: bool):
    assert change_requests.read(text).adds_option == is_so


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Add a second queue", True),
        ("I want to mark single words as case-sensitive", True),
        ("It should be possible to run the command without a window", True),
        ("Please let a session keep its hosts", True),
        ("I'd like to fix the flaky retry", False),
        ("Could you fix the flaky retry", False),
        ("fix: a retry that never ends", False),
        ("Add the missing check of the queue", False),
        ("Make the queue stop at its end", False),
        ("Add an option that stops the queue", True),
        ("Please add a delay so that it does not flicker", True),
        ("I want to know how retries work", False),
    ],
)
def test_a_task_that_adds_something_is_told_from_one_that_mends(text: str, is_so: bool):
    assert change_requests.read(text).adds == is_so


def test_a_type_is_shown_where_something_is_added_to_it(project):
    filler = "".join(
        f"//- app/step_{n}.py\ndef step_{n}(bell):\n    return {n}\n" for n in range(40)
    )
    tree = project(
        "//- app/ring.py\ndef ring_bell(values):\n    return run(values.command)\n"
        + "\n".join(f"\n\ndef ring_{n}(values):\n    return bell({n})" for n in range(60))
        + "\n//- app/values.py\nclass BellValues:\n    command: str = ''\n    colour: str = ''\n"
        + filler
    )
    with index(tree).snapshot() as snapshot:
        asked = Question("I want the bell command to run only without focus", Scope.IMPL)
        pack = assemble.context(snapshot, asked, 1_000)
    assert "class BellValues" in pack.text


def test_a_small_type_is_one_excerpt_where_something_is_added_to_it(project):
    methods = "".join(
        f"\n    def {name}(self):\n        return self.{name}_of_bell\n"
        for name in ("tone", "pitch")
    )
    tree = project(f"//- app/values.py\nclass BellValues:\n    command = ''\n{methods}")
    with index(tree).snapshot() as snapshot:
        adds_to_it, mends_it = (
            assemble.context(snapshot, Question(text, Scope.IMPL), 1_000).excerpts
            for text in ("I want bell values to have a colour", "fix: the pitch of bell values")
        )
    # The file ends with an empty line.
    assert [(e.start_line, e.end_line, e.symbol) for e in adds_to_it] == [(1, 9, "BellValues")]
    assert {e.symbol for e in mends_it} >= {"BellValues.pitch"}


def test_the_fields_of_the_type_are_shown_where_something_is_added_to_it(project):
    methods = "".join(
        f"\n    def {name}(self, values):\n" + "        values.append(1)\n" * 9
        for name in ("ring_bell", "sort", "list", "keep", "drop")
    )
    filler = "".join(f"//- app/s{n}.py\ndef ring_{n}(bell):\n    return {n}\n" for n in range(60))
    tree = project(f"//- app/tower.py\nclass Tower:\n    __kept__ = ['a', 'b']\n{methods}{filler}")
    with index(tree).snapshot() as snapshot:
        adds_to_it, mends_it = (
            assemble.context(snapshot, Question(text, Scope.IMPL), 400).text
            for text in ("I want ring_bell to keep a colour", "fix: ring_bell appends twice")
        )
    assert "__kept__" in adds_to_it
    assert "__kept__" not in mends_it


SIZES = """
//- app/filter.py
def is_large(entry, args):
    return entry.weight > args.weight
//- app/other.py
def weigh(weight):
    return weight
"""
NAMED = "Add an option --max-weight that is an alias of --weight"


@pytest.mark.parametrize("way", ["a field", "a parser"])
def test_the_declaration_of_an_option_that_the_question_names_is_shown(project, way: str):
    declared = (DECLARED[way] % "cli").replace("max_attempts", "weight")
    tree = project(SIZES + declared.replace("max-attempts", "weight"))
    with index(tree).snapshot() as snapshot:
        pack = assemble.context(snapshot, Question(NAMED, Scope.IMPL), 4_000)
    assert "weight" in next(e.text for e in pack.excerpts if e.path == "app/cli.py")


def test_a_score_is_never_above_one_where_a_list_joins_a_match(project):
    with index(project(DECLARED["a field"] % "settings")).snapshot() as snapshot:
        (chunk,) = snapshot.chunks.of_file(RepoPath("app/settings.py"))
    match = Unit(chunk, 1, 1, None, None, score=0.2)
    listed = Unit(chunk, 2, 3, None, None, score=3.4, worth=9.0, reason="options declared")
    pieces = [Piece(match, ((1, 1),)), Piece(listed, ((2, 3),))]
    read = reader(lambda _: b"class Values:\n    max_attempts = 3\n    read_timeout = 1\n")
    assert [shown_module.excerpt(pieces[:n], read).score for n in (1, 2)] == [0.2, 0.2]
    assert shown_module.excerpt(pieces[1:], read).score == 1.0
