"""Where we may not write or read: what can be answered is, the rest says what to do about it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from bench.robustness.crash_scene import update
from satchel.cli.command_line import run
from satchel.store.model import RepoPath
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database
from satchel.workspace import knowledge
from satchel.workspace.project import Project
from satchel.workspace.serving.live import LiveIndex, Role
from satchel.workspace.state.state_folder import bases_of

Become = Callable[[], None]


@pytest.fixture
def denied(as_somebody_else) -> tuple[Path, Become]:
    """An indexed project of somebody who lets others read, and a file that is not indexed yet."""
    folder, become = as_somebody_else
    root = folder / "project"
    root.mkdir()
    (root / "a.py").write_text("def send():\n    pass\n", encoding="utf-8")
    project = at(root)
    project.prepare()
    connection = database.connect(project.directory, writable=True)
    update(connection, root)
    connection.close()
    ask(root)  # everything is imported by who may read it
    with knowledge.open_context(at(root)):
        pass
    for path in (folder / "state", *(folder / "state").rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (root / "b.py").write_text("def newer():\n    pass\n", encoding="utf-8")

    def close_and_become() -> None:
        for state in filter(Path.exists, (project.folders.index, project.folders.knowledge)):
            state.chmod(state.stat().st_mode & 0o555)  # those who own it are denied as well
        become()

    return root, close_and_become


def environment(root: Path) -> dict[str, str]:
    return {
        "XDG_CONFIG_HOME": str(root.parent), "SATCHEL_STATE_FOLDER": str(root.parent / "state")
    }  # fmt: skip


def at(root: Path) -> Project:
    return Project.at(root, environment(root))


def index_of(root: Path) -> Path:
    """The folder of the index; whoever opens it closes it to others, and this does not."""
    return bases_of({}, str(root.parent / "state")).index_of(root)


def ask(root: Path, *words: str) -> int:
    words = words or ("context", "send")
    where = (str(root),) if words[0] == "reindex" else ("--root", str(root))
    return run([*words, *where], environment(root))


def test_an_index_that_may_only_be_read_answers_and_says_so(denied, capsys):
    root, become = denied
    become()
    assert ask(root, "context", "send") == 0
    said = capsys.readouterr()
    assert "def send" in said.out
    assert "may be out of date" in said.out + said.err
    assert ask(root, "symbols", "send") == 0
    assert ask(root, "status") == 0
    assert (index_of(root) / "index.db").stat().st_size > 0


@pytest.mark.parametrize("command", ["reindex", "repair"])
def test_who_may_not_write_is_told_what_to_do(denied, capsys, command: str):
    root, become = denied
    become()
    assert ask(root, command) == 1
    said = capsys.readouterr().err
    assert "cannot be written: Permission denied" in said
    assert "hint: change its permissions" in said


def test_a_server_reads_what_it_may_not_keep(denied):
    root, become = denied
    become()
    live = LiveIndex(at(root))
    live.start()
    (notice,) = live.wait_fresh(seconds=60)
    assert "cannot be kept fresh" in notice
    with live.project.snapshot() as snapshot:
        assert [file.path for file in snapshot.files.all()] == ["a.py"]
    assert live.state().role is Role.READER
    live.close()


def test_an_index_somebody_else_has_open_is_read_through_the_journal(denied):
    root, become = denied
    writer = database.connect(index_of(root), writable=True)
    with database.transaction(writer):
        writer.execute("DELETE FROM files")
    for path in index_of(root).glob("index.db*"):
        path.chmod(0o644)
    become()
    with at(root).snapshot() as snapshot:
        assert snapshot.files.all() == []
    with pytest.raises(apsw.ReadOnlyError):
        reader = database.connect(index_of(root), writable=False)
        reader.execute("DELETE FROM chunks")
    writer.close()


@pytest.mark.parametrize(
    ("shut", "said"),
    [("index.db", "index.db cannot be used"), ("", "cannot be written: Permission denied")],
)
def test_an_index_that_may_not_be_read_is_named(denied, capsys, shut: str, said: str):
    root, become = denied
    (index_of(root) / shut).chmod(0)
    become()
    assert ask(root, "symbols", "send") in (1, 2)
    found = capsys.readouterr().err
    assert said in found
    assert "hint:" in found


def test_a_folder_that_cannot_hold_an_index_says_so(denied, capsys):
    root, become = denied
    shutil.rmtree(index_of(root))
    root.chmod(0o555)
    become()
    assert ask(root, "symbols", "send") == 1
    assert "cannot be written: Permission denied" in capsys.readouterr().err


def test_what_is_known_cannot_be_written_and_says_so(denied, capsys):
    root, become = denied
    become()
    assert ask(root, "remember", "warning", "send drops the last item") == 1
    assert "cannot be written" in capsys.readouterr().err


def test_an_indexed_file_that_may_not_be_read_any_more_is_listed(denied):
    root, become = denied
    connection = database.connect(index_of(root), writable=True)
    (root / "a.py").chmod(0)
    (root / "a.py").touch()
    become()
    update(connection, root)
    with SqliteSnapshot(connection) as snapshot:
        assert [file.path for file in snapshot.files.all()] == ["b.py"]
        skipped = {record.path: record.reason for record in snapshot.files.skipped()}
    connection.close()
    assert skipped[RepoPath("a.py")] == "unreadable"
