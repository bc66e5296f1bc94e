"""Learns from calls which tools are useful under which focus.

Only a successful call teaches something: 1.5 for a tool that the caller had to search for, 1 for
one that was on its list, 0.5 for any other (riglm2's signals). The confidence of a pair of focus
and tool is an exponential moving average of these. Pairs are dropped when they are idle, and the
weakest when there are too many; that is done with every write, so that the bounds always hold.
"""

from collections.abc import Sequence

import apsw
from msgspec import structs

from satchel.knowledge import text_terms, timestamps
from satchel.knowledge.model import Association, Session
from satchel.knowledge.operations.focus import with_tool_call
from satchel.knowledge.ranking import signals
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import read, rows, write
from satchel.knowledge.timestamps import DAY
from satchel.store.sqlite.database import scalar, select, transaction

FOUND_SIGNAL, SHOWN_SIGNAL, OTHER_SIGNAL = 1.5, 1.0, 0.5
MAX_ASSOCIATIONS = 5_000
# Eviction goes below the maximum; otherwise every further write would evict one pair.
_AFTER_EVICTION = 4_500
_IDLE_DAYS = 30
# Jaccard similarity of terms from which two focus texts count as the same focus.
_SAME_FOCUS = 0.95
_MAX_COMPARED = 200


def record_tool_success(context: RequestContext, target: str) -> None:
    """Record that a tool did what the caller wanted, under the session's focus if it has one."""
    session = read.find_session(context.db, context.caller.session)
    if session is None:
        return
    with transaction(context.db):
        write.save_session(context.db, with_tool_call(session, target))
        if session.focus:
            _learn(context, session, target)
            evict_associations(context.db, context.caller.now)


def _learn(context: RequestContext, session: Session, tool: str) -> None:
    signal = OTHER_SIGNAL
    if tool in session.searched:
        signal = FOUND_SIGNAL
    elif tool in session.shown:
        signal = SHOWN_SIGNAL
    target = f"tool:{tool}"
    old = _find_association(context.db, session.focus, target)
    now = context.caller.now
    new = Association(
        focus=old.focus if old else session.focus, target=target,
        confidence=signals.moving_average(old.confidence, signal) if old else signal,
        hits=old.hits + 1 if old else 1, created_at=old.created_at if old else now,
        last_used_at=now,
    )  # fmt: skip
    write.save_association(context.db, new)


def _find_association(db: apsw.Connection, focus: str, target: str) -> Association | None:
    """The association with this focus, or with a nearly equal one."""
    sql = (
        f"SELECT {rows.ASSOCIATION_COLUMNS} FROM association WHERE target = ?"
        " ORDER BY focus = ? DESC, last_used_at DESC, focus LIMIT ?"
    )
    ours = text_terms.terms(focus)
    for row in select(db, sql, (target, focus, _MAX_COMPARED)):
        pair = Association(*row)
        theirs = text_terms.terms(pair.focus)
        if pair.focus == focus or text_terms.jaccard(ours, theirs) >= _SAME_FOCUS:
            return pair
    return None


def associations(db: apsw.Connection) -> list[Association]:
    """All associations, by focus and target."""
    sql = f"SELECT {rows.ASSOCIATION_COLUMNS} FROM association ORDER BY focus, target"
    return [Association(*row) for row in select(db, sql)]


def evict_associations(db: apsw.Connection, now: int) -> int:
    """Delete idle associations, and the weakest when there are too many; returns how many."""
    before = db.total_changes()
    db.execute(
        "DELETE FROM association WHERE last_used_at < ?", (now - _IDLE_DAYS * timestamps.DAY,)
    )
    n_pairs = int(scalar(db, "SELECT count(*) FROM association"))
    if n_pairs > MAX_ASSOCIATIONS:
        # Strength is confidence over 1 + days of idleness (riglm2's eviction score).
        db.execute(
            "DELETE FROM association WHERE (focus, target) IN (SELECT focus, target FROM"
            " association ORDER BY confidence * (1.0 / (1 + (? - last_used_at) / ?)),"
            " last_used_at, focus, target LIMIT ?)",
            (now, float(DAY), n_pairs - _AFTER_EVICTION),
        )
    return db.total_changes() - before


def with_search_results(session: Session, names: Sequence[str]) -> Session:
    """The session after a search for tools that found these."""
    return structs.replace(session, searched=tuple(names))
