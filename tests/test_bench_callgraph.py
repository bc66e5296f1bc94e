"""The call-graph bench on a program small enough to score by hand."""

import json
from pathlib import Path

from bench import callgraph

PROGRAM = """\
class A:
    def __init__(self): pass

def wrap(f):
    return f

@wrap
def f():
    return len([])

value = f()
"""
EXPECTED = {
    "main": ["main.wrap", "main.f", "main.g"],
    "main.f": ["<builtin>.len"],
    "main.g": [],
    "main.wrap": [],
}


def test_edges_are_scored_in_the_names_of_the_benchmark(tmp_path: Path, capsys):
    folder = tmp_path / "category" / "program"
    folder.mkdir(parents=True)
    (folder / "main.py").write_text(PROGRAM + "def g(): pass\n", encoding="utf-8")
    (folder / "callgraph.json").write_text(json.dumps(EXPECTED), encoding="utf-8")
    assert callgraph.main(["pycg", str(tmp_path), "--wrong"]) == 0
    printed = capsys.readouterr().out
    assert "| category | 1 | 0 | 3 | 2 | 2 | 1.000 | 0.667 |" in printed
    assert "missing  category/program: main -> main.g" in printed
    assert "<builtin>" not in printed


def test_a_folder_without_programs_is_said_to_be_one(tmp_path: Path, capsys):
    assert callgraph.main(["pycg", str(tmp_path)]) == 1
    assert "no program below" in capsys.readouterr().err
