"""`satchel hook` as an agent runs it: quick, silent where it knows nothing, and never a failure."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from satchel.cli.clients.session_end import report
from tests.cli.test_cli import CODE
from tests.cli.test_server_client import AS_SERVED, keeps_the_index
from tests.support.git import commit_all
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


def test_what_was_changed_without_a_look_at_its_users_is_told_before_the_end(
    served: Path, tmp_path: Path
):
    commit_all(served)
    (served / "app" / "queue.py").write_text("def push(item, later):\n    return [item]\n", "utf-8")
    transcript = tmp_path / "transcript.jsonl"

    def stop(*said: object) -> tuple[int, bytes, bytes]:
        transcript.write_text("".join(json.dumps(each) + "\n" for each in said), "utf-8")
        event = {"hook_event_name": "Stop", "transcript_path": str(transcript)}
        return hook(served, "before-stop", json.dumps(event).encode())

    edit = {"tool": "Edit", "input": {"file_path": str(served / "app/queue.py")}}
    decided = {"text": "We decided to deliver parcels in batches of ten. Next?"}
    code, out, err = stop(edit, decided)
    message = json.loads(out)
    # It goes to the person, and keeps the agent from nothing.
    assert (code, err, [*message]) == (0, b"", ["systemMessage"])
    assert "Changed were push; not looked at were users app/send.py (send)" in out.decode()
    assert "We decided to deliver parcels in batches of ten" in out.decode()
    seen = {"text": "app/send.py tests/test_send.py"}
    kept = {"tool": "mcp__satchel__remember"}
    assert stop(edit, seen, decided, kept) == NOTHING
    assert stop({"text": "nothing"}) == NOTHING


def test_tests_that_were_not_looked_at_are_told_with_the_users():
    at = {"path": "a.py", "name": "push"}
    users = [{"user": {"path": f"u{n}.py", "name": "f"}, "of": "push"} for n in range(5)]
    changes = {"changes": [{"then": at, "now": None}], "impacts": users, "tests": ["t.py", "s.py"]}
    assert report(b'{"file": "/x/a.py"} s.py u0.py', changes) == (
        "Changed were push; not looked at were users u1.py (f), u2.py (f), u3.py (f) and 1 more"
        " and tests t.py."
    )
    assert report(b'{"file": "b.py"}', changes) == ""


BARE = [sys.executable, "-c", ""]


def _processor_seconds(command: list[str], folder: Path, given: bytes) -> float:
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        env={**os.environ, **AS_SERVED},
    )  # fmt: skip
    with suppress(BrokenPipeError):
        process.stdin.write(given)
        process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_utime + usage.ru_stime


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs wait4")
def test_the_hook_before_the_end_takes_little_processor_time(served: Path, tmp_path: Path):
    commit_all(served)
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text('{"text": "We decided nothing yet and went on"}\n' * 90_000, "utf-8")
    event = json.dumps({"transcript_path": str(transcript)}).encode()
    ours = [COMMAND, "hook", "before-stop"]
    took, bare = ([_processor_seconds(c, served, event) for _ in range(5)] for c in (ours, BARE))
    assert min(took) < 5 * min(bare), (took, bare)


@pytest.mark.parametrize("event", [b"", b"{", b"[]", b"\xff", grep("push")])
def test_without_a_server_or_sense_nothing_is_said(root: Path, event: bytes):
    for name in ("before-search", "before-stop", "session-start", "nothing", ""):
        assert hook(root, name, event) == NOTHING


def test_a_session_begins_with_how_to_ask_where_there_is_an_index(root: Path):
    index(root)
    code, out, err = hook(root, "session-start")
    assert (code, err) == (0, b"") and out.count(b"\n") == 1 and b"satchel context" in out
