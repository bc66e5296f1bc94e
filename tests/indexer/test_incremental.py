"""Incremental equals full: however an index came about, it says what a fresh one would say."""

import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import apsw
import pytest

from satchel.indexer import carry_out as refreshing
from satchel.indexer.callgraph import linker as derive
from satchel.indexer.extract.pool import Pool
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.plan import PathSubset
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import (
    KEEP_BYTES,
    OnProgress,
    Progress,
    RefreshOptions,
    RefreshReport,
    Stage,
)
from satchel.indexer.scan import walk
from satchel.indexer.scan.ignore_rules import WalkOptions, tree_at
from satchel.store.model import RepoPath
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database
from satchel.store.sqlite.dump import dump
from tests.support.edits import Editor
from tests.support.satchel import STORE, copy_of_our_source, silent

LONG = os.environ.get("SATCHEL_LONG") == "1"
OPTIONS = (WalkOptions(), WorkerLimits(n_workers=1))


class Index:
    """An index of `root` that lies elsewhere, so that one tree can have several."""

    def __init__(self, root: Path, directory: Path, pool: Pool) -> None:
        self.root, self.directory, self._pool = root, directory, pool
        directory.mkdir()

    def refresh(
        self,
        on_progress: OnProgress = silent,
        *,
        now_ns: int = 0,
        interrupt_at: int = 0,
        subset: PathSubset | None = None,
        keep_bytes: int = KEEP_BYTES,
        link_later: bool = False,
    ) -> RefreshReport:
        """Brings it up to date; a clock at 0 takes every file for one that just changed.

        With `interrupt_at`, Ctrl-C is pressed while that statement is executed.
        """
        connection = database.connect(self.directory, writable=True)
        countdown = iter(range(interrupt_at - 1, -1, -1))

        def trace(*_statement: object) -> bool:
            if next(countdown, None) == 0:
                raise KeyboardInterrupt
            return True

        try:
            connection.exec_trace = trace
            options = RefreshOptions(
                *OPTIONS, now_ns, keep_bytes=keep_bytes, link_if_fewer=0 if link_later else None
            )
            may_end = interrupt_at or on_progress is not silent
            pool = None if may_end else self._pool  # what is interrupted ends its workers
            return refresh(connection, self.root, options, on_progress, subset, pool)
        finally:
            connection.close()

    def sizes(self) -> tuple[int, int]:
        """(bytes that no file holds any more, number of contents)"""
        with closing(database.connect(self.directory, writable=False)) as connection:
            sql = "SELECT coalesce(sum(bytes), 0), (SELECT count(*) FROM contents) FROM retired"
            return connection.execute(sql).fetchall()[0]

    @contextmanager
    def opened(self) -> Iterator[apsw.Connection]:
        with closing(database.connect(self.directory, writable=True)) as connection:
            yield connection

    def dump(self) -> list[str]:
        return dump(self.directory)


class Bench:
    """A project and as many indexes of it as a test needs."""

    def __init__(self, folder: Path, pool: Pool) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self._folder, self._pool = folder, pool
        self._count = 0

    def index(self) -> Index:
        self._count += 1
        return Index(self.root, self._folder / f"index{self._count}", self._pool)

    def fresh(self) -> list[str]:
        index = self.index()
        index.refresh()
        return index.dump()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """A worker for all refreshes that nothing interrupts: starting one is most of a small one."""
    with Pool(OPTIONS[1]) as shared:
        yield shared


@pytest.fixture
def bench(tmp_path: Path, pool: Pool) -> Bench:
    return Bench(tmp_path, pool)


def difference(left: list[str], right: list[str]) -> list[str]:
    return [f"- {row}" for row in sorted(set(left) - set(right))] + [
        f"+ {row}" for row in sorted(set(right) - set(left))
    ]


