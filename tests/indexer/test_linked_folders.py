"""Folders with a second path: files are indexed once, imports find them by either path."""

from pathlib import Path

import pytest

from satchel.indexer.callgraph.tables.folder_links import FolderLinks
from satchel.store.sqlite.dump import dump
from tests.support.satchel import index, refresh, state_folders

LIBRARY = "from . import other\nfrom ..base import shared\n\ndef helper():\n    shared()\n"
TREE = {
    "room/__init__.py": "",
    "room/util.py": LIBRARY,
    "room/other.py": "def helper(): ...\n",
    "pack/__init__.py": "",
    "pack/base.py": "def shared(): ...\n",
    "pack/own.py": "from pack.room.util import helper\n\ndef run():\n    helper()\n",
    "main.py": "from pack import room\nimport pack.room.util\n\n"
    "def main():\n    room.util.helper()\n    pack.room.util.helper()\n",
    "web/lib/index.js": "export function draw() {}\n",
    "web/lib/more.js": "export function paint() {}\n",
    "web/app/main.js": "import { draw } from './ui';\nimport { paint } from './ui/more.js';\n"
    "export function show() { draw(); paint(); }\n",
}
LINKS = {"pack/room": "../room", "web/app/ui": "../lib"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in TREE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    for path, target in LINKS.items():
        (tmp_path / path).symlink_to(target)
    return tmp_path


def edges(root: Path) -> set[tuple[str, str]]:
    """(user, used) of every edge, as path:name."""
    with index(root).snapshot() as snapshot:
        files = snapshot.files.all()
        symbols = [s for file in files for s in snapshot.symbols.of_file(file.path)]
        known = {s.id: f"{s.path}:{s.name}" for s in symbols}
        return {(known[e.source], known[e.target]) for e in snapshot.graph.edges()}


def test_imports_through_a_linked_folder_find_its_files(tree):
    assert {
        ("pack/own.py:run", "room/util.py:helper"),
        ("main.py:main", "room/util.py:helper"),
        ("room/util.py:helper", "pack/base.py:shared"),
        ("web/app/main.js:show", "web/lib/index.js:draw"),
        ("web/app/main.js:show", "web/lib/more.js:paint"),
    } <= edges(tree)


def test_files_are_indexed_once_and_links_say_where_they_lead(tree):
    with index(tree).snapshot() as snapshot:
        assert {file.path for file in snapshot.files.all()} == set(TREE)
        left_out = {s.path: (s.reason.value, s.detail) for s in snapshot.files.skipped()}
    assert left_out == {"pack/room": ("symlink", "room"), "web/app/ui": ("symlink", "web/lib")}


def test_a_link_that_comes_goes_or_turns_changes_the_edges_of_who_imports_through_it(tree):
    """No file changes with it; the index is that of a fresh start all the same."""
    through = ("pack/own.py:run", "room/util.py:helper")
    link = tree / "pack/room"
    assert through in edges(tree)
    link.unlink()
    assert through not in edges(tree)
    (tree / "another").mkdir()
    (tree / "another/util.py").write_text("def helper(): ...\n", encoding="utf-8")
    link.symlink_to("../another")
    assert ("pack/own.py:run", "another/util.py:helper") in edges(tree)
    link.unlink()
    link.symlink_to("../room")
    assert through in edges(tree)
    grown = dump(state_folders(tree).index)
    refresh(tree, full=True)
    assert dump(state_folders(tree).index) == grown


def test_a_link_to_the_root_gives_it_a_name(tmp_path):
    """As where a checkout is a package, and a link makes it importable under its name."""
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "core.py").write_text("def start(): ...\n", encoding="utf-8")
    text = "from project.core import start\n\ndef test():\n    start()\n"
    (tmp_path / "check.py").write_text(text, encoding="utf-8")
    (tmp_path / "project").symlink_to(".")
    assert ("check.py:test", "core.py:start") in edges(tmp_path)


LINKED = FolderLinks.of([("a/b", "c"), ("c/d", "e"), ("loop", ""), ("z/b", "y")])


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("a/b/x", "c/x"),
        ("a/b/d/x", "e/x"),
        ("a/bx/y", "a/bx/y"),
        ("a/b", "a/b"),  # nothing says that more follows
        ("loop/a/b/x", "c/x"),
        ("x", "x"),
    ],
)
def test_a_path_through_links_leads_to_where_files_lie(path, real):
    assert LINKED.real(path) == real


def test_a_path_that_leads_through_itself_ends():
    assert FolderLinks.of([("a", "a/b")]).real("a/x").endswith("/x")


def test_an_import_may_begin_above_a_link_at_it_or_within():
    assert list(LINKED.ending_in("b/x")) == ["a/b/x", "z/b/x"]
    assert list(LINKED.ending_in("a/b/x")) == ["a/b/x"]
    assert list(LINKED.ending_in("b")) == ["a/b", "z/b"]
    assert list(FolderLinks().ending_in("b")) == []
