"""The scripts of the page can be read: short lines, no circle of imports."""

import re
import subprocess
import sys
from pathlib import Path

import networkx as nx

from satchel.ui.app import STATIC
from tests.support.satchel import ROOT

SCRIPTS = [path for path in STATIC.rglob("*.js") if "vendor" not in path.parts]
MAX_COLUMNS = 100
"""As prettier keeps them: see CONTRIBUTING.md."""


def imports(path: Path) -> set[Path]:
    """The scripts that one takes from, at its start or when they are needed."""
    named = re.findall(r"(?:from |import\()\"(\.[^\"]+\.js)\"", path.read_text("utf-8"))
    return {(path.parent / name).resolve() for name in named if "vendor" not in name}


def test_no_line_is_longer_than_those_of_the_rest():
    for path in SCRIPTS:
        lines = path.read_text("utf-8").splitlines()
        assert [line for line in lines if len(line) > MAX_COLUMNS] == []


def test_what_a_script_imports_is_there_and_nothing_goes_round_in_a_circle():
    known = {path.resolve() for path in SCRIPTS}
    graph = nx.DiGraph()
    for path in known:
        assert imports(path) <= known, path
        # What is loaded when it is needed may need who loads it: the pages of app.js do not.
        graph.add_edges_from((path, other) for other in imports(path))
    assert [c for c in nx.strongly_connected_components(graph) if len(c) > 1] == []


def test_without_a_browser_the_last_line_of_make_test_says_what_was_not_tested():
    recipe = ["make", "--no-print-directory", "--dry-run", "--always-make", "test"]
    told = subprocess.run(recipe, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    last = re.search(r"-m (tests\.ui\.browser); exit \S+$", told.stdout.rstrip())
    assert last, told.stdout
    said = subprocess.run(
        [sys.executable, "-m", last[1]], cwd=ROOT, env={"PATH": ""}, capture_output=True,
        encoding="utf-8", check=True,
    )  # fmt: skip
    assert said.stdout.startswith("NOT TESTED: the page")
