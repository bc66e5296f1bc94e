"""What a change touches, as a comment: symbols, callers, tests, and what people said about them."""

import json
from pathlib import Path

import pytest

from tests.support.git import commit_all, git, needs_git
from tests.support.satchel import satchel

pytestmark = needs_git

CODE = """
//- shop/price.py
def rounded(value):
    return round(value, 2)

def dropped():
    return 0
//- shop/order.py
from shop.price import rounded

def total(order):
    return rounded(order)
//- tests/test_order.py
from shop.order import total

def test_total():
    assert total(1) == 1
//- tests/test_price.py
def test_nothing():
    pass
//- tests/test_other.py
def test_other():
    pass
"""


@pytest.fixture
def root(project) -> Path:
    folder = project(CODE)
    commit_all(folder, "first")
    git(folder, "checkout", "-q", "-b", "change")
    path = folder / "shop/price.py"
    text = path.read_text("utf-8").replace("round(value, 2)", "round(value, 3)")
    path.write_text(text.partition("def dropped")[0], encoding="utf-8")
    commit_all(folder, "change")
    return folder


def told(root: Path, base: str = "main") -> dict:
    done = satchel("impact", "--diff", base, "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_tests_are_listed_by_how_near_they_are(root: Path):
    assert told(root)["tests"] == ["tests/test_order.py", "tests/test_price.py"]


def test_a_dotfile_and_a_guess_lead_to_few_tests(root: Path):
    for path in (".mcp.json", "tests/.bacon", "tests/test.ru"):
        (root / path).write_text("{}\n", encoding="utf-8")
    (root / "tests/test_any.py").write_text("def test_any(it):\n    it.deep()\n", "utf-8")
    (root / "shop/box.py").write_text("class Box:\n    def deep(self): pass\n", "utf-8")
    commit_all(root, "more")
    git(root, "branch", "-f", "main")
    (root / ".mcp.json").write_text('{"a": {}}\n', encoding="utf-8")
    assert told(root)["tests"] == []
    (root / "shop/box.py").write_text("class Box:\n    def deep(self): return 1\n", "utf-8")
    path = root / "shop/price.py"
    path.write_text(path.read_text("utf-8").replace("3", "4"), "utf-8")
    assert told(root)["tests"] == [
        "tests/test_order.py",
        "tests/test_price.py",
        "tests/test_any.py",
    ]


def test_the_base_is_where_the_histories_parted(root: Path):
    git(root, "checkout", "-q", "main")
    (root / "shop/later.py").write_text("def later():\n    pass\n", encoding="utf-8")
    commit_all(root, "later on main")
    git(root, "checkout", "-q", "change")
    names = {row["then"]["name"] for row in told(root)["changes"]["changes"]}
    assert names == {"rounded", "dropped"}


def test_the_comment_says_all_of_it(root: Path):
    text = satchel("impact", "--diff", "main", cwd=root).stdout.decode()
    for part in ("1 removed, 1 modified", "`shop/order.py:4` `total` (call of `rounded`)",
                 "Tests to run first (2)", "- shop/price.py:", "Since `main ("):  # fmt: skip
        assert part in text
    assert "\n\n\n" not in text


def test_what_a_team_knows_about_it_is_said_and_what_is_private_is_not(root: Path):
    for privacy in ("team", "private"):
        done = satchel(
            "remember", "warning", f"Rounding is {privacy} <b>law</b>", "--scope",
            "shop/price.py", "--privacy", privacy, cwd=root,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    satchel(
        "remember", "decision", "About the rest", "--scope", "docs", "--privacy", "team", cwd=root
    )
    text = satchel("impact", "--diff", "main", cwd=root).stdout.decode()
    assert "- warning at `shop/price.py`: Rounding is team &lt;b>law&lt;/b>" in text
    assert "private" not in text and "rest" not in text


def test_a_name_cannot_leave_its_code_span(root: Path):
    (root / "a`b.md").write_text("# `<b>` @someone\n", encoding="utf-8")
    commit_all(root)
    text = satchel("impact", "--diff", "main", cwd=root).stdout.decode()
    line = next(line for line in text.splitlines() if "@someone" in line)
    assert line.count("`") == 2 and line.endswith("`")


def test_a_base_that_is_none_is_said(root: Path):
    done = satchel("impact", "--diff", "nowhere", cwd=root)
    assert done.returncode == 2
    assert b"nowhere" in done.stderr


SHAPES = """
//- shapes.py
class Shape:
    def area(self):
        raise NotImplementedError

class Circle(Shape):
    def area(self):
        return 3

def total(shape: Shape):
    return shape.area()
//- tests/test_shapes.py
from shapes import Circle

def test_circle():
    assert Circle().area() == 3
"""


def test_what_hangs_on_a_symbol_is_its_callers_overriders_and_the_tests_of_both(project):
    shapes = project(SHAPES)
    done = satchel("impact", "Shape.area", cwd=shapes)
    assert b"<- total  shapes.py:9" in done.stdout
    assert b"=  Circle.area  shapes.py:6  overrides Shape.area" in done.stdout
    # No edge leads from the test to the base: only to what stands in for it.
    assert b"tests/test_shapes.py" in done.stdout
    found = json.loads(satchel("impact", "Shape.area", "--json", cwd=shapes).stdout)
    assert [row["member"]["qualified_name"] for row in found["users"]["overrides"]] == [
        "Circle.area"
    ]
    assert [row["path"] for row in found["tests"]] == ["tests/test_shapes.py"]
    listed = satchel("impact", "Circle.area", "--scope", "all", cwd=shapes).stdout
    assert b"<- test_circle" in listed
    both = satchel("impact", "Shape.area", "--diff", "HEAD", cwd=shapes)
    assert both.returncode == 2
