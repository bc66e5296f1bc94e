"""Snapshots of one state share what they read once; those of another state share nothing of it."""

import operator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.store.model import RepoPath
from satchel.store.reading import read_symbols, snapshot_cache
from satchel.store.sqlite import database
from satchel.workspace.project import Project
from tests.support.satchel import index, silent


def found(project: Project) -> list[str]:
    with project.snapshot() as snapshot:
        return [item.chunk.path for item in search(snapshot, Question("pick a colour"), 10).results]


def test_snapshots_of_one_state_share_their_arrays(tmp_path: Path):
    (tmp_path / "a.py").write_text("def pick_colour():\n    return 'red'\n", encoding="utf-8")
    project = index(tmp_path)
    with project.snapshot() as one, project.snapshot() as other:
        assert one.chunks.layout() is other.chunks.layout()
        assert one.chunks.allowed(False, "a") is other.chunks.allowed(False, "a")
        assert one.terms.mean_lengths() is other.terms.mean_lengths()


def test_an_edit_a_delete_and_a_rebuild_are_seen_by_the_same_process(tmp_path: Path):
    (tmp_path / "a.py").write_text("def pick_colour():\n    return 'red'\n", encoding="utf-8")
    project = index(tmp_path)
    assert found(project) == ["a.py"]
    (tmp_path / "b.py").write_text("def pick_a_colour():\n    return 'blue'\n", encoding="utf-8")
    project.refresh(silent)
    assert sorted(found(project)) == ["a.py", "b.py"]
    (tmp_path / "a.py").unlink()
    project.refresh(silent, full=True)
    assert found(project) == ["b.py"]


def test_a_snapshot_keeps_its_own_arrays_while_the_index_moves_on(tmp_path: Path):
    (tmp_path / "a.py").write_text("def pick_colour():\n    return 'red'\n", encoding="utf-8")
    project = index(tmp_path)
    with project.snapshot() as old:
        before = old.chunks.layout().sizes.tolist()
        (tmp_path / "b.py").write_text("def other():\n    return 1\n", encoding="utf-8")
        project.refresh(silent)
        with project.snapshot() as new:
            assert len(new.chunks.layout().sizes) == len(before) + 1
        assert old.chunks.layout().sizes.tolist() == before


def test_what_is_made_of_a_state_is_made_once_and_again_after_an_edit(tmp_path: Path):
    (tmp_path / "a.py").write_text("def pick_colour():\n    return 'red'\n", encoding="utf-8")
    project = index(tmp_path)
    with project.snapshot() as one, project.snapshot() as other:
        made = one.cached("paths", lambda: [file.path for file in one.files.all()])
        assert made == ["a.py"]
        assert other.cached("paths", list) is made
        assert other.cached("other paths", list) == []
    (tmp_path / "b.py").write_text("def other():\n    return 1\n", encoding="utf-8")
    project.refresh(silent)
    with project.snapshot() as new:
        assert new.cached("paths", lambda: [f.path for f in new.files.all()]) == ["a.py", "b.py"]


def test_a_source_is_read_once_for_all_snapshots_that_hold_it(tmp_path: Path):
    (tmp_path / "a.py").write_text("def pick_colour():\n    return 'red'\n", encoding="utf-8")
    project = index(tmp_path)
    with project.snapshot() as one, project.snapshot() as other:
        (file,) = one.files.all()
        source = one.files.source(file.digest, file.language)
        assert source == (tmp_path / "a.py").read_bytes()
        assert other.files.source(file.digest, file.language) is source
    (tmp_path / "b.py").write_text("def pick_a_colour():\n    return 'blue'\n", encoding="utf-8")
    project.refresh(silent)
    with project.snapshot() as later:
        assert later.files.source(file.digest, file.language) is source


def test_sources_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(snapshot_cache, "_MAX_SOURCE_BYTES", 10)
    sources, read = snapshot_cache.RecentSources(), []

    def get(key: str) -> bytes:
        return sources.get(key, lambda: read.append(key) or key.encode() * 4)

    assert [get(key) for key in "abacba"] == [key.encode() * 4 for key in "abacba"]
    assert read == ["a", "b", "c", "b", "a"], "the one that was asked for longest ago goes"


def test_a_snapshot_reads_the_symbols_of_a_file_once(project, indexed, monkeypatch):
    root = project("//- a.py\ndef one():\n    return two()\n\ndef two(): ...")
    read = []
    usual = read_symbols.select
    with indexed(root).snapshot() as snapshot:
        monkeypatch.setattr(read_symbols, "select", lambda *a: read.append(a) or usual(*a))
        named = [symbol.name for symbol in snapshot.symbols.of_file(RepoPath("a.py"))]
        snapshot.symbols.of_file(RepoPath("a.py")).clear()
        assert [s.name for s in snapshot.symbols.of_file(RepoPath("a.py"))] == named
    assert (named, len(read)) == (["a", "one", "two"], 1)


def test_records_of_a_state_are_read_once_and_again_after_an_edit(tmp_path: Path):
    (tmp_path / "a.py").write_text("def pick_colour():\n    return 'red'\n", encoding="utf-8")
    project = index(tmp_path)

    def read() -> list[Any]:
        with project.snapshot() as snapshot:
            (chunk,) = snapshot.chunks.of_file(RepoPath("a.py"))
            inside = snapshot.chunks.symbols_in([chunk.id])
            return [*snapshot.chunks.by_id([chunk.id]), *snapshot.symbols.by_id(inside[chunk.id])]

    before = read()
    assert all(map(operator.is_, before, read()))
    (tmp_path / "a.py").write_text("def pick_a_colour():\n    return 'red'\n", encoding="utf-8")
    project.refresh(silent)
    assert [type(each) for each in read()] == [type(each) for each in before]
    assert read()[1].name == "pick_a_colour"


def test_edges_are_read_once_and_again_when_they_were_derived_anew(tmp_path: Path):
    (tmp_path / "a.py").write_text("def one():\n    two()\n\ndef two(): ...\n", encoding="utf-8")
    project = index(tmp_path)

    def read() -> list[int]:
        with project.snapshot() as snapshot:
            (one,) = snapshot.symbols.named("one")
            (two,) = snapshot.symbols.named("two")
            found = [*snapshot.symbols.edges_from([one.id]), *snapshot.symbols.edges_to([two.id])]
            return [edge.line for edge in found]

    assert read() == [2, 2]
    with closing(database.connect(project.directory, writable=True)) as connection:
        connection.execute("UPDATE edges SET line = 7")
        assert read() == [2, 2]
        connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
        assert read() == [7, 7]


def test_records_are_let_go_once_there_are_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(snapshot_cache, "_MAX_RECORDS", 2)
    cache = snapshot_cache.SnapshotCache()
    held: dict[int, str] = cache.records("chunks")
    held |= {1: "a", 2: "b"}
    assert cache.records("chunks") is held
    held[3] = "c"
    assert cache.records("chunks") == {}
    assert len(held) == 3
