"""What became of symbols since a revision: told from git and the index, whatever lies between."""

import json
import os
from pathlib import Path

import pytest

from satchel.assembler.kinds import Scope
from satchel.assembler.output.reports import changes_lines
from satchel.assembler.survey.changes import Changes, changes
from satchel.assembler.survey.review import hunks
from satchel.assembler.survey.versions import ChangeKind
from satchel.store.errors import UsageError
from satchel.workspace.project import Project
from tests.support.git import commit_all, git, needs_git
from tests.support.satchel import index, refresh, satchel

pytestmark = needs_git

SHOP = """
//- shop/price.py
class Price:
    def net(self, tax):
        return self.gross - tax

    def gross(self):
        return 1

def rounded(value):
    return round(value, 2)

def dropped():
    return 0
//- shop/order.py
from shop.price import Price, dropped, rounded

def total(order):
    return rounded(Price().net(2))

def untouched():
    return dropped()
//- tests/test_price.py
def test_price():
    assert True
"""


@pytest.fixture
def root(project) -> Path:
    folder = project(SHOP)
    commit_all(folder, "first")
    return folder


def told(root: Path, since: str = "HEAD", *, scope: Scope = Scope.IMPL, path: str = "") -> Changes:
    refresh(root)
    project = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"})
    with project.snapshot() as snapshot:
        return changes(snapshot, project.history(snapshot, since), scope, path)


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text("utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), encoding="utf-8")


def kinds(found: Changes) -> list[tuple[str, str]]:
    return [(change.kind.value, change.at.name) for change in found.changes]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("", ["shop/order.py", "shop/price.py"]),
        ("shop/pr", ["shop/price.py"]),
        ("*r.py", ["shop/order.py"]),
        ("shop/price.py\nshop/order.py", ["shop/order.py", "shop/price.py"]),
    ],
)
def test_hunks_are_those_of_the_files_whose_changes_are_listed(
    root: Path, path: str, shown: list[str]
):
    edit(root, "shop/price.py", "return 1", "return 2")
    edit(root, "shop/order.py", "net(2)", "net(3)")
    refresh(root)
    project = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"})
    with project.snapshot() as snapshot:
        history = project.history(snapshot, "HEAD")
        found = hunks(snapshot, history, Scope.IMPL, path, 10_000, len)
    assert [name for name, _ in found.shown] == shown


def test_nothing_has_changed_right_after_a_commit(root: Path):
    found = told(root)
    assert (found.changes, found.n_files, found.impacts) == ((), 0, ())


def test_every_kind_of_change_is_told_and_nothing_else(root: Path):
    edit(root, "shop/price.py", "return round(value, 2)", "return round(value, 3)")
    edit(root, "shop/price.py", "def net(self, tax)", "def net(self, tax, rate)")
    edit(root, "shop/price.py", "def dropped():\n    return 0\n", "")
    edit(root, "shop/order.py", "def untouched", "def fresh():\n    pass\n\ndef untouched")
    found = told(root)
    assert kinds(found) == [
        ("added", "fresh"),
        ("signature", "Price.net"),
        ("modified", "rounded"),
        ("removed", "dropped"),
    ]
    signature = found.changes[1]
    assert signature.then is not None
    assert (signature.then.signature, signature.at.signature) == (
        "def net(self, tax)", "def net(self, tax, rate)",
    )  # fmt: skip


def test_a_changed_member_does_not_change_its_class(root: Path):
    edit(root, "shop/price.py", "return 1", "return 2")
    assert kinds(told(root)) == [("modified", "Price.gross")]


def test_users_of_what_changed_are_told_unless_they_changed_too(root: Path):
    edit(root, "shop/price.py", "return round(value, 2)", "return round(value, 3)")
    (impact,) = told(root).impacts
    assert (impact.user.qualified_name, impact.change.at.name, impact.line) == (
        "total", "rounded", 4,
    )  # fmt: skip
    edit(root, "shop/order.py", "net(2)", "net(3)")
    assert told(root).impacts == ()


def test_uses_of_a_removed_name_dangle_until_something_is_called_so(root: Path):
    edit(root, "shop/price.py", "def dropped():\n    return 0\n", "")
    assert dangling(told(root)) == [("shop/order.py", 7, False)]
    edit(root, "shop/order.py", "def untouched", "def dropped():\n    return 1\n\ndef untouched")
    assert told(root).dangling == ()


