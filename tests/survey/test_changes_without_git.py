"""What changed where there is no git: told from the index's own record of what it saw."""

import json
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.assembler.kinds import Scope
from satchel.assembler.survey.changes import Changes, changes
from satchel.indexer.refresh import refresh as refreshed
from satchel.indexer.refresh_values import KEEP_BYTES
from satchel.store.errors import UsageError
from satchel.store.sqlite import database
from satchel.store.sqlite.audit import Audit
from satchel.store.sqlite.earlier import replaced, retention
from satchel.validation.baseline import Baseline
from satchel.validation.model import Level
from satchel.validation.validate import validate
from satchel.workspace.past import recorded
from satchel.workspace.project import Project
from satchel.workspace.repair import repair
from tests.support.agent import asked, in_memory, refused
from tests.support.satchel import index, refresh, satchel, silent

SHOP = """
//- shop/price.py
def net(gross, tax):
    return gross - tax

def rounded(value):
    return round(value, 2)
//- shop/order.py
from shop.price import net, rounded

def total(order):
    return rounded(net(order, 1))
"""


@pytest.fixture
def root(project) -> Path:
    folder = project(SHOP)
    index_at(folder, "10:00")
    return folder


def ns(time: str) -> int:
    return int(datetime.fromisoformat(f"2026-03-01T{time}:00Z").timestamp()) * 1_000_000_000


def index_at(root: Path, time: str, keep_bytes: int = KEEP_BYTES) -> None:
    """Brings the index up to date, as if at that time of a day."""
    project = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"})
    project.prepare()
    with closing(database.connect(project.directory, writable=True)) as connection:
        options = replace(project.options(), now_ns=ns(time), keep_bytes=keep_bytes)
        refreshed(connection, root, options, silent)


def told(root: Path, time: str) -> Changes:
    """What changed since a time of that day."""
    project = Project.at(root, {})
    with project.snapshot() as snapshot:
        since = f"2026-03-01T{time}Z"
        return changes(snapshot, recorded.history(snapshot, since, ns("23:00")), Scope.ALL)


def codes(project: Project) -> set[str]:
    report = validate(project, Level.STANDARD, Baseline(), lambda _check: None)
    return {finding.code for finding in report.findings}


