"""Counts calls of each tool and their cost, in a file beside the index.

One row for each day and tool, added to by any number of processes. Nothing of what was asked is
kept. Losing a count harms nobody, so writing waits for no disk and failing to write is no error.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import apsw
from msgspec import Struct

from satchel.store import private
from satchel.store.platform.guarded import expected_statements, foreign_statements, opened
from satchel.store.sqlite.database import select

USAGE_NAME = "usage.db"
_BUSY_TIMEOUT_MS = 1_000
_STEPS = 8
"""Steps in each doubling of a latency, so that a quantile is exact to 9 %."""
_LAST_STEP = 20 * _STEPS
_DDL = """
CREATE TABLE IF NOT EXISTS calls (
    day      TEXT NOT NULL,       -- UTC, YYYY-MM-DD
    tool     TEXT NOT NULL,
    step     INTEGER NOT NULL,    -- answered in less than 2^(step / 8) ms
    n        INTEGER NOT NULL,
    errors   INTEGER NOT NULL,
    returned INTEGER NOT NULL,    -- tokens
    whole    INTEGER NOT NULL,    -- tokens of the files that were quoted from
    PRIMARY KEY (day, tool, step)
) WITHOUT ROWID
"""


class ToolCall(Struct, frozen=True):
    """One call. `whole_tokens` are those of the whole files it quotes from, 0 for a list."""

    day: str
    tool: str
    seconds: float
    failed: bool
    returned_tokens: int
    whole_tokens: int


class _Bucket(NamedTuple):
    """The calls of a tool in one step of its latencies, over all days."""

    step: int
    calls: int
    errors: int
    returned_tokens: int
    saved_tokens: int


class ToolUsage(Struct, frozen=True):
    """What a tool was used for, over all days. Latencies are upper bounds, exact to 9 %."""

    tool: str
    calls: int
    errors: int
    p50_ms: int
    p95_ms: int
    returned_tokens: int
    saved_tokens: int
    """Tokens of the files quoted from, less what was returned; never below 0."""
    histogram: tuple[tuple[int, int], ...] = ()
    """(upper bound in ms, a power of two; calls) of each latency that occurred, ascending."""


def record(directory: Path, calls: Iterable[ToolCall]) -> None:
    """Add calls to the counters of the index in `directory`; does nothing where it cannot."""
    try:
        connection = _open(directory)
    except apsw.Error:
        return
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_DDL)
        connection.executemany(
            "INSERT INTO calls VALUES (?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + 1,"
            " errors = errors + excluded.errors, returned = returned + excluded.returned,"
            " whole = whole + excluded.whole",
            [
                (call.day, call.tool, _step(call.seconds),
                 call.failed, call.returned_tokens, call.whole_tokens)
                for call in calls
            ],
        )  # fmt: skip
        connection.execute("COMMIT")
    except apsw.Error:
        return
    finally:
        connection.close()


def read(directory: Path) -> tuple[ToolUsage, ...]:
    """Usage of every tool that was ever called, most used first; empty where none is known."""
    # Opening makes the file, and looking at usage must not.
    if not (directory / USAGE_NAME).exists():
        return ()
    try:
        connection = _open(directory)
        try:
            rows = select(
                connection,
                "SELECT tool, step, sum(n), sum(errors), sum(returned), sum(max(0, whole -"
                " returned)) FROM calls GROUP BY tool, step ORDER BY tool, step",
            )
        finally:
            connection.close()
    except apsw.Error:
        return ()
    by_tool: dict[str, list[_Bucket]] = {}
    for tool, *counts in rows:
        by_tool.setdefault(tool, []).append(_Bucket(*counts))
    found = [
        ToolUsage(
            tool,
            sum(bucket.calls for bucket in buckets),
            sum(bucket.errors for bucket in buckets),
            _quantile(buckets, 0.5),
            _quantile(buckets, 0.95),
            sum(bucket.returned_tokens for bucket in buckets),
            sum(bucket.saved_tokens for bucket in buckets),
            _histogram(buckets),
        )
        for tool, buckets in by_tool.items()
    ]
    return tuple(sorted(found, key=lambda usage: (-usage.calls, usage.tool)))


def _open(directory: Path) -> apsw.Connection:
    """The counters, empty where the file is another one. Raises: apsw.Error."""
    path = directory / USAGE_NAME
    connection = _connection(path)
    try:
        is_foreign = bool(foreign_statements(connection, expected_statements(_DDL)))
    except BaseException:
        connection.close()
        raise
    if is_foreign:
        # Counters are no loss, and what else is in such a file would run with them.
        connection.close()
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        connection = _connection(path)
    # A count that a power cut loses is not worth the time that waiting for the disk takes.
    connection.pragma("synchronous", "off")
    return connection


def _connection(path: Path) -> apsw.Connection:
    with suppress(OSError):  # SQLite says what is wrong
        private.touch(path)
    connection = opened(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    return connection


def _step(seconds: float) -> int:
    return min(_LAST_STEP, math.ceil(_STEPS * math.log2(int(seconds * 1000) + 1)))


def _histogram(buckets: Sequence[_Bucket]) -> tuple[tuple[int, int], ...]:
    calls: Counter[int] = Counter()
    for bucket in buckets:
        calls[1 << math.ceil(bucket.step / _STEPS)] += bucket.calls
    return tuple(sorted(calls.items()))


def _quantile(buckets: Sequence[_Bucket], share: float) -> int:
    """The upper end, in ms, of the bucket that the quantile lies in."""
    wanted = share * sum(bucket.calls for bucket in buckets)
    n_calls = 0
    # The query gives buckets in ascending order.
    for bucket in buckets:
        n_calls += bucket.calls
        if n_calls >= wanted:
            return math.ceil(2 ** (bucket.step / _STEPS))
    return 0
