"""A project whose tests lie where no convention has them says so, and every answer follows."""

import json
import shutil
from pathlib import Path

import pytest

from satchel.api import open as open_project
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store.model import RepoPath
from satchel.store.sqlite.dump import dump
from tests.support.git import commit_all, git
from tests.support.satchel import index, index_folder, refresh, satchel

CODE = """
//- shop/till.py
def total(prices):
    return sum(prices)
//- checks/till_holds.py
from shop.till import total


def total_of_prices_is_their_sum():
    assert total([1, 2]) == 3
//- checks/lib/prices.py
def some_prices():
    return [1, 2]
"""
SETTINGS = '[index]\ntests = ["checks/", "!checks/lib"]\n'


def said(root: Path, text: str) -> None:
    (root / ".satchel").mkdir(exist_ok=True)
    (root / ".satchel/config.toml").write_text(text, encoding="utf-8")


def rows_of(root: Path) -> list[str]:
    return dump(index_folder(root))


@pytest.mark.parametrize(
    ("path", "own", "is_test"),
    [
        ("checks/a.py", ("checks/**",), True),
        ("checks/deep/a.py", ("checks/",), True),
        ("pkg/checks/a.py", ("/checks",), False),
        ("pkg/checks/a.py", ("checks",), True),
        ("pkg/a_check.py", ("*_check.py",), True),
        ("pkg/a_check.pyx", ("*_check.py",), False),
        # The innermost match decides, and of two the later.
        ("checks/lib/a.py", ("!checks/lib", "checks/"), False),
        ("checks/a.py", ("checks/", "!checks/"), False),
        # What nothing is said of is told by conventions, which "!" goes before.
        ("tests/test_a.py", ("checks/",), True),
        ("tests/test_a.py", ("!tests/",), False),
        ("tests/test_a.py", ("# tests", ""), True),
    ],
)
def test_patterns_go_before_conventions(path: str, own: tuple[str, ...], is_test: bool):
    assert is_test_path(RepoPath(path), "python", own) == is_test


def test_scopes_packs_users_and_impact_go_by_what_the_project_says(project):
    root = project(CODE)
    git(root, "init", "-q")
    commit_all(root)

    def paths(scope: str) -> set[str]:
        with open_project(root) as code:
            return {hit.chunk.path for hit in code.search("total of prices", scope=scope).results}

    assert paths("impl") == {"shop/till.py", "checks/till_holds.py", "checks/lib/prices.py"}
    said(root, SETTINGS)
    assert paths("impl") == {"shop/till.py", "checks/lib/prices.py"}
    assert paths("test") == {"checks/till_holds.py"}
    pack = satchel("context", "total of prices", cwd=root).stdout.decode()
    assert "def total(" in pack and "def total_of_prices" not in pack
    (root / "shop/till.py").write_text("def total(prices):\n    return sum(prices) + 1\n")
    impact = json.loads(satchel("impact", "--diff", "HEAD", "--json", cwd=root).stdout)
    assert impact["tests"] == ["checks/till_holds.py"]
    shown = satchel("config", "--origin", cwd=root).stdout.decode()
    assert 'index.tests = ["checks/","!checks/lib"]  # ' in shown


def test_a_change_of_what_is_a_test_gives_the_index_of_a_fresh_start(project, tmp_path):
    root = project(CODE)
    index(root)
    for text in (SETTINGS, '[index]\ntests = ["shop"]\n', ""):
        before = rows_of(root)
        said(root, text)
        report = refresh(root)
        assert report.added == 0 and report.changed > 0 and report.parsed == 0
        assert rows_of(root) != before
        fresh = tmp_path / f"fresh-{len(text)}"
        shutil.copytree(root, fresh)
        index(fresh)
        assert rows_of(root) == rows_of(fresh)
        assert refresh(root).changed == 0


def test_what_a_check_and_a_repair_compare_with_is_what_the_project_says(project):
    root = project(CODE)
    said(root, SETTINGS)
    index(root)
    before = rows_of(root)
    checked = satchel("validate", cwd=root)
    assert checked.returncode == 0, checked.stdout
    assert satchel("repair", cwd=root).returncode == 0
    assert rows_of(root) == before
