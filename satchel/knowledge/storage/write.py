"""Writes knowledge.db: the statements. The caller holds a transaction around all of them, so that
an item, its links and the event that records it are there together or not at all.
"""

import secrets
from collections.abc import Iterable, Sequence

import apsw
from msgspec import structs

from satchel.knowledge.model import (
    Association,
    Change,
    Item,
    ItemId,
    Link,
    Session,
    Timestamp,
)
from satchel.knowledge.scopes import ITEM
from satchel.knowledge.storage import fulltext, rows, vectors
from satchel.store.sqlite.database import scalar

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_RANDOM_BITS = 80


def new_id(now: Timestamp) -> ItemId:
    """A new ULID: 48 bits of time, 80 random ones (https://github.com/ulid/spec)."""
    return ulid(now, secrets.randbits(_RANDOM_BITS))


def ulid(at: Timestamp, rest: int) -> ItemId:
    """The ULID of a time and 80 further bits."""
    # 26 characters of five bits, the highest first: as text they sort by time.
    number = max(at, 0) << _RANDOM_BITS | rest
    return ItemId("".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5)))


def insert_item(db: apsw.Connection, item: Item) -> None:
    """Add an item."""
    row = rows.item_columns(item)
    names = ", ".join(row)
    db.execute(
        f"INSERT INTO item ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values())
    )
    _index(db, db.last_insert_rowid(), item)


def update_item(db: apsw.Connection, item: Item) -> None:
    """Write an item over the one with its id."""
    row = rows.item_columns(item)
    seq = _seq(db, item.id)
    assigned = ", ".join(f"{name} = ?" for name in row)
    db.execute(f"UPDATE item SET {assigned} WHERE seq = ?", (*row.values(), seq))
    _unindex(db, seq)  # the full-text index is contentless: a row can only be deleted and added
    _index(db, seq, item)


def delete_item(db: apsw.Connection, item_id: ItemId) -> None:
    """Remove an item, its links and the links to it, and the texts in its events.

    The events stay without their texts: that something was deleted is history, what it said is not.
    """
    seq = _seq(db, item_id)
    _unindex(db, seq)
    # `src` is a foreign key and `dst` is not: it may name a path or a commit as well.
    db.execute("DELETE FROM link WHERE dst = ?", (f"{ITEM}{item_id}",))
    forget = "UPDATE event SET summary = '', reason = '', changes = '[]' WHERE item_id = ?"
    db.execute(forget, (item_id,))
    db.execute("DELETE FROM item WHERE seq = ?", (seq,))
    vectors.record_deletion(db)


def _seq(db: apsw.Connection, item_id: ItemId) -> int:
    return int(scalar(db, "SELECT seq FROM item WHERE id = ?", (item_id,)))


def _index(db: apsw.Connection, seq: int, item: Item) -> None:
    db.execute(
        "INSERT INTO item_text (rowid, summary, rest) VALUES (?, ?, ?)",
        (seq, *fulltext.indexed_terms(item)),
    )
    db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?)", [(tag, seq) for tag in item.tags])
    vectors.save_vector(db, seq, item)


def _unindex(db: apsw.Connection, seq: int) -> None:
    db.execute("DELETE FROM item_text WHERE rowid = ?", (seq,))
    db.execute("DELETE FROM tag WHERE seq = ?", (seq,))


def add_links(db: apsw.Connection, links: Iterable[Link]) -> int:
    """Add links and return how many are new; one that is there already stays as it is."""
    # `executemany` reports no number of rows, so the connection's counter tells how many were new.
    before = db.total_changes()
    db.executemany(
        "INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?, ?, ?)",
        [structs.astuple(link) for link in links],
    )
    return db.total_changes() - before


def retarget_link(db: apsw.Connection, link: Link, dst: str) -> None:
    """Point a link at the place that its target has moved to."""
    # REPLACE, since another link of the item may lead there already.
    key = (link.src, link.rel, link.dst)
    db.execute("UPDATE OR REPLACE link SET dst = ? WHERE src = ? AND rel = ? AND dst = ?",
               (dst, *key))  # fmt: skip


def update_anchor(db: apsw.Connection, link: Link) -> None:
    """Store the anchor of the link in place of the one it had."""
    db.execute(
        "UPDATE link SET anchor = ? WHERE src = ? AND rel = ? AND dst = ?",
        (link.anchor, link.src, link.rel, link.dst),
    )


def add_event(db: apsw.Connection, event: Sequence[object], changes: Sequence[Change]) -> None:
    """Record what happened to an item: `event` has the columns before `changes`."""
    db.execute(
        "INSERT INTO event (at, actor, session, action, item_id, summary, from_status, to_status,"
        " reason, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*event, rows.to_json(changes)),
    )


def record_shown(db: apsw.Connection, ids: Sequence[ItemId], now: Timestamp) -> None:
    """Count items as shown now."""
    db.executemany(
        "UPDATE item SET uses = uses + 1, touched_at = ? WHERE id = ?", [(now, i) for i in ids]
    )


def save_session(db: apsw.Connection, session: Session) -> None:
    """Write a session over the one with its id."""
    values = [
        rows.to_json(value) if isinstance(value, tuple) else value
        for value in structs.astuple(session)
    ]
    db.execute(
        f"INSERT OR REPLACE INTO session ({rows.SESSION_COLUMNS})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )


def save_association(db: apsw.Connection, learned: Association) -> None:
    """Write an association over the one with its focus and target."""
    db.execute(
        f"INSERT OR REPLACE INTO association ({rows.ASSOCIATION_COLUMNS})"
        " VALUES (?, ?, ?, ?, ?, ?)",
        structs.astuple(learned),
    )
