"""The Chroma mirror, with real Chroma: it holds what SQLite holds, and says so when asked."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from satchel.store.sqlite.vectors import nearest
from satchel.store.vectors.chroma import FOLDER, Mirror, search_width
from satchel.workspace.project import Project
from tests.support.hashing_encoder import HashingEncoder
from tests.support.satchel import ROOT

if find_spec("chromadb") is None:  # loading it takes a second, in each process that collects
    pytest.skip("the extra `chroma` is not installed", allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
FILE = "relay/worker.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = shutil.copytree(
        ROOT / "tests" / "fixtures" / "relay", tmp_path_factory.mktemp("chroma") / "relay"
    )
    project = Project.at(root, {**os.environ, "SATCHEL_VECTORS_ENGINE": "chroma"})
    project.refresh(lambda _progress: None)
    return project


def build(project: Project):
    report = project.build_vectors().mirror
    assert report is not None
    return report


def add_to(project: Project, text: str) -> None:
    path = next(Path(project.root).rglob("*.py"))
    path.write_text(path.read_text() + text)
    project.refresh(lambda _progress: None)


def test_the_mirror_finds_what_the_scan_finds_with_the_same_scores(project: Project):
    report = build(project)
    assert report.held > 20
    with project.snapshot() as snapshot:
        search, said = project.vector_search(snapshot)
        table = project.vector_table(snapshot)
        assert search is not None and not said
        for question in ("which process leases a job", "retry after failure"):
            wanted = nearest(table, project.encoder.encode([question])[0], 20)
            found = dict(search(question, 20))
            assert len(found.keys() & {chunk for chunk, _ in wanted}) >= 18
            for chunk, score in wanted:
                assert found.get(chunk, score) == pytest.approx(score, abs=1e-4)


def test_an_edit_replaces_exactly_what_changed(project: Project):
    held = build(project).held
    add_to(project, "\n\nclass OneMore:\n    '''New.'''\n")
    report = build(project)
    assert 0 < report.added < held
    again = build(project)
    assert (again.added, again.removed, again.held) == (0, 0, report.held)


def test_a_mirror_of_another_encoder_or_with_something_lost_is_written_anew(project: Project):
    held = build(project).held
    stranger = Mirror(project.directory, HashingEncoder(64))
    stranger.reset()
    stranger.close()
    assert build(project).added == held
    robbed = Mirror(project.directory, project.encoder)
    robbed.remove(sorted(robbed.ids())[:3])
    robbed.close()
    assert build(project).held == held


def test_a_mirror_gives_the_same_answer_however_often_it_is_opened(project: Project):
    build(project)
    add_to(project, "\n\nLAST = 1\n")
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


def test_a_question_that_chroma_cannot_answer_is_answered_by_the_scan_and_says_why(
    project: Project,
):
    build(project)
    add_to(project, "\n\nLATER = 2\n")
    with project.snapshot() as snapshot:
        search, [why, *_] = project.vector_search(snapshot)
        assert "the Chroma mirror is behind the index" in why
        assert search is not None and search("which process leases a job", 5)
    shutil.rmtree(project.directory / FOLDER)
    assert build(project).added > 20


@pytest.mark.parametrize(
    ("n_vectors", "width"),
    [(0, 6_000), (300_000, 6_000), (400_000, 8_000), (400_001, 9_000), (1_000_000, 20_000)],
)
def test_the_more_vectors_there_are_the_more_a_question_goes_through(n_vectors: int, width: int):
    assert search_width(n_vectors) == width


def test_another_width_is_that_of_the_next_question_and_finds_the_same(tmp_path: Path):
    rows = np.random.default_rng(3).standard_normal((300, 256), np.float32)
    mirror = Mirror(tmp_path, HashingEncoder())
    mirror.add([str(i) for i in range(len(rows))], rows)
    before = mirror.nearest(rows[7], 20)
    mirror.widen(9_000)
    assert mirror.width == 9_000
    assert mirror.nearest(rows[7], 20) == before
    mirror.close()
    reopened = Mirror(tmp_path, HashingEncoder())
    assert (reopened.width, reopened.n_held) == (9_000, 300)
    reopened.close()


def test_a_mirror_that_chroma_cannot_write_any_more_is_made_anew(project: Project):
    held = build(project).held
    # What a process leaves that died while Chroma wrote: files that do not fit each other.
    (header,) = (Path(project.directory) / FOLDER).rglob("header.bin")
    header.unlink()
    add_to(project, "\n\ndef after_the_damage():\n    return 1\n")
    report = build(project)
    assert report.added == report.held >= held > 20
