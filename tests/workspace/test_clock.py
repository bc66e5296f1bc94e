"""A clock that jumps, forward or back, hides no change and loses nothing that was kept."""

import os
import time
from pathlib import Path

import pytest

from satchel.store.sqlite.dump import dump
from satchel.workspace.project import Project
from satchel.workspace.serving import build_progress
from tests.support.knowing import team
from tests.support.satchel import index_folder, refresh, silent

CODE = """
//- a.py
def wake(dog):
    return dog
//- b.py
from a import wake


def run(dog):
    return wake(dog)
"""
DAY_S = 86_400


def jump(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    """From now on the wall clock of this process is wrong by so many days."""
    seconds, nanoseconds = time.time, time.time_ns
    monkeypatch.setattr(time, "time", lambda: seconds() + days * DAY_S)
    monkeypatch.setattr(time, "time_ns", lambda: nanoseconds() + days * DAY_S * 10**9)


@pytest.mark.parametrize("days", [-400, 400])
@pytest.mark.parametrize("saved_days", [-400, 0, 400])
def test_saves_of_the_same_length_are_found_whatever_the_clocks_say(
    project, tmp_path: Path, monkeypatch, days: int, saved_days: int
):
    root = project(CODE)
    own = Project.at(root, {})
    saved = time.time() + saved_days * DAY_S
    for n, word in enumerate(("dog", "cat", "cow")):
        (root / "a.py").write_text(f"def wake(dog):\n    return {word}\n", encoding="utf-8")
        os.utime(root / "a.py", (saved, saved))
        if n == 1:
            jump(monkeypatch, days)
        refresh(root)
        fresh = Project.at(root, {"SATCHEL_STATE_FOLDER": str(tmp_path / f"state{n}")})
        fresh.refresh(silent)
        assert list(dump(own.directory)) == list(dump(fresh.directory))


def test_what_was_kept_before_the_clock_was_set_back_is_recalled_and_replaced(tmp_path: Path):
    with team(tmp_path) as early:
        late = early.later(400)
        held = late.keep("decision", "the dog wakes at eight")
        early.keep("warning", "the dog bites")
        assert sorted(early.summaries("dog")) == ["the dog bites", "the dog wakes at eight"]
        assert late.summaries("dog") == early.summaries("dog")
        early.keep("decision", "the dog wakes at nine", supersedes=held.id)
        assert sorted(late.summaries("dog")) == ["the dog bites", "the dog wakes at nine"]


def test_a_process_that_was_noted_before_the_clock_was_set_back_is_not_new(project, monkeypatch):
    folder = index_folder(project(CODE))
    build_progress.note_successor(folder, os.getpid(), "a process in the background", None)
    assert build_progress.read(folder) is not None
    jump(monkeypatch, -1)
    assert build_progress.read(folder) is None
