"""Answers that are computed in processes of their own, over a real server."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
import pytest

from satchel.mcp_server import surface
from satchel.mcp_server.answering import pool as pool_module
from satchel.mcp_server.answering.messages import Recipe
from satchel.mcp_server.answering.pool import answering
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import run_counted
from satchel.store.errors import SatchelError
from satchel.workspace.project import Project
from satchel.workspace.serving.live import LiveState, Role
from tests.support.agent import Served, asked, http_server, over_http, said
from tests.support.satchel import COMMAND, index, satchel, silent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
_SEARCH = next(tool for tool in surface.tools() if tool.name == "search")
_PATIENCE_S = 120.0
_SLOW = 20
"""Slow questions at a time: more than the server has threads for."""
T = TypeVar("T")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answering")
    for number in range(40):
        (folder / f"dog{number}.py").write_text(
            f"def wake{number}(dog):\n    return bark{number}(dog)\n", encoding="utf-8"
        )
    index(folder)
    return folder


@pytest.fixture(scope="module")
def served(root: Path) -> Iterator[Served]:
    with http_server(root, "--workers", "2", command=COMMAND) as running:
        yield running


def _read(path: Path) -> bytes:
    """A file of /proc; nothing where its process has ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _below(pid: int) -> list[int]:
    tasks = list(Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(child) for task in tasks for child in _read(task).split()]


def _fork_servers(server: int) -> list[int]:
    """Those that fork the ones that answer: one, but for moments."""
    return [
        child
        for child in _below(server)
        if b"answering.fork_server" in _read(Path(f"/proc/{child}/cmdline"))
    ]


def _processes(server: int) -> list[int]:
    """Those that answer."""
    return [child for fork_server in _fork_servers(server) for child in _below(fork_server)]


def _wait(condition: Callable[[], T]) -> T:
    """What the condition gives, once that is something."""
    deadline = time.monotonic() + _PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def _ends(pid: int) -> bool:
    state = _read(Path(f"/proc/{pid}/stat"))
    # One whose parent has not waited for it yet is there still.
    return not state or b") Z " in state


CALLS = (
    ("context", {"query": "wake the dog", "budget_tokens": 512}),
    ("context", {"query": "wake the dog", "session": "me", "only_new": True}),
    ("search", {"query": "wake3"}),
    ("dependencies", {"name": "wake3"}),
    ("overview", {}),
    ("symbols", {"name": "wake3"}),
)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_answers_are_those_of_a_server_that_computes_them_itself(
    root: Path, served: Served, mode: str
):
    async def session(client):
        # Until a server has looked at the tree, a note of that stands in its answers.
        while "brought up to date" in await asked(client, "search", query="wake5"):
            pass
        return [await asked(client, name, **arguments) for name, arguments in CALLS]

    apart = over_http(served, session, mode=mode)
    with http_server(root) as alone:
        assert apart == over_http(alone, session, mode=mode)


def test_errors_and_what_was_sent_before_come_back(served: Served):
    async def session(client):
        errors = [
            await client.call_tool("context", {"query": "x", "budget_tokens": 10}),
            await client.call_tool("context", {"query": "x", "only_new": True}),
        ]
        given = {"query": "wake7", "session": "other", "only_new": True, "budget_tokens": 512}
        return errors, [await asked(client, "context", **given) for _ in range(2)]

    errors, (first, second) = over_http(served, session)
    assert all(error.is_error for error in errors)
    assert "hint: name a session" in errors[1].content[0].text
    assert "≡" not in first and "≡" in second


def test_a_killed_process_is_replaced(served: Served):
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    before = set(_processes(served.process.pid))
    for pid in before:
        os.kill(pid, signal.SIGKILL)

    # Whoever asks next is answered by new ones, or told to ask again: one that was handed a
    # question before its end was noticed has not answered it.
    async def session(client):
        answered = 0
        while answered < len(before):
            result = await client.call_tool("search", {"query": "wake5"})
            assert ("ask again" if result.is_error else "dog5.py") in said(result)
            answered += not result.is_error

    over_http(served, session)
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    assert not before & set(_processes(served.process.pid))


def test_quick_questions_pass_those_that_wait_for_a_process(served: Served):
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    stopped = _processes(served.process.pid)

    async def session(client):
        heard = []

        async def ask():
            heard.append(await client.call_tool("search", {"query": "wake5"}))

        async with anyio.create_task_group() as group:
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
            try:
                for _ in range(_SLOW):
                    group.start_soon(ask)
                # None of them can be answered now; look-ups are.
                with anyio.fail_after(_PATIENCE_S):
                    for _ in range(_SLOW):
                        assert "dog5.py" in await asked(client, "symbols", name="wake5")
                assert not heard
            finally:
                for pid in stopped:
                    os.kill(pid, signal.SIGCONT)
        return heard

    assert ["dog5.py" in said(result) for result in over_http(served, session)] == [True] * _SLOW


def test_processes_are_a_session_of_their_own(served: Served):
    """Where Linux shares processors out among sessions, what they use is not the server's."""
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    [fork_server] = _fork_servers(served.process.pid)
    assert os.getsid(fork_server) == fork_server != os.getsid(served.process.pid)
    assert {os.getsid(pid) for pid in _processes(served.process.pid)} == {fork_server}


