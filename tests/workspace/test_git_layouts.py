"""Submodules, sparse checkouts and worktrees, made by git itself."""

from pathlib import Path

import pytest

from tests.support.git import commit_all, git, needs_git
from tests.support.satchel import satchel

pytestmark = needs_git
LOCAL = ("-c", "protocol.file.allow=always")


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A checkout that has another one as its submodule `lib`."""
    part, root = tmp_path / "part", tmp_path / "main"
    write(part / "part.py", "def part():\n    return 1\n")
    write(part / ".gitignore", "*.log\n")
    commit_all(part)
    write(root / "app/m.py", "from lib.part import part\n\ndef main():\n    return part()\n")
    write(root / "other/o.py", "def other():\n    return 2\n")
    commit_all(root)
    git(root, *LOCAL, "submodule", "--quiet", "add", part, "lib")
    commit_all(root)
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def run(root: Path, *words: str) -> str:
    done = satchel(*words, cwd=root)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode()


def test_a_submodule_is_a_part_of_the_tree_by_its_own_ignore_rules(main: Path):
    write(main / "lib/part.log", "part\n")
    assert "lib/part.py:1-2  function part" in run(main, "symbols", "part")
    assert "<- main  app/m.py:3" in run(main, "deps", "lib/part.py:part", "--direction", "callers")
    assert "skipped lib/part.log: ignored (lib/.gitignore:1)" in run(main, "status", "--skipped")
    run(main, "reindex")
    assert "nothing found" in run(main, "validate")


def test_changes_in_a_submodule_are_told_from_the_commit_that_was_recorded(main: Path):
    assert "0 files changed" in run(main, "changes", "HEAD")
    write(main / "lib/part.py", "def part():\n    return 5\n")
    assert "~ lib/part.py:1  function part" in run(main, "changes", "HEAD")
    # A commit in it that nobody recorded yet differs as well; a recorded one is told of both sides.
    commit_all(main / "lib", "five")
    assert "~ lib/part.py:1  function part" in run(main, "changes", "HEAD")
    commit_all(main, "lib is five")
    assert "lib/part.py" not in run(main, "changes", "HEAD")
    assert "~ lib/part.py:1  function part" in run(main, "changes", "HEAD~1")


def test_a_submodule_that_is_not_checked_out_is_no_change_and_no_error(main: Path, tmp_path: Path):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", main, clone)
    assert "not defined" in run(clone, "symbols", "part")
    assert "0 files changed" in run(clone, "changes", "HEAD")


def test_a_submodule_that_names_a_repository_outside_is_not_asked(main: Path, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    git(tmp_path, "clone", "-q", tmp_path / "part", elsewhere)
    (main / "lib/.git").write_text(f"gitdir: {elsewhere / '.git'}\n", encoding="utf-8")
    write(main / "lib/part.py", "def part():\n    return 5\n")
    assert "lib/part.py" not in run(main, "changes", "HEAD")


def test_what_a_sparse_checkout_leaves_out_was_not_removed(main: Path, tmp_path: Path):
    sparse = tmp_path / "sparse"
    git(tmp_path, "clone", "-q", "--no-checkout", main, sparse)
    git(sparse, "sparse-checkout", "set", "app")
    git(sparse, "checkout", "-q", "main")
    assert not (sparse / "other").exists()
    assert "0 files changed" in run(sparse, "changes", "HEAD")
    run(sparse, "reindex")
    assert "nothing found" in run(sparse, "validate")
    write(sparse / "app/m.py", "def main():\n    return 3\n")
    assert "~ app/m.py:1  function main" in run(sparse, "changes", "HEAD")


def test_a_worktree_shares_what_is_known_and_has_a_tree_of_its_own(main: Path, tmp_path: Path):
    run(main, "remember", "warning", "Parts are brittle", "--scope", "app/m.py")
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "-q", tree, "-b", "topic")
    write(tree / "app/m.py", "def started():\n    return 3\n")
    assert "Parts are brittle" in run(tree, "recall")
    assert "app/m.py:1-2  function started" in run(tree, "symbols", "started")
    assert "started" not in run(main, "symbols", "main")