def kinds(found: Changes) -> list[tuple[str, str]]:
    return [(change.kind.value, change.at.name) for change in found.changes]


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text("utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), encoding="utf-8")


def test_each_moment_has_what_was_saved_after_it(root: Path):
    edit(root, "shop/price.py", "2)", "3)")
    index_at(root, "11:00")
    edit(root, "shop/price.py", "gross, tax)", "gross, tax, rate)")
    (root / "shop/tax.py").write_text("def tax():\n    return 1\n", "utf-8")
    index_at(root, "12:00")
    (root / "shop/order.py").unlink()
    index_at(root, "13:00")
    assert kinds(told(root, "10:30")) == [
        ("removed", "total"), ("signature", "net"), ("modified", "rounded"), ("added", "tax"),
    ]  # fmt: skip
    assert kinds(told(root, "11:30")) == [
        ("removed", "total"), ("signature", "net"), ("added", "tax"),
    ]  # fmt: skip
    assert kinds(told(root, "12:30")) == [("removed", "total")]
    assert kinds(told(root, "13:30")) == []


def test_users_of_what_changed_are_told(root: Path):
    edit(root, "shop/price.py", "2)", "3)")
    index_at(root, "11:00")
    (impact,) = told(root, "10:30").impacts
    assert (impact.user.qualified_name, impact.change.at.name) == ("total", "rounded")


def test_what_changed_and_changed_back_or_is_left_out_now_is_not_told(root: Path):
    edit(root, "shop/price.py", "2)", "3)")
    index_at(root, "11:00")
    edit(root, "shop/price.py", "3)", "2)")
    (root / ".gitignore").write_text("order.py\n", "utf-8")
    index_at(root, "12:00")
    found = told(root, "10:30")
    assert (kinds(found), found.n_files) == ([], 1)  # the ignore file itself is text


def test_a_first_index_is_no_change_and_the_reply_says_since_when_it_knows(root: Path):
    found = told(root, "09:00")
    assert (kinds(found), found.n_files) == ([], 0)
    assert "which begins at 2026-03-01T10:00:00Z" in found.base
    assert "begins" not in told(root, "10:30").base


def test_contents_that_are_not_kept_any_more_are_counted_and_not_guessed(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(retention, "FLOOR_BYTES", 0)
    edit(root, "shop/price.py", "2)", "3)")
    index_at(root, "11:00", keep_bytes=0)
    found = told(root, "10:30")
    assert kinds(found) == []
    assert "without 1 file whose contents of then are not kept any more" in found.base


def test_the_record_is_bounded_and_then_begins_later(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(replaced, "KEEP", 2)
    for hour in range(11, 17):
        edit(root, "shop/price.py", "2)", "22)")
        index_at(root, f"{hour}:00")
    found = told(root, "09:00")
    assert "which begins at 2026-03-01T" in found.base
    assert "begins at 2026-03-01T10" not in found.base
    with Project.at(root, {}).snapshot() as snapshot:
        assert len(snapshot.replaced(0)[1]) == 1


def test_a_set_back_clock_does_not_change_the_order(root: Path):
    edit(root, "shop/price.py", "2)", "3)")
    index_at(root, "12:00")
    edit(root, "shop/price.py", "3)", "4)")
    index_at(root, "11:00")
    (change,) = told(root, "10:30").changes
    assert change.then is not None
    with Project.at(root, {}).snapshot() as snapshot:
        (was,) = recorded.history(snapshot, "2026-03-01T10:30Z", ns("23:00")).then
    assert b"round(value, 2)" in was.source


@pytest.mark.parametrize("since", ["HEAD", "main...", "--help", "nonsense", "2026-99-99", "a\0b"])
def test_what_is_no_time_is_refused_with_what_would_be(root: Path, since: str):
    with pytest.raises(UsageError, match="no git history") as caught:
        Project.at(root, {}).check_since(since)
    assert "24h" in caught.value.hint


def test_an_index_for_another_tree_begins_its_record_anew(root: Path, tmp_path: Path):
    edit(root, "shop/price.py", "2)", "3)")
    index_at(root, "11:00")
    target = tmp_path / "copy"
    target.mkdir()
    assert database.copy(Project.at(root, {}).directory, target)
    with closing(database.connect(target, writable=False)) as connection:
        assert replaced.began(connection) is None


def test_a_damaged_record_is_found_and_forgotten(root: Path):
    edit(root, "shop/price.py", "2)", "3)")
    index_at(root, "11:00")
    project = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"})
    connection = database.connect(project.directory, writable=True)
    connection.execute("UPDATE replaced SET until_ns = until_ns + 1 WHERE path != x''")
    connection.close()
    assert "V014" in codes(project)
    assert [mended.what for mended in repair(project, silent).mended] == [
        "rows of what files were before"
    ]
    assert "V014" not in codes(project)
    connection = database.connect(project.directory, writable=False)
    assert all(holds for _, _, holds in Audit(connection).replaced())
    connection.close()


def test_commands_and_tools_answer_without_git(project):
    root = project(SHOP)
    index(root)
    edit(root, "shop/price.py", "2)", "3)")
    refresh(root)
    done = satchel("changes", "1h", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "since 1h (by the index's own record, which begins at " in done.stdout.decode()
    assert "~ shop/price.py:4  function rounded" in done.stdout.decode()
    assert "shop/order.py:4  total  (call rounded)" in done.stdout.decode()
    result = json.loads(satchel("changes", "1h", "--json", cwd=root).stdout)
    assert result["changes"][0]["now"]["name"] == "rounded"

    async def session(client):
        for tool in ("changes", "diff"):
            text = await asked(client, tool, since="1h", hunks=True)
            assert "~ shop/price.py:4  function rounded" in text
            assert "+    return round(value, 3)" in text
        assert "no git history" in await refused(client, "changes", {"since": "HEAD"})
        assert "~ shop/price.py:4  function rounded" in await asked(client, "diff")

    in_memory(root, session)
