"""`satchel hook` as an agent runs it: quick, silent where it knows nothing, and never a failure."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_cli import CODE
from tests.cli.test_server_client import AS_SERVED, keeps_the_index
from tests.support.satchel import COMMAND, TIMEOUT_S, index
from tests.support.stdio_server import StdioServer

NOTHING = (0, b"", b"")


def hook(root: Path, name: str, event: bytes = b"") -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [COMMAND, "hook", name],
        cwd=root, input=event, capture_output=True, timeout=TIMEOUT_S,
        env={**os.environ, **AS_SERVED},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def grep(pattern: object) -> bytes:
    return json.dumps({"tool_name": "Grep", "tool_input": {"pattern": pattern}}).encode()


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


@pytest.fixture
def served(root: Path) -> Iterator[Path]:
    index(root)
    with StdioServer(root) as server:
        keeps_the_index(server)
        yield root


def test_a_name_that_is_searched_for_is_told_before_the_search(served: Path):
    for pattern in ("push", r"def\s+push\(", r"def push", r"\bpush\b"):
        code, out, err = hook(served, "before-search", grep(pattern))
        told = json.loads(out)["hookSpecificOutput"]
        assert (code, err, told["hookEventName"]) == (0, b"", "PreToolUse")
        assert "app/queue.py:" in told["additionalContext"]
        assert len(told["additionalContext"].splitlines()) <= 4
    for pattern in ("push|send", "nobody_has_this", "", "a", 7, "push.*"):
        assert hook(served, "before-search", grep(pattern)) == NOTHING


@pytest.mark.parametrize("event", [b"", b"{", b"[]", b"\xff", grep("push")])
def test_without_a_server_or_sense_nothing_is_said(root: Path, event: bytes):
    for name in ("before-search", "session-start", "nothing", ""):
        assert hook(root, name, event) == NOTHING


def test_a_session_begins_with_how_to_ask_where_there_is_an_index(root: Path):
    index(root)
    code, out, err = hook(root, "session-start")
    assert (code, err) == (0, b"") and out.count(b"\n") == 1 and b"satchel context" in out
