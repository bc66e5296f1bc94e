"""Worktrees and branches: what one of them has analysed, no other analyses again."""

import shutil
import subprocess
from pathlib import Path

import pytest

from satchel.store.sqlite.dump import dump
from satchel.workspace.project import Project
from satchel.workspace.worktrees import siblings
from tests.support.satchel import index_folder, refresh, state_folders

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    command = ["git", "-C", root, *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def main(tmp_path: Path) -> Path:
    root = tmp_path / "main"
    (root / "app").mkdir(parents=True)
    for name in ("a", "b", "c"):
        (root / f"app/{name}.py").write_text(f"def {name}():\n    a()\n", encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "checkout", "-qb", "topic")
    (root / "app/a.py").write_text("def a(x):\n    b()\n", encoding="utf-8")
    git(root, "commit", "-qam", "two")
    git(root, "checkout", "-q", "main")
    return root


def vectors(root: Path) -> int:
    return Project.at(root, {}).build_vectors().encoded


def head(root: Path) -> str:
    with Project.at(root, {}).snapshot() as snapshot:
        return snapshot.head


def test_a_second_worktree_starts_from_the_first(main: Path, tmp_path: Path):
    first = refresh(main)
    assert (first.parsed, first.encoded) == (3, 3)
    git(main, "worktree", "add", "-q", str(tmp_path / "other"), "topic")
    report = refresh(tmp_path / "other")
    assert (report.parsed, report.changed, report.unchanged) == (1, 1, 2)
    assert (report.encoded, vectors(tmp_path / "other")) == (1, 0)
    shared = dump(index_folder(tmp_path / "other"))
    assert refresh(tmp_path / "other", full=True).parsed == 3
    assert shared == dump(index_folder(tmp_path / "other"))


def test_a_folder_below_the_top_of_a_worktree_starts_from_its_like(main: Path, tmp_path: Path):
    refresh(main / "app")
    git(main, "worktree", "add", "-q", str(tmp_path / "other"), "topic")
    assert refresh(tmp_path / "other/app").parsed == 1


def test_an_index_of_somebody_else_or_a_damaged_one_is_no_start(main: Path, tmp_path: Path):
    refresh(main)
    git(main, "worktree", "add", "-q", str(tmp_path / "other"), "topic")
    (folder,) = siblings(state_folders(tmp_path / "other"))
    assert folder == index_folder(main)
    (folder / "index.db").write_bytes(b"no index" * 999)
    assert refresh(tmp_path / "other").parsed == 3


def test_switching_branches_analyses_and_encodes_nothing_twice(main: Path):
    refresh(main)
    git(main, "checkout", "-q", "topic")
    report = refresh(main)
    assert (report.parsed, report.encoded) == (1, 1)
    for branch in ("main", "topic", "main"):
        git(main, "checkout", "-q", branch)
        report = refresh(main)
        assert (report.parsed, report.changed, report.encoded, vectors(main)) == (0, 1, 0, 0)


def test_the_commit_that_was_indexed_is_remembered(main: Path):
    refresh(main)
    assert head(main) == git(main, "rev-parse", "HEAD")
    git(main, "commit", "-q", "--allow-empty", "-m", "three")
    git(main, "pack-refs", "--all")
    assert head(main) != git(main, "rev-parse", "HEAD")
    assert refresh(main).n_changes == 0
    assert head(main) == git(main, "rev-parse", "HEAD")
    git(main, "checkout", "-q", "--detach")
    refresh(main)
    assert head(main) == git(main, "rev-parse", "HEAD")


def test_a_full_rebuild_leaves_the_old_index_readable_until_the_new_one_is_there(main: Path):
    refresh(main)
    project, seen = Project.at(main, {"SATCHEL_INDEX_WORKERS": "1"}), []

    def look(_progress: object) -> None:
        with project.snapshot() as snapshot:
            seen.append((snapshot.complete, snapshot.files.count()))

    project.refresh(look, full=True)
    assert set(seen) == {(True, 3)}
    assert not (index_folder(main) / "rebuild").exists()
