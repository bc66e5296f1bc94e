"""A code base at a glance: sizes add up, ways in are found, use decides what is central."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.assembler.kinds import PROJECT
from satchel.assembler.survey import overview as overview_module
from satchel.assembler.survey.overview import Overview, overview
from satchel.indexer.refresh import refresh
from satchel.store.errors import UsageError
from satchel.store.sqlite import database
from satchel.workspace.lock import writer_lock
from tests.support.git import commit_all, needs_git
from tests.support.satchel import index, satchel, silent

CODE = """
//- pyproject.toml
[project.scripts]
shop = "shop.cli:main"
//- package.json
{"name": "front", "main": "web/index.js", "bin": {"front": "web/cli.js"}}
//- broken/package.json
{"bin": 7
//- Cargo.toml
[[bin]]
name = "till"
path = "src/till.rs"
//- shop/cli.py
from shop.price import rounded

def main():
    rounded(1)
//- shop/__main__.py
from shop.cli import main
main()
//- shop/price.py
def rounded(value):
    return value

def lonely():
    return rounded(2)
//- shop/order.py
from shop.price import rounded

def total():
    return rounded(3)
//- tests/test_price.py
from shop.price import lonely

def test_price():
    lonely()

def main():
    pass
"""


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


def seen(root: Path, scope: str = "project") -> Overview:
    with index(root).snapshot() as snapshot:
        return overview(snapshot, scope)


def test_sizes_are_those_of_the_files(root: Path):
    found = seen(root)
    files = [path for path in root.rglob("*") if path.is_file() and ".satchel" not in path.parts]
    assert found.n_files == len(files)
    assert found.n_lines == sum(len(path.read_bytes().splitlines()) for path in files)
    assert sum(folder.files for folder in found.folders) == found.n_files
    python = next(each for each in found.languages if each.language == "python")
    assert (python.files, python.test_files) == (5, 1)


def test_the_whole_is_surveyed_once_for_each_state_of_the_index(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    project = index(root)
    usual, counted = overview_module.packages, list[int]()

    def packages(snapshot, prefix):
        counted.append(snapshot.generation)
        return usual(snapshot, prefix)

    monkeypatch.setattr(overview_module, "packages", packages)

    def whole(scope: str = PROJECT) -> Overview:
        with project.snapshot() as snapshot:
            return overview(snapshot, scope)

    first = whole()
    assert whole() == first
    assert whole(".") == replace(first, scope=".")
    assert len(counted) == 1
    (root / "shop" / "late.py").write_text("def late():\n    pass\n", encoding="utf-8")
    project.refresh(silent)
    assert whole().n_files == first.n_files + 1
    assert counted == [first.generation, whole().generation]


def test_a_path_narrows_what_is_told(root: Path):
    found = seen(root, "shop")
    assert (found.n_files, found.folders[0].path) == (4, "shop/price.py")
    assert seen(root, "./shop/").n_files == 4
    with pytest.raises(UsageError, match="no indexed file"):
        seen(root, "nowhere")
    for several in ("shop\nweb", "sh*"):
        with pytest.raises(UsageError, match="takes one folder"):
            seen(root, several)


def test_a_folder_is_meant_whole_and_may_have_brackets_in_its_name(project):
    root = project(
        "//- web/a.py\nX = 1\n//- web-next/b.py\nX = 1\n//- pages/[[user]]/c.py\nX = 1\n"
    )
    with index(root).snapshot() as snapshot:
        assert [n.files for n in overview(snapshot, "web").languages] == [1]
        assert [n.files for n in overview(snapshot, "pages/[[user]]").languages] == [1]
        assert [n.files for n in overview(snapshot, "web/").languages] == [1]
        with pytest.raises(UsageError, match="no indexed file lies below 'we'") as refused:
            overview(snapshot, "we")
        assert refused.value.hint == "did you mean web, web-next?"
        with pytest.raises(UsageError):
            overview(snapshot, "pages/[a]*")


def test_ways_in_come_from_manifests_and_from_what_is_called_main(root: Path):
    found = {(entry.path, entry.name) for entry in seen(root).entry_points}
    assert found == {
        ("pyproject.toml", "shop"),
        ("package.json", "front"),
        ("Cargo.toml", "till"),
        ("shop/cli.py", "main"),
        ("shop/__main__.py", "shop"),
    }


def test_most_used_is_what_most_other_product_files_use(root: Path):
    (first, *rest) = seen(root).central
    assert (first.symbol.qualified_name, first.n_files, first.n_users) == ("rounded", 2, 2)
    assert "lonely" not in [central.symbol.qualified_name for central in rest]


def test_a_guess_is_no_use(project):
    calls = "".join(f"//- shop/f{n}.py\ndef f{n}(it):\n    it.bytesize()\n" for n in range(3))
    root = project(f"//- shop/box.py\nclass Box:\n    def bytesize(self): pass\n{calls}")
    with index(root).snapshot() as snapshot:
        box = snapshot.symbols.named("bytesize")[0]
        assert [edge.confidence for edge in snapshot.symbols.edges_to([box.id])] == [0.3] * 3
        assert overview(snapshot).central == ()


def test_the_command_prints_lines_and_json(root: Path):
    done = satchel("overview", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "entry points:" in done.stdout.decode()
    result = json.loads(satchel("overview", "shop", "--json", cwd=root).stdout)
    assert (result["files"], result["complete"], result["schema"]) == (4, True, 1)


@needs_git
def test_a_graph_that_is_behind_is_said_with_what_it_counts(root: Path):
    commit_all(root)
    project = index(root)
    (root / "shop/order.py").write_text("def total():\n    return 4\n", encoding="utf-8")
    connection = database.connect(project.directory, writable=True)
    with writer_lock(project.directory):
        refresh(connection, root, replace(project.options(), link_if_fewer=0), silent)
        connection.close()
        for command in ("overview", "changes", "deps"):
            asked = ("rounded",) if command == "deps" else ()
            done = satchel(command, *asked, cwd=root)
            assert b"note: the call graph is older than the text" in done.stderr


SETUP = """
//- setup.py
from setuptools import setup

setup(
    name="shop",
    entry_points={"console_scripts": ["sell = shop.till:main [card]"], "other": ["x = y:z"]},
)
WARNED_OF = "\\d"
//- old/setup.py
from setuptools import setup

setup(name="old", entry_points='''
[console_scripts]
weigh=shop.scale:main
[other]
x = y:z
''')
//- broken/setup.py
def (:
//- setup.cfg
[options.entry_points]
console_scripts =
    count = shop.stock:main
//- broken/setup.cfg
no section
"""


def test_commands_of_setup_files_are_entry_points_and_nothing_of_them_runs(project):
    with index(project(SETUP)).snapshot() as snapshot:
        found = overview(snapshot, "project").entry_points
    assert [(e.path, e.line, e.name, e.target) for e in found] == [
        ("old/setup.py", 5, "weigh", "shop.scale:main"),
        ("setup.cfg", 3, "count", "shop.stock:main"),
        ("setup.py", 5, "sell", "shop.till:main"),
    ]
