"""Processes that serve the same index: one owns it, the others follow, and what happens is seen."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from satchel.indexer.refresh_values import Progress, Stage
from satchel.indexer.watch import InotifyWatch, TreeWatch
from satchel.workspace.lock import WriterLock
from satchel.workspace.project import Project
from satchel.workspace.serving import channel, local_socket, owner
from satchel.workspace.serving import live as live_module
from satchel.workspace.serving.live import LiveIndex, Role
from satchel.workspace.serving.work_queue import Request, WorkQueue
from tests.support.git import commit_all, git, needs_git
from tests.support.satchel import TIMEOUT_S, index_folder, satchel, state_folders

SECONDS = 240.0
"""Far beyond what anything here takes, so that a slow machine fails no test."""
Start = Callable[[], LiveIndex]
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs inotify")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write(folder, "app/send.py", "def send():\n    pass\n")
    return folder


@pytest.fixture
def start(root: Path) -> Iterator[Start]:
    """Starts one more server of the project; they are closed in the end."""
    started: list[LiveIndex] = []

    def start() -> LiveIndex:
        live = LiveIndex(Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"}))
        started.append(live)
        live.start()
        return live

    yield start
    for live in started:
        live.close()


def write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def fresh(live: LiveIndex) -> list[str]:
    """The files of the index once it is fresh."""
    assert live.wait_fresh(seconds=SECONDS) == ()
    with live.project.snapshot() as snapshot:
        return [file.path for file in snapshot.files.all()]


def defined(live: LiveIndex, name: str) -> bool:
    with live.project.snapshot() as snapshot:
        return bool(snapshot.symbols.named(name))


def test_the_first_owns_the_index_and_the_next_follows(root: Path, start: Start):
    owner, follower = start(), None
    assert fresh(owner) == ["app/send.py"]
    follower = start()
    write(root, "app/new.py", "x = 1\n")
    assert fresh(follower) == ["app/new.py", "app/send.py"]
    assert (owner.state().role, follower.state().role) == (Role.OWNER, Role.FOLLOWER)
    assert follower.state().owner == str(os.getpid())


def test_a_follower_takes_over_when_the_owner_ends(root: Path, start: Start):
    owner, follower = start(), start()
    fresh(owner)
    fresh(follower)
    owner.close()
    write(root, "b.py", "def b():\n    pass\n")
    assert fresh(follower) == ["app/send.py", "b.py"]
    assert follower.state().role is Role.OWNER


@contextmanager
def process(root: Path, *before: str) -> Iterator[subprocess.Popen[str]]:
    """A server of the project as a process of its own, started by the command `before`."""
    command = [*before, sys.executable, "-m", "tests.support.live_process", str(root)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as started:
        yield started


def said(server: subprocess.Popen[str], word: str) -> str:
    """The next line that begins with `word`."""
    assert server.stdout
    while not (line := server.stdout.readline()).startswith(word):
        assert line, "it ended"
    return line.strip()


def said_fresh(server: subprocess.Popen[str]) -> str:
    assert server.stdin
    server.stdin.write("\n")
    server.stdin.flush()
    return said(server, "fresh")


def test_a_killed_owner_is_followed_by_another_process(root: Path):
    with process(root) as owner:
        assert said(owner, "role") == f"role owner {owner.pid}"
        with process(root) as follower:
            assert said(follower, "role") == f"role follower {follower.pid}"
            assert said_fresh(owner) == said_fresh(follower) == "fresh 1 ()"
            owner.send_signal(signal.SIGKILL)
            owner.wait()
            write(root, "late.py", "x = 1\n")
            assert said(follower, "role") == f"role owner {follower.pid}"
            assert said_fresh(follower) == "fresh 2 ()"


@linux
@pytest.mark.parametrize(
    ("happens", "files"),
    [
        (lambda r: write(r, "a/b/c.py", "x = 1\n"), ["a/b/c.py", "app/send.py"]),
        (lambda r: (r / "app/send.py").unlink(), []),
        (lambda r: (r / "app/send.py").rename(r / "app/sent.py"), ["app/sent.py"]),
        (lambda r: (r / "app").rename(r / "lib"), ["lib/send.py"]),
        (lambda r: shutil.rmtree(r / "app"), []),
        (lambda r: shutil.copytree(r / "app", r / "new/deep"),
         ["app/send.py", "new/deep/send.py"]),
        (lambda r: write(r, ".gitignore", "app/\n"), [".gitignore"]),
        (lambda r: write(r, "app/pyvenv.cfg", ""), []),
    ],
)  # fmt: skip
def test_what_happens_below_the_root_is_seen(root: Path, start: Start, happens, files):
    live = start()
    fresh(live)
    happens(root)
    assert fresh(live) == files
    assert live.state().watching == "events"


@linux
@needs_git
def test_a_worktree_that_is_added_below_the_root_is_no_part_of_it(root: Path, start: Start):
    commit_all(root)
    live = start()
    fresh(live)
    git(root, "worktree", "add", "-q", ".worktrees/one")
    write(root, ".worktrees/one/app/more.py", "x = 1\n")
    assert fresh(live) == ["app/send.py"]
    (root / ".worktrees/one/.git").unlink()
    assert ".worktrees/one/app/more.py" in fresh(live)
    write(root, ".worktrees/one/.git", f"gitdir: {root}/.git/worktrees/one\n")
    assert fresh(live) == ["app/send.py"]
    git(root, "worktree", "remove", "--force", ".worktrees/one")
    assert fresh(live) == ["app/send.py"]


@linux
def test_the_swap_files_of_an_editor_are_one_save(root: Path, start: Start):
    live = start()
    fresh(live)
    path = root / "app/send.py"
    for number in range(3):
        path.rename(root / "app/send.py~")
        write(root, "app/4913", "")
        (root / "app/4913").unlink()
        write(root, "app/send.py", f"def sent{number}():\n    pass\n")
        (root / "app/send.py~").unlink()
    assert fresh(live) == ["app/send.py"]
    assert defined(live, "sent2")


@linux
def test_a_moved_folder_is_watched_where_it_is_now(root: Path, start: Start):
    live = start()
    fresh(live)
    (root / "app").rename(root / "lib")
    fresh(live)
    write(root, "app/other.py", "y = 1\n")
    fresh(live)
    write(root, "lib/send.py", "def moved():\n    pass\n")
    write(root, "app/other.py", "def other():\n    pass\n")
    assert fresh(live) == ["app/other.py", "lib/send.py"]
    assert defined(live, "moved")
    assert defined(live, "other")


@linux
def test_a_burst_of_files_is_caught_whole(root: Path, start: Start):
    live = start()
    fresh(live)
    for number in range(1500):
        write(root, f"many/m{number % 30}/f{number}.txt", "text\n")
    assert len(fresh(live)) == 1501


@linux
def test_a_lost_event_costs_a_walk_and_no_file(root: Path, start: Start, monkeypatch):
    live = start()
    fresh(live)
    monkeypatch.setattr(InotifyWatch, "on_event", lambda self, _event: self.on_queue_overflow())
    monkeypatch.setattr(InotifyWatch, "barrier", lambda *_: True)
    write(root, "b.py", "def b():\n    pass\n")
    while not defined(live, "b"):  # the overflow alone brings it
        live.wait_fresh(seconds=0.01)
    assert fresh(live) == ["app/send.py", "b.py"]


@linux
def test_a_question_waits_for_a_thread_only_where_something_was_saved(root, start, monkeypatch):
    live = start()
    fresh(live)
    waits: list[float] = []
    barrier = InotifyWatch.barrier

    def counted(self: InotifyWatch, seconds: float) -> bool:
        waits.append(seconds)
        return barrier(self, seconds)

    monkeypatch.setattr(InotifyWatch, "barrier", counted)
    for number in range(30):
        write(root, "b.py", f"def b{number}():\n    pass\n")
        assert live.wait_fresh(seconds=SECONDS) == ()
        assert defined(live, f"b{number}")
    deadline = time.monotonic() + SECONDS
    while waits:  # the owner has no more work some time
        assert time.monotonic() < deadline
        waits.clear()
        for _ in range(5):
            assert live.wait_fresh(seconds=SECONDS) == ()


def test_a_question_waits_longer_for_a_save_than_for_a_branch(
    root: Path, start: Start, monkeypatch
):
    monkeypatch.setattr(live_module, "SAVE_SECONDS", SECONDS)
    live = start()
    fresh(live)
    write(root, "b.py", "def b():\n    pass\n")
    assert live.wait_fresh(seconds=0.0, waits_for_saves=True) == ()
    assert defined(live, "b")
    begun, goes_on = threading.Event(), threading.Event()
    refresh = owner.refresh

    def much(connection, root, options, on_progress, subset=None, pool=None):
        on_progress(Progress(Stage.ANALYZE, 0, 0, 10**9))
        begun.set()
        assert goes_on.wait(SECONDS)
        return refresh(connection, root, options, on_progress, subset, pool)

    monkeypatch.setattr(owner, "refresh", much)
    write(root, "b.py", "def c():\n    pass\n")
    assert begun.wait(SECONDS)
    (notice,) = live.wait_fresh(seconds=0.0, waits_for_saves=True)
    assert "is being brought up to date" in notice
    goes_on.set()
    assert fresh(live) == ["app/send.py", "b.py"] and defined(live, "c")


@linux
def test_the_whole_tree_is_looked_at_now_and_then(root: Path, start: Start, monkeypatch):
    monkeypatch.setattr(owner, "RECONCILE_SECONDS", 0.1)
    monkeypatch.setattr(InotifyWatch, "on_event", lambda *_: None)  # nothing is told
    monkeypatch.setattr(InotifyWatch, "barrier", lambda *_: True)
    live = start()
    fresh(live)
    write(root, "b.py", "def b():\n    pass\n")
    deadline = time.monotonic() + SECONDS
    while not defined(live, "b"):  # although questions come without a pause
        assert time.monotonic() < deadline
        live.wait_fresh(seconds=0.01)


def test_what_happened_while_nobody_watched_is_caught_up(root: Path, start: Start):
    first = start()
    fresh(first)
    first.close()
    write(root, "b.py", "def b():\n    pass\n")
    (root / "app/send.py").unlink()
    live = start()
    deadline = time.monotonic() + SECONDS
    while not (first.project.is_indexed and defined(live, "b")):  # nobody asks for it
        assert time.monotonic() < deadline
    assert fresh(live) == ["b.py"]


@linux
def test_without_watches_the_tree_is_scanned_and_that_is_said(root, start, monkeypatch):
    from watchdog.observers.inotify_c import InotifyFD

    def no_more(*_arguments: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(InotifyFD, "add_callback", no_more)
    live = start()
    (notice,) = live.wait_fresh(seconds=SECONDS)
    assert "max_user_watches" in notice
    write(root, "b.py", "def b():\n    pass\n")
    live.wait_fresh(seconds=SECONDS)
    assert defined(live, "b")
    assert live.state().watching == "scanning"


_FEW_WATCHES = ("unshare", "-Ur", "sh", "-c",
                'echo 9 > /proc/sys/user/max_inotify_watches && exec "$@"', "sh")  # fmt: skip


@linux
def test_the_systems_own_limit_of_watches_is_met_and_said(root: Path):
    if not shutil.which("unshare") or subprocess.run([*_FEW_WATCHES, "true"]).returncode:
        pytest.skip("needs a user namespace with limits of its own")
    for number in range(20):
        write(root, f"m{number}/a.py", "x = 1\n")
    with process(root, *_FEW_WATCHES) as server:
        for n_files in (21, 22):
            found = said_fresh(server)
            assert f" {n_files} ('changes are found by scanning" in found
            assert "max_user_watches" in found
            write(root, "m3/later.py", "y = 1\n")


def test_a_recursive_watch_tells_what_happens_too(root: Path):
    queue = WorkQueue()
    watch = TreeWatch(root, queue.put_path)
    write(root, "app/new.py", "x = 1\n")
    write(root, "lib/.gitignore", "x\n")
    told: set[str] = set()
    while not {"app/new.py", "lib"} <= told:
        work = queue.get(SECONDS)
        assert work is not None
        told |= set(work.paths)
    watch.close()


def test_a_command_is_answered_fresh_beside_an_owner(root: Path, start: Start):
    fresh(start())
    write(root, "app/later.py", "def much_later():\n    pass\n")
    reply = satchel("symbols", "much_later", cwd=root)
    assert b"app/later.py" in reply.stdout
    # How much was found, and nothing that is stale.
    assert reply.stderr.startswith(b"1 definition, generation ") and reply.stderr.count(b"\n") == 1


@pytest.mark.parametrize("full", [(), ("--full",)])
def test_reindex_asks_the_server_that_keeps_the_index(root: Path, start: Start, full):
    fresh(start())
    write(root, "app/later.py", "def much_later():\n    pass\n")
    reply = satchel("reindex", *full, cwd=root)
    assert reply.returncode == 0
    assert b"by the server that keeps the index" in reply.stdout
    told = json.loads(satchel("reindex", "--json", cwd=root).stdout)
    assert told["by_owner"]
    assert b"app/later.py" in satchel("symbols", "much_later", cwd=root).stdout


def test_nobody_else_may_talk_to_the_owner(root: Path, start: Start):
    fresh(start())
    status = state_folders(root).socket.stat()
    assert stat.S_ISSOCK(status.st_mode)
    assert stat.S_IMODE(status.st_mode) == 0o600


def test_an_owner_survives_what_it_does_not_understand(root: Path, start: Start):
    live = start()
    fresh(live)
    for line in (b"\n", b"{}\n", b"[]\n", b'{"paths": 3}\n', b"\xff\0\n", b"x" * 70_000):
        with local_socket.connect(state_folders(root).socket) as connection:
            connection.sendall(line)
    outcome = channel.ask(state_folders(root).socket, Request(), SECONDS)
    assert outcome.generation in (1, 2, 3)


def test_a_damaged_index_is_made_anew(root: Path, start: Start):
    first = start()
    fresh(first)
    first.close()
    index = index_folder(root) / "index.db"
    index.write_bytes(index.read_bytes()[:4096] + b"\xa5" * 60_000)
    assert fresh(start()) == ["app/send.py"]


def removed(root: Path, other: Path) -> None:
    """The folder goes at once: what deletes file by file may meet an owner that still writes."""
    index_folder(root).rename(other)


def replaced(root: Path, other: Path) -> None:
    """The index of another tree in the place of this one, as a restored backup is."""
    write(other, "elsewhere.py", "def elsewhere():\n    pass\n")
    Project.at(other, {"SATCHEL_INDEX_WORKERS": "1"}).refresh(lambda _: None)
    for file in index_folder(root).glob("index.db*"):
        file.unlink()
    shutil.copy(index_folder(other) / "index.db", index_folder(root) / "index.db")


@pytest.mark.parametrize("lost", [removed, replaced])
def test_an_index_that_is_removed_or_replaced_is_made_again_by_the_next_question(
    root: Path, tmp_path: Path, start: Start, lost
):
    owner = start()
    assert fresh(owner) == ["app/send.py"]
    follower = start()
    assert fresh(follower) == ["app/send.py"]
    lost(root, tmp_path / "other")
    # Either may own the index from now on: both want the lock.
    assert fresh(follower) == fresh(owner) == ["app/send.py"]
    assert defined(follower, "send") and defined(owner, "send")
    write(root, "app/new.py", "x = 1\n")
    assert fresh(follower) == fresh(owner) == ["app/new.py", "app/send.py"]


def test_a_lock_that_somebody_holds_for_a_moment_is_waited_for(root: Path, start: Start):
    lock = WriterLock(index_folder(root))
    assert lock.acquire()
    live = start()
    (notice,) = live.wait_fresh(seconds=0.1)
    assert "so far" in notice
    lock.release()
    assert fresh(live) == ["app/send.py"]


_START = """
import sys
import threading
from pathlib import Path
from satchel.mcp_server.transport import stdio
from satchel.workspace.project import Project
from satchel.workspace.serving import live as live_module
from satchel.workspace.serving.work_queue import WorkQueue
from satchel.workspace.serving.owner import IndexOwner
from satchel.workspace.vectors.owned_mirror import OwnedMirror
project = Project.at(Path(sys.argv[1]), {"SATCHEL_STATE_FOLDER": sys.argv[2]})
owner = IndexOwner(project, WorkQueue(), lambda _progress: None, OwnedMirror(project).update)
owner.reconcile()
assert owner.update_edges_and_vectors()
heavy = {"numpy", "chromadb", "tiktoken", "networkx", "mcp", "rapidfuzz", "tree_sitter",
         "satchel.indexer.callgraph.linker", "satchel.indexer.encode"}
