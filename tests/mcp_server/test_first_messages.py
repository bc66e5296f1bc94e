"""What a server answers before the SDK is loaded is what the SDK answers."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.mcp_server.transport.first_messages import REVISIONS
from tests.support.satchel import COMMAND, TIMEOUT_S

CODE = "//- a.py\ndef wake(dog):\n    return 'h\u00e9'\n"
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the SDK reads from the start")


@pytest.fixture
def root(project) -> Path:
    root = project(CODE)
    subprocess.run([COMMAND, "reindex", "--quiet"], cwd=root, check=True, timeout=TIMEOUT_S)
    return root


class Client:
    """One that speaks in lines."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "serve", "--root", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "SATCHEL_INDEX_WORKERS": "1"},
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


@pytest.mark.parametrize("revision", REVISIONS)
def test_first_answers_are_the_sdks_byte_for_byte(root: Path, revision: str):
    # What it does not know at once is the SDK's, and everything from then on: an entry `_meta` in
    # the handshake is enough.
    answers = []
    for more in ({}, {"_meta": {}}):
        client = Client(root)
        client.send(initialize(revision, **more))
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
    assert b"def wake" in answers[0][2]


@pytest.mark.parametrize(
    "foreign",
    [
        request(2, "tools/call", name="no such tool"),
        request(2, "initialize", protocolVersion=REVISIONS[0]),
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call"\n',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"\\ud800"}}\n',
    ],
)
def test_the_sdk_goes_on_where_the_first_answers_end(root: Path, foreign: dict | bytes):
    client = Client(root)
    client.send(initialize(REVISIONS[0]), INITIALIZED, ASKED[0], foreign, ASKED[1])
    assert json.loads(client.read())["result"]["protocolVersion"] == REVISIONS[0]
    assert json.loads(client.read())["result"]["tools"]
    # The handshake is answered once, and what comes after the foreign message as before. The SDK
    # says nothing to a line that is no message.
    seen = []
    while "three" not in seen:
        reply = json.loads(client.read())
        seen.append(reply.get("id"))
    assert 1 not in seen
    assert "def wake" in json.dumps(reply)
    assert not client.end()


def test_a_client_that_hangs_up_ends_it(root: Path):
    client = Client(root)
    assert client.end() == b""
    client = Client(root)
    client.send(initialize(REVISIONS[0]), ASKED[1])
    client.process.stdin.close()
    client.process.stdin = None
    out = client.end()
    assert [json.loads(line)["id"] for line in out.splitlines()] == [1, "three"]


def test_a_message_that_comes_in_pieces_is_read_whole(root: Path):
    client = Client(root)
    whole = json.dumps(initialize(REVISIONS[0])).encode() + b"\n"
    client.send(whole[:40])
    client.send(whole[40:])
    assert json.loads(client.read())["id"] == 1
    assert not client.end()
