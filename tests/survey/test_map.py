"""What the Map page draws, as the API gives it: areas, ages, layers, neighbourhoods, drawings."""

import io

import networkx as nx
import pytest

import satchel
from satchel.store.errors import UsageError
from tests.ui.corpus import git

CODE = """
//- .satchel/config.toml
[architecture]
rules = ["web > shop > store"]
//- web/page.py
from shop.order import place

def page():
    return place(1)
//- shop/order.py
from shop.price import total
from store.rows import write

def place(n):
    return write(total(n))
//- shop/price.py
from shop import order

def total(n):
    return n

def again(n):
    return order.place(n)
//- store/rows.py
from web import page

def write(row):
    return row or page.page()
//- notes/alone.py
X = 1
//- tests/test_order.py
from shop.order import place

def test_place():
    assert place(1)
"""


@pytest.fixture
def code(project):
    root = project(CODE)
    with satchel.open(root) as found:
        found.refresh()
        yield found


def test_areas_are_folders_and_files_by_lines(code):
    area = code.terrain()
    assert area.n_files == 6 and area.lines == sum(each.lines for each in area.areas)
    [shop] = [each for each in area.areas if each.path == "shop/"]
    assert [each.path for each in shop.areas] == ["shop/price.py", "shop/order.py"]
    assert [each.name for each in code.terrain("shop/price.py").areas] == ["total", "again"]


def test_no_more_areas_are_shown_than_can_be_told_apart(project):
    root = project("".join(f"//- many/d{k // 90}/f{k}.py\nx{k} = {k}\n" for k in range(900)))
    with satchel.open(root) as code:
        code.refresh()
        area = code.terrain("many/")
    assert area.n_files == 900
    assert all(len(each.areas) == 60 for each in area.areas)
    assert sum(len(each.areas) for each in area.areas) == 600
    # Those together count the others, so that no line is lost.
    assert all(each.areas[-1].name == "31 smaller" for each in area.areas)
    assert area.lines == sum(each.lines for group in area.areas for each in group.areas)


def test_ages_come_from_commits_and_are_unknown_outside_of_git(code):
    assert code.terrain(aged=True).changed_at == 0
    git(code.root, "init", "-q")
    git(code.root, "add", "web")
    git(code.root, "commit", "-qm", "first")
    git(code.root, "add", "-A")
    git(code.root, "commit", "-qm", "second")
    areas = {each.path: each for each in code.terrain(aged=True).areas}
    assert areas["web/"].changed_at > 0
    assert areas["shop/"].changed_at >= areas["web/"].changed_at
    assert code.terrain().changed_at == 0


def test_the_age_is_that_of_the_last_commit_that_touched_a_file(project, monkeypatch):
    root = project("//- a.py\nx = 1\n//- sub/b c.py\ny = 1\n//- sub/d.py\nz = 1\n")
    for day, paths in ((1, ("-A",)), (5, ("sub/d.py",))):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2021-03-{day:02}T00:00:00Z")
        (root / "sub" / "d.py").write_text(f"z = {day}\n", "utf-8")
        git(root, "init", "-q")
        git(root, "add", *paths)
        git(root, "commit", "-qm", f"day {day}")
    with satchel.open(root) as code:
        code.refresh()
        files = {each.path: each.changed_at for each in code.terrain("sub/", aged=True).areas}
        whole = code.terrain(aged=True)
    day = 86_400
    assert files["sub/d.py"] - files["sub/b c.py"] == 4 * day
    assert whole.changed_at == files["sub/d.py"] == 1_614_902_400


def test_levels_put_what_uses_above_what_is_used_and_keep_circles_together(code):
    found = code.levels()
    # The rows use the page, which uses the rest: all three need each other.
    assert found.levels == ((("shop/", "store/", "web/"),),)
    assert found.alone == ("notes/",)
    assert [(each.source, each.target) for each in found.broken] == [
        ("store/rows.py", "web/page.py")
    ]
    (code.root / "store" / "rows.py").write_text("def write(row):\n    return row\n", "utf-8")
    code.refresh()
    found = code.levels()
    assert found.levels == ((("web/",),), (("shop/",),), (("store/",),))
    assert [(use.source, use.target, use.uses) for use in found.uses] == [
        ("shop/", "store/", 1),
        ("web/", "shop/", 1),
    ]
    assert found.broken == ()


def test_neighbourhoods_are_areas_by_lines(code):
    area = code.neighbourhoods()
    paths = {file.path for group in area.areas for file in group.areas}
    assert paths == {"web/page.py", "shop/order.py", "shop/price.py", "store/rows.py"}
    assert area.lines == sum(each.lines for each in area.areas)


def test_a_neighbourhood_of_nothing_is_empty(project):
    with satchel.open(project("//- a.py\nx = 1\n")) as code:
        code.refresh()
        assert code.neighbourhoods().areas == ()
        assert code.levels().levels == ()


def test_a_call_graph_is_drawn_in_every_form(code):
    found = code.dependencies("place", depth=1)
    graph = nx.read_graphml(io.BytesIO(code.drawing(found, "graphml").encode()))
    assert set(graph) >= {"shop/order.py#place", "shop/price.py#total", "store/rows.py#write"}
    assert graph.number_of_edges() == len(found.edges)
    assert code.drawing(found, "dot").startswith("digraph")
    assert code.drawing(found, "mermaid").startswith("flowchart")
    with pytest.raises(UsageError, match="form is 'gif'"):
        code.drawing(found, "gif")
