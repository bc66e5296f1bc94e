"""A short random walk; `python -m tests.support.stateful` is the long one."""

import os
import shutil
from contextlib import closing

import pytest

from satchel.indexer import carry_out as refreshing
from satchel.indexer.callgraph import linker
from satchel.indexer.callgraph.tables.file_rows import (
    RowsByFile,
    RowsOfAllFiles,
    UsesByName,
    UsesOfAllNames,
)
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.store.sqlite import chunk_ids, database
from tests.support.satchel import ROOT, index
from tests.support.stateful import walk


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("seed", [3, 4])
def test_any_walk_gives_the_index_of_a_fresh_start(monkeypatch, seed):
    monkeypatch.setattr(refreshing, "DERIVE_ALL_SHARE", 1.0)  # put back afterwards
    monkeypatch.setattr(refreshing, "BATCH_CHUNKS", 6)
    monkeypatch.setattr(refreshing, "SWITCHED_FILES", 1)
    monkeypatch.setattr(linker, "MAX_QUESTIONS", 200)
    monkeypatch.setattr(linker, "EDGES_AT_ONCE", 20)
    monkeypatch.setattr(chunk_ids, "SLACK", 8)
    monkeypatch.setattr(chunk_ids, "CHECK", 8)
    done = walk(2_000 if os.environ.get("SATCHEL_LONG") == "1" else 120, seed)
    assert done["compare"] >= 2
    assert done["part"] > 10


def test_a_bound_of_memory_changes_no_edge(tmp_path, monkeypatch):
    """Everything held, against one file at a time."""
    ignore = shutil.ignore_patterns("__pycache__", "vocab", "table")
    shutil.copytree(ROOT / "satchel" / "store", tmp_path / "satchel" / "store", ignore=ignore)
    connection = database.connect(index(tmp_path).directory, writable=True)
    forgotten, forget = [], IndexTables.release
    monkeypatch.setattr(IndexTables, "release", lambda self: (forgotten.append(1), forget(self)))
    try:
        said, times = [], []
        for bound in (1 << 30, 1):
            forgotten.clear()
            said.append(linker.compute_edges(connection, bound))
            times.append(len(forgotten))
    finally:
        connection.close()
    assert said[0] == said[1]
    assert len(said[0][0]) > 500
    assert times[0] == 1
    assert times[1] > 20


def test_rows_read_at_once_are_those_that_are_asked_for(tmp_path):
    (tmp_path / "b.py").write_text("from a import *\nclass B(A):\n    def go(self): helper(self)\n")
    (tmp_path / "a.py").write_text("import b as other\nclass A(other.B): ...\nhelper(go())\n")
    (tmp_path / "empty.py").write_text("")
    # What another language calls or inherits by the same name is nothing of Python's.
    (tmp_path / "c.rb").write_text("class C < A\n  def call\n    helper(1)\n  end\nend\n")
    with closing(database.connect(index(tmp_path).directory, writable=True)) as connection:
        files = [row[0] for row in database.select(connection, "SELECT id FROM files")]
        said = [
            [(r.file(f), list(r.symbols(f)), r.imports(f), list(r.bases(f))) for f in files]
            for r in (RowsByFile(connection), RowsOfAllFiles(connection))
        ]
        used = [
            [
                (uses.callers(name, family), uses.is_called(name), uses.subclasses(name, family))
                for family in ("python", "ruby")
                for name in ("helper", "go", "A", "B")
            ]
            for uses in (UsesByName(connection), UsesOfAllNames(connection))
        ]
    assert said[0] == said[1]
    assert used[0] == used[1]
    assert [len(callers) for callers, _, _ in used[0]] == [2, 1, 0, 0, 1, 0, 0, 0]
    assert [len(heirs) for _, _, heirs in used[0]] == [0, 0, 1, 1, 0, 0, 1, 0]
