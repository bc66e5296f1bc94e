"""A walk with the record of the one before finds what a walk without it finds."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from bench.robustness.crash_scene import Here
from satchel.indexer import recorded_plan
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.plan import make_plan
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import RefreshOptions, RefreshReport
from satchel.indexer.scan import git_checkout, recorded_walk
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.indexer.scan.walk import ignore_folder
from satchel.store.sqlite import database
from tests.support.satchel import silent

LONG = os.environ.get("SATCHEL_LONG") == "1"
_NEVER_NS = 10**18
"""So long before now no index of git's was written."""
_NAMES = ("a.py", "b.txt", "c.log", "key.pem", ".env", "big.txt", "logo.png", "modules.txt", "x")
_FOLDERS = ("src", "vendor", "node_modules", "build", "docs", "x")
_GIT_FOLDERS = ("/gone/.git/worktrees/x", "/gone/.git/worktrees/y", "/gone/.git/modules/x")
_RULES = ("*.log", "!c.log", "build/", "/src/b.txt", "x", "!x/", "docs/*", "!docs/a.py", "vendor/",
          "!vendor/", "node_modules/", "!node_modules/")  # fmt: skip


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

    def refresh(self) -> RefreshReport:
        # Two minutes from now: no file that was written just now is read again for its time.
        now = time.time_ns() + 120 * 10**9
        options = RefreshOptions(self.options, WorkerLimits(), now)
        connection = database.connect(self.index, writable=True)
        try:
            return refresh(connection, self.root, options, silent, None, Here())
        finally:
            connection.close()

    def is_what_a_plain_walk_finds(self) -> bool:
        connection = database.connect(self.index, writable=False)
        try:
            return make_plan(
                connection, self.root, self.options, ignore_folder, lambda _n: None
            ).is_settled
        finally:
            connection.close()

    def uses_record(self) -> bool:
        """Whether a plan can be made with the record."""
        connection = database.connect(self.index, writable=True)
        try:
            plan = recorded_plan.recorded_plan(
                connection, self.root, self.options, ignore_folder, lambda _n: None
            )
        finally:
            connection.close()
        return plan is not None


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def _change(scene: Scene, random: Random) -> None:
    """Something that may change which names there are, what they are, or what rules say."""
    folder = "/".join(random.choices(_FOLDERS, k=random.randrange(3)))
    name = random.choice(_NAMES)
    path = f"{folder}/{name}" if folder else name
    target = scene.root / path
    own = random.choice([".gitignore", ".gitignore", ".satchelignore"])
    rules = "\n".join(random.sample(_RULES, random.randrange(4)))
    size = 3_000 if random.random() < 0.1 else random.randrange(60)
    content = b"\0" * size if name == "logo.png" else b"w = 1\n" * (size // 6)
    changes: list[Callable[[], object]] = [
        *[lambda: scene.write(path, content)] * 4,
        lambda: scene.write(f"{folder}/{own}" if folder else own, rules),
        lambda: target.symlink_to(random.choice(["a.py", "src", "nowhere", "../outside", name])),
        lambda: shutil.rmtree(target) if target.is_dir() else target.unlink(),
        lambda: shutil.rmtree(scene.root / random.choice(_FOLDERS)),
        lambda: scene.git("add", "-Af", path),  # what git tracks is not ignored
        lambda: scene.git("rm", "-rqf", "--cached", path),
        lambda: scene.write(".git/info/exclude", rules),
        lambda: (scene.root / random.choice(_FOLDERS)).rename(scene.root / random.choice(_FOLDERS)),
        lambda: scene.write(f"{folder or 'x'}/.git", f"gitdir: {random.choice(_GIT_FOLDERS)}\n"),
        lambda: (scene.root / folder / "empty").mkdir(parents=True),
    ]
    # Something else may be in its place.
    with suppress(OSError, subprocess.CalledProcessError):
        random.choice(changes)()


@pytest.mark.parametrize("seed", range(6 if LONG else 2))
def test_a_walk_with_the_record_finds_what_a_walk_finds(
    scene: Scene, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With half of the seeds git is not asked for tracked files where its index is as it was.
    monkeypatch.setattr(git_checkout, "RACY_NS", 0 if seed % 2 else _NEVER_NS)
    random = Random(seed)
    n_recorded, n_steps = 0, 60 if LONG else 30
    scene.refresh()
    for _ in range(n_steps):
        for _ in range(random.choice([0, 1, 1, 1, 6])):
            _change(scene, random)
        n_recorded += scene.uses_record()
        scene.refresh()
        assert scene.is_what_a_plain_walk_finds()
    assert n_recorded > n_steps / 3


def test_no_rule_is_asked_about_what_is_on_record(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.write(".gitignore", "*.log\nbuild/\n")
    for path in ("a.py", "src/b.py", "src/c.log", "build/d.py", "src/deep/e.py"):
        scene.write(path, "x = 1\n")
    scene.refresh()
    asked: list[str] = []
    real = recorded_walk.outcome

    def outcome(*arguments: object, **named: object) -> object:
        asked.append(str(arguments[3]))
        return real(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(recorded_walk, "outcome", outcome)
    assert scene.refresh().unchanged == 4
    assert asked == []
    scene.write("src/new.py", "y = 2\n")
    scene.write("src/b.py", "x = 2  # longer\n")
    report = scene.refresh()
    assert (report.added, report.changed, report.unchanged) == (1, 1, 3)
    assert asked == ["src/new.py"]


def test_git_is_asked_for_tracked_files_where_its_index_or_settings_are_others(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = git_checkout._run

    def run(root: bytes, words: tuple[str, ...], *others: object) -> bytes | None:
        asked.append(words[0])
        return real(root, words, *others)  # type: ignore[arg-type]

    def is_asked() -> bool:
        asked.clear()
        scene.refresh()
        return "ls-files" in asked

    scene.write(".gitignore", "*.log\n")
    scene.write("a.log", "x = 1\n")
    scene.write("b.log", "x = 1\n")
    scene.git("add", "-f", "a.log")
    monkeypatch.setattr(git_checkout, "_run", run)
    monkeypatch.setattr(git_checkout, "RACY_NS", _NEVER_NS)
    # An index of git's that was just written may be written again and keep its stat.
    assert is_asked() and is_asked()
    monkeypatch.setattr(git_checkout, "RACY_NS", 0)
    assert is_asked() and not is_asked() and not is_asked()
    scene.git("add", "-f", "b.log")
    assert is_asked() and not is_asked()
    scene.git("config", "core.ignoreCase", "true")
    assert is_asked() and not is_asked()
    scene.write("c.log", "x = 1\n")
    assert not is_asked()
    connection = database.connect(scene.index, writable=False)
    paths = [row[0] for row in connection.execute("SELECT path FROM files ORDER BY path")]
    connection.close()
    assert paths == [b".gitignore", b"a.log", b"b.log"]
    # A rule that changed is asked about everything.
    scene.write(".gitignore", "*.txt\n")
    assert is_asked()
    assert scene.is_what_a_plain_walk_finds()


def test_settings_that_git_does_not_list_are_asked_for_each_time(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_checkout, "RACY_NS", 0)
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
    assert scene.is_what_a_plain_walk_finds()


@pytest.mark.parametrize("place", [".gitignore", "src/.gitignore", ".satchelignore"])
def test_rules_that_changed_are_asked_about_everything(scene: Scene, place: str) -> None:
    scene.write(place, "*.txt\n")
    for path in ("src/a.py", "src/b.txt", "src/c.log"):
        scene.write(path, "x = 1\n")
    scene.refresh()
    assert scene.uses_record()
    status = (scene.root / place).stat()
    scene.write(place, "*.log\n")  # as long as before
    os.utime(scene.root / place, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not scene.uses_record()
    report = scene.refresh()
    assert (report.added, report.removed) == (1, 1)
    assert scene.uses_record()


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


def test_files_chosen_by_other_rules_end_the_record(scene: Scene) -> None:
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
