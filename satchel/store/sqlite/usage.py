"""The calls of tools: what each took and returned, in a file beside the index.

One row for each call, added by any number of processes; the newest are kept. Nothing of what was
asked is. Losing a row harms nobody, so writing waits for no disk and failing to write is no error.
"""

from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw
import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from satchel.store import private
from satchel.store.platform.guarded import expected_statements, foreign_statements, opened
from satchel.store.sqlite.database import select

USAGE_NAME = "usage.db"
_BUSY_TIMEOUT_MS = 1_000
_KEPT = 10_000
_DDL = """
CREATE TABLE IF NOT EXISTS calls (
    id       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,    -- Unix seconds
    tool     TEXT NOT NULL,
    ms       REAL NOT NULL,
    failed   INTEGER NOT NULL,
    returned INTEGER NOT NULL,    -- tokens
    whole    INTEGER NOT NULL,    -- tokens of the files that were quoted from
    client   TEXT NOT NULL,       -- this and what follows is empty unless calls are logged
    pack     TEXT NOT NULL,
    stages   TEXT NOT NULL        -- JSON: [name, ms] each
)
"""


class ToolCall(Struct, frozen=True):
    """One call, `at` seconds since 1970. `whole` are the tokens of the whole files that it quotes
    from, 0 for a list; `stages` are (name, ms), in their order."""

    at: int
    tool: str
    ms: float
    failed: bool
    returned: int
    whole: int
    client: str = ""
    pack: str = ""
    stages: tuple[tuple[str, float], ...] = ()


_COLUMNS = ToolCall.__struct_fields__


class ToolUsage(Struct, frozen=True):
    """What a tool was used for in the calls that are kept."""

    tool: str
    calls: int
    errors: int
    p50_ms: int
    p95_ms: int
    returned_tokens: int
    saved_tokens: int
    """Tokens of the files quoted from, less what was returned; never below 0."""


def record(directory: Path, calls: Iterable[ToolCall]) -> None:
    """Keep calls of the index in `directory`; does nothing where it cannot."""
    rows = [(*astuple(call)[:-1], msgspec.json.encode(call.stages).decode()) for call in calls]
    try:
        connection = _open(directory)
    except apsw.Error:
        return
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_DDL)
        connection.executemany("INSERT INTO calls VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        connection.execute(f"DELETE FROM calls WHERE id <= last_insert_rowid() - {_KEPT}")
        connection.execute("COMMIT")
    except apsw.Error:
        return
    finally:
        connection.close()


def read(directory: Path) -> tuple[ToolUsage, ...]:
    """Usage of every tool that was called, most used first; empty where none is known."""
    return tuple(
        ToolUsage(*row)
        for row in _selected(
            directory,
            "SELECT tool, count(*) AS n, sum(failed), CAST(ceil(percentile_disc(ms, 0.5)) AS INT),"
            " CAST(ceil(percentile_disc(ms, 0.95)) AS INT), sum(returned),"
            " sum(max(0, whole - returned)) FROM calls GROUP BY tool ORDER BY n DESC, tool",
        )
    )


def slowest(directory: Path, limit: int) -> tuple[ToolCall, ...]:
    """The calls that took longest, the slowest first; empty where the file is not ours."""
    rows = _selected(
        directory,
        f"SELECT {', '.join(_COLUMNS)} FROM calls ORDER BY ms DESC, id LIMIT {limit}",
    )
    with suppress(msgspec.MsgspecError):
        return tuple(
            msgspec.convert(
                dict(zip(_COLUMNS, (*row, msgspec.json.decode(stages)), strict=True)),
                ToolCall,
                strict=False,
            )
            for *row, stages in rows
        )
    return ()


def _selected(directory: Path, statement: str) -> list[tuple[Any, ...]]:
    # Opening makes the file, and looking at usage must not.
    if not (directory / USAGE_NAME).exists():
        return []
    try:
        with closing(_open(directory)) as connection:
            return list(select(connection, statement))
    except apsw.Error:
        return []


def _open(directory: Path) -> apsw.Connection:
    """The calls, empty where the file is another one. Raises: apsw.Error."""
    path = directory / USAGE_NAME
    connection = _connection(path)
    try:
        is_foreign = bool(foreign_statements(connection, expected_statements(_DDL)))
    except BaseException:
        connection.close()
        raise
    if is_foreign:
        # These are no loss, and what else is in such a file would run with them.
        connection.close()
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        connection = _connection(path)
    # A row that a power cut loses is not worth the time that waiting for the disk takes.
    connection.pragma("synchronous", "off")
    return connection


def _connection(path: Path) -> apsw.Connection:
    with suppress(OSError):  # SQLite says what is wrong
        private.touch(path)
    connection = opened(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    return connection
