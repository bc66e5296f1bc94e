"""A command that a server answers prints what it would have printed itself."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.cli import command_server, server_client
from satchel.store.version import installed_version
from satchel.workspace.project import Project
from satchel.workspace.serving.channel import Command
from tests.cli.test_cli import CODE
from tests.support.satchel import TIMEOUT_S, index, index_folder, satchel
from tests.support.stdio_server import StdioServer

AS_SERVED = {"SATCHEL_INDEX_WORKERS": "1"}
"""What the server's environment says beside that of the tests."""
ASKED = [
    ("context", "deliver a message later", "--budget", "600"),
    ("search", "deliver", "a", "message"),
    ("search", "--exact", "push(", "--json"),
    ("symbols", "send"),
    ("symbols", "nowhere"),
    ("show", "send", "-n"),
    ("show", "app/nowhere.py:1-2"),
    ("deps", "push", "--json"),
    ("changes", "24h", "--json"),
]


@pytest.fixture
def root(project, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = project(CODE)
    index(root)
    monkeypatch.chdir(root)
    return root


def keeps_the_index(server: StdioServer) -> None:
    """Wait for an answer from a fresh index: then this server owns it, and listens."""
    call = {"name": "search", "arguments": {"query": "send"}}
    while "brought up to date" in str(server.ask("tools/call", call)):
        pass


@pytest.fixture
def served(root: Path) -> Iterator[StdioServer]:
    with StdioServer(root) as server:
        keeps_the_index(server)
        yield server


def ask(*words: str, **variables: str) -> int | None:
    return server_client.ask(words, {**os.environ, **AS_SERVED, **variables})


def test_answers_are_those_of_the_command_itself(
    root: Path, capfdbinary: pytest.CaptureFixture[bytes]
):
    satchel("search", "send", cwd=root, environment=AS_SERVED)  # vectors are there from now on
    alone = [satchel(*words, cwd=root, environment=AS_SERVED) for words in ASKED]
    with StdioServer(root) as server:
        keeps_the_index(server)
        for words, own in zip(ASKED, alone, strict=True):
            capfdbinary.readouterr()
            code = ask(*words)
            printed = capfdbinary.readouterr()
            assert (code, printed.out, printed.err) == (own.returncode, own.stdout, own.stderr)
        below = root / "app"
        os.chdir(below)
        capfdbinary.readouterr()
        assert ask("show", "queue.py:1-1") == 0  # a path is meant from where the person stands
        assert b"def push" in capfdbinary.readouterr().out


def test_what_would_be_answered_otherwise_is_left_to_the_command(
    root: Path, served: StdioServer, monkeypatch: pytest.MonkeyPatch
):
    assert ask("symbols", "send") == 0
    assert ask("symbols", "send", SATCHEL_SEARCH_MODE="full") is None  # another setting
    assert ask("symbols") is None  # wrong usage is said by the command itself
    assert ask("context") is None  # reads standard input
    monkeypatch.setattr("satchel.store.version.installed_version", lambda: "0.0.1")
    assert ask("symbols", "send") is None
    monkeypatch.undo()
    monkeypatch.chdir(root)
    (root / ".satchel").mkdir()
    (root / ".satchel" / "config.toml").write_text("[search]\nmax_results = 3\n", "utf-8")
    assert ask("symbols", "send") is None  # settings that the server has not read


def test_a_server_that_is_gone_or_lies_open_is_not_asked(root: Path, served: StdioServer):
    folder = index_folder(root)
    folder.chmod(0o755)
    assert ask("symbols", "send") is None
    folder.chmod(0o700)
    assert ask("symbols", "send") == 0
    served.process.terminate()
    served.process.wait(TIMEOUT_S)
    assert ask("symbols", "send") is None
    assert satchel("symbols", "send", cwd=root).returncode == 0


def test_who_asks_a_server_loads_hardly_anything(root: Path, served: StdioServer):
    slow = {"argparse", "hashlib", "msgspec", "numpy", "pathlib", "typing", "subprocess"}
    code = (
        "import os, sys\nfrom satchel.cli import main\n"
        "code = main.server_client.ask(['symbols', 'send'], os.environ)\n"
        f"print(code, sorted({slow!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env={**os.environ, **AS_SERVED},
        capture_output=True, check=True,
    )  # fmt: skip
    assert b"send" in done.stdout
    assert done.stderr.endswith(b"0 []\n")


def test_a_server_that_is_busy_leaves_a_command_to_who_asks(root: Path):
    project = Project.at(root, AS_SERVED)
    asked = Command(
        ("symbols", "send"), str(root), str(project.root), (0, 0, False, False),
        installed_version(), server_client.relevant(AS_SERVED),
    )  # fmt: skip
    assert command_server.runner(project, AS_SERVED)(asked) is not None
    assert command_server.runner(project, AS_SERVED, at_once=0)(asked) is None


@pytest.mark.parametrize(
    ("words", "may_be"),
    [
        (("search", "x"), True),
        (("search", "x", "--json"), True),
        (("reindex",), False),
        (("--version",), False),
        (("search", "--he"), False),
        (("search", "-h"), False),
        (("context", "-"), False),
        (("symbols", "x", "--root=elsewhere"), False),
        (("symbols", "x", "--sta", "elsewhere"), False),
        (("search", "--batch", "lines"), False),
        ((), False),
    ],
)
def test_only_questions_about_this_place_are_handed_over(words: tuple[str, ...], may_be: bool):
    assert server_client.may_be_served(words) is may_be