def dangling(found: Changes) -> list[tuple[str, int, bool]]:
    return [(each.use.path, each.use.line, each.elsewhere) for each in found.dangling]


def test_a_use_of_a_removed_name_dangles_though_something_else_is_called_so(root: Path):
    (root / "shop/box.py").write_text("class Box:\n    def dropped(self): pass\n", "utf-8")
    (root / "shop/late.py").write_text(
        "from shop import price\n\n"
        "def late(a):\n    return price.dropped()\n\ndef other(a):\n    return a.dropped()\n",
        "utf-8",
    )
    commit_all(root)
    edit(root, "shop/price.py", "def dropped():\n    return 0\n", "")
    found = told(root)
    assert dangling(found) == [("shop/late.py", 4, True), ("shop/order.py", 7, True)]
    assert "something else is called so" in list(changes_lines(found))[-1]


def test_a_guessed_user_comes_last_and_says_how_sure_it_is(root: Path):
    (root / "shop/any.py").write_text("def any_of(it):\n    return it.net(3)\n", "utf-8")
    commit_all(root)
    edit(root, "shop/price.py", "return self.gross - tax", "return tax")
    found = told(root)
    assert [impact.user.name for impact in found.impacts] == ["total", "any_of"]
    assert (found.n_impacts, found.n_guessed) == (2, 1)
    assert list(changes_lines(found))[2:] == [
        "used by 1 that did not change:",
        "  shop/order.py:4  total  (call Price.net)",
        "perhaps used by 1, which are guesses with their confidence:",
        "  shop/any.py:2  any_of  (call Price.net, 0.30)",
    ]


def test_what_scope_and_path_leave_out_is_said(root: Path):
    edit(root, "tests/test_price.py", "True", "1")
    assert [str(each) for each in told(root).absent] == [
        "filtered out: 1 in tests; scope all lists them"
    ]
    assert [str(each) for each in told(root, path="nope").absent] == [
        "filtered out: 1 changed file outside nope",
        "not indexed: no indexed file's path starts with nope",
    ]


def test_moved_code_is_told_as_moved(root: Path):
    edit(root, "shop/price.py", "def rounded(value):\n    return round(value, 2)\n", "")
    (root / "shop/numbers.py").write_text(
        "class Numbers:\n    def rounded(value):\n        return round(value, 2)\n",
        encoding="utf-8",
    )
    found = told(root)
    moved = {change.at.name: change for change in found.changes}["Numbers.rounded"]
    assert moved.then is not None
    assert (moved.kind, moved.then.path, moved.edited) == ("moved", "shop/price.py", False)
    assert "from shop/price.py:8 rounded" in "\n".join(changes_lines(found))


def test_a_renamed_file_moves_its_symbols_and_keeps_their_edits_apart(root: Path):
    (root / "shop/price.py").rename(root / "shop/prices.py")
    edit(root, "shop/prices.py", "round(value, 2)", "round(value, 3)")
    found = told(root)
    assert {c.kind for c in found.changes} == {ChangeKind.MOVED}
    assert {c.at.name: c.edited for c in found.changes} == {
        "Price": False, "rounded": True, "dropped": False,
    }  # fmt: skip


def test_an_added_class_is_one_change_with_its_members_counted(root: Path):
    (root / "shop/vat.py").write_text(
        "class Vat:\n    def rate(self):\n        pass\n    def name(self):\n        pass\n",
        encoding="utf-8",
    )
    (change,) = told(root).changes
    assert (change.kind, change.at.name, change.n_members) == (ChangeKind.ADDED, "Vat", 2)


def test_line_ends_and_blank_lines_change_nothing(root: Path):
    path = root / "shop/price.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b" \r\n\r\n"))
    assert told(root).changes == ()


def test_scope_and_path_say_what_is_told(root: Path):
    edit(root, "tests/test_price.py", "True", "1")
    edit(root, "shop/price.py", "return 1", "return 2")
    assert kinds(told(root)) == [("modified", "Price.gross")]
    assert kinds(told(root, scope=Scope.TEST)) == [("modified", "test_price")]
    assert len(told(root, scope=Scope.ALL).changes) == 2
    assert told(root, scope=Scope.ALL, path="tests/").changes[0].at.name == "test_price"


