"""A tree that an index has is walked once more: rules, what git tracks and files that changed."""

import os
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from bench.robustness.crash_scene import Here
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import (
    OnProgress,
    Progress,
    RefreshOptions,
    RefreshReport,
    Stage,
)
from satchel.indexer.scan import git_checkout
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.store.sqlite import database
from tests.support.satchel import silent


class Scene:
    """A checkout, its index, and what happens to both."""

    def __init__(self, folder: Path) -> None:
        self.root, self.index = folder / "tree", folder / "index"
        self.root.mkdir()
        self.index.mkdir()
        self.git("init", "-q", "-b", "main")
        (self.root / ".git/worktrees/x").mkdir(parents=True)
        self.options = WalkOptions(max_file_bytes=2_000)

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=e")
        subprocess.run(["git", "-C", str(self.root), *who, *words], check=True, capture_output=True)

    def write(self, path: str, text: str | bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())

    def refresh(self, on_progress: OnProgress = silent) -> RefreshReport:
        # Two minutes from now: no file that was written just now is read again for its time.
        now = time.time_ns() + 120 * 10**9
        options = RefreshOptions(self.options, WorkerLimits(), now)
        with closing(database.connect(self.index, writable=True)) as connection:
            return refresh(connection, self.root, options, on_progress, None, Here())

    def paths(self) -> list[bytes]:
        with closing(database.connect(self.index, writable=False)) as connection:
            return [row[0] for row in connection.execute("SELECT path FROM files ORDER BY path")]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_files_that_git_tracks_are_kept_whatever_rules_say(scene: Scene) -> None:
    scene.write(".gitignore", "*.log\n")
    scene.write("a.log", "x = 1\n")
    scene.write("b.log", "x = 1\n")
    scene.git("add", "-f", "a.log")
    scene.refresh()
    assert scene.paths() == [b".gitignore", b"a.log"]
    scene.git("add", "-f", "b.log")
    scene.write("c.log", "x = 1\n")
    scene.refresh()
    assert scene.paths() == [b".gitignore", b"a.log", b"b.log"]


def test_settings_that_git_does_not_list_are_asked_for_each_time(scene: Scene) -> None:
    scene.write(".gitignore", "*.log\n")
    scene.write("mine", "*.txt\n")
    scene.write("a.txt", "x = 1\n")
    scene.git("config", "core.excludesFile", str(scene.root / "mine"))
    scene.git("config", "core.hooksPath", "~nobody-of-this-name/hooks")
    settings = git_checkout.core_settings(os.fsencode(scene.root))
    assert settings == (b"", os.fsencode(scene.root / "mine"))
    scene.refresh()
    scene.write("mine", "*.log\n")
    assert scene.refresh().added == 1


@pytest.mark.parametrize("place", [".gitignore", "src/.gitignore", ".satchelignore"])
def test_rules_that_changed_are_asked_about_everything(scene: Scene, place: str) -> None:
    scene.write(place, "*.txt\n")
    for path in ("src/a.py", "src/b.txt", "src/c.log"):
        scene.write(path, "x = 1\n")
    scene.refresh()
    status = (scene.root / place).stat()
    scene.write(place, "*.log\n")  # as long as before
    os.utime(scene.root / place, ns=(status.st_atime_ns, status.st_mtime_ns))
    report = scene.refresh()
    assert (report.added, report.removed) == (1, 1)


def test_a_file_that_changes_within_a_tick_is_read(scene: Scene) -> None:
    scene.write("a.py", "x = 1\n")
    connection = database.connect(scene.index, writable=True)
    options = RefreshOptions(scene.options, WorkerLimits(), time.time_ns())
    try:
        refresh(connection, scene.root, options, silent, None, Here())
        status = (scene.root / "a.py").stat()
        (scene.root / "a.py").write_text("y = 2\n")
        os.utime(scene.root / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
        assert refresh(connection, scene.root, options, silent, None, Here()).changed == 1
    finally:
        connection.close()


def test_files_chosen_by_other_rules_are_looked_at_again(scene: Scene) -> None:
    """A watcher's refresh of some paths may go by rules that are gone at the next walk."""
    from satchel.indexer.plan import PathSubset
    from satchel.indexer.scan.ignore_rules import tree_at
    from satchel.store.model import RepoPath

    scene.write(".gitignore", "*.txt\n")
    scene.write("a.py", "x = 1\n")
    scene.refresh()
    scene.write(".gitignore", "*.log\n")
    scene.write("b.txt", "words\n")
    subset = PathSubset(tree_at(scene.root, scene.options), (RepoPath("b.txt"),))
    connection = database.connect(scene.index, writable=True)
    options = RefreshOptions(scene.options, WorkerLimits(), time.time_ns())
    try:
        assert refresh(connection, scene.root, options, silent, subset, Here()).added == 1
    finally:
        connection.close()
    scene.write(".gitignore", "*.txt\n")
    assert scene.refresh().removed == 1


def test_a_file_that_is_renamed_before_it_is_read_is_found_under_its_new_name(scene: Scene) -> None:
    scene.write("a.py", "x = 1\n")
    scene.write("b.py", "y = 1\n")
    scene.refresh()
    scene.write("a.py", "x = 22\n")
    reports = []

    def rename(progress: Progress) -> None:
        if progress.stage is Stage.ANALYZE and not reports:
            (scene.root / "a.py").rename(scene.root / "c.py")
        reports.append(progress)

    report = scene.refresh(rename)
    assert scene.paths() == [b"b.py", b"c.py"]
    assert (report.added, report.removed) == (1, 1)


def test_a_file_that_is_renamed_again_and_again_is_found(scene: Scene) -> None:
    names = ["a.py", "c.py", "d.py", "e.py"]
    scene.write("a.py", "x = 1\n")

    def rename(progress: Progress) -> None:
        if progress.stage is Stage.ANALYZE and len(names) > 1:
            (scene.root / names.pop(0)).rename(scene.root / names[0])

    scene.refresh(rename)
    assert scene.paths() == [b"e.py"]
