"""Records one row for each operation, never its contents, and sums up what the rows say.

The three criteria for `set_context` are riglm2's: how often a focus is set, whether the tools that
are listed for it are those that are called, and whether that is better than without a filter.
"""

import apsw
from msgspec import Struct

from satchel.knowledge import timestamps
from satchel.knowledge.model import Caller
from satchel.knowledge.ranking.fitting_items import ItemTotals
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage.read import VISIBLE
from satchel.store.sqlite.database import scalar, select

TOOL = "tool"
"""The operation of a tool called through Satchel."""
_KEPT_DAYS = 90


class Operation(Struct, frozen=True, kw_only=True):
    """One operation. For a call of a tool, `shown` is whether the list had it (None without a
    focus), and `totals` counts the listed tools as `packed` of `considered`.
    """

    op: str
    ms: float
    outcome: str = "ok"
    totals: ItemTotals | None = None
    target: str = ""
    shown: bool | None = None


class OperationRow(Struct, frozen=True):
    """How often and how fast an operation was; percentiles are over the newest thousand."""

    op: str
    n: int
    failed: int
    p50_ms: float
    p95_ms: float


class FocusStats(Struct, frozen=True):
    """The criteria of `set_context`, each 0..1, None before there is anything to tell.

    `expected_by_chance` is the share of calls that a random list of the same length would have
    had: the filter is of use when `calls_shown` is above it.
    """

    sessions: int
    sessions_with_focus: float | None
    calls_shown: float | None
    expected_by_chance: float | None
    succeeded_with_focus: float | None
    succeeded_without: float | None
    searches_for_tools: int


class Stats(Struct, frozen=True):
    """How much is stored, and how it is used."""

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
    totals = done.totals or ItemTotals(0, 0, 0, 0)
    db.execute(
        "INSERT INTO operation (at, op, outcome, session, ms, considered, packed, used_tokens,"
        " budget, target, shown) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            caller.now, done.op, done.outcome, caller.session, done.ms, totals.considered,
            totals.packed, totals.used_tokens, totals.budget, done.target, done.shown,
        ),
    )  # fmt: skip


def delete_old_operations(db: apsw.Connection, now: int) -> int:
    """Delete rows older than 90 days; returns how many."""
    before = db.total_changes()
    db.execute("DELETE FROM operation WHERE at < ?", (now - _KEPT_DAYS * timestamps.DAY,))
    return db.total_changes() - before


def stats(context: RequestContext) -> Stats:
    """Counts and times, none of which shows what items say."""
    db, actor = context.db, context.caller.actor

    def n_rows(table: str) -> int:
        return int(scalar(db, f"SELECT count(*) FROM {table}"))

    n_bytes = int(db.pragma("page_count")) * int(db.pragma("page_size"))
    # SQLite has no percentiles of its own, so the newest times of each operation are sorted here.
    sql = "SELECT op, count(*), sum(outcome != 'ok') FROM operation GROUP BY op ORDER BY op"
    found = []
    for op, n, failed in select(db, sql):
        newest = "SELECT ms FROM operation WHERE op = ? ORDER BY seq DESC LIMIT 1000"
        times = sorted(ms for (ms,) in select(db, newest, (op,)))
        p50, p95 = (
            round(times[min(int(len(times) * share), len(times) - 1)], 2) for share in (0.5, 0.95)
        )
        found.append(OperationRow(op, n, failed, p50, p95))
    named = "SELECT count(DISTINCT session) FROM operation WHERE session != ''"
    sessions = int(scalar(db, named))
    focused = int(scalar(db, f"{named} AND op = 'set_context' AND outcome = 'ok'"))
    calls = "FROM operation WHERE op = 'tool'"
    shown = scalar(db, f"SELECT avg(shown) {calls} AND shown IS NOT NULL")
    # A random list of `packed` of `considered` tools has a given tool with that probability.
    chance = scalar(
        db, f"SELECT avg(1.0 * packed / considered) {calls} AND shown IS NOT NULL AND considered"
    )
    # `shown` is NULL for a call that was made without a focus.
    good = f"SELECT avg(outcome = 'ok') {calls} AND shown IS"
    focus = FocusStats(
        sessions, focused / sessions if sessions else None, shown, chance,
        scalar(db, f"{good} NOT NULL"), scalar(db, f"{good} NULL"),
        int(scalar(db, "SELECT count(*) FROM operation WHERE op = 'find_tools'")),
    )  # fmt: skip
    return Stats(
        items=_count_by(db, "kind", actor), statuses=_count_by(db, "status", actor),
        links=n_rows("link"), events=n_rows("event"), associations=n_rows("association"),
        operations=tuple(found), focus=focus, file_bytes=n_bytes,
    )  # fmt: skip


def _count_by(db: apsw.Connection, column: str, actor: str) -> dict[str, int]:
    sql = f"SELECT {column}, count(*) FROM item i WHERE {VISIBLE} GROUP BY 1 ORDER BY 2 DESC, 1"
    return dict(select(db, sql, (actor,)))
