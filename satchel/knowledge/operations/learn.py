"""Learning from use: under which focus was which target of use?

A pair is told of only by success: 1.5 for a target that had to be searched for, 1 for one that was
shown, 0.5 for any other. It is remembered as an exponential average, and forgotten when idle or
when there are too many: bounds hold after every write, not only at exit.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw
from msgspec import structs

from satchel.knowledge import timestamps
from satchel.knowledge.context import Desk
from satchel.knowledge.model import Association, Session
from satchel.knowledge.operations.focus import called
from satchel.knowledge.ranking import signals
from satchel.knowledge.storage import read, rows, write
from satchel.store.sqlite.database import scalar, select, transaction

FOUND, SHOWN, OTHER = 1.5, 1.0, 0.5
MOST_PAIRS = 5_000
_AFTER_EVICTION = 4_500
_IDLE_DAYS = 30
_MERGED = 0.95
"""Share of common terms from which two focus texts are one."""
_NEWEST = 200


def used(desk: Desk, target: str) -> None:
    """Note that a tool did what the caller wanted, under the caller's focus if there is one."""
    session = read.session(desk.db, desk.caller.session)
    if session is None:
        return
    with transaction(desk.db):
        write.put_session(desk.db, called(session, target))
        if session.focus:
            _learn(desk, session, f"tool:{target}")
            bounded(desk.db, desk.caller.now)


def _learn(desk: Desk, session: Session, target: str) -> None:
    name = target.removeprefix("tool:")
    signal = FOUND if name in session.searched else SHOWN if name in session.shown else OTHER
    old = _known(desk.db, session.focus, target)
    now = desk.caller.now
    new = Association(
        focus=old.focus if old else session.focus, target=target,
        confidence=signals.averaged(old.confidence, signal) if old else signal,
        hits=old.hits + 1 if old else 1, created_at=old.created_at if old else now,
        last_used_at=now,
    )  # fmt: skip
    write.put_association(desk.db, new)


def _known(db: apsw.Connection, focus: str, target: str) -> Association | None:
    """The pair with this focus, or with one that hardly differs."""
    sql = (
        f"SELECT {rows.ASSOCIATION} FROM association WHERE target = ?"
        " ORDER BY focus = ? DESC, last_used_at DESC, focus LIMIT ?"
    )
    ours = signals.terms(focus)
    for row in select(db, sql, (target, focus, _NEWEST)):
        pair = rows.association(row)
        theirs = signals.terms(pair.focus)
        if pair.focus == focus or len(ours & theirs) >= _MERGED * len(ours | theirs) > 0:
            return pair
    return None


def pairs(db: apsw.Connection) -> list[Association]:
    """Everything that was learned, by focus and target."""
    sql = f"SELECT {rows.ASSOCIATION} FROM association ORDER BY focus, target"
    return [rows.association(row) for row in select(db, sql)]


def bounded(db: apsw.Connection, now: int) -> int:
    """Drop idle pairs, and the weakest when there are too many; returns how many."""
    before = db.total_changes()
    db.execute(
        "DELETE FROM association WHERE last_used_at < ?", (now - _IDLE_DAYS * timestamps.DAY,)
    )
    n_pairs = int(scalar(db, "SELECT count(*) FROM association"))
    if n_pairs > MOST_PAIRS:
        db.execute(
            "DELETE FROM association WHERE (focus, target) IN (SELECT focus, target FROM"
            " association ORDER BY confidence * (1.0 / (1 + (? - last_used_at) / 86400000.0)),"
            " last_used_at, focus, target LIMIT ?)",
            (now, n_pairs - _AFTER_EVICTION),
        )
    return db.total_changes() - before


def searched(session: Session, names: Sequence[str]) -> Session:
    """The session after it has searched for tools."""
    return structs.replace(session, searched=tuple(names))
