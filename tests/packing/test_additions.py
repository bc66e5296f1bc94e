"""A task that adds something is told from one that mends, and is shown types too."""

from __future__ import annotations

import pytest

from satchel.assembler import assemble
from satchel.assembler.budget import USUAL
from satchel.assembler.kinds import Scope
from satchel.assembler.query import change_requests
from satchel.assembler.query.question import Question
from tests.support.satchel import index


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


def test_an_addition_is_shown_what_it_may_touch_where_no_budget_is_written(project):
    files = "".join(
        f"//- app/{name}_{n}.py\ndef {name}_{n}(job, retries):\n    for n in range(9):\n"
        f"        job.{name}[n] = retries\n    return job\n\n"
        for name in ("queue", "delay", "count", "drop", "write")
        for n in range(8)
    )
    with index(project(files)).snapshot() as snapshot:
        asked = Question("Add a setting that limits the retries of a job", Scope.IMPL)
        pack = assemble.context(snapshot, asked, USUAL)
    assert len(pack.excerpts) > 20


def test_the_line_that_opens_a_type_is_not_shown_alone(project):
    inner = "".join(f"    def ring_{n}(self):\n        return bell({n})\n\n" for n in range(3))
    classes = "".join(f"//- app/bell_{n}.py\nclass Bell{n}:\n{inner}\n" for n in range(9))
    with index(project(classes)).snapshot() as snapshot:
        pack = assemble.context(snapshot, Question("Add a class for a Bell7 that is louder"), 600)
    assert pack.excerpts
    assert all(e.start_line < e.end_line for e in pack.excerpts)
