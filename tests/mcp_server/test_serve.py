"""`satchel serve` as a real process: revisions, its own code, and how it ends."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.agent import asked, over_stdio
from tests.support.satchel import COMMAND, TIMEOUT_S, warm_command

CODE = "//- a.py\ndef wake(dog):\n    return dog\n"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


def _start(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [warm_command(), "serve", "--root", root],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "SATCHEL_INDEX_WORKERS": "1"},
    )


def test_it_ends_when_nobody_asks_for_long(root: Path, monkeypatch):
    monkeypatch.setenv("SATCHEL_MCP_IDLE_MINUTES", "0.02")
    with _start(root) as process:
        message = {
            **INITIALIZE,
            "params": {**INITIALIZE["params"], "protocolVersion": "2025-11-25"},
        }
        assert _exchange(process, message)["result"]
        assert process.wait(TIMEOUT_S) == 0  # its input is open, and this process lives


def _exchange(process: subprocess.Popen[bytes], message: dict) -> dict:
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def test_the_current_revision_is_served(root: Path):
    async def session(client):
        return client.protocol_version, await asked(client, "symbols", name="wake")

    version, text = over_stdio(root, session)
    assert version == "2026-07-28"
    assert "a.py:1-2  function wake  def wake(dog)" in text


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
def test_earlier_revisions_are_served(root: Path, revision: str):
    with _start(root) as process:
        message = {**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": revision}}
        reply = _exchange(process, message)["result"]
        assert reply["protocolVersion"] == revision
        assert reply["serverInfo"]["name"] == "satchel"
        assert "grep" in reply["instructions"][:500]
        assert process.stdin
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        call = {"name": "symbols", "arguments": {"name": "wake"}}
        asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
        result = _exchange(process, asked)["result"]
        assert "def wake(dog)" in result["content"][0]["text"]
        assert "structuredContent" not in result
        process.stdin.close()
        assert process.wait(TIMEOUT_S) == 0


def test_it_ends_with_its_input(root: Path):
    with _start(root) as process:
        assert process.stdin
        process.stdin.close()
        assert process.wait(TIMEOUT_S) == 0


def test_it_ends_with_its_parent_even_if_its_input_stays_open(root: Path):
    script = (
        "import subprocess, sys, time\n"
        "print(subprocess.Popen(sys.argv[1:]).pid, flush=True)\n"
        "time.sleep(1000)\n"
    )
    command = [sys.executable, "-c", script, COMMAND, "serve", "--root", root]
    read, write = os.pipe()
    try:
        with subprocess.Popen(command, stdin=read, stdout=subprocess.PIPE) as parent:
            assert parent.stdout
            child = Path(f"/proc/{int(parent.stdout.readline())}")
            os.write(write, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            assert json.loads(parent.stdout.readline())["result"] == {}
            parent.kill()
        deadline = time.monotonic() + TIMEOUT_S
        while child.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        os.close(read)
        os.close(write)


def test_a_project_with_packages_of_our_names_is_served_by_ours(project):
    names = ("satchel", "indexer", "mcp_server", "mcp")
    shadows = [f"//- {name}/__init__.py\nraise SystemExit('shadowed {name}')" for name in names]
    root = project("\n".join([CODE, *shadows]))

    async def session(client):
        return await asked(client, "symbols", name="wake")

    assert "def wake(dog)" in over_stdio(root, session, cwd=root, command=COMMAND)


_SIGNALLED = """
import os, signal, sys
from pathlib import Path
from satchel.mcp_server.serving import Serving
from satchel.workspace.serving.work_queue import WorkQueue
from satchel.workspace.project import Project

serving = Serving(Project.at(Path(sys.argv[1]), {}))
serving.start()
serving.live.wait_fresh(seconds=300)

def interrupted(*_):
    serving.close()
    os._exit(143)

close = WorkQueue.close

def close_and_hear_a_signal(queue):
    WorkQueue.close = close
    with queue._changed:
        signal.raise_signal(signal.SIGTERM)
        close(queue)

signal.signal(signal.SIGTERM, interrupted)
WorkQueue.close = close_and_hear_a_signal
serving.close()
"""


def test_a_signal_that_comes_while_it_ends_ends_it(root: Path):
    """It would wait for a thread that waits for what the interrupted line holds."""
    command = [sys.executable, "-c", _SIGNALLED, root]
    here = Path(__file__).parents[2]
    ended = subprocess.run(command, check=False, timeout=TIMEOUT_S, cwd=here)
    assert ended.returncode == 143
