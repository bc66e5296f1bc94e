"""What other systems lack: every module is imported without it, and what stands in for it works.

This runs on Linux too, where the parts that a system lacks are taken away first. What only the
system itself can show is left to .github/workflows/systems.yml.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.indexer.scan.walk import read, walk
from satchel.store import private
from satchel.store.model import RepoPath, Skipped, SkipReason
from satchel.store.platform import folders, isolation
from satchel.workspace.lock import WriterLock
from satchel.workspace.serving import local_socket
from tests.support.satchel import ROOT

# Everything is imported once, so that other packages are there as this system has them; then the
# system is made poorer, and our own modules are imported again.
IMPORT_ALL = r"""
import builtins, importlib, os, pkgutil, select, signal, socket, sys, types
system = sys.argv[1]
import satchel
names = [m.name for m in pkgutil.walk_packages(satchel.__path__, "satchel.")]
for name in list(names):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:  # of an extra that is not installed
        assert not error.name.startswith("satchel"), error
        names.remove(name)
assert len(names) > 250, len(names)
for name in [n for n in sys.modules if n == "satchel" or n.startswith("satchel.")]:
    del sys.modules[name]
MISSING = {
    "win32": "fcntl resource pwd grp termios tty pty syslog posix",
    "darwin": "",
}
for name in MISSING[system].split():
    sys.modules[name] = None  # importing it raises ModuleNotFoundError
ATTRIBUTES = {
    "win32": {
        os: "geteuid getuid getegid getgid fork nice sysconf fchmod fchown chown fchdir pread"
            " pwrite killpg setsid getpgid O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_NOCTTY O_CLOEXEC"
            " sched_getaffinity wait4 WNOHANG mkfifo statvfs",
        socket: "AF_UNIX SO_PEERCRED", select: "poll epoll",
        signal: "SIGKILL SIGHUP SIGUSR1 SIGUSR2 SIGALRM SIGCHLD SIGPIPE alarm pthread_kill",
    },
    "darwin": {socket: "SO_PEERCRED", select: "epoll", os: "sched_getaffinity posix_fadvise"},
}
for module, attributes in ATTRIBUTES[system].items():
    for name in attributes.split():
        if hasattr(module, name):
            delattr(module, name)
if system == "win32":
    sys.modules["msvcrt"] = types.ModuleType("msvcrt")
    os.supports_dir_fd = set()
sys.platform = system
for name in names:
    importlib.import_module(name)
