"""Paths as people and agents write them."""

from pathlib import Path

import pytest

from satchel.assembler.query.question import NamedPlace
from satchel.questions.context import place
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from satchel.workspace.checkout_view import view
from satchel.workspace.index_paths import inside, symbol_inside
from satchel.workspace.project import Project
from tests.support.satchel import satchel, silent

ROOT = Path("/home/ann/shop")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("src/a.py", "src/a.py"),
        ("./src", "src"),
        ("", ""),
        ("/home/ann/shop/src/a.py", "src/a.py"),
        ("/home/ann/shop/src/", "src/"),
        ("/home/ann/shop/src/../lib", "lib"),
        ("/home/ann/shop", ""),
        ("/home/ann/shop/", ""),
    ],
)
def test_absolute_paths_below_the_root_are_the_index_s(said: str, meant: str):
    assert inside(ROOT, said) == meant


@pytest.mark.parametrize("said", ["/etc/passwd", "/home/ann/shopping", "/home/ann/shop/../x", "/"])
def test_other_absolute_paths_are_refused(said: str):
    with pytest.raises(UsageError, match="outside the project"):
        inside(ROOT, said)


def test_a_root_that_is_a_link_is_known_by_both_names(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert inside(tmp_path / "link", str(tmp_path / "real" / "a.py")) == "a.py"


def test_a_symbol_may_name_its_file_by_an_absolute_path():
    assert symbol_inside(ROOT, "/home/ann/shop/a.py:12") == "a.py:12"
    assert symbol_inside(ROOT, "shop::a") == "shop::a"


def test_commands_take_absolute_paths(project):
    root = project("//- a/b.py\ndef wag(): pass\n//- c.py\ndef wag(): pass\n")
    for command in (("search", "wag", "--path"), ("overview",)):
        reply = satchel(*command, root / "a", cwd=root).stdout
        assert b"a/b.py" in reply or b"a: 1 file" in reply
        assert b"c.py" not in reply
    assert b"a/b.py:1" in satchel("deps", f"{root}/a/b.py:wag", cwd=root).stdout


@pytest.mark.parametrize("lines", ["0", "0-3", "3-2", "9" * 10, "-0", "x"])
def test_a_place_has_lines(tmp_path: Path, lines: str):
    (tmp_path / "a.py").write_text("x = 1\n" * 9, encoding="utf-8")
    project = Project.at(tmp_path, {})
    project.refresh(silent)
    with view(project, ranked=False) as opened:
        assert place(opened, "a.py:2-3") == NamedPlace(RepoPath("a.py"), 2, 3)
        with pytest.raises(UsageError):
            place(opened, f"a.py:{lines}")


@pytest.mark.parametrize("written", ["..", "../", "../beside", "a/../../b", "./.."])
def test_a_path_that_leads_out_of_the_root_is_refused(tmp_path: Path, written: str):
    with pytest.raises(UsageError, match="lies outside the project"):
        inside(tmp_path, written)
