"""Where state lies, whose it is, and who finds it: scenes with real clones, archives and moves."""

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from satchel.knowledge.storage import database
from satchel.store import private
from satchel.store.errors import ConfigError, UsageError
from satchel.workspace.project import Project
from satchel.workspace.state.find_root import find_root
from satchel.workspace.state.identity import checkout_at
from satchel.workspace.state.state_folder import bases_of, folders_of
from tests.support.git import commit_all, git, needs_git
from tests.support.satchel import satchel

pytestmark = needs_git
CODE = "def send(message):\n    return message\n"
FACT = "Messages are never dropped"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of their own: what one scene leaves behind is not there for another."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    return folder


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Path:
    """A repository about which something is known."""
    return known(repository(tmp_path / "project"))


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "a.py").write_text(CODE, encoding="utf-8")
    commit_all(folder)
    return folder


def known(folder: Path, fact: str = FACT) -> Path:
    done = satchel("remember", "fact", fact, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def facts(folder: Path) -> list[str]:
    done = satchel("knowledge", "export", "--private", cwd=folder)
    assert done.returncode == 0, done.stderr
    return [json.loads(line)["summary"] for line in done.stdout.splitlines()]


def said(folder: Path, *words: str) -> tuple[str, str]:
    done = satchel(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode(), done.stderr.decode()


def told(folder: Path, *words: str) -> dict:
    return json.loads(said(folder, *words, "--json")[0])


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def knowledge_of(folder: Path) -> Path:
    return Project.at(folder, {"HOME": os.environ["HOME"]}).folders.knowledge


# -- what the tree holds


def test_nothing_is_written_into_the_tree_unasked(root: Path):
    before = files(root)
    for words in (("context", "send"), ("reindex", "--full"), ("status",), ("recall", "messages"),
                  ("validate",), ("repair",), ("overview",), ("state",)):  # fmt: skip
        said(root, *words)
    assert files(root) == before
    assert git(root, "status", "--porcelain", "--ignored") == ""
    said(root, "validate", "--update-baseline")
    assert files(root) - before == {".satchel", ".satchel/baseline.json"}


def test_cleaning_the_tree_and_deleting_the_cache_cost_no_knowledge(root: Path, home: Path):
    said(root, "reindex")
    git(root, "clean", "-fdxq")
    assert facts(root) == [FACT]
    shutil.rmtree(home / ".cache")
    assert facts(root) == [FACT]
    assert "def send" in said(root, "context", "send")[0]


def test_a_clone_ships_no_state(root: Path, tmp_path: Path):
    said(root, "reindex")
    evil = repository(tmp_path / "evil")
    state = Project.at(root, {"HOME": os.environ["HOME"]}).folders
    (evil / ".satchel").mkdir()
    shutil.copy(state.index / "index.db", evil / ".satchel")
    shutil.copy(state.knowledge / "knowledge.db", evil / ".satchel")
    (evil / ".satchel/packs").symlink_to(tmp_path)
    commit_all(evil)
    git(tmp_path, "clone", "-q", str(evil), "clone")
    clone = tmp_path / "clone"
    (clone / "a.py").write_text("def receive():\n    pass\n", encoding="utf-8")
    out, err = said(clone, "context", "receive send")
    assert "def receive" in out and "def send" not in out and FACT not in out
    assert err == f"indexing {clone} for the first time\n"  # nothing is offered either
    assert facts(clone) == []
    refused = satchel("state", "adopt", cwd=clone)
    assert refused.returncode == 2 and b"git tracks it" in refused.stderr
    assert facts(clone) == []


def test_an_archive_ships_no_state_but_may_be_taken_over_by_word(root: Path, tmp_path: Path):
    source = tmp_path / "source" / "x"
    (source / ".satchel").mkdir(parents=True)
    (source / "a.py").write_text(CODE, encoding="utf-8")
    shutil.copy(knowledge_of(root) / "knowledge.db", source / ".satchel")
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        archive.add(source, "x")
    with tarfile.open(tmp_path / "x.tar") as archive:
        archive.extractall(tmp_path, filter="data")
    x = tmp_path / "x"
    out, err = said(x, "context", "send")
    assert FACT not in out
    assert "`satchel state adopt` takes over" in err
    assert facts(x) == []
    assert told(x, "state", "adopt")["added"] == 1
    assert facts(x) == [FACT]
    assert "adopt" not in said(x, "context", "send")[1]


def test_a_read_only_checkout_works(as_somebody_else, monkeypatch: pytest.MonkeyPatch, capsys):
    from satchel.cli.command_line import run

    folder, become = as_somebody_else
    root = repository(folder / "project")
    home = folder / "home"
    home.mkdir()
    if os.geteuid() == 0:
        os.chown(home, 65534, 65534)
    for path in (*root.rglob("*"), root):
        path.chmod(path.stat().st_mode & 0o555)
    before = files(root)
    environment = {"HOME": str(home)}
    for words in (("context", "send"), ("remember", "fact", FACT)):  # everything is imported
        run((*words, "--root", str(root)), environment)
    shutil.rmtree(home / ".cache")
    shutil.rmtree(home / ".local")
    become()
    assert run(("remember", "fact", FACT, "--root", str(root)), environment) == 0
    assert run(("context", "send", "--root", str(root)), environment) == 0
    assert run(("recall", "messages", "--root", str(root)), environment) == 0
    out = capsys.readouterr().out
    assert "def send" in out and FACT in out
    assert files(root) == before


# -- who finds knowledge again


def test_worktrees_share_what_is_known_and_each_has_an_index(root: Path, tmp_path: Path):
    git(root, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "topic")
    second = tmp_path / "second"
    assert facts(second) == [FACT]
    known(second, "Said in the second one")
    assert len(facts(root)) == 2
    indexes = {
        told(folder, "reindex") and told(folder, "status")["index"] for folder in (root, second)
    }
    assert len(indexes) == 2
    git(root, "worktree", "move", str(second), str(tmp_path / "third"))
    assert len(facts(tmp_path / "third")) == 2


def test_a_moved_checkout_finds_its_knowledge_and_its_index(root: Path, tmp_path: Path):
    said(root, "reindex")
    (tmp_path / "deeper").mkdir()
    moved = root.rename(tmp_path / "deeper/renamed")
    assert facts(moved) == [FACT]
    assert told(moved, "reindex")["index"]["parsed"] == 0
    tmp_path.joinpath("deeper").rename(tmp_path / "elsewhere")
    assert facts(tmp_path / "elsewhere/renamed") == [FACT]
    rows = told(tmp_path / "elsewhere/renamed", "state")["states"]
    (row,) = (row for row in rows if row["name"].startswith("knowledge/"))
    assert row["root"] == str(tmp_path / "elsewhere/renamed") and not row["gone"]


def test_a_folder_without_git_is_found_again_too(tmp_path: Path, home: Path):
    folder = tmp_path / "plain"
    folder.mkdir()
    known(folder)
    assert facts(folder.rename(tmp_path / "other")) == [FACT]
    assert facts_of_new(tmp_path / "plain") == []


def test_what_is_known_stays_when_git_comes_to_a_folder(tmp_path: Path, home: Path):
    folder = tmp_path / "plain"
    folder.mkdir()
    known(folder)
    commit_all(folder)
    assert facts(folder) == [FACT]
    known(folder, "Since")
    git(folder, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "topic")
    assert len(facts(tmp_path / "second")) == 2
    assert len(facts(folder.rename(tmp_path / "moved"))) == 2


def facts_of_new(folder: Path) -> list[str]:
    folder.mkdir()
    return facts(folder)


def test_a_folder_below_the_top_has_knowledge_of_its_own(root: Path):
    (root / "below").mkdir()
    done = satchel("remember", "fact", "Of the part", "--root", "below", cwd=root)
    assert done.returncode == 0
    assert facts(root) == [FACT]


def _clone(root: Path, to: Path) -> None:
    git(root.parent, "clone", "-q", str(root), str(to))


def _copy(root: Path, to: Path) -> None:
    shutil.copytree(root, to, symlinks=True)


def _claims_by_file(root: Path, to: Path) -> None:
    repository(to)
    shutil.rmtree(to / ".git")
    (to / ".git").write_text(f"gitdir: {root}/.git\n", encoding="utf-8")


def _claims_to_be_a_worktree(root: Path, to: Path) -> None:
    git(root, "worktree", "add", "-q", str(root.parent / "true"), "-b", "topic")
    repository(to)
    shutil.rmtree(to / ".git")
    (to / ".git").write_text(f"gitdir: {root}/.git/worktrees/true\n", encoding="utf-8")


def _claims_by_link(root: Path, to: Path) -> None:
    repository(to)
    shutil.rmtree(to / ".git")
    (to / ".git").symlink_to(root / ".git")


def _claims_by_commondir(root: Path, to: Path) -> None:
    repository(to)
    (to / ".git/commondir").write_text(f"{root}/.git\n", encoding="utf-8")


def _claims_by_its_own_worktree(root: Path, to: Path) -> None:
    repository(to)
    own = to / ".git/worktrees/x"
    own.mkdir(parents=True)
    (own / "gitdir").write_text(f"{root}/.git\n", encoding="utf-8")


def _claims_by_a_folder_of_its_own(root: Path, to: Path) -> None:
    repository(to)
    (to / ".git").rename(to / ".hg")
    (to / ".hg/commondir").write_text(f"{root}/.git\n", encoding="utf-8")
    (to / ".hg/gitdir").write_text(f"{to}/.git\n", encoding="utf-8")
    (to / ".git").write_text("gitdir: .hg\n", encoding="utf-8")


@pytest.mark.parametrize("make", [
    _clone, _copy, _claims_by_file, _claims_to_be_a_worktree, _claims_by_link,
    _claims_by_commondir, _claims_by_its_own_worktree, _claims_by_a_folder_of_its_own,
])  # fmt: skip
def test_no_other_checkout_has_the_knowledge_of_this_one(
    root: Path, tmp_path: Path, make: Callable[[Path, Path], None]
):
    said(root, "reindex")
    stranger = tmp_path / "stranger"
    make(root, stranger)
    assert knowledge_of(stranger) != knowledge_of(root)
    assert facts(stranger) == []
    assert told(stranger, "reindex")["index"]["parsed"] == 1, "it started from a stranger's index"
    assert facts(root) == [FACT]


@pytest.mark.parametrize("make", [_clone, _copy])
def test_a_checkout_in_the_place_of_one_that_is_gone_is_offered_its_knowledge(
    root: Path, tmp_path: Path, make: Callable[[Path, Path], None]
):
    folder = knowledge_of(root)
    make(root, tmp_path / "stranger")
    shutil.rmtree(root)
    (tmp_path / "stranger").rename(root)
    out, err = said(root, "context", "messages")
    assert FACT not in out
    assert f"`satchel state move knowledge/{folder.name}`" in err
    said(root, "state", "move", f"knowledge/{folder.name}")
    assert facts(root) == [FACT]
    assert "state move" not in said(root, "context", "messages")[1]


def test_a_checkout_with_the_same_history_as_one_that_is_gone_is_offered_it(
    root: Path, tmp_path: Path
):
    _clone(root, tmp_path / "again")
    assert "state move" not in said(tmp_path / "again", "reindex")[1]
    shutil.rmtree(root)
    assert f"for one that lay at {root} and is gone" in said(tmp_path / "again", "reindex")[1]
    said(tmp_path / "again", "state", "move", str(root))
    assert facts(tmp_path / "again") == [FACT]
    other = repository(tmp_path / "other")
    (other / "b.py").write_text(CODE, encoding="utf-8")
    git(other, "add", "-A")
    git(other, "commit", "-q", "--amend", "-m", "another beginning")
    shutil.rmtree(tmp_path / "again")
    assert "state move" not in said(other, "reindex")[1]


def test_moving_takes_nothing_away_and_writes_nothing_over(root: Path, tmp_path: Path):
    other = known(repository(tmp_path / "other"), "Known of the other")
    name = f"knowledge/{knowledge_of(root).name}"
    refused = satchel("state", "move", name, cwd=other)
    assert refused.returncode == 2 and b"is still there" in refused.stderr
    refused = satchel("state", "move", name, "--yes", cwd=other)
    assert refused.returncode == 2 and b"is stored already" in refused.stderr
    assert (facts(root), facts(other)) == ([FACT], ["Known of the other"])


# -- where it lies


def test_state_can_lie_elsewhere_by_flag_setting_or_variable(
    root: Path, home: Path, tmp_path: Path
):
    place = tmp_path / "place"
    said(root, "reindex", "--state", str(place / "flag"))
    assert told(root, "status", "--state", "../place/flag")["index"].startswith(str(place / "flag"))
    done = satchel(
        "reindex", cwd=root, environment={"SATCHEL_STATE_FOLDER": str(place / "variable")}
    )
    assert done.returncode == 0 and (place / "variable/index").is_dir()
    (home / ".config/satchel").mkdir(parents=True)
    own = home / ".config/satchel/config.toml"
    own.write_text(f"[state]\nfolder = '{place}/setting'\n", encoding="utf-8")
    said(root, "reindex")
    assert (place / "setting/index").is_dir()
    assert facts(root) == []  # knowledge lies there too
    own.write_text("[state]\nfolder = 'relative'\n", encoding="utf-8")
    refused = satchel("status", cwd=root)
    assert refused.returncode == 2 and b"name an absolute path" in refused.stderr
    own.unlink()
    (root / ".satchel").mkdir()
    (root / ".satchel/config.toml").write_text("[state]\nfolder = '/tmp'\n", encoding="utf-8")
    said(root, "reindex")
    assert facts(root) == [FACT]  # where it lay before, and not in /tmp
    assert b"state.folder may not be set by a repository" in satchel("status", cwd=root).stderr


def test_the_folders_of_the_specification_are_heard(root: Path, tmp_path: Path):
    environment = {"XDG_CACHE_HOME": str(tmp_path / "c"), "XDG_DATA_HOME": str(tmp_path / "d")}
    assert satchel("remember", "fact", "x", cwd=root, environment=environment).returncode == 0
    assert satchel("reindex", cwd=root, environment=environment).returncode == 0
    assert list((tmp_path / "c/satchel/index").glob("*/index.db"))
    assert list((tmp_path / "d/satchel/knowledge").glob("*/knowledge.db"))
    assert satchel("status", cwd=root, environment={"XDG_CACHE_HOME": "relative"}).returncode == 2


def test_state_in_the_tree_is_not_indexed_and_not_believed_when_git_tracks_it(root: Path):
    inside = {"SATCHEL_STATE_FOLDER": str(root / "[s]")}
    for _ in range(2):
        assert satchel("reindex", cwd=root, environment=inside).returncode == 0
    status = json.loads(satchel("status", "--json", cwd=root, environment=inside).stdout)
    assert status["files"] == 1
    commit_all(root)
    refused = satchel("status", cwd=root, environment=inside)
    assert refused.returncode == 2 and b"git tracks files in" in refused.stderr


def test_status_and_doctor_say_where_everything_is(root: Path, home: Path):
    said(root, "reindex")
    status = told(root, "status")
    assert Path(status["index"], "index.db").is_file()
    assert Path(status["knowledge"], "knowledge.db").is_file()
    assert status["index"].startswith(str(home / ".cache/satchel/index/project-"))
    assert status["knowledge"].startswith(str(home / ".local/share/satchel/knowledge/"))
    assert (
        f"index: {status['index']}\nknowledge: {status['knowledge']}\n" in said(root, "status")[0]
    )
    (root / ".satchel").mkdir()
    (root / ".satchel/index.db").touch()
    (root / ".satchel/knowledge.db").symlink_to("/etc/passwd")
    doctor = told(root, "doctor")
    assert (doctor["index"], doctor["knowledge"]) == (status["index"], status["knowledge"])
    adopted, left = doctor["state"]
    assert "not taken over: knowledge.db is a link" in adopted
    assert "index.db of an earlier version can be deleted" in left


# -- whose it is


def test_everything_is_readable_by_its_user_alone(root: Path, home: Path):
    old = os.umask(0)
    try:
        said(root, "context", "send")
        known(root, "More")
        said(root, "validate", "--level", "deep")
    finally:
        os.umask(old)
    state = [home / ".cache/satchel", home / ".local/share/satchel"]
    paths = [path for folder in state for path in (folder, *folder.rglob("*"))]
    assert {path.name for path in paths} >= {"index.db", "knowledge.db", "checkout.json", "lock"}
    for path in paths:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


@pytest.mark.parametrize("which", ["cache/satchel", "cache/satchel/index", "local/share/satchel"])
@pytest.mark.parametrize("how", ["link", "writable", "owner"])
def test_a_folder_that_is_not_ours_alone_is_refused(root: Path, home: Path, which: str, how: str):
    said(root, "reindex")
    folder = home / f".{which}"
    if how == "link":
        folder.rename(folder.with_name("aside"))
        folder.symlink_to("aside")
    elif how == "writable":
        folder.chmod(0o777)
    elif os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    else:
        pytest.skip("only the administrator can give a folder away")
    wanted = {"link": "is a link", "writable": "others may write", "owner": "another user"}[how]
    refused = satchel("context", "send", cwd=root)
    assert refused.returncode == 2, refused.stderr
    assert wanted in refused.stderr.decode() and b"--state" in refused.stderr


def test_a_folder_that_others_may_read_is_closed(root: Path, home: Path):
    said(root, "reindex")
    (home / ".cache/satchel/index").chmod(0o755)
    said(root, "status")
    assert stat.S_IMODE((home / ".cache/satchel/index").stat().st_mode) == 0o700


def test_the_base_itself_may_be_a_link_to_another_disk(root: Path, home: Path, tmp_path: Path):
    (tmp_path / "disk").mkdir()
    (home / ".cache").symlink_to(tmp_path / "disk")
    said(root, "reindex")
    assert (tmp_path / "disk/satchel/index").is_dir()


# -- sockets


def test_a_long_path_still_has_a_socket_of_a_length_that_binds(root: Path, tmp_path: Path):
    from satchel.workspace.serving.live import LiveIndex

    long = tmp_path / ("long-" * 20) / ("longer-" * 20)
    project = Project.at(root, {"SATCHEL_STATE_FOLDER": str(long), "SATCHEL_INDEX_WORKERS": "1"})
    assert len(str(project.folders.socket)) > 108
    lives = [LiveIndex(project), LiveIndex(Project.at(root, {"SATCHEL_STATE_FOLDER": str(long)}))]
    for live in lives:
        live.start()
        assert live.wait_fresh(seconds=60) == ()
    assert sorted(live.state().role for live in lives) == ["follower", "owner"]
    for live in lives:
        live.close()


def test_where_no_descriptor_has_a_path_a_short_name_is_taken(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from satchel.workspace.state import index_place, state_folder

    monkeypatch.setattr(index_place, "DESCRIPTORS", str(tmp_path / "absent"))
    run = tmp_path / "run"
    bases = bases_of({"XDG_RUNTIME_DIR": str(run)}, str(tmp_path / ("long-" * 30)))
    folders = folders_of(root, bases)
    assert folders.socket.parent == run / f"satchel-{os.geteuid()}"
    state_folder.make_socket_folder(folders)
    assert stat.S_IMODE(folders.socket.parent.stat().st_mode) == 0o700


# -- the command


_NEXT_VERSION = (
    "import sys; import satchel.store.sqlite.schema as schema; schema.FORMAT_VERSION += 1;"
    " from satchel.cli.main import main; sys.argv[0] = 'satchel'; main()"
)
"""Satchel as a version with another format would be; run from the arguments of the command."""


def test_two_versions_have_an_index_each_and_say_so(root: Path):
    def next_version(*words: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", _NEXT_VERSION, *words]
        return subprocess.run(command, cwd=root, capture_output=True, check=False, timeout=600)

    said(root, "search", "send")
    before = told(root, "status")
    first = next_version("status")
    assert first.returncode == 2
    assert b"has no index of this version" in first.stderr
    assert b"`satchel state delete` removes" in first.stderr
    assert next_version("search", "send").returncode == 0
    for _ in range(2):
        said(root, "search", "send")
        assert next_version("search", "send").returncode == 0
    assert told(root, "status")["generation"] == before["generation"]
    other = Path(json.loads(next_version("status", "--json").stdout)["index"])
    assert other.parent == Path(before["index"]).parent and other != Path(before["index"])
    assert f"of other versions of Satchel: {other.name} (" in said(root, "status")[0]
    (deleted,) = told(root, "state", "delete", "--yes")["states"]
    assert deleted["of_another_version"] and not deleted["gone"]
    assert not other.exists()
    assert told(root, "status")["generation"] == before["generation"]


def test_a_folder_without_git_that_another_version_indexed_is_a_root(tmp_path: Path, home: Path):
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text(CODE, encoding="utf-8")
    said(folder, "reindex", str(folder))
    index = Path(told(folder, "status")["index"])
    (index / "token").write_text("kept\n")
    index.rename(index.with_name(index.name.partition("@")[0]))
    assert "a.py" in said(folder / "sub", "search", "send")[0]
    assert (index / "token").read_text() == "kept\n"
    assert (index / "token").stat().st_mode & 0o777 == 0o600


def test_all_checkouts_are_listed_and_only_indexes_go_unnamed(root: Path, tmp_path: Path):
    said(root, "reindex")
    other = known(repository(tmp_path / "other"))
    said(other, "reindex")
    rows = {(row["name"].split("/")[0], row["root"]): row for row in told(other, "state")["states"]}
    assert set(rows) == {(kind, str(f)) for kind in ("index", "knowledge") for f in (root, other)}
    assert all(row["bytes"] > 1_000 and row["used"] > "2020" for row in rows.values())
    shutil.rmtree(root)
    assert {row["root"] for row in told(other, "state")["states"] if row["gone"]} == {str(root)}
    refused = satchel("state", "delete", cwd=other)
    assert refused.returncode == 2 and b"nothing was deleted" in refused.stderr
    gone = told(other, "state", "delete", "--yes")["states"]
    assert [row["name"].split("/")[0] for row in gone] == ["index"]
    left = told(other, "state")["states"]
    assert len(left) == 3
    (name,) = (row["name"] for row in left if row["gone"])
    refused = satchel("state", "delete", name, cwd=other)
    assert refused.returncode == 2 and b"nothing was deleted" in refused.stderr
    said(other, "state", "delete", name, "--yes")
    assert {row["root"] for row in told(other, "state")["states"]} == {str(other)}
    assert satchel("state", "delete", "index/nobody", "--yes", cwd=other).returncode == 2
    assert facts(other) == [FACT]


def test_an_indexed_folder_is_found_from_below(tmp_path: Path, home: Path):
    folder = tmp_path / "plain/deep"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text(CODE, encoding="utf-8")
    assert find_root(folder, {}) == folder
    said(tmp_path, "reindex", str(tmp_path / "plain"))
    assert find_root(folder, {"HOME": str(home)}) == tmp_path / "plain"


# -- what lay in the tree before


@pytest.fixture
def before(root: Path, tmp_path: Path) -> Path:
    """A checkout as an earlier version left it."""
    old = repository(tmp_path / "old")
    (old / ".satchel").mkdir()
    shutil.copy(knowledge_of(root) / "knowledge.db", old / ".satchel")
    (old / ".satchel/.gitignore").write_text("*\n", encoding="utf-8")
    return old


def test_old_knowledge_is_taken_over_once_and_what_is_newer_stays(before: Path):
    known(before, "Said since")
    assert "not read" in said(before, "recall", "messages")[1]
    first = told(before, "state", "adopt")
    assert (first["added"], first["unchanged"]) == (1, 0)
    assert sorted(facts(before)) == [FACT, "Said since"]
    assert (before / ".satchel/knowledge.db").is_file(), "the old file stays"
    again = satchel("state", "adopt", cwd=before)
    assert again.returncode == 2 and b"was taken over before" in again.stderr
    assert said(before, "recall", "messages")[1] == ""


def test_what_an_earlier_version_wrote_meanwhile_is_offered_again(before: Path):
    assert told(before, "state", "adopt")["added"] == 1
    with closing(database.connect(before / ".satchel")) as connection:
        connection.execute("UPDATE item SET summary = 'Changed', updated_at = updated_at + 1")
    assert "not read" in said(before, "recall", "messages")[1]
    assert told(before, "state", "adopt")["updated"] == 1
    assert facts(before) == ["Changed"]


def _as_a_link(file: Path) -> None:
    file.rename(file.with_name("other"))
    file.symlink_to("other")


def _under_two_names(file: Path) -> None:
    file.with_name("other").hardlink_to(file)


def _in_a_linked_folder(file: Path) -> None:
    file.parent.rename(file.parent.with_name("aside"))
    file.parent.symlink_to("aside")


def _as_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _of_somebody_else(file: Path) -> None:
    if os.geteuid():
        pytest.skip("only the administrator can give a file away")
    os.chown(file, 65534, 65534)


def _tracked(file: Path) -> None:
    git(file.parent.parent, "add", "-f", str(file))


def _damaged(file: Path) -> None:
    file.write_bytes(b"SQLite format 3\0" + b"x" * 9_000)


def _with_a_row_of_no_kind(file: Path) -> None:
    with closing(database.connect(file.parent)) as connection:
        connection.execute("UPDATE item SET kind = 'rumour'")


@pytest.mark.parametrize("spoil", [
    _as_a_link, _under_two_names, _in_a_linked_folder, _as_a_pipe, _of_somebody_else, _tracked,
    _damaged, _with_a_row_of_no_kind,
])  # fmt: skip
def test_old_knowledge_that_is_not_ours_alone_and_sound_is_left(
    before: Path, spoil: Callable[[Path], None]
):
    spoil(before / ".satchel/knowledge.db")
    left = {path: path.lstat().st_mtime_ns for path in (before / ".satchel").iterdir()}
    refused = satchel("state", "adopt", cwd=before)
    assert refused.returncode in (2, 4) and refused.stderr.startswith(b"satchel: "), refused.stderr
    assert facts(before) == []
    assert {path: path.lstat().st_mtime_ns for path in (before / ".satchel").iterdir()} == left


def test_triggers_of_old_knowledge_stay_behind(before: Path):
    with closing(database.connect(before / ".satchel")) as connection:
        connection.execute(
            "CREATE TRIGGER evil AFTER INSERT ON event BEGIN"
            " UPDATE item SET privacy = 'public'; END"
        )
    satchel("state", "adopt", cwd=before)
    known(before, "Said since")
    with closing(database.connect(knowledge_of(before))) as connection:
        assert (
            connection.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'").get == 0
        )


# -- identity


def test_a_submodule_and_a_separate_folder_of_git_are_told_apart(tmp_path: Path, home: Path):
    part = repository(tmp_path / "part")
    whole = repository(tmp_path / "whole")
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "part")
    git(whole, *add)
    inner = checkout_at(whole / "part")
    assert inner.folder == whole / ".git/modules/part"
    assert inner.key != checkout_at(whole).key != checkout_at(part).key
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "git"), str(tmp_path / "work"))
    assert checkout_at(tmp_path / "work").folder == tmp_path / "work"


def test_a_relative_state_folder_is_no_place():
    with pytest.raises(ConfigError, match=r"state\.folder is 'x'"):
        bases_of({}, "x")


def test_deleting_needs_a_name_that_is_there(root: Path):
    from satchel.workspace.state.checkouts import chosen

    bases = Project.at(root, {"HOME": os.environ["HOME"]}).folders.bases
    with pytest.raises(UsageError, match="no state called"):
        chosen(bases, ["knowledge/none"])


def test_deleting_leaves_alone_what_other_processes_are_at(root: Path):
    from satchel.workspace.state.checkouts import chosen, delete

    said(root, "reindex")
    bases = Project.at(root, {"HOME": os.environ["HOME"]}).folders.bases
    with subprocess.Popen(["true"]) as ended:
        pass
    running, gone = os.getppid(), ended.pid
    for name in (f".{running}.copy", f".some-index.{running}", f".{gone}.copy", f".x.y.{gone}"):
        (bases.indexes / name).mkdir()
    delete(chosen(bases, [f"index/{bases.index_of(root).name}"]))
    left = {path.name for path in bases.indexes.iterdir()}
    assert left == {f".{running}.copy", f".some-index.{running}"}


def test_a_write_that_fails_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        private.write(tmp_path / "note", b"text")
    assert not list(tmp_path.iterdir())