from satchel.store.platform import folders
assert folders.BY_DESCRIPTOR is (system != "win32")
"""


@pytest.mark.parametrize("system", ["win32", "darwin"])
@pytest.mark.skipif(sys.platform != "linux", reason="takes parts of Linux away")
def test_every_module_is_imported_on_a_system_that_lacks_what_linux_has(system):
    path = isolation.import_path()
    start = f"import sys; sys.path[:] = {[str(ROOT), *path]!r}\n{IMPORT_ALL}"
    ran = subprocess.run(
        [sys.executable, "-c", start, system],
        capture_output=True,
        cwd="/",
        check=False,
        timeout=300,
    )
    assert (ran.returncode, ran.stderr.decode()[-2000:]) == (0, "")


@pytest.fixture(params=["descriptor", "path"])
def opening(request, monkeypatch) -> str:
    """Folders opened as Linux does it, and by their paths as Windows does."""
    if request.param == "path":
        monkeypatch.setattr(folders, "BY_DESCRIPTOR", False)
    elif not folders.BY_DESCRIPTOR:
        pytest.skip("this system opens nothing relative to a descriptor")
    return request.param


def test_a_tree_is_walked_and_read_alike_however_folders_are_opened(tmp_path, opening):
    for path, text in {
        "a/b.py": "x\r\n\x1a",
        "a/c/d.py": "y",
        "e.py": "z",
        ".gitignore": "e.py",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    items = list(walk(tmp_path, WalkOptions()))
    assert [(i.path, isinstance(i, Skipped)) for i in items] == [
        (".gitignore", False), ("a/b.py", False), ("a/c/d.py", False), ("e.py", True)
    ]  # fmt: skip
    assert read(tmp_path, RepoPath("a/b.py"), WalkOptions()) == b"x\r\n\x1a"
    gone = read(tmp_path, RepoPath("a/nothing/d.py"), WalkOptions())
    assert isinstance(gone, Skipped)
    assert gone.reason is SkipReason.VANISHED


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_no_link_is_followed_however_folders_are_opened(tmp_path, opening):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.py").write_text("x", encoding="utf-8")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to("../outside")
    (root / "file.py").symlink_to("../outside/secret.py")
    reasons = {i.path: i.reason for i in walk(root, WalkOptions()) if isinstance(i, Skipped)}
    assert reasons == dict.fromkeys(("file.py", "link"), SkipReason.SYMLINK_OUTSIDE)
    for path in ("link/secret.py", "file.py"):
        assert isinstance(read(root, RepoPath(path), WalkOptions()), Skipped)


def test_private_folders_are_made_however_folders_are_opened(tmp_path, opening):
    private.make(tmp_path, tmp_path / "a/b")
    assert private.check(tmp_path, tmp_path / "a/b")
    private.write(tmp_path / "a/b/c", b"data")
    private.sync_folder(tmp_path / "a/b")
    assert (tmp_path / "a/b/c").read_bytes() == b"data"
    assert not private.check(tmp_path, tmp_path / "a/nothing")


def test_a_private_file_that_cannot_be_written_leaves_nothing_beside_it(tmp_path: Path):
    (tmp_path / "state").mkdir()  # no file takes the place of a folder
    with pytest.raises(OSError, match=r"directory|denied"):
        private.write(tmp_path / "state", b"data")
    assert list(tmp_path.iterdir()) == [tmp_path / "state"]


@pytest.fixture(params=["unix socket", "port"])
def sockets(request, monkeypatch) -> str:
    """Sockets named by a path, and ports as on Windows."""
    if request.param == "port":
        monkeypatch.setattr(local_socket, "HAS_UNIX_SOCKETS", False)
    elif not local_socket.HAS_UNIX_SOCKETS:
        pytest.skip("this system has no Unix sockets")
    return request.param


def test_processes_of_one_user_talk_over_a_socket_of_either_kind(tmp_path, sockets):
    path = tmp_path / "owner.sock"
    listener = local_socket.Listener(path, 4)

    def echo() -> None:
        connection = listener.accept()
        assert connection is not None
        with connection:
            connection.sendall(connection.recv(100).upper())

    answering = threading.Thread(target=echo)
    answering.start()
    with local_socket.connect(path) as connection:
        connection.sendall(b"hello")
        assert connection.recv(100) == b"HELLO"
    answering.join()

    def wait() -> None:
        with pytest.raises(OSError, match=r"."):
            listener.accept()

    waiting = threading.Thread(target=wait)
    waiting.start()
    listener.close()
    waiting.join()  # woken by the close
    with pytest.raises(OSError, match=r"."):
        local_socket.connect(path)


def test_a_port_answers_nobody_who_does_not_know_the_secret(tmp_path, monkeypatch):
    monkeypatch.setattr(local_socket, "HAS_UNIX_SOCKETS", False)
    path = tmp_path / "owner.sock"
    listener = local_socket.Listener(path, 4)
    port = int(path.read_bytes().split()[0])
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(b"x" * 32)
        assert listener.accept() is None
        assert stranger.recv(10) == b""
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
    listener.close()


def test_one_lock_has_one_holder_who_says_which_process_it_is(tmp_path):
    first, second = WriterLock(tmp_path), WriterLock(tmp_path)
    assert first.acquire()
    assert not second.acquire()
    assert second.holder() == str(os.getpid())
    first.release()
    assert second.acquire()
    second.release()


def test_the_workflow_names_tests_that_are_there():
    text = (ROOT / ".github/workflows/systems.yml").read_text("utf-8")
    named = [word for word in text.split() if word.startswith("tests/")]
    assert len(named) > 5
    assert all(Path(ROOT / name).is_file() for name in named)