def test_what_is_not_indexed_is_not_told_as_removed(root: Path):
    (root / "shop/big.py").write_text("def big():\n    pass\n", encoding="utf-8")
    commit_all(root)
    (root / ".satchelignore").write_text("shop/big.py\n", encoding="utf-8")
    assert told(root).changes == ()


@pytest.mark.parametrize(
    ("since", "names"),
    [
        ("2001-06-01", {"Price.gross", "fresh"}),
        ("2003-01-01T00:00:00Z", {"fresh"}),
        ("1d", {"fresh"}),
        ("HEAD~1", {"Price.gross", "fresh"}),
        ("main", {"fresh"}),
    ],
)
def test_a_time_means_the_last_commit_before_it(project, since: str, names: set[str]):
    folder = project(SHOP)
    git(folder, "init", "-q", "-b", "main")
    for year, old, new in ((2001, "", ""), (2002, "return 1", "return 2")):
        if old:
            edit(folder, "shop/price.py", old, new)
        git(folder, "add", "-A")
        moment = f"{year}-01-01T12:00:00Z"
        dates = {"GIT_COMMITTER_DATE": moment, "GIT_AUTHOR_DATE": moment}
        git(folder, "commit", "-q", "-m", str(year), environment={**os.environ, **dates})
    edit(folder, "shop/order.py", "def untouched", "def fresh():\n    pass\n\ndef untouched")
    assert {change.at.name for change in told(folder, since).changes} == names


def test_before_the_first_commit_everything_was_added(root: Path):
    found = told(root, "1970-01-02")
    assert "before the first commit" in found.base
    assert {change.kind for change in found.changes} == {ChangeKind.ADDED}


@pytest.mark.parametrize("since", ["--help", "nonsense", "HEAD~99", "2026-99-99", "a\0b", ""])
def test_what_names_no_commit_is_said_with_what_would(root: Path, since: str):
    with pytest.raises(UsageError) as caught:
        told(root, since)
    assert "24h" in caught.value.hint


@pytest.mark.parametrize("since", ["HEAD~1..HEAD", "HEAD...HEAD~1"])
def test_of_a_range_the_beginning_is_asked_for(root: Path, since: str):
    with pytest.raises(UsageError, match="which is a range") as caught:
        told(root, since)
    assert f"give {since.partition('..')[0]} alone" in caught.value.hint


def test_a_folder_without_git_says_so(project):
    with pytest.raises(UsageError, match="no git history"):
        told(project(SHOP))


