"""What a server answers before the SDK is loaded is what the SDK answers."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.mcp_server.serving import Serving
from satchel.mcp_server.transport.first_messages import REVISIONS, Handover, answer_first
from satchel.workspace.project import Project, ignore_progress
from tests.support.satchel import TIMEOUT_S, warm_command

CODE = "//- a.py\ndef wake(dog):\n    return 'h\u00e9'\n"
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_HIGH = 2_000
"""A descriptor that `select` cannot wait for."""
ENVIRONMENT = {"SATCHEL_INDEX_WORKERS": "1"}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the SDK reads from the start")


@pytest.fixture
def root(project) -> Path:
    root = project(CODE)
    Project.at(root, ENVIRONMENT).refresh(ignore_progress)
    return root


class Client:
    """One that speaks in lines."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [warm_command(), "serve", "--root", root],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, **ENVIRONMENT},
        )  # fmt: skip

    def send(self, *messages: dict | bytes) -> None:
        assert self.process.stdin
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            self.process.stdin.write(line)
        self.process.stdin.flush()

    def read(self) -> bytes:
        assert self.process.stdout
        return self.process.stdout.readline()

    def end(self) -> bytes:
        """Close its input; returns what else was written."""
        rest, _ = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 0
        return rest


def request(number: int | str, method: str, **params: object) -> dict:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def initialize(revision: str, **more: object) -> dict:
    client = {"name": "test", "version": "1"}
    return request(
        1, "initialize", protocolVersion=revision, capabilities={"roots": {"listChanged": True}},
        clientInfo=client, **more,
    )  # fmt: skip


def call(number: int | str, tool: str, **arguments: object) -> dict:
    return request(number, "tools/call", name=tool, arguments=arguments)


ASKED = (
    request(2, "tools/list"),
    call("three", "symbols", name="wake", source=True),
    call(4, "symbols", nme="wake"),
)


def test_first_answers_are_the_sdks_byte_for_byte(root: Path):
    # What it does not know at once is the SDK's, and everything from then on: an entry `_meta` in
    # the handshake is enough.
    answers = []
    for more in ({}, {"_meta": {}}):
        client = Client(root)
        client.send(initialize(REVISIONS[0], **more))
        answers.append([client.read()])
        client.send(INITIALIZED)
        for message in ASKED:
            client.send(message)
            answers[-1].append(client.read())
        assert not client.end()
    # Each process looks at files that are so fresh again, which is a generation more, and may say
    # that it has not yet.
    first, sdk = (
        re.sub(rb"generation \d+|note: .*?\\n", b"", b"".join(lines)) for lines in answers
    )
    assert first == sdk
    assert b"def wake" in first


def test_the_sdk_goes_on_where_the_first_answers_end(root: Path):
    client = Client(root)
    client.send(initialize(REVISIONS[1]), INITIALIZED, ASKED[0], request(2, "ping"), ASKED[1])
    replies = [json.loads(client.read()) for _ in range(4)]
    assert replies[0]["result"]["protocolVersion"] == REVISIONS[1]
    assert replies[1]["result"]["tools"]
    # The SDK may answer two requests in either order; the handshake is not answered again.
    assert {reply["id"] for reply in replies[2:]} == {2, "three"}
    assert "def wake" in json.dumps(replies[2:])
    assert not client.end()


def first(root: Path, *written: bytes, close: bool = True) -> tuple[list[dict], Handover]:
    """The first answers to what is written, and what is left to the SDK."""
    serving = Serving(Project.at(root, ENVIRONMENT))
    serving.start()
    read, write = os.pipe()
    out, sink = os.pipe()
    try:
        for part in written:
            os.write(write, part)
        if close:
            os.close(write)
        left = answer_first(serving, read, sink)
        os.close(sink)
        with os.fdopen(out, "rb") as replies:
            return [json.loads(line) for line in replies], left
    finally:
        os.close(read)
        if not close:
            os.close(write)
        serving.close()


def test_a_descriptor_of_a_high_number_and_a_file_are_read(root: Path, tmp_path: Path):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard <= _HIGH:
        pytest.skip("no descriptor may have such a number")
    file = tmp_path / "messages"
    file.write_bytes(HANDSHAKE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, _HIGH + 1), hard))
    serving, opened = Serving(Project.at(root, ENVIRONMENT)), os.open(file, os.O_RDONLY)
    try:
        os.dup2(opened, _HIGH)
        with Path(os.devnull).open("wb") as sink:
            assert answer_first(serving, _HIGH, sink.fileno()).is_over
        os.close(_HIGH)
    finally:
        os.close(opened)
        serving.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def line(message: dict) -> bytes:
    return json.dumps(message).encode() + b"\n"


HANDSHAKE = line(initialize(REVISIONS[0])) + line(INITIALIZED)


FOREIGN = [
    line(request(2, "tools/call", name="no such tool")),
    line(request(2, "tools/call", name="remember", arguments={"summary": "x"})),
    line(request(2, "tools/list", cursor="x")),
    line(request(2, "tools/call", name="symbols", _meta={"progressToken": 1})),
    line(request(2, "initialize", protocolVersion=REVISIONS[0])),
    line({**request(2, "tools/list"), "id": None}),
    line([request(2, "tools/list")]),
    b'{"jsonrpc":"2.0","id":2,"method":"tools/call"\n',
    b'{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"x":"\\ud800"}}\n',
    b'{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"x":NaN}}}\n',
    b"[" * 50_000 + b"\n",
    b"\xff\n",
]


def test_what_is_not_known_is_left_to_the_sdk_with_all_that_follows(root: Path):
    after = line(ASKED[1])
    for foreign in FOREIGN:
        replies, left = first(root, HANDSHAKE + foreign + after)
        assert [reply["id"] for reply in replies] == [1]
        assert left == Handover(HANDSHAKE + foreign + after, 1)


def test_a_revision_that_has_no_handshake_is_left_to_the_sdk(root: Path):
    opening = line(initialize("2024-11-05"))
    assert first(root, opening) == ([], Handover(opening))


def test_a_client_that_hangs_up_ends_it(root: Path):
    assert first(root) == ([], Handover(is_over=True))
    replies, left = first(root, HANDSHAKE + line(ASKED[1]))
    assert [reply["id"] for reply in replies] == [1, "three"]
    assert left.is_over


def test_a_pause_hands_over_what_came_in_pieces(root: Path):
    replies, left = first(root, HANDSHAKE[:40], HANDSHAKE[40:] + b'{"json', close=False)
    assert [reply["id"] for reply in replies] == [1]
    assert left == Handover(HANDSHAKE + b'{"json', 1)


def test_a_handshake_needs_no_index(project):
    root = project(CODE)
    replies, left = first(root, HANDSHAKE + line(ASKED[1]), close=False)
    # There was no index when it began: the call may have to wait, which is not done here.
    assert [reply["id"] for reply in replies] in ([1], [1, "three"])
    assert left.answered == 1