@pytest.fixture
def derives_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few files there are, only edges of what has changed are derived again."""
    monkeypatch.setattr(refreshing, "DERIVE_ALL_SHARE", 1.0)


def assert_same(index: Index, fresh: list[str], what: str) -> None:
    found = index.dump()
    assert difference(found, fresh) == [], what
    assert found == fresh, what


@pytest.mark.usefixtures("derives_changes")
@pytest.mark.parametrize("seed", range(40 if LONG else 2))
def test_any_sequence_of_edits_gives_the_index_of_a_fresh_start(bench: Bench, seed):
    editor, index, done = Editor(bench.root, seed), bench.index(), []
    for step in range(60):
        done.append(editor.edit())
        index.refresh()
        if LONG or step % 6 == seed % 6:
            assert_same(index, bench.fresh(), f"seed {seed}: {done}")


def everything(root: Path) -> dict[str, tuple[int, ...]]:
    """Every path below `root`, folders and links included, with what its stat says."""
    stats = {path: path.lstat() for path in root.rglob("*")}
    return {
        path.relative_to(root).as_posix(): (s.st_mode, s.st_ino, s.st_size, s.st_mtime_ns)
        for path, s in stats.items()
    }


@pytest.mark.usefixtures("derives_changes")
@pytest.mark.parametrize("seed", range(40 if LONG else 1))
def test_looking_at_the_changed_paths_alone_gives_the_index_of_a_fresh_start(bench: Bench, seed):
    editor, index, done = Editor(bench.root, 100 + seed), bench.index(), []
    index.refresh()
    for step in range(60):
        before = everything(bench.root)
        done.append(editor.edit())
        after = everything(bench.root)
        paths = {p for p, _ in before.items() ^ after.items()}
        folders = {str(Path(p).parent) for p in paths if Path(p).name == ".gitignore"}
        listings = {p for p in paths if p in before and stat.S_ISDIR(before[p][0])}
        parts = (paths - {p for p in listings if (bench.root / p).is_dir()}) | folders
        tree = tree_at(bench.root, WalkOptions())
        names = tuple(RepoPath("" if part == "." else part) for part in sorted(parts))
        index.refresh(subset=PathSubset(tree, names))
        if LONG or step % 6 == seed % 6:
            assert_same(index, bench.fresh(), f"seed {seed}: {done}")


def test_files_refused_by_their_bytes_are_read_once(bench: Bench, monkeypatch):
    for name in ("a.bin", "b.bin"):
        (bench.root / name).write_bytes(b"\0\0")
    index, read, later = bench.index(), [], time.time_ns() + 10**12
    index.refresh(now_ns=later)
    original = walk.read
    monkeypatch.setattr(walk, "read", lambda *a: read.append(a[1]) or original(*a))
    index.refresh(now_ns=later)
    assert read == []
    (bench.root / "a.bin").write_text("now = 'text'\n", encoding="utf-8")
    assert index.refresh(now_ns=later).added == 1
    assert read == ["a.bin"]
    assert_same(index, bench.fresh(), "after a refused file became text")


def test_no_save_is_missed_when_the_clock_jumps(bench: Bench):
    index, start = bench.index(), time.time_ns()
    names = iter("one two six ten aaa bbb ccc ddd eee fff ggg hhh iii jjj kkk".split())

    def save(clock: int) -> None:
        path = bench.write("a.py", f"def {next(names)}():\n    pass\n")
        os.utime(path, ns=(start + clock, start + clock))

    clock = 0
    for jump in (0, 10**18, 0, -(10**18), 10**12):
        save(clock)
        clock = jump  # between a save and the look at it
        for _ in range(2):  # twice within one tick, and of the same size
            index.refresh(now_ns=start + clock)
            assert_same(index, bench.fresh(), f"at {clock}")
            save(clock)


@pytest.mark.usefixtures("derives_changes")
def test_a_new_file_alone_may_change_the_edges_of_others(bench: Bench):
    bench.write("a.py", "def use(x):\n    return x.load_all()\n")
    bench.write("b.py", "class Box:\n    def load_all(self):\n        return 1\n")
    index = bench.index()
    index.refresh()
    assert any("load_all" in row for row in index.dump() if row.startswith("edge"))
    bench.write("c.py", "class Other:\n    def load_all(self):\n        return 2\n")
    index.refresh(subset=PathSubset(tree_at(bench.root, WalkOptions()), (RepoPath("c.py"),)))
    assert_same(index, bench.fresh(), "it is not the only one any more")


def test_a_link_is_looked_at_again_when_only_its_target_goes(bench: Bench):
    bench.write("lib/inner/a.py", "def use():\n    return 1\n")
    (bench.root / "link").symlink_to("lib/inner")
    (bench.root / "later").symlink_to("lib/other")
    index = bench.index()
    index.refresh()
    for path in ("lib/inner", "lib/other"):
        if (bench.root / path).exists():
            shutil.rmtree(bench.root / path)
        else:
            bench.write(f"{path}/b.py", "def use():\n    return 2\n")
        tree = tree_at(bench.root, WalkOptions())
        index.refresh(subset=PathSubset(tree, (RepoPath(path),)))
        assert_same(index, bench.fresh(), f"{path} came or went")


def test_what_no_file_holds_any_more_is_kept_within_bounds(bench: Bench):
    index = bench.index()
    for number in range(30):
        bench.write("a.py", f"x = {number}\n" * 50)
        index.refresh(keep_bytes=3_000)
    retired, contents = index.sizes()
    assert 0 < retired <= 3_000
    assert contents < 10
    assert_same(index, bench.fresh(), "after pruning")


def test_a_small_change_in_a_large_project_gives_the_index_of_a_fresh_start(bench: Bench):
    copy_of_our_source(bench.root, STORE)
    index = bench.index()
    index.refresh()
    for name, old, new in [
        ("satchel/store/terms.py", "def stem(", "def stemmed("),
        ("satchel/store/terms.py", "def stemmed(", "def stem("),
        ("satchel/store/model.py", "class Chunk(", "class Chunks("),
    ]:
        path = bench.root / name
        path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")
        report = index.refresh()
        assert (report.changed, report.added, report.removed) == (1, 0, 0)
    (bench.root / "satchel/store/codec.py").rename(bench.root / "satchel/store/codecs.py")
    index.refresh()
    assert_same(index, bench.fresh(), "after four edits")


class Interrupter:
    """Presses Ctrl-C at the n-th sign of progress of some stage."""

    def __init__(self, stage: Stage, n: int) -> None:
        self._stage, self._left = stage, n

    def __call__(self, progress: Progress) -> None:
        if progress.stage == self._stage:
            self._left -= 1
            if self._left <= 0:
                raise KeyboardInterrupt


def test_an_interrupted_refresh_is_completed_by_the_next(bench: Bench, monkeypatch):
    monkeypatch.setattr(refreshing, "BATCH_CHUNKS", 60)  # so that something has been committed
    copy_of_our_source(bench.root, STORE)
    fresh = bench.fresh()
    random = Random(7)
    for _ in range(20 if LONG else 3):
        index = bench.index()
        for _ in range(3):
            try:
                index.refresh(Interrupter(Stage.ANALYZE, random.randrange(1, 45)))
            except KeyboardInterrupt:
                continue
        index.refresh()
        assert_same(index, fresh, "after interruptions")


def test_an_interruption_at_any_statement_leaves_the_old_or_the_new(bench: Bench, monkeypatch):
    monkeypatch.setattr(refreshing, "BATCH_CHUNKS", 2)
    for number in range(6):
        bench.write(f"m{number}.py", f"from m{number + 1} import f\n\ndef f():\n    f()\n")
    index, old = bench.index(), bench.index()
    old.refresh()
    before = old.dump()
    index.refresh()
    for number in (0, 3):
        bench.write(f"m{number}.py", "def g():\n    f()\n")
    (bench.root / "m5.py").rename(bench.root / "m6.py")
    fresh, interrupted = bench.fresh(), 0
    for at in range(1, 400, 5 if LONG else 23):
        victim = bench.index()
        shutil.copytree(index.directory, victim.directory, dirs_exist_ok=True)
        try:
            victim.refresh(interrupt_at=at)
        except KeyboardInterrupt:
            interrupted += 1
        left = victim.dump()
        if "state: ('linking',)" in left:  # the text is new, the edges are not yet
            assert text_of(left) == text_of(fresh)
        else:
            assert "state: ('building',)" in left or left in (before, fresh)
        victim.refresh()
        assert_same(victim, fresh, f"interrupted at statement {at}")
    assert interrupted > 5


def text_of(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith(("edge:", "state:"))]


@pytest.mark.parametrize("stage", [Stage.NAMES, Stage.DERIVE, Stage.DONE])
def test_an_interruption_late_in_a_refresh_leaves_old_or_new(bench: Bench, stage: Stage):
    bench.write("a.py", "def a():\n    b()\n")
    index = bench.index()
    index.refresh()
    bench.write("b.py", "def b():\n    a()\n")
    (bench.root / "a.py").unlink()
    with pytest.raises(KeyboardInterrupt):
        index.refresh(Interrupter(stage, 1))
    index.refresh()
    assert_same(index, bench.fresh(), f"interrupted while {stage}")


def test_what_was_done_before_an_interruption_is_not_parsed_again(bench: Bench, monkeypatch):
    monkeypatch.setattr(refreshing, "BATCH_CHUNKS", 60)
    copy_of_our_source(bench.root, STORE)
    index, whole = bench.index(), bench.index().refresh().parsed
    with pytest.raises(KeyboardInterrupt):
        index.refresh(Interrupter(Stage.ANALYZE, whole // 2))
    assert index.refresh().parsed <= whole - whole // 2 + 1


def test_a_file_that_was_only_touched_is_not_parsed(bench: Bench):
    path, index = bench.write("a.py", "x = 1\n"), bench.index()
    assert index.refresh().parsed == 1
    os.utime(path, ns=(1, 1))
    report = index.refresh()
    assert (report.parsed, report.n_changes, report.unchanged) == (0, 0, 1)


def test_known_bytes_at_a_new_path_are_not_parsed(bench: Bench):
    path, index = bench.write("a.py", "x = 1\n"), bench.index()
    index.refresh()
    path.rename(bench.root / "b.py")
    bench.write("c/d.py", "x = 1\n")
    report = index.refresh()
    assert (report.parsed, report.added, report.removed) == (0, 2, 1)
    assert_same(index, bench.fresh(), "after a move and a copy")


def test_bytes_that_come_back_are_not_parsed_again(bench: Bench):
    index = bench.index()
    for text, parsed in [("x = 1\n", 1), ("x = 2\n", 1), ("x = 1\n", 0), ("x = 2\n", 0)]:
        bench.write("a.py", text)
        assert index.refresh().parsed == parsed


def test_an_edit_that_keeps_size_and_time_is_seen_while_the_clock_is_near(bench: Bench):
    path, index = bench.write("a.py", "x = 1\n"), bench.index()
    stamp = time.time_ns()
    os.utime(path, ns=(stamp, stamp))
    index.refresh(now_ns=stamp + 1)
    path.write_text("x = 2\n", encoding="utf-8")
    os.utime(path, ns=(stamp, stamp))
    assert index.refresh(now_ns=stamp + 2).changed == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no time there that nobody can set back")
def test_an_edit_that_keeps_size_inode_and_time_is_seen_at_any_time(bench: Bench):
    path, index = bench.write("a.py", "x = 1\n"), bench.index()
    refused = bench.write("b.bin", "\0\0")
    for each in (path, refused):
        os.utime(each, ns=(1, 1))
    index.refresh()
    assert index.refresh().n_changes == 0
    for each, data in ((path, b"x = 2\n"), (refused, b"ab")):
        with each.open("r+b") as stream:  # the same inode
            stream.write(data)
        os.utime(each, ns=(1, 1))
    report = index.refresh()
    assert (report.changed, report.added) == (1, 1)
    assert_same(index, bench.fresh(), "after edits that set the time back")


def test_a_refresh_that_finds_nothing_new_keeps_the_generation(bench: Bench):
    bench.write("a.py", "x = 1\n")
    bench.write("b.bin", "\0\0")
    index = bench.index()
    first = index.refresh(now_ns=time.time_ns() + 10**12)
    before = index.dump()
    again = index.refresh(now_ns=time.time_ns() + 10**12)
    assert (again.generation, again.n_changes) == (first.generation, 0)
    assert index.dump() == before


SAID_OF_ITSELF = {
    "again.rb": """
