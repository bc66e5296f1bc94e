"""One row an operation, never what was in it; and what the rows say together.

The three criteria are riglm2's for `set_context`: how often a focus is set, whether the tools it
brings up are those that are called, and whether that is better than no filter.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw
from msgspec import Struct

from satchel.knowledge import timestamps
from satchel.knowledge.model import Caller
from satchel.knowledge.ranking.pack import PackTotals
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage.read import VISIBLE
from satchel.store.sqlite.database import scalar, select

TOOL = "tool"
"""The operation of a tool called through Satchel."""
_KEPT_DAYS = 90


class Operation(Struct, frozen=True, kw_only=True):
    """Something that was done. For a tool called: `shown` is whether the list held it (None: no
    focus), `packed` of `considered` tools being in the list."""

    op: str
    ms: float
    outcome: str = "ok"
    totals: PackTotals | None = None
    target: str = ""
    shown: bool | None = None


class OperationRow(Struct, frozen=True):
    """How often and how fast; `p95_ms` is over the newest thousand."""

    op: str
    n: int
    failed: int
    p50_ms: float
    p95_ms: float


class FocusStats(Struct, frozen=True):
    """The criteria of `set_context`, each 0..1, None before there is anything to tell.

    `expected_by_chance` is the share of calls that a list of the same length, drawn blindly, would
    have held: the filter is of use when `calls_shown` is above it.
    """

    sessions: int
    sessions_with_focus: float | None
    calls_shown: float | None
    expected_by_chance: float | None
    succeeded_with_focus: float | None
    succeeded_without: float | None
    searches_for_tools: int


class Stats(Struct, frozen=True):
    """How much is known, and how it is used."""

    items: dict[str, int]
    statuses: dict[str, int]
    links: int
    events: int
    associations: int
    operations: tuple[OperationRow, ...]
    focus: FocusStats
    file_bytes: int


def record_operation(db: apsw.Connection, caller: Caller, done: Operation) -> None:
    """Add a row."""
    totals = done.totals or PackTotals(0, 0, 0, 0)
    db.execute(
        "INSERT INTO operation (at, op, outcome, session, ms, considered, packed, used_tokens,"
        " budget, target, shown) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            caller.now, done.op, done.outcome, caller.session, done.ms, totals.considered,
            totals.packed, totals.used_tokens, totals.budget, done.target, done.shown,
        ),
    )  # fmt: skip


def delete_old_operations(db: apsw.Connection, now: int) -> int:
    """Drop rows older than 90 days; returns how many."""
    before = db.total_changes()
    db.execute("DELETE FROM operation WHERE at < ?", (now - _KEPT_DAYS * timestamps.DAY,))
    return db.total_changes() - before


def stats(context: RequestContext) -> Stats:
    """Everything that can be told without telling what was said."""
    db, actor = context.db, context.caller.actor
    pages = int(db.pragma("page_count")) * int(db.pragma("page_size"))
    return Stats(
        items=_count_by(db, "kind", actor), statuses=_count_by(db, "status", actor),
        links=_count_rows(db, "link"), events=_count_rows(db, "event"),
        associations=_count_rows(db, "association"), operations=_operations(db), focus=_focus(db),
        file_bytes=pages,
    )  # fmt: skip


def _count_by(db: apsw.Connection, column: str, actor: str) -> dict[str, int]:
    sql = f"SELECT {column}, count(*) FROM item i WHERE {VISIBLE} GROUP BY 1 ORDER BY 2 DESC, 1"
    return dict(select(db, sql, (actor,)))


def _count_rows(db: apsw.Connection, table: str) -> int:
    return int(scalar(db, f"SELECT count(*) FROM {table}"))


def _operations(db: apsw.Connection) -> tuple[OperationRow, ...]:
    sql = "SELECT op, count(*), sum(outcome != 'ok') FROM operation GROUP BY op ORDER BY op"
    found = []
    for op, n, failed in select(db, sql):
        newest = "SELECT ms FROM operation WHERE op = ? ORDER BY seq DESC LIMIT 1000"
        times = sorted(ms for (ms,) in select(db, newest, (op,)))
        found.append(OperationRow(op, n, failed, _percentile(times, 0.5), _percentile(times, 0.95)))
    return tuple(found)


def _percentile(times: Sequence[float], share: float) -> float:
    return round(times[min(int(len(times) * share), len(times) - 1)], 2)


def _focus(db: apsw.Connection) -> FocusStats:
    named = "SELECT count(DISTINCT session) FROM operation WHERE session != ''"
    sessions = int(scalar(db, named))
    focused = int(scalar(db, f"{named} AND op = 'set_context' AND outcome = 'ok'"))
    calls = "FROM operation WHERE op = 'tool'"
    shown = scalar(db, f"SELECT avg(shown) {calls} AND shown IS NOT NULL")
    chance = scalar(
        db, f"SELECT avg(1.0 * packed / considered) {calls} AND shown IS NOT NULL AND considered"
    )
    good = f"SELECT avg(outcome = 'ok') {calls} AND shown IS"
    return FocusStats(
        sessions, focused / sessions if sessions else None, shown, chance,
        scalar(db, f"{good} NOT NULL"), scalar(db, f"{good} NULL"),
        int(scalar(db, "SELECT count(*) FROM operation WHERE op = 'find_tools'")),
    )  # fmt: skip
