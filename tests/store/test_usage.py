"""Usage figures: counted where the calls are, kept beside the index, shown by `status`."""

from pathlib import Path

from satchel.store.sqlite import usage
from satchel.store.sqlite.usage import ToolCall
from tests.support.agent import asked, over_stdio, refused
from tests.support.satchel import index_folder, satchel


def test_calls_of_several_processes_add_up(tmp_path: Path):
    calls = [ToolCall("2026-01-01", "context", 0.003, False, 100, 900) for _ in range(19)]
    usage.record(tmp_path, calls)
    usage.record(tmp_path, [ToolCall("2026-01-02", "context", 1.5, True, 50, 0)])
    [row] = usage.read(tmp_path)
    assert (row.tool, row.calls, row.errors) == ("context", 20, 1)
    assert (row.p50_ms, row.p95_ms) == (4, 4)
    assert (row.returned_tokens, row.saved_tokens) == (1950, 19 * 800)


def test_a_damaged_file_loses_figures_and_nothing_else(tmp_path: Path):
    (tmp_path / usage.USAGE_NAME).write_bytes(b"no database" * 1000)
    usage.record(tmp_path, [ToolCall("2026-01-01", "context", 0.1, False, 1, 1)])
    assert usage.read(tmp_path) == ()


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


def test_latencies_are_told_to_a_tenth(tmp_path: Path):
    for seconds in (0.0, 0.001, 0.0042, 0.9, 4.2, 61.0):
        usage.record(tmp_path, [ToolCall("2026-01-01", str(seconds), seconds, False, 1, 1)])
    for row in usage.read(tmp_path):
        ms = float(row.tool) * 1_000
        assert ms <= row.p50_ms <= 1.1 * ms + 2
        assert row.histogram[0][0].bit_count() == 1
