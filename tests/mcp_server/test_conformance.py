"""The conformance fixtures lie over the real server, so that the suite's verdict is about it.

The suite itself needs npm: `python -m bench.serving.conformance`, see docs/MCP.md.
"""

from pathlib import Path

from bench.serving.conformance import EXPECTED
from bench.serving.conformance_fixtures import lay_over
from tests.support.agent import asked, in_memory


def test_the_fixtures_are_added_to_the_servers_own_surface(tmp_path: Path):
    (tmp_path / "a.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")

    async def session(client):
        listed = [tool.name for tool in (await client.list_tools()).tools]
        own = await asked(client, "symbols", name="wake")
        fixture = await asked(client, "test_simple_text")
        [content] = (await client.read_resource("test://static-text")).contents
        status = (await client.read_resource("satchel://status")).contents
        return listed, own, fixture, content.text, status[0].text

    listed, own, fixture, text, status = in_memory(tmp_path, session, over=lay_over)
    assert listed[0] == "context" and "test_simple_text" in listed
    assert "a.py:1-2  function wake" in own
    assert fixture == "This is a simple text response for testing."
    assert "test://static-text" in text and "project: 1 file" in status


def test_no_check_is_expected_to_fail():
    assert "server: []" in EXPECTED.read_text(encoding="utf-8")
