"""The bench that times indexing: it counts what it should, and fills a document's table."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.indexing import measure
from bench.indexing.costs import run_measured
from tests.support.satchel import COMMAND

TREE = """
//- a.py
def f():
    return 1
//- same/a.py
def f():
    return 1
//- notes.txt
Words without a grammar.
"""


def test_it_measures_a_tree_and_writes_the_table(
    project: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    document = tmp_path / "page.md"
    document.write_text(f"before\n{measure.START}\nold\n{measure.END}\nafter\n", "utf-8")
    arguments = [f"tiny={project(TREE)}", "--json", "--write", str(document)]
    assert measure.main([*arguments, "--satchel", str(COMMAND)]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["name"] == "tiny"
    assert record["status"]["files"] == 3
    assert record["parsable"]["paths"] == 2
    assert record["parsable"]["size"] == len("def f():\n    return 1\n")
    assert record["ratios"]["text"] > record["parsable"]["seconds"] > 0
    assert record["text"]["cost"]["together_mb"] >= record["text"]["cost"]["largest_mb"] > 1
    assert 0 < record["text"]["answered"] <= record["text"]["cost"]["seconds"] + 1
    before, _, rest = document.read_text("utf-8").partition(measure.START)
    assert before == "before\n"
    assert rest.startswith("\n|  | tiny |\n| --- | ---: |\n| files | 3 |\n")
    assert rest.endswith(f"|\n{measure.END}\nafter\n")


def test_memory_is_that_of_all_processes_together():
    child = "b = bytearray(40_000_000); import time; time.sleep(3)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    cost = run_measured([sys.executable, "-c", parent], {})
    assert 40 < cost.largest_mb < 60, "the child's, whatever the size of this process"
    assert cost.together_mb > cost.largest_mb
