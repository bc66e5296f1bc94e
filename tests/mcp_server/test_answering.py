"""Answers that are computed in processes of their own, over a real server."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import anyio
import pytest

from satchel.mcp_server import surface
from satchel.mcp_server.answering import pool as pool_module
from satchel.mcp_server.answering.messages import Recipe
from satchel.mcp_server.answering.pool import answering
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import run_counted
from satchel.workspace.project import Project
from tests.support.agent import Served, asked, http_server, over_http
from tests.support.satchel import index
from tests.support.satchel import started as satchel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
_SEARCH = next(tool for tool in surface.tools() if tool.name == "search")
_PATIENCE_S = 120.0


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
    with http_server(root, "--workers", "2") as running:
        yield running


def _below(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def _templates(server: int) -> list[int]:
    """Those that fork the ones that answer: one, but for moments."""
    return [
        child
        for child in _below(server)
        if b"answering.template" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def _processes(server: int) -> list[int]:
    """Those that answer."""
    return [child for template in _templates(server) for child in _below(template)]


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _ends(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # One whose parent has not waited for it yet.
    return ") Z " in Path(f"/proc/{pid}/stat").read_text()


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
    # Whoever asks next is answered, by new ones.
    text = over_http(served, lambda client: asked(client, "search", query="wake5"))
    assert "dog5.py" in text
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    assert not before & set(_processes(served.process.pid))


def test_whoever_is_asked_when_killed_says_so_and_quick_questions_pass(served: Served):
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    stopped = _processes(served.process.pid)

    async def session(client):
        heard = []

        async def ask():
            heard.append(await client.call_tool("search", {"query": "wake5"}))

        async with anyio.create_task_group() as group:
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
                group.start_soon(ask)
            # None of the two can be answered now; a look-up is.
            with anyio.fail_after(_PATIENCE_S):
                assert "dog5.py" in await asked(client, "symbols", name="wake5")
            assert not heard
            await anyio.sleep(0.5)
            for pid in stopped:
                os.kill(pid, signal.SIGKILL)
        return heard, await asked(client, "search", query="wake5")

    heard, again = over_http(served, session)
    assert [result.is_error for result in heard] == [True, True]
    assert "has ended\nhint: ask again" in heard[0].content[0].text
    assert "dog5.py" in again


def test_a_process_that_does_not_stop_when_told_is_replaced(served: Served):
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    stopped = _processes(served.process.pid)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)

    async def session(client):
        for _ in stopped:
            with anyio.move_on_after(0.5) as scope:
                await client.call_tool("search", {"query": "wake5"})
            assert scope.cancelled_caught
        return await asked(client, "search", query="wake5")

    assert "dog5.py" in over_http(served, session)
    _wait(lambda: not set(stopped) & set(_processes(served.process.pid)))


def test_the_forking_process_is_replaced(served: Served):
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    [template] = _templates(served.process.pid)
    os.kill(template, signal.SIGKILL)
    assert "dog5.py" in over_http(served, lambda client: asked(client, "search", query="wake5"))
    _wait(lambda: len(_processes(served.process.pid)) == 2)
    assert template not in _templates(served.process.pid)


def test_nothing_is_left_when_the_server_ends(root: Path):
    with http_server(root, "--workers", "2") as running:
        _wait(lambda: len(_processes(running.process.pid)) == 2)
        pids = [*_below(running.process.pid), *_processes(running.process.pid)]
        running.process.send_signal(signal.SIGINT)
        running.process.wait(_PATIENCE_S)
        _wait(lambda: all(map(_ends, pids)))


def test_nothing_is_left_when_the_server_is_killed(root: Path):
    with http_server(root, "--workers", "2") as running:
        _wait(lambda: len(_processes(running.process.pid)) == 2)
        pids = [*_below(running.process.pid), *_processes(running.process.pid)]
        running.process.kill()
        _wait(lambda: all(map(_ends, pids)))


def test_processes_are_exchanged_when_the_index_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pool_module, "_EXCHANGE_SECONDS", 0.1)
    (tmp_path / "dog.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")
    serving = Serving(index(tmp_path))
    serving.start()
    recipe = Recipe(partial(Project.at, tmp_path, {}), str(tmp_path))
    try:
        with answering(recipe, 1, serving) as pool:
            assert pool is not None

            def asked_here(word: str) -> str:
                given = {"query": word}
                return run_counted(_SEARCH, given, serving, Stop(), "me", pool.run).text

            assert "dog.py" in asked_here("wake")
            _wait(lambda: len(_processes(os.getpid())) == 1)
            [before] = _processes(os.getpid())
            (tmp_path / "cat.py").write_text("def purr(cat):\n    return cat\n", encoding="utf-8")
            assert "cat.py" in asked_here("purr")  # by the old one as well
            _wait(lambda: before not in _processes(os.getpid()))
            assert "cat.py" in asked_here("purr")
            # A database that is open while a process is forked may be damaged by both.
            _wait(lambda: bool(_processes(os.getpid())))
            [process] = _processes(os.getpid())
            opened = [str(each.readlink()) for each in Path(f"/proc/{process}/fd").iterdir()]
            assert opened and not [name for name in opened if ".db" in name]
    finally:
        serving.close()


def test_processes_need_http(root: Path):
    refused = satchel("serve", "--root", root, "--workers", "2", cwd=root)
    assert refused.returncode == 2
    assert b"--workers needs --http" in refused.stderr