def test_the_command_prints_lines_and_json(root: Path):
    edit(root, "shop/price.py", "return round(value, 2)", "return round(value, 3)")
    done = satchel("changes", "HEAD", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "~ shop/price.py:8  function rounded" in done.stdout.decode()
    assert "shop/order.py:4  total  (call rounded)" in done.stdout.decode()
    result = json.loads(satchel("changes", "HEAD", "--json", cwd=root).stdout)
    assert (result["found"], result["impacted"], result["schema"]) == (1, 1, 1)
    assert result["changes"][0]["now"]["name"] == "rounded"


def test_a_limit_cuts_the_list_and_not_the_counts(root: Path):
    project = index(root)
    with project.snapshot() as snapshot:
        found = changes(snapshot, project.history(snapshot, "1970-01-02"), Scope.ALL, "", 1)
    assert (len(found.changes), found.n_changes) == (1, 6)
    assert "5 more" in "\n".join(changes_lines(found))


def test_a_file_with_a_type_variable_of_its_own_uses_none_that_was_removed(root: Path):
    (root / "shop/types.py").write_text("from typing import TypeVar\n\nT = TypeVar('T')\n", "utf-8")
    (root / "shop/own.py").write_text(
        "from typing import TypeVar\n\nT = TypeVar('T')\n\ndef same(it: T) -> T:\n    return it\n",
        "utf-8",
    )
    (root / "shop/lost.py").write_text(
        "from shop.types import T\n\ndef other(it: T) -> T:\n    return it\n", "utf-8"
    )
    commit_all(root)
    (root / "shop/types.py").unlink()
    assert {each.use.path for each in told(root).dangling} == {"shop/lost.py"}


def test_what_moved_along_with_the_class_around_it_is_counted_there(root: Path):
    git(root, "mv", "shop/price.py", "shop/prices.py")
    edit(root, "shop/prices.py", "return 1", "return 2")
    found = told(root)
    assert kinds(found) == [
        ("moved", "Price"), ("moved", "Price.gross"), ("moved", "rounded"), ("moved", "dropped"),
    ]  # fmt: skip
    first, edited, *_ = list(changes_lines(found))[1:]
    assert first.endswith("from shop/price.py:1 Price (1 inside)")
    assert edited.endswith("Price.gross, edited")


def test_product_code_is_told_before_tests_and_configuration(root: Path):
    (root / ".github").mkdir()
    (root / ".github/work.yaml").write_text("on: push\njobs:\n  test: 1\n", "utf-8")
    (root / "docs.md").write_text("# Shop\n\nWords.\n", "utf-8")
    edit(root, "shop/price.py", "return 1", "return 2")
    edit(root, "tests/test_price.py", "assert True", "assert 1")
    paths = [change.at.path for change in told(root, scope=Scope.ALL).changes]
    assert list(dict.fromkeys(paths)) == [
        "shop/price.py", "tests/test_price.py", ".github/work.yaml", "docs.md",
    ]  # fmt: skip


def test_a_path_to_tests_means_tests(root: Path):
    edit(root, "tests/test_price.py", "assert True", "assert 1")
    assert kinds(told(root, path="tests")) == [("modified", "test_price")]
    for words in (("context", "test_price"), ("search", "test_price")):
        found = satchel(*words, "--path", "tests", cwd=root)
        assert found.returncode == 0 and b"tests/test_price.py" in found.stdout
        assert not satchel(*words, "--path", "shop", cwd=root).stdout.count(b"test_price.py")
    assert satchel("symbols", "tests/test_price.py:test_price", cwd=root).returncode == 0
    assert satchel("symbols", "test_price", cwd=root).returncode == 1


def test_what_was_removed_of_extensions_is_told_by_its_name(project):
    root = project(
        "//- App/Address.swift\nextension String {\n    func isAddress() -> Bool { true }\n}\n"
        "//- App/Own.swift\nstruct Own {}\nextension Own {\n    func one() -> Int { 1 }\n}\n"
        "//- App/Uses.swift\nfunc check(name: String) -> Bool { name.isAddress() }\n"
        "func other(name: String) -> String { name }\n"
    )
    commit_all(root, "first")
    (root / "App/Address.swift").unlink()
    (root / "App/Own.swift").unlink()
    found = told(root)
    listed = [f"{change.at.kind} {change.at.name} {change.n_members}" for change in found.changes]
    assert listed == ["extension String 0", "method String.isAddress 0", "struct Own 1"]
    assert [(each.use.name, each.use.line) for each in found.dangling] == [("isAddress", 1)]


def test_lines_with_the_name_are_told_of_what_may_have_more_users_than_the_graph_has(project):
    root = project(
        "//- a.py\nclass Order:\n    @property\n    def total(self):\n        return 1\n\n"
        "    def sure(self):\n        return 2\n"
        "//- b.py\nfrom a import Order\n\ndef show(orders):\n"
        "    return [o.total for o in orders]\n\ndef call():\n    return Order().sure()\n"
        "//- test_b.py\ndef test_it(o):\n    assert o.total\n"
    )
    commit_all(root, "first")
    edit(root, "a.py", "return 1", "return 3")
    edit(root, "a.py", "return 2", "return 4")
    found = told(root)
    assert [(each.path, each.line) for each in found.mentions] == [("b.py", 4)]
    assert found.n_mentions == 1
    line = "  ~  b.py:4 in show  (by its name)  return [o.total for o in orders]"
    assert line in changes_lines(found)
    assert line in satchel("changes", cwd=root).stdout.decode().splitlines()
    branch = satchel("impact", "--diff", "HEAD", cwd=root).stdout.decode()
    assert "- `~  b.py:4 in show  (by its name)" in branch
    assert "- `~  test_b.py:2 in test_it  (by its name)" in branch
    said = json.loads(satchel("impact", "--diff", "HEAD", "--json", cwd=root).stdout)
    assert [each["path"] for each in said["changes"]["mentions"]] == ["b.py", "test_b.py"]
