"""Times as people write them: one moment for code and for knowledge, wherever a process runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from satchel.knowledge import timestamps
from satchel.knowledge.model import Timestamp
from satchel.store.platform.since import moment_ns
from satchel.workspace.past import recorded

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
NOW_NS = int(NOW.timestamp()) * 1_000_000_000


@pytest.fixture(params=["UTC", "Asia/Tokyo"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    if hasattr(time, "tzset"):
        time.tzset()
    yield
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-03-09", "2026-03-09T00:00:00+00:00"),
        ("2026-03-09T05:00", "2026-03-09T05:00:00+00:00"),
        ("2026-03-09T05:00+02:00", "2026-03-09T03:00:00+00:00"),
        ("24h", "2026-03-09T12:00:00+00:00"),
        ("2 w", "2026-02-24T12:00:00+00:00"),
        ("1y", "2025-03-10T06:00:00+00:00"),
        ("999999y", "1970-01-01T00:00:00+00:00"),
    ],
)
def test_code_and_knowledge_read_a_time_alike(text: str, meant: str):
    wanted = int(datetime.fromisoformat(meant).timestamp()) * 1_000
    assert timestamps.parse(text, Timestamp(NOW_NS // 1_000_000)) == wanted
    assert recorded.moment(text, NOW_NS) == wanted * 1_000_000


@pytest.mark.parametrize("text", ["", "HEAD", "main~3", "7 fortnights", "2026-13-01"])
def test_what_is_no_time_may_be_a_revision(text: str):
    assert moment_ns(text, NOW_NS) is None
