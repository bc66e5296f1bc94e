"""What packs show of a repository's own fixes, on a history that the test commits itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.assembler.weights import DEFAULT
from satchel.cli.output import evaluation
from satchel.evaluation import commit_tree, commits, fixes, history, line_changes, shown, tune
from satchel.evaluation.history import BM25, GREP, SATCHEL, Options
from satchel.evaluation.intervals import interval
from satchel.store.errors import UsageError
from satchel.workspace.configuration import tuned
from satchel.workspace.project import Project
from tests.support.git import commit_all, git, needs_git
from tests.support.satchel import COMMAND

pytestmark = needs_git
_TOPICS = (
    "invoice", "basket", "voucher", "courier", "refund", "ledger", "catalog", "customer",
    "warehouse", "currency", "receipt", "coupon",
)  # fmt: skip
_QUIET = (lambda *_: None, lambda *_: None)


def _module(topic: str) -> str:
    """A file of two functions; `total_TOPIC` is the one that its fix changes."""
    return (
        f'"""Everything about a {topic}."""\n\n\n'
        f"def total_{topic}(rows):\n"
        f'    """The total of a {topic}."""\n'
        "    total = 0\n"
        "    for row in rows:\n"
        "        total += row.price\n"
        "    return total\n\n\n"
        f"def print_{topic}(rows):\n"
        f'    """Print each row of a {topic}."""\n'
        "    for row in rows:\n"
        "        print(row.name)\n"
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a fix of each topic in the newer half of its history."""
    root = tmp_path_factory.mktemp("history") / "shop"
    (root / "shop").mkdir(parents=True)
    for topic in _TOPICS:
        (root / "shop" / f"{topic}.py").write_text(_module(topic), encoding="utf-8")
        commit_all(root, f"Add the {topic} with its total")
    for topic in _TOPICS:
        file = root / "shop" / f"{topic}.py"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("row.price", "row.price * row.amount"), encoding="utf-8")
        commit_all(root, f"Fix the wrong total of a {topic} with several pieces of one row")
    return root


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """State of the test's own."""
    return _environment(tmp_path)


@pytest.fixture(scope="module")
def report(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> history.Report:
    """What packs of 4,000 tokens show of all fixes."""
    return _report(shop, _environment(tmp_path_factory.mktemp("report")))


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "SATCHEL_STATE_FOLDER": str(folder / "state")}


def _report(root: Path, environment: dict[str, str]) -> history.Report:
    return history.measure(Project.at(root, environment), environment, Options(), *_QUIET)


def test_fixes_are_asked_of_the_code_before_them(report: history.Report) -> None:
    assert len(report.cases) == len(_TOPICS)
    assert report.n_commits == len(_TOPICS)
    for case in report.cases:
        (target,) = case.fix.targets
        assert target.function.startswith("total_")
        assert target.changed == ((8, 8),)
    by_system = {row.system: row for row in report.rows}
    # Sixteen small files: each pack has room for the one that the message names.
    assert by_system[SATCHEL].changed.mean == 1.0
    assert by_system[SATCHEL].whole.mean == 1.0
    assert 0.0 < by_system[BM25].changed.mean <= 1.0
    assert by_system[GREP].beyond is not None
    assert by_system[SATCHEL].beyond is None
    assert report.worst == ()


def test_the_same_history_gives_the_same_report(
    shop: Path, report: history.Report, environment: dict[str, str]
) -> None:
    # This one begins with the index of the checkout.
    project = Project.at(shop, environment)
    project.refresh(lambda _: None)
    assert history.measure(project, environment, Options(), *_QUIET) == report