def test_the_forking_process_is_replaced(served: Served):
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    [fork_server] = _fork_servers(served.process.pid)
    os.kill(fork_server, signal.SIGKILL)
    assert "dog5.py" in over_http(served, lambda client: asked(client, "search", query="wake5"))
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    assert fork_server not in _fork_servers(served.process.pid)


def test_nothing_is_left_when_the_server_ends(root: Path):
    with http_server(root, "--workers", "2", command=COMMAND) as running:
        _wait(lambda: len(_processes(running.process.pid)) == 2)
        pids = [*_below(running.process.pid), *_processes(running.process.pid)]
        running.process.send_signal(signal.SIGINT)
        running.process.wait(_PATIENCE_S)
        _wait(lambda: all(map(_ends, pids)))


def test_nothing_is_left_when_the_server_is_killed(root: Path):
    with http_server(root, "--workers", "2", command=COMMAND) as running:
        _wait(lambda: len(_processes(running.process.pid)) == 2)
        pids = [*_below(running.process.pid), *_processes(running.process.pid)]
        running.process.kill()
        _wait(lambda: all(map(_ends, pids)))


@contextmanager
def _one_process(root: Path) -> Iterator[Callable[[str], str]]:
    """What searches a folder for a word, computed by one process below this one."""
    serving = Serving(index(root))
    serving.start()
    recipe = Recipe(partial(Project.at, root, {}), str(root))
    try:
        with answering(recipe, 1, serving) as pool:

            def search(word: str) -> str:
                given = {"query": word}
                stop = Stop(_PATIENCE_S)
                return run_counted(_SEARCH, given, serving, stop, "me", pool.run).text

            # The first one is not there as soon as a question that waits for one gives up.
            _wait(lambda: _processes(os.getpid()))
            yield search
    finally:
        serving.close()


@pytest.mark.parametrize("how", ["is killed", "is not waited for"])
def test_a_process_that_gives_no_answer_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
):
    """It stands still from just before it is asked, so that nothing depends on who is first."""
    (tmp_path / "dog.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")
    usual, stopped = pool_module._Worker.ask, list[int]()

    def ask(process, asked, stop):
        def while_asked() -> bool:
            if how == "is killed":
                os.kill(process.pid, signal.SIGKILL)
                return False
            return True

        if stopped:
            return usual(process, asked, stop)
        stopped.append(process.pid)
        os.kill(process.pid, signal.SIGSTOP)
        return usual(process, asked, while_asked)

    monkeypatch.setattr(pool_module._Worker, "ask", ask)
    with _one_process(tmp_path) as search:
        with pytest.raises(SatchelError) as caught:
            search("wake")
        said = "has ended" if how == "is killed" else "was stopped"
        assert said in caught.value.message and "again" in caught.value.hint
        assert "dog.py" in search("wake")
        _wait(lambda: not set(stopped) & set(_processes(os.getpid())))


def _opened(pid: int) -> list[str]:
    """What a process has open; nothing where it has ended."""
    try:
        return [str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


def test_processes_are_exchanged_when_the_index_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pool_module, "_EXCHANGE_SECONDS", 0.1)
    (tmp_path / "dog.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")
    with _one_process(tmp_path) as search:
        assert "dog.py" in search("wake")
        before = set(_wait(lambda: _processes(os.getpid())))
        (tmp_path / "cat.py").write_text("def purr(cat):\n    return cat\n", encoding="utf-8")
        assert "cat.py" in search("purr")  # by an old one as well
        _wait(lambda: set(_processes(os.getpid())) - before)
        assert "cat.py" in search("purr")
        # A database that is open while a process is forked may be damaged by both.
        opened = _wait(lambda: [name for pid in _processes(os.getpid()) for name in _opened(pid)])
        assert not [name for name in opened if ".db" in name]


def test_processes_stay_while_the_index_is_the_same(tmp_path: Path):
    """Whether the owner of the index has work just now says nothing about the index."""
    (tmp_path / "dog.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")
    Project.at(tmp_path, {"SATCHEL_VECTORS_ENGINE": "off"}).refresh(silent)
    project = Project.at(tmp_path, {})
    serving = Serving(project)
    before = serving.moment()
    serving.live.state = lambda: LiveState(Role.OWNER, edges_and_vectors_current=True)
    assert serving.moment() == before
    # Vectors come without a new generation, and are to be shared.
    project.build_vectors()
    assert serving.moment() != before


def test_processes_need_http(root: Path):
    refused = satchel("serve", "--root", root, "--workers", "2", cwd=root)
    assert refused.returncode == 2
    assert b"--workers needs --http" in refused.stderr


_BROKEN = """
import os
from multiprocessing import Pipe
from multiprocessing.reduction import send_handle
from satchel.mcp_server.answering import fork_server

def broken(project, connection):
    raise LookupError("nobody foresaw this")

fork_server.answer_all = broken
ours, theirs = Pipe()
_, handed = Pipe()
send_handle(ours, handed.fileno(), os.getpid())
pid = fork_server._fork_worker(theirs, None)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_a_process_that_fails_says_why_and_ends_with_an_error():
    ended = subprocess.run((sys.executable, "-c", _BROKEN), capture_output=True, check=True)
    assert ended.stdout == b"1\n"
    assert b"LookupError: nobody foresaw this" in ended.stderr
