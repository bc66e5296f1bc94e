"""The evidence in small: damage of every kind, and none that changes an answer goes unnoticed."""

from pathlib import Path

import pytest

from bench.robustness.corruption import flips, prepared, targeted
from bench.robustness.healthy import look
from satchel.validation.model import Level
from tests.support.satchel import ROOT


@pytest.fixture(scope="module")
def places():
    with prepared(ROOT / "satchel" / "validation") as found:
        yield found


def test_bit_flips_that_change_an_answer_are_found(places: tuple[Path, Path]):
    tally = flips(*places, n_trials=40, seed=7)
    assert tally.changed > 10
    assert tally.missed == []


# Chroma warns of its own way to store a setting.
@pytest.mark.filterwarnings("ignore:legacy embedding function config:DeprecationWarning")
def test_damage_done_on_purpose_is_found(places: tuple[Path, Path]):
    tallies = targeted(*places, n_trials=24, seed=7)
    assert {name: tally.missed for name, tally in tallies.items() if tally.missed} == {}
    assert all(tally.changed for tally in tallies.values())


def test_a_healthy_project_with_a_history_raises_no_alarm(project):
    code = "//- a.py\ndef a():\n    return b()\n//- b.py\ndef b():\n    return 1\n//- c.md\n# C\n"
    found = look(project(code), Level.DEEP, git=True)
    assert found.alarms == ()
