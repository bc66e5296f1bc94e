"""A short random walk; `python -m tests.stateful` is the long one."""

import os
import shutil

import pytest

from indexer import derive
from indexer import refresh as refreshing
from store import allot
from tests.stateful import walk


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("seed", [3, 4])
def test_any_walk_gives_the_index_of_a_fresh_start(monkeypatch, seed):
    monkeypatch.setattr(refreshing, "DERIVE_ALL_SHARE", 1.0)  # put back afterwards
    monkeypatch.setattr(refreshing, "BATCH_CHUNKS", 6)
    monkeypatch.setattr(derive, "MAX_QUESTIONS", 200)
    monkeypatch.setattr(derive, "EDGES_AT_ONCE", 20)
    monkeypatch.setattr(allot, "SLACK", 8)
    monkeypatch.setattr(allot, "CHECK", 8)
    done = walk(2_000 if os.environ.get("SATCHEL_LONG") == "1" else 120, seed)
    assert done["compare"] >= 2
    assert done["part"] > 10
