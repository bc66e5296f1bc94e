"""Hostile arguments and frames: nothing outside the root is told, nothing is run, nobody falls.

The long version is `python -m bench.serving.load`, see docs/MCP.md.
"""

import json
import os
from pathlib import Path
from urllib.parse import quote

import pytest
from mcp.shared.exceptions import MCPError

from bench.serving.fire import over_the_net
from tests.support.agent import asked, in_memory
from tests.support.frames import frames
from tests.support.hostile_strings import STRINGS
from tests.support.stdio_server import StdioServer

SECRET = "canary-7f3a9"
STEP = 1 if os.environ.get("SATCHEL_LONG") == "1" else 12
CODE = "//- app/a.py\ndef wake(dog):\n    return dog\n//- .env\nKEY=" + SECRET


@pytest.fixture
def root(project) -> Path:
    folder = project(CODE)
    (folder.parent / "outside.txt").write_text(SECRET, encoding="utf-8")
    (folder / "link").symlink_to(folder.parent)
    (folder / ".gitignore").write_text(".env\n", encoding="utf-8")
    return folder


def test_there_are_enough_of_them():
    assert len(STRINGS) >= 300


@pytest.mark.parametrize(
    ("tool", "parameter", "more"),
    [
        ("context", "path", {"query": "wake", "budget_tokens": 256}),
        ("context", "diff", {"budget_tokens": 256}),
        ("search", "path", {"query": "wake"}),
        ("changes", "path", {"since": "HEAD"}),
        ("changes", "since", {}),
        ("overview", "scope", {}),
        ("recall", "scope", {"query": "wake"}),
        ("remember", "scope", {"kind": "warning", "summary": "mind the dog"}),
        ("set_context", "scope", {"query": "wake"}),
        ("symbols", "name", {}),
        ("dependencies", "symbol", {}),
    ],
)
def test_no_argument_leads_out_of_the_root(root: Path, tool: str, parameter: str, more: dict):
    async def session(client):
        for string in STRINGS[::STEP]:
            result = await client.call_tool(tool, {**more, parameter: string})
            text = result.content[0].text
            assert SECRET not in text, string
            assert "root:" not in text, string
        return await asked(client, "symbols", name="wake")

    assert "app/a.py:1" in in_memory(root, session)
    assert not list(root.rglob("sprung")) and not Path("sprung").exists()


def test_no_address_leads_out_of_the_root(root: Path):
    async def session(client):
        for string in STRINGS[::STEP]:
            for address in (string, quote(string, safe="")):
                with pytest.raises(MCPError) as caught:
                    await client.read_resource(f"satchel://file/{address}")
                assert SECRET not in str(caught.value)
        return await asked(client, "symbols", name="wake")

    assert "app/a.py:1" in in_memory(root, session)


def test_malformed_frames_leave_the_server_standing(root: Path):
    with StdioServer(root) as server:
        for frame in frames(3_000, seed=7):
            server.send(frame)
        reply = server.ask("tools/call", {"name": "symbols", "arguments": {"name": "wake"}})
        assert "app/a.py:1" in json.dumps(reply)
        assert SECRET not in server.heard


def test_malformed_requests_leave_the_server_standing(root: Path):
    alive, n_asked, _seconds, said = over_the_net(root, 200, seed=7, every=100)
    assert alive and n_asked == 2
    assert not [status for status in said if status.startswith("5")]
    assert len(said) >= 5  # they are not all turned away at the same door


def test_a_configuration_that_cannot_be_used_is_told_without_a_word_of_it(project):
    root = project('//- .satchel/config.toml\n[index]\n"obey me" = 1\n//- a.py\nx = 1\n')
    told = in_memory(root, lambda client: asked(client, "overview"))
    assert "1 problem with .satchel/config.toml" in told and "obey me" not in told
