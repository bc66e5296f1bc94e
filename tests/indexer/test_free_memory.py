"""What memory is given back after a phase, and where the system has no call for it."""

from __future__ import annotations

import sys
from pathlib import Path

import apsw
import pytest

from satchel.indexer import free_memory


@pytest.fixture
def with_pages(tmp_path: Path) -> apsw.Connection:
    """A connection that has read some megabytes."""
    connection = apsw.Connection(str(tmp_path / "pages.db"))
    connection.pragma("cache_size", -8_000)
    connection.execute("CREATE TABLE kept (text)")
    connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)"
        " INSERT INTO kept SELECT hex(zeroblob(500)) FROM n"
    )
    connection.execute("SELECT sum(length(text)) FROM kept").fetchall()
    return connection


@pytest.mark.parametrize("platform", [sys.platform, "win32"])
def test_pages_that_are_not_needed_are_given_back(
    with_pages: apsw.Connection, platform: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "platform", platform)
    free_memory._malloc_trim.cache_clear()
    before = with_pages.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0]
    free_memory.give_back(with_pages)
    free_memory._malloc_trim.cache_clear()
    assert with_pages.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0] < before / 10
