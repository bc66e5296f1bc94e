"""A few crashes of each kind; `bench.robustness.crashes` and `bench.serving.servers` try all."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.robustness.crash_scene import scenes
from satchel.indexer import carry_out as refreshing
from satchel.store.sqlite import database
from tests.support.satchel import ROOT, TIMEOUT_S


def run(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", f"bench.{module}", *arguments]
    reply = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert reply.returncode == 0, reply.stdout + reply.stderr
    return reply.stdout


@pytest.mark.parametrize("what", ["kill", "power", "full"])
def test_nothing_is_lost_by_a_crash_or_a_full_disk(what: str):
    said = run("robustness.crashes", what, "--every", "60", "--seeds", "2", "--sizes", "10")
    happened = re.search(r"(\d+) faults that happened, 0 problems", said)
    assert happened is not None, said
    assert int(happened[1]) >= 8


def test_nothing_is_lost_when_a_serving_process_is_killed():
    assert "5 kills of a serving process" in run(
        "serving.servers", "kill", "--times", "5", "--files", "8"
    )


def test_nothing_is_lost_when_old_knowledge_is_taken_over():
    said = run("robustness.adoption", "--every", "83")
    happened = re.search(r"(\d+) deaths while old knowledge was taken over, 0 problems", said)
    assert happened is not None, said
    assert int(happened[1]) >= 12


def test_one_process_at_a_time_owns_the_index():
    assert "0 problems" in run("serving.servers", "writers", "--seconds", "4", "--files", "8")


def test_what_is_looked_at_after_a_crash_can_be_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # A scene makes batches small; this puts back what they were.
    monkeypatch.setattr(refreshing, "BATCH_CHUNKS", refreshing.BATCH_CHUNKS)
    scene = next(scenes(tmp_path, [10]))
    directory = scene.root.parent / "index"
    scene.copy(directory)
    scene.run(directory)
    assert scene.problems(directory) == []
    connection = database.connect(directory, writable=True)
    connection.execute("DELETE FROM edges")
    connection.close()
    assert len(scene.problems(directory)) == 2
