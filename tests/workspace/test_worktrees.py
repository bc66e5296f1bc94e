"""Worktrees and branches: what one of them has analysed, no other analyses again."""

import shutil
import subprocess
from pathlib import Path

import pytest

from satchel.store.sqlite.dump import dump
from satchel.workspace.project import Project
from satchel.workspace.worktrees import siblings
from tests.support.satchel import index_folder, refresh, satchel, state_folders

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


def places(root: Path) -> tuple[list[str], dict[str, str]]:
    """What a fresh index has, and what it left out whole."""
    refresh(root)
    with Project.at(root, {}).snapshot() as snapshot:
        whole = {str(r.path): str(r.reason) for r in snapshot.files.skipped() if r.path[-1] == "/"}
        return sorted(str(file.path) for file in snapshot.files.all()), whole


CODE = ["app/a.py", "app/b.py", "app/c.py"]


@pytest.mark.parametrize("relative", [False, True])
def test_a_worktree_inside_of_a_checkout_is_left_out_and_told(main: Path, relative: bool):
    (main / "app/b.py").write_text("def b():\n    c()\n", encoding="utf-8")
    for n, place in enumerate((".claude/worktrees/one", ".worktrees/two", "app/three")):
        git(main, "worktree", "add", "-q", "-b", f"b{n}", place, "topic")
        if relative:  # as newer versions of git write it
            way = "../" * (place.count("/") + 1) + f".git/worktrees/{place.rpartition('/')[2]}"
            (main / place / ".git").write_text(f"gitdir: {way}\n", encoding="utf-8")
    left = dict.fromkeys(
        (".claude/worktrees/one/", ".git/", ".worktrees/two/", "app/three/"), "worktree"
    )
    assert places(main) == (CODE, left | {".git/": "ignored"})
    refresh(main)  # with the record of the walk before
    assert places(main) == (CODE, left | {".git/": "ignored"})
    listed = satchel("status", "--skipped", cwd=main).stdout.decode()
    assert "skipped .worktrees/two/: worktree" in listed
    assert "nothing found" in satchel("validate", cwd=main).stdout.decode()
    # From inside it is its own checkout, and one below it is a copy of it in turn.
    inside = main / ".worktrees/two"
    git(main, "worktree", "add", "-q", "-b", "deep", str(inside / "app/deep"), "topic")
    assert b"a.py:1-2" in satchel("symbols", "a", cwd=inside / "app").stdout
    assert places(inside) == (CODE, {"app/deep/": "worktree"})
    # Whoever keeps one by a rule wants what is in it.
    (main / ".satchelignore").write_text("!app/three/\n", encoding="utf-8")
    assert "app/three/app/a.py" in places(main)[0]


def test_a_worktree_is_known_where_the_checkout_has_another_path(main: Path, tmp_path: Path):
    git(main, "worktree", "add", "-q", ".worktrees/one", "topic")
    main.rename(tmp_path / "mounted")
    assert places(tmp_path / "mounted")[0] == CODE


def test_a_worktree_that_was_indexed_goes_and_one_that_was_removed_leaves_no_trace(main: Path):
    git(main, "worktree", "add", "-q", ".worktrees/one", "topic")
    said = (main / ".worktrees/one/.git").read_text("utf-8")
    (main / ".worktrees/one/.git").unlink()
    assert len(places(main)[0]) == 6
    (main / ".worktrees/one/.git").write_text(said, encoding="utf-8")
    assert places(main)[0] == CODE
    git(main, "worktree", "remove", ".worktrees/one")
    assert places(main) == (CODE, {".git/": "ignored"})


def test_worktrees_of_others_and_those_around_a_bare_repository_are_code(
    main: Path, tmp_path: Path
):
    mono = tmp_path / "mono"
    mono.mkdir()
    git(mono, "init", "-q")
    git(main, "worktree", "add", "-q", str(mono / "theirs"), "topic")
    assert "theirs/app/a.py" in places(mono)[0]
    bare = tmp_path / "project"
    bare.mkdir()
    git(tmp_path, "clone", "-q", "--bare", str(main), str(bare / ".bare"))
    (bare / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git(bare, "worktree", "add", "-q", "topic", "topic")
    assert "topic/app/a.py" in places(bare)[0]


def test_a_worktree_of_another_repository_in_the_tree_is_left_out_too(main: Path, tmp_path: Path):
    git(main, "worktree", "add", "-q", ".worktrees/one", "topic")
    repositories = tmp_path / "repositories"
    repositories.mkdir()
    main.rename(repositories / "main")
    git(repositories / "main", "worktree", "repair", ".worktrees/one")
    assert places(repositories)[0] == [f"main/{path}" for path in CODE]
    # Of a submodule git keeps them in `modules`, and the submodule says where its tree is.
    around = tmp_path / "around"
    around.mkdir()
    git(around, "init", "-q")
    source = str(repositories / "main")
    git(around, "-c", "protocol.file.allow=always", "submodule", "add", "-q", source, "part")
    git(around / "part", "worktree", "add", "-q", "-b", "two", ".worktrees/two")
    assert places(around)[0] == [".gitmodules", *(f"part/{path}" for path in CODE)]
    # A bare repository has no tree of which they were copies.
    git(repositories, "clone", "-q", "--bare", "main", "project/.git")
    git(repositories / "project", "worktree", "add", "-q", "topic", "topic")
    assert "project/topic/app/a.py" in places(repositories)[0]