def test_too_few_fixes_and_no_history_are_refused(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = tmp_path / "young"
    root.mkdir()
    (root / "a.py").write_text("def one():\n    return 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no git history"):
        _report(root, environment)
    commit_all(root, "Begin with one function")
    (root / "a.py").write_text("def one():\n    return 2\n", encoding="utf-8")
    commit_all(root, "Fix the wrong number that is returned")
    with pytest.raises(UsageError, match="only 1 fix"):
        _report(root, environment)
    with pytest.raises(UsageError, match="no commit here"):
        options = Options("nowhere")
        history.measure(Project.at(root, environment), environment, options, *_QUIET)


def test_functions_changed_since_are_no_questions(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    root = tmp_path / "drift"
    root.mkdir()
    text = _module("parcel") + "\n\n" + _module("letter")
    (root / "post.py").write_text(text, encoding="utf-8")
    first = commit_all(root, "Add parcels and letters")
    text = text.replace(
        '"""The total of a parcel."""', '"""Sums up a parcel."""\n    rows = list(rows)'
    )
    (root / "post.py").write_text(text, encoding="utf-8")
    commit_all(root, "Sum up parcels from any iterable of rows")
    second = text.replace("row.price", "row.price or 0")
    (root / "post.py").write_text(second, encoding="utf-8")
    commit_all(root, "Handle rows without a price everywhere")
    (root / "post.py").write_text(
        second.replace("print(row.name)", "print(row.title)"), encoding="utf-8"
    )
    commit_all(root, "Fix the wrong name that is printed")
    files = commits.files(root, first)
    listed = list(commits.between(root, first, "HEAD", (".py",), most=10))
    assert [commit.subject.split()[0] for commit in listed] == ["Sum", "Handle", "Fix"]
    project = Project.at(root, environment)
    with commit_tree.indexed_commit(project, project, files, environment, *_QUIET) as then:
        assert not (then.root / ".git").exists()
        with then.snapshot() as snapshot:
            found = list(fixes.mined(root, listed, files, fixes.ProductFunctions(snapshot, files)))
    # The second commit changes a function that the first had changed already; the lines of the
    # third are counted as they stood at the beginning.
    assert [fix.subject.split()[0] for fix in found] == ["Sum", "Fix"]
    assert [t.changed for t in found[1].targets] == [((15, 15),), ((32, 32),)]
    assert not then.root.exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb\nc\n", "a\nb\nnew\nc\n"),
        ("a\nb\nc\n", "b\nc\n"),
        ("a\n" * 50, "a\n" * 30 + "b\n" + "a\n" * 20),
        ("x\ny\nz\n", "y\nx\nz\n"),
        ("1\n}\n2\n}\n3\n}\n", "0\n}\n1\n}\n3\nnew\n}\n2\n}\n"),
        ("", "a\n"),
        ("same\n", "same\n"),
    ],
)
def test_lines_are_followed_through_changes(before: str, after: str) -> None:
    hunks = line_changes.between(before.encode(), after.encode())
    old, new = before.split("\n"), after.split("\n")
    n_new = 0
    for number, line in enumerate(new, 1):
        earlier = line_changes.earlier_line(number, hunks)
        if earlier is None:
            n_new += 1
        else:
            assert old[earlier - 1] == line
    assert n_new == sum(hunk[3] for hunk in hunks)
    assert hunks == sorted(hunks)
    assert len(old) - sum(hunk[1] for hunk in hunks) == len(new) - n_new


def test_a_function_that_moved_past_others_leaves_the_lines_between_as_they_were() -> None:
    # Blank lines and braces stand everywhere; what stands once in both versions holds the rest.
    functions = [f"f{n}() {{\n  one({n});\n\n  return {n};\n}}\n" for n in range(6)]
    before, after = "".join(functions), "".join([*functions[:1], *functions[2:], functions[1]])
    hunks = line_changes.between(before.encode(), after.encode())
    assert [hunk[1::2] for hunk in hunks] == [(5, 0), (0, 5)]
    assert line_changes.earlier_line(6, hunks) == 11


@pytest.mark.parametrize(
    "path",
    ["../out.py", "/etc/x", ".git/config", "a/../../b", "a//b", "a/.GIT/hooks/x", "", "a\0b"],
)
def test_no_file_of_a_tree_is_written_outside(path: str) -> None:
    assert not commit_tree.is_plain(path)
    assert commit_tree.is_plain("src/a b.py")


def test_numbers_are_kept_only_with_a_gain_on_later_fixes(
    shop: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tune, "LEAST", 10)
    project = Project.at(shop, environment)
    # In the smallest packs the order decides what is shown; what is chosen there is kept if, and
    # only if, the interval on the later fixes lies above nothing.
    small = tune.tune(project, environment, Options(budget=256), *_QUIET)
    assert small.is_kept == (small.later.low > 0.0)
    assert (tuned.read(project.directory) is not None) == small.is_kept
    assert small.n_earlier + small.n_later == len(_TOPICS)


