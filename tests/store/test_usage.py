"""Usage figures: counted where the calls are, kept beside the index, shown by `status`."""

import json
import re
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from satchel import open as code_base
from satchel.store.sqlite import usage
from satchel.store.sqlite.usage import ToolCall
from tests.support.agent import asked, over_stdio, refused
from tests.support.satchel import index_folder, satchel


def call(tool: str = "context", ms: float = 3.0, **more) -> ToolCall:
    return ToolCall(
        **{"at": 1, "failed": False, "returned": 1, "whole": 1, **more}, tool=tool, ms=ms
    )


def test_calls_of_several_processes_add_up(tmp_path: Path):
    usage.record(tmp_path, [call(returned=100, whole=900) for _ in range(18)])
    usage.record(tmp_path, [call(ms=4210.5, returned=50, failed=True) for _ in range(2)])
    [row] = usage.read(tmp_path)
    assert (row.tool, row.calls, row.errors) == ("context", 20, 2)
    assert (row.p50_ms, row.p95_ms) == (3, 4211)
    assert (row.returned_tokens, row.saved_tokens) == (1900, 18 * 800)


def test_the_newest_calls_are_kept(tmp_path: Path):
    usage.record(tmp_path, [call("old") for _ in range(4)])
    usage.record(tmp_path, [call("new") for _ in range(9_999)])
    assert [(row.tool, row.calls) for row in usage.read(tmp_path)] == [("new", 9_999), ("old", 1)]


def test_a_damaged_file_loses_figures_and_nothing_else(tmp_path: Path):
    (tmp_path / usage.USAGE_NAME).write_bytes(b"no database" * 1000)
    usage.record(tmp_path, [call()])
    assert usage.read(tmp_path) == () == usage.slowest(tmp_path, 9)


def test_what_a_server_answered_is_shown_by_status(project):
    root = project(
        "//- a.py\n" + "\n".join(f"def wake_{n}(dog):\n    return {n}" for n in range(99))
    )

    async def session(client):
        for _ in range(3):
            await asked(client, "context", query="wake_7", budget_tokens=256)
        await refused(client, "context", {"query": "x", "budget_tokens": 1})

    over_stdio(root, session)
    shown = satchel("status", cwd=root).stdout.decode()
    line = next(line for line in shown.splitlines() if line.startswith("agents: "))
    assert line.startswith("agents: context 4 calls, 1 refused, half within ")
    assert " 0 fewer than the whole files" not in line
    assert "wake_7" not in (index_folder(root) / "usage.db").read_bytes().decode("latin-1")


LOGGED = {"SATCHEL_TELEMETRY_LOG_CALLS": "true"}


@pytest.mark.parametrize("is_logged", [True, False])
def test_a_slow_call_is_tied_to_its_pack_and_its_stages(project, is_logged: bool):
    root = project("//- a.py\ndef wake(dog):\n    return dog\n")

    async def session(client):
        return await asked(client, "context", query="wake the dog")

    text = over_stdio(root, session, environment=LOGGED if is_logged else {})
    [pack] = re.findall(r"pack (\d+)", text)
    shown = satchel("status", "--slow", cwd=root, environment=LOGGED if is_logged else {})
    [line] = re.findall("^slow: .*", shown.stdout.decode(), re.MULTILINE)
    assert re.match(r"slow: \d{4}-\d\d-\d\dT[\d:.]+Z context [\d,]+ ms", line)
    found = re.findall(r"(index|turn|rank|pack) [\d,]+(?:,|$)", line)
    assert found == (["index", "turn", "rank", "pack"] if is_logged else [])
    assert (f"; pack {pack};" in line) == ("mcp" in line) == is_logged
    assert (b"telemetry.log_calls" in shown.stderr) == (not is_logged)
    [slow] = json.loads(satchel("status", "--slow", "--json", cwd=root).stdout)["slow"]
    assert sum(ms for _, ms in slow["stages"]) <= slow["ms"] + 1
    assert b"wake" not in (index_folder(root) / "usage.db").read_bytes()


def test_a_call_of_a_tool_that_there_is_not_is_counted(project):
    root = project("//- a.py\ndef wake(dog):\n    return dog\n")

    async def session(client):
        await asked(client, "symbols", name="wake")
        with pytest.raises(MCPError):
            await client.call_tool("wake_up", {})

    over_stdio(root, session)
    rows = json.loads(satchel("status", "--json", cwd=root).stdout)["usage"]
    counts = {row["tool"]: (row["calls"], row["errors"]) for row in rows}
    assert counts == {"(unknown tool)": (1, 1), "symbols": (1, 0)}
    assert b"wake_up" not in (index_folder(root) / "usage.db").read_bytes()


def test_packs_say_for_whom_they_were_made(project):
    root = project("//- a.py\ndef wake(dog):\n    return dog\n")

    async def session(client):
        await asked(client, "context", query="who wakes the dog")

    over_stdio(root, session)
    with code_base(root) as code:
        code.context("wake")
        asked_here, asked_by_agent = code.packs()
        assert (asked_here.question.text, asked_here.client) == ("wake", "")
        assert (asked_by_agent.question.text, asked_by_agent.client) == ("who wakes the dog", "mcp")
        assert asked_by_agent.at <= asked_here.at
        assert code.replay(asked_here.id).receipt.id == asked_here.id
