"""The Chroma mirror, with real Chroma: it holds what SQLite holds, and says so when asked."""

import os
from pathlib import Path

import pytest

from satchel.store.sqlite import vectors
from satchel.store.sqlite.vectors import nearest
from satchel.store.vectors.chroma import Mirror
from satchel.store.vectors.encoders import HashingEncoder
from satchel.workspace.project import Project
from tests.support.satchel import copy_of_our_source

pytest.importorskip("chromadb")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = copy_of_our_source(tmp_path_factory.mktemp("chroma"))
    project = Project.at(root, {**os.environ, "SATCHEL_VECTORS_ENGINE": "chroma"})
    project.refresh(lambda _progress: None)
    return project


def build(project: Project):
    return project.build_vectors(lambda *_: None, lambda *_: None).mirror


def test_the_mirror_holds_every_vector_and_finds_what_the_scan_finds(project: Project):
    report = build(project)
    assert report is not None
    assert report.added == report.held > 100
    assert report.recall > 0.95


def test_an_edit_replaces_exactly_what_changed(project: Project):
    build(project)
    path = Path(project.root) / "satchel" / "store" / "errors.py"
    path.write_text(path.read_text() + "\n\nclass OneMore(SatchelError):\n    '''New.'''\n")
    project.refresh(lambda _progress: None)
    report = build(project)
    assert report is not None
    assert 0 < report.added < 20
    assert 0 < report.removed < 20
    again = build(project)
    assert again is not None
    assert (again.added, again.removed) == (0, 0)


def test_a_mirror_of_another_encoder_is_written_anew(project: Project):
    build(project)
    stranger = Mirror(project.directory, HashingEncoder(64))
    stranger.reset()
    stranger.close()
    report = build(project)
    assert report is not None
    assert report.added == report.held


def test_a_mirror_gives_the_same_answer_however_often_it_is_opened(project: Project):
    build(project)
    path = Path(project.root) / "satchel" / "store" / "errors.py"
    path.write_text(path.read_text() + "\n\nLAST = 1\n")
    project.refresh(lambda _progress: None)
    build(project)
    questions = project.encoder.encode(
        [f"{word} index" for word in ("write", "read", "old", "two")]
    )
    found = []
    for _ in range(4):
        mirror = Mirror(project.directory, project.encoder)
        found.append([mirror.nearest(question, 200) for question in questions])
        mirror.close()
    assert all(answer == found[0] for answer in found[1:])


def test_questions_are_answered_from_the_mirror(project: Project):
    build(project)
    exact = Project.at(project.root, {**os.environ, "SATCHEL_VECTORS_ENGINE": "exact"})
    question = "which process may write the index"
    with project.snapshot() as snapshot, exact.snapshot() as again:
        mirrored, _ = project.vector_search(snapshot)
        table = again.vectors(exact.encoder, vectors.ContextShares())
        assert mirrored is not None
        found = [chunk for chunk, _ in mirrored(question, 20)]
        wanted = [chunk for chunk, _ in nearest(table, exact.encoder.encode([question])[0], 20)]
    assert len(set(found) & set(wanted)) >= 18