print(*sorted(heavy & sys.modules.keys()))
"""


def test_a_start_that_finds_nothing_to_do_loads_nothing_that_only_work_needs(tmp_path: Path):
    root, state = tmp_path / "root", tmp_path / "state"
    root.mkdir()
    (root / "one.py").write_text("def one():\n    return 1\n", encoding="utf-8")
    os.utime(root / "one.py", (1e9, 1e9))  # what was written just now is read again
    project = Project.at(root, {"SATCHEL_STATE_FOLDER": str(state)})
    project.refresh(lambda _progress: None)
    project.build_vectors()
    command = [sys.executable, "-c", _START, root, state]
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True)
    assert done.stdout.decode().split() == []
    # A file that is new makes it load what derives edges.
    (root / "two.py").write_text("def two():\n    return 2\n", encoding="utf-8")
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=True)
    assert "satchel.indexer.callgraph.linker" in done.stdout.decode().split()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bug_on_the_thread_of_the_owner_is_said_and_waited_for_by_nobody(
    root: Path, start: Start, monkeypatch: pytest.MonkeyPatch
):
    def broken(_owner: owner.IndexOwner) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(owner.IndexOwner, "reconcile", broken)
    live = start()
    assert live.wait_fresh(seconds=SECONDS) == ("the index is not kept fresh: KeyError: 'a bug'",)
    assert live.state().role is Role.READER
    # Another process may keep the index.
    assert WriterLock(index_folder(root)).acquire()
