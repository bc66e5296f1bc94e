"""The call graph as it is asked for: kinds, pages, cycles, tests that reach a symbol, drawings."""

from pathlib import Path

import pytest

from assembler import graphs, listings
from assembler.dependencies import EVERY_EDGE, Dependencies, Direction, Filter, dependencies
from assembler.values import Scope
from tests.satchel import index

PROJECT = """
//- app.py
class Base: pass

class Leaf(Base):
    def ping(self):
        self.pong()

    def pong(self):
        self.ping()

def outer():
    Leaf().ping()
//- tests/test_app.py
from app import outer

def test_outer():
    outer()
"""


def found(root: Path, name: str, way: Direction, chosen: Filter = EVERY_EDGE, limit: int = 99):
    with index(root).snapshot() as snapshot:
        return dependencies(snapshot, name, way, 5, Scope.ALL, limit, chosen)


def ends(answer: Dependencies) -> list[str]:
    return [f"{e.source.qualified_name} -> {e.target.qualified_name}" for e in answer.edges]


def test_only_the_kinds_that_were_asked_for(project):
    root = project(PROJECT)
    kinds = Filter(kinds=frozenset({"inherit"}))
    assert ends(found(root, "Leaf", Direction.CALLEES, kinds)) == ["Leaf -> Base"]


def test_an_edge_that_closes_a_cycle_says_so(project):
    answer = found(project(PROJECT), "Leaf.ping", Direction.CALLEES)
    assert [(e.target.name, e.is_cycle) for e in answer.edges] == [("pong", False), ("ping", True)]
    assert listings.edge_line(answer.edges[1]).endswith(", cycle)")


def test_tests_are_found_through_the_code_between(project):
    answer = found(project(PROJECT), "Leaf.pong", Direction.CALLERS, Filter(tests=True))
    assert ends(answer) == ["test_outer -> outer"]


def test_pages_follow_each_other_without_a_gap(project):
    root = project(PROJECT)
    whole = ends(found(root, "outer", Direction.BOTH))
    pages = [
        edge
        for offset in range(0, len(whole), 2)
        for edge in ends(found(root, "outer", Direction.BOTH, Filter(offset=offset), 2))
    ]
    assert len(whole) > 2
    assert pages == whole


@pytest.mark.parametrize(
    ("drawing", "line"),
    [
        ("dot", '  n0 -> n2 [label="call 0.95"];'),
        ("mermaid", "  n0 -->|call 0.95| n2"),
    ],
)
def test_a_drawing_has_every_edge_once(project, drawing: str, line: str):
    answer = found(project(PROJECT), "outer", Direction.BOTH)
    lines = list(graphs.DRAWINGS[drawing](answer))
    assert line in lines
    assert sum("->" in each for each in lines) == len(answer.edges)


def test_a_name_cannot_end_a_label(project):
    root = project('//- a.js\nconst o = {"say \\"hi\\"": function () { f(); }};\nfunction f() {}')
    answer = found(root, "f", Direction.CALLERS)
    assert answer.edges
    for lines in graphs.dot_lines(answer), graphs.mermaid_lines(answer):
        assert all(line.count('"') in (0, 2) for line in lines)
