"""The rooms and their arrows hold, and the checker that says so can tell when they do not."""

from pathlib import Path

import pytest

from tests.support.architecture import (
    AT_TOP,
    MAX_FUNCTIONS,
    MAY_IMPORT,
    Measure,
    measures,
    violations,
)

ROOT = Path(__file__).parents[2]
DOCUMENTED = '"""A module."""\n'

PLANTED = {
    "a room imports the room beside it": (
        "assembler/a.py", "from satchel.indexer import scan\n", "assembler may not import indexer"),
    "the store imports anything of ours": (
        "satchel/store/a.py", "import satchel.workspace\n", "store may not import workspace"),
    "somebody imports the command line": (
        "satchel/workspace/a.py", "from satchel.cli import x\n", "workspace may not import cli"),
    "product code imports the tests": (
        "indexer/a.py", "from tests import dump\n", "indexer may not import tests"),
    "an import is relative": (
        "indexer/a.py", "from ..store import model\n", "relative import"),
    "an import hides in a function": (
        "satchel/store/a.py", "def f():\n    import satchel.cli\n", "store may not import cli"),
    "pure code reads the clock": (
        "assembler/a.py", "import time\n", "time is not imported here"),
    "pure code draws random numbers": (
        "assembler/a.py", "from random import random\n", "random is not imported here"),
    "pure code asks for the environment": (
        "assembler/a.py", "import os\n", "os in pure code"),
    "pure code opens files": (
        "assembler/a.py", "from pathlib import Path\n", "pathlib.Path in pure code"),
    "a second sqlite appears": (
        "satchel/store/a.py", "import sqlite3\n", "sqlite3 is not imported here"),
    "the assembler talks to the database": (
        "assembler/a.py", "import apsw\n", "third-party apsw is not imported here"),
    "an unknown package appears": (
        "satchel/cli/a.py", "import requests\n", "third-party requests is not imported here"),
    "the tokenizer is used past its file": (
        "indexer/a.py", "import tiktoken\n", "third-party tiktoken is not imported here"),
    "the network is reached": (
        "satchel/cli/a.py", "import urllib.request\n", "urllib is not imported here"),
    "the environment is read off the edge": (
        "indexer/a.py", "import os\nx = os.environ['A']\n", "line 3: os.environ"),
    "the current folder is read off the edge": (
        "satchel/workspace/a.py", "from pathlib import Path\nx = Path.cwd()\n", "line 3: Path.cwd"),
    "a file is opened by name": (
        "satchel/cli/a.py", "x = open('a')\n", "line 2: open()"),
    "a global is rebound": (
        "satchel/cli/a.py", "def f():\n    global x\n    x = 1\n", "line 3: global x"),
    "a function is oversized": (
        "satchel/cli/a.py", "def f():\n" + "    x = 1\n" * 60, "f() has 61 lines"),
}  # fmt: skip


def test_this_repository_keeps_to_its_architecture():
    assert violations(ROOT) == []


@pytest.fixture(scope="module")
def rooms() -> dict[str, Measure]:
    return measures(ROOT)


def test_functions_are_not_cut_finer_than_they_are_read(rooms: dict[str, Measure]):
    n_functions = sum(room.n_functions for room in rooms.values())
    n_lines = sum(room.n_lines for room in rooms.values())
    assert 1000 * n_functions / n_lines <= MAX_FUNCTIONS


def test_methods_that_a_contract_prescribes_are_counted_apart(tmp_path: Path):
    (tmp_path / "indexer").mkdir()
    declared = (
        "class A(Protocol):\n    def f(self): ...\n    def g(self): ...\n    def h(self): ...\n"
    )
    code = declared + declared.replace("A(Protocol)", "B") + "    def own(self): ...\n# Why.\n"
    (tmp_path / "indexer" / "a.py").write_text(code, encoding="utf-8")
    assert measures(tmp_path) == {"indexer": Measure(10, 1, 6, 1)}


def test_every_room_that_exists_is_on_the_map():
    top = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert top == {*AT_TOP, "satchel", "bench", "tests"}
    assert {path.parent.name for path in ROOT.glob("satchel/*/__init__.py")} == set(MAY_IMPORT)


@pytest.mark.parametrize(("where", "code", "report"), PLANTED.values(), ids=PLANTED.keys())
def test_the_checker_bites_when(tmp_path: Path, where: str, code: str, report: str):
    planted = tmp_path / where
    planted.parent.mkdir(parents=True)
    planted.write_text(DOCUMENTED + code, encoding="utf-8")
    (found,) = violations(tmp_path)
    assert found.startswith(f"{where.removeprefix('satchel/')}: ")
    assert report in found


def test_the_checker_bites_when_a_module_is_undocumented(tmp_path: Path):
    (tmp_path / "satchel" / "store").mkdir(parents=True)
    (tmp_path / "satchel" / "store" / "a.py").write_text("x = 1\n", encoding="utf-8")
    assert violations(tmp_path) == ["store/a.py: no module docstring"]


def test_the_checker_has_nothing_to_say_about_good_code(tmp_path: Path):
    (tmp_path / "assembler" / "graph").mkdir(parents=True)
    good = (
        DOCUMENTED
        + "from pathlib import PurePosixPath\n\nimport networkx\nfrom satchel.store import x\n"
    )
    (tmp_path / "assembler" / "graph" / "cycles.py").write_text(DOCUMENTED + good, encoding="utf-8")
    assert violations(tmp_path) == []