def test_tuned_numbers_are_in_force_until_they_are_undone(
    shop: Path, environment: dict[str, str]
) -> None:
    project = Project.at(shop, environment)
    project.refresh(lambda _: None)
    made = tuned.Tuned(
        {"room": 500.0}, 0.05, 0.01, 0.09, 40, 20, 4000, "c0ffee", tuned.ranking_version()
    )
    tuned.write(project.directory, made)
    assert tuned.weights(project.directory).packing.room == 500
    shown = _run(shop, environment, "tune")
    assert "room 500" in shown
    assert "+0.05 (+0.01 to +0.09)" in shown
    # A context with other numbers is another pack, and `replay` makes it again.
    pack = json.loads(_run(shop, environment, "context", "wrong total of a coupon", "--json"))
    assert _run(shop, environment, "context", "--replay", pack["receipt"]["id"])
    assert json.loads(_run(shop, environment, "tune", "--undo", "--json"))["in_force"] is False
    assert tuned.weights(project.directory) == DEFAULT
    # Another version's numbers, and anything else in that place, are not in force.
    for text in (b"{}", b"\xff", json.dumps({"numbers": {"room": 9}}).encode()):
        (project.directory / tuned.NAME).write_bytes(text)
        assert tuned.weights(project.directory) == DEFAULT
    tuned.write(project.directory, tuned.Tuned(**{**_fields(made), "made_with": "another"}))
    assert tuned.weights(project.directory) == DEFAULT


def _fields(made: tuned.Tuned) -> dict[str, object]:
    return {name: getattr(made, name) for name in made.__struct_fields__}


def test_the_numbers_that_are_tried_are_numbers_of_packing() -> None:
    for name, others in tune.TRIED.items():
        assert getattr(DEFAULT.packing, name) not in others


def _run(root: Path, environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [COMMAND, *words], cwd=root, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_the_command_prints_json(shop: Path, environment: dict[str, str]) -> None:
    found = json.loads(_run(shop, environment, "bench", "history", "--json", "--since", "10y"))
    assert [row["system"] for row in found["systems"]] == ["satchel", "grep", "bm25"]
    assert found["asked"] == found["fixes"] == len(found["cases"]) == len(_TOPICS)
    assert found["cases"][0]["targets"][0]["path"] == f"shop/{_TOPICS[0]}.py"


def test_the_report_is_a_table_and_the_worst(
    report: history.Report, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    nothing = shown.Shown(0.0, 0.0, has_file=False)
    lost = replace(report.cases[0], shown={**report.cases[0].shown, SATCHEL: nothing})
    evaluation.print_report(replace(report, cases=(lost, *report.cases[1:])), as_json=False)
    text = capsysbinary.readouterr().out.decode()
    assert f"{len(_TOPICS)} fixes of {len(_TOPICS)} commits" in text
    assert "BM25, windows of 40 lines" in text
    assert f"shop/{_TOPICS[0]}.py:4-9 total_{_TOPICS[0]}; its file is not shown" in text
    evaluation.print_report(replace(report, cases=report.cases[:3]), as_json=False)
    assert "interrupted: 9 were not asked" in capsysbinary.readouterr().out.decode()


def test_who_interrupts_it_gets_what_there_is(
    shop: Path,
    report: history.Report,
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shows = history.IndexedCommit.shows

    def interrupted(then: history.IndexedCommit, fix: fixes.Fix, budget: int) -> object:
        if fix.commit == cut:
            os.kill(os.getpid(), signal.SIGINT)
        return shows(then, fix, budget)

    cut = report.cases[3].fix.commit
    monkeypatch.setattr(history.IndexedCommit, "shows", interrupted)
    found = _report(shop, environment)
    assert found.cases == report.cases[:3]
    assert found.n_fixes == len(_TOPICS)


def test_nothing_that_a_repository_configures_is_run(
    shop: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    root, ran = tmp_path / "hostile", tmp_path / "ran"
    shutil.copytree(shop, root)
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/attributes").write_text("* diff=evil filter=evil\n", encoding="utf-8")
    for name in (
        "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.smudge",
        "filter.evil.clean", "filter.evil.process", "core.fsmonitor", "core.pager", "gpg.program",
        "tar.tar.command",
    ):  # fmt: skip
        git(root, "config", name, trap)
    git(root, "config", "log.showSignature", "true")
    # The trap is one: git itself runs it.
    git(root, "show", "--ext-diff", "HEAD")
    assert ran.exists()
    ran.unlink()
    assert len(_report(root, environment).cases) == len(_TOPICS)
    assert not ran.exists()


def test_contents_that_git_does_not_have_are_left_out(shop: Path) -> None:
    path = f"shop/{_TOPICS[0]}.py"
    text, folder = (git(shop, "rev-parse", f"HEAD:{name}") for name in (path, "shop"))
    # A name that is none of a blob's takes nothing from those behind it.
    found = list(commits.contents(shop, ["0" * 40, text, folder, text]))
    assert found == [(text, (shop / path).read_bytes())] * 2


def test_an_interval_holds_its_mean() -> None:
    found = interval([0.0, 0.5, 1.0, 0.5])
    assert found.low <= found.mean == 0.5 <= found.high
    assert interval([]) == type(found)(0.0, 0.0, 0.0)


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    """A signal that a test sends itself is an interruption, whatever ran before it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