class Again
  def initialize(app)
    @app = app
  end

  def twice
    self.class.new(@app)
  end
end
""",
    "more.php": """<?php
class More {
    public function __construct() {}
    public static function made() { return new static(); }
}
""",
    "table.js": """
function run() {}
const table = {'go': run};
const open = {};
function fill(key) { open[key] = run; }
function start() { table.go(); open.anything(); }
""",
}
"""Uses that mean something in the tree though nothing there is called so: `new`, a key."""


def test_names_that_only_a_language_or_a_key_gives_a_meaning_to(bench: Bench, monkeypatch):
    # One file derived for itself must not see more than all of them together.
    for name, text in SAID_OF_ITSELF.items():
        bench.write(name, text)
    index = bench.index()
    index.refresh()
    fresh = [row for row in index.dump() if row.startswith("edge:")]
    assert any("Again.twice" in row and "Again.initialize" in row for row in fresh)
    assert any("start" in row and "run" in row for row in fresh)
    monkeypatch.setattr(refreshing, "DERIVE_ALL_SHARE", 1.0)
    for name, text in SAID_OF_ITSELF.items():
        bench.write(name, text + "\n")
        index.refresh()
        assert_same(index, bench.fresh(), name)


SAMPLES = Path(__file__).parents[1] / "fixtures" / "languages"


def test_samples_of_all_languages_derived_by_themselves_give_the_edges_of_a_fresh_start(
    bench: Bench, monkeypatch
):
    # A line more in every file but one, whose edges stay, so that each is linked by itself.
    samples = sorted(path for path in SAMPLES.glob("*/sample.*") if path.suffix != ".facts")
    for path in samples:
        bench.write(path.name, path.read_text("utf-8"))
    bench.write("stays.py", "def one(): pass\none()\n")
    index = bench.index()
    index.refresh()
    monkeypatch.setattr(refreshing, "DERIVE_ALL_SHARE", 1.0)
    for path in samples:
        bench.write(path.name, path.read_text("utf-8") + "\n")
    index.refresh()
    assert_same(index, bench.fresh(), "every sample has a line more")
    edges = [row for row in index.dump() if row.startswith("edge:")]
    assert any("Library.Shelf" in row and "Library.Printable" in row for row in edges)


EXPORTS_TABLE = "module.exports = { table };\n"
CAME_LATER: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "a base with its namespace": (
        {
            "use.ex": "defimpl Library.Printable, for: Integer do\n  def line(n), do: n\nend\n",
            "stays.ex": "defmodule Stays do\n  def one, do: 1\nend\n",
        },
        {"told.ex": "defprotocol Library.Printable do\n  def line(thing)\nend\n"},
        "implement",
    ),
    "a key of a table elsewhere": (
        {
            "table.js": f"function run() {{}}\nconst table = {{}};\n{EXPORTS_TABLE}",
            "use.js": "const { table } = require('./table');\nfunction f() { table.go(); }\n",
        },
        {"table.js": f"function run() {{}}\nconst table = {{'go': run}};\n{EXPORTS_TABLE}"},
        "call",
    ),
    "a package with a dot in its name": (
        {
            "packages/app/use.ts": "import { go } from 'socket.io';\ngo();\n",
            "other.ts": "export function go() {}\n",
        },
        {"packages/socket.io/lib/index.ts": "export * from '../../../other';\n"},
        "call",
    ),
    "an equal definition in a file that is before": (
        {
            "use.go": "package p\n\nfunc alpha() {\n\tgamma()\n}\n",
            "z.go": "package p\n\nfunc gamma() {}\n\nfunc gamma() {}\n",
        },
        {"a.go": "package p\n\nfunc gamma() {}\n"},
        "call",
    ),
}
"""Files, what is written later, and the kind of an edge that there is then."""


@pytest.mark.usefixtures("derives_changes")
@pytest.mark.parametrize("what", CAME_LATER)
def test_what_comes_later_is_linked_as_by_a_fresh_start(bench: Bench, what: str):
    first, later, kind = CAME_LATER[what]
    index = bench.index()
    for files in (first, later):
        for name, text in files.items():
            bench.write(name, text)
        index.refresh()
    assert_same(index, bench.fresh(), what)
    assert any(kind in row for row in index.dump() if row.startswith("edge:"))


CLASS = "class A:\n    def go(self): pass\n"
WITH_HELPER = f"{CLASS}def helper(self): pass\n"
FILLS_A_LIST = f"{CLASS}items = []\ndef add():\n    items.append(A())\n"
USES_A_LIST = "from lib import items\nfor i in items: i.go()\n"
HOLDS_ANY = f"{CLASS}class H:\n    def __init__(self, held): self.held = held\n"
USES_HELD = "from lib import H\ndef use(h: H): h.held.go()\n"
SETS_A_VARIABLE = (
    "class A { go() {} }\nlet current = null;\nfunction set() {\n  current = new A();\n}\n"
    "exports.current = current;\n"
)
EDITED: dict[str, tuple[str, str, str, str]] = {
    "a parameter hides what was filled": (FILLS_A_LIST, "add()", "add(items)", USES_A_LIST),
    "a variable hides it": (FILLS_A_LIST, "add():", "add():\n    items = []", USES_A_LIST),
    "a function hides it": (FILLS_A_LIST, "add():", "add():\n    def items(): pass", USES_A_LIST),
    "a declaration hides what was set": (
        SETS_A_VARIABLE, "() {\n", "() {\n  let current;\n",
        "const { current } = require('./lib');\ncurrent.go();\n",
    ),
    "a call is of a variable": (
        f"{HOLDS_ANY}def make():\n    Maker(A())\n", "def make", "Maker = H\ndef make", USES_HELD,
    ),
    "a call is of a parameter": (
        f"{HOLDS_ANY}def run():\n    f(A())\nrun(H)\n", "run():", "run(f):", USES_HELD,
    ),
    "a name is imported beside its definition": (
        "def helper(): pass\n", "def", "from other import helper\ndef",
        "from lib import helper\nhelper()\n",
    ),
    "a function gives a class a method": (
        f"{WITH_HELPER}def patch(o):\n    pass\npatch(A)\n", "    pass", "    o.go = helper",
        "from lib import A\nA().go()\n",
    ),
    "a class is given one by another name": (
        f"{WITH_HELPER}x = A\n", "x = A\n", "x = A\nsetattr(x, 'go', helper)\n",
        "from lib import A\nA().go()\n",
    ),
    "a prototype is given one by a function": (
        "class A { go() {} }\nfunction helper() {}\nfunction patch(p) { }\n"
        "patch(A.prototype);\nmodule.exports = { A };\n",
        "(p) { }", "(p) { Object.assign(p, { go: helper }); }",
        "const { A } = require('./lib');\nnew A().go();\n",
    ),
}  # fmt: skip
"""A file, what is written in it and instead of that, and a file whose edges depend on it."""


@pytest.mark.usefixtures("derives_changes")
@pytest.mark.parametrize("what", EDITED)
def test_an_edit_changes_what_a_name_means_elsewhere(bench: Bench, what: str):
    text, before, after, user = EDITED[what]
    extension = ".js" if "require(" in user else ".py"
    index = bench.index()
    bench.write(f"main{extension}", user)
    bench.write(f"other{extension}", "def helper(): pass\n")
    versions = (text, text.replace(before, after, 1), text)
    edges = []
    for each in versions:
        bench.write(f"lib{extension}", each)
        index.refresh()
        fresh = bench.fresh()
        assert_same(index, fresh, what)
        edges.append([row for row in fresh if row.startswith("edge:")])
    assert edges[0] != edges[1]


@pytest.mark.usefixtures("derives_changes")
def test_edges_may_follow_the_text_in_steps_and_come_out_the_same(bench: Bench):
    bench.write("a.py", "def wake():\n    return 1\n")
    for number in range(3):
        bench.write(f"b{number}.py", f"from a import wake\n\n\ndef day{number}():\n    wake()\n")
    index = bench.index()
    index.refresh()
    bench.write("a.py", "def woke():\n    return 1\n\n\ndef wake(x):\n    return woke()\n")
    index.refresh(link_later=True)
    with index.opened() as connection:
        with SqliteSnapshot(connection) as snapshot:
            assert (snapshot.complete, snapshot.linked) == (True, False)
            assert [found.name for found in snapshot.symbols.named("woke")] == ["woke"]
        assert not derive.Linker(connection).link(lambda: True)
    bench.write("b1.py", "from a import woke\n\n\ndef day1():\n    woke()\n")
    index.refresh(link_later=True)
    with index.opened() as connection:
        n_steps, linker = 1, derive.Linker(connection)
        while not linker.link(lambda: True):
            n_steps += 1
    assert n_steps > 1
    assert_same(index, bench.fresh(), "linked in steps")


@pytest.mark.usefixtures("derives_changes")
@pytest.mark.parametrize(
    "user",
    [
        "from a import Job\n\n\ndef day():\n    queue = [Job()]\n    queue.get_nowait()\n",
        "from a import Job\n\n\ndef day(queue: list[Job]):\n    queue.get_nowait()\n",
    ],
    ids=["made", "declared"],
)
def test_a_method_of_a_collection_is_linked_in_steps_as_at_once(bench: Bench, user: str):
    bench.write("a.py", "class Job:\n    def __call__(self):\n        return 1\n")
    bench.write("b.py", "def other():\n    return 2\n")
    index = bench.index()
    index.refresh()
    bench.write("b.py", user)
    index.refresh(link_later=True)
    with index.opened() as connection:
        linker = derive.Linker(connection)
        while not linker.link(lambda: True):
            pass
    assert_same(index, bench.fresh(), "linked in steps")


@pytest.mark.usefixtures("derives_changes")
def test_types_that_satisfy_interfaces_are_linked_in_steps_too(bench: Bench):
    bench.write("go.mod", "module shop\n")
    for package in ("closer", "ender"):
        body = "type It interface {\n\tClose() error\n}\n"
        bench.write(f"{package}/it.go", f"package {package}\n\n{body}")
    bench.write("file/file.go", "package file\n\ntype F struct{}\n")
    index = bench.index()
    index.refresh()
    method = "func (f F) Close() error { return nil }\n"
    bench.write("file/file.go", f"package file\n\ntype F struct{{}}\n\n{method}")
    index.refresh(link_later=True)
    with index.opened() as connection:
        linker = derive.Linker(connection)
        while not linker.link(lambda: True):
            pass
        with SqliteSnapshot(connection) as snapshot:
            (holder,) = snapshot.symbols.named("F")
            edges = snapshot.symbols.edges_from([holder.id])
    assert [edge.kind for edge in edges] == ["implement", "implement"]
    assert_same(index, bench.fresh(), "linked in steps")


@pytest.mark.usefixtures("derives_changes")
def test_an_index_whose_edges_were_left_is_finished_by_the_next_refresh(bench: Bench):
    bench.write("a.py", "def wake():\n    return 1\n")
    bench.write("b.py", "from a import wake\n\n\ndef day():\n    wake()\n")
    index = bench.index()
    index.refresh()
    bench.write("a.py", "def wake(x):\n    return 1\n")
    index.refresh(link_later=True)
    index.refresh()
    assert_same(index, bench.fresh(), "finished")


@pytest.mark.usefixtures("derives_changes")
def test_a_switch_back_derives_no_edge_again(bench: Bench):
    """Neither those of the files that changed, nor those of files that use what was renamed."""

    def branch(name: str) -> None:
        for number in range(24):
            call = f"from pkg.m{number + 1} import {name}\n\n\ndef use():\n    {name}()\n"
            bench.write(f"pkg/m{number}.py", f"def {name}():\n    pass\n\n\n{call}# {name}\n")

    for number in range(40):
        bench.write(f"other/o{number}.py", "from pkg.m3 import start\n\nstart()\n")
    index, derived = bench.index(), []
    for number, name in enumerate(("start", "begin", "start", "begin", "start")):
        branch(name)
        seen: list[Progress] = []
        report = index.refresh(seen.append, now_ns=time.time_ns() + 10**12)
        if number >= 2:
            assert_same(index, bench.fresh(), f"{number}: {name}")
        derived.append(max((each.done for each in seen if each.stage is Stage.DERIVE), default=0))
        assert report.parsed == (25, 24, 0, 0, 0)[number]
    assert min(derived[:2]) > 24
    assert derived[2:] == [0, 0, 0]


@pytest.mark.usefixtures("derives_changes")
def test_kept_edges_do_not_outlive_what_they_came_from(bench: Bench, monkeypatch):
    """A file is switched back while another one, which it calls, has changed in between."""
    monkeypatch.setattr(refreshing, "SWITCHED_FILES", 1)
    caller = "from b import there\n\n\ndef here():\n    there()\n"
    index = bench.index()
    for here, there in ((caller, "there"), ("x = 1\n", "there"), (caller, "elsewhere")):
        bench.write("a.py", here)
        bench.write("b.py", f"def {there}():\n    pass\n")
        bench.write("c.py", "def there():\n    pass\n")
        index.refresh()
        assert_same(index, bench.fresh(), there)


def test_files_that_change_together_keep_the_terms_that_one_of_them_loses(bench: Bench):
    text = "# alpha beta gamma\n\n\ndef {0}():\n    return 1\n"
    for name in ("alpha", "gamma"):
        bench.write(f"py/{name}.py", text.format(name))
    index = bench.index()
    index.refresh()
    bench.write("py/alpha.py", text.format("alpha").replace("beta", "py").replace("# alpha", "#"))
    bench.write("py/gamma.py", text.format("gamma").replace("gamma\n\n", "delta\n\n"))
    index.refresh()
    assert_same(index, bench.fresh(), "other words in both")


def branches(bench: Bench) -> Callable[[str], None]:
    """Writes the files of a branch: those of 24 differ, 40 others use one of them."""
    for number in range(40):
        bench.write(f"other/o{number}.py", "from pkg.m3 import start\n\nstart()\n")

    def write(name: str) -> None:
        for number in range(24):
            call = f"from pkg.m{number + 1} import {name}\n\n\ndef use():\n    {name}()\n"
            bench.write(f"pkg/m{number}.py", f"def {name}():\n    pass\n\n\n{call}# {name}\n")

    return write


def kept(index: Index) -> tuple[int, int]:
    with index.opened() as connection:
        sql = "SELECT (SELECT count(*) FROM kept_edges), (SELECT max(since) FROM kept_moments)"
        return connection.execute(sql).fetchall()[0]


@pytest.mark.usefixtures("derives_changes")
def test_edges_that_are_the_same_on_both_branches_are_kept_once(bench: Bench):
    switch, index, found = branches(bench), bench.index(), []
    for name in ("start", "begin", "start", "begin", "start", "begin"):
        switch(name)
        index.refresh(now_ns=time.time_ns() + 10**12)
        found.append(kept(index))
    # 24 files of each branch, and 40 that have an edge on one branch alone.
    assert [rows for rows, _ in found][-3:] == [2 * 24 + 2 * 40] * 3
    assert found[-1][1] > found[-2][1] > found[-3][1]
    assert_same(index, bench.fresh(), "switched five times")


@pytest.mark.usefixtures("derives_changes")
def test_a_switch_back_is_one_transaction(bench: Bench):
    """Wherever it is interrupted, the index is that of one branch or that of the other."""
    switch, index, sides = branches(bench), bench.index(), []
    for name in ("start", "begin", "start", "begin"):
        switch(name)
        generation = index.refresh(now_ns=time.time_ns() + 10**12).generation
        sides.append(index.dump())
    assert sides[:2] == sides[2:]
    switch("start")
    interrupted = 0
    for at in range(1, 2_000, 40 if LONG else 170):
        victim = bench.index()
        shutil.copytree(index.directory, victim.directory, dirs_exist_ok=True)
        try:
            report = victim.refresh(interrupt_at=at, now_ns=time.time_ns() + 10**12)
            assert (report.generation, report.parsed) == (generation + 1, 0)
        except KeyboardInterrupt:
            interrupted += 1
        assert victim.dump() in sides[:2]
        victim.refresh(now_ns=time.time_ns() + 10**12)
        assert_same(victim, sides[0], f"interrupted at statement {at}")
    assert interrupted > 5
