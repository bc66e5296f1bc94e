"""Merges another file of knowledge into this one, row by row; its schema is never used.

Nothing of the other file's own making (triggers, views, indexes) comes along. Of an item that both
hold, the one that was changed last stays. Doing it again changes nothing.
"""

from functools import partial

import apsw
import msgspec
from msgspec import Struct

from satchel.knowledge.model import Item, Link
from satchel.knowledge.storage import rows, write
from satchel.store.errors import CorruptIndex
from satchel.store.sqlite.database import select, transaction

_EVENT = rows.EVENT_COLUMNS.removeprefix("seq, ")


class Merged(Struct, frozen=True):
    """How many items came, and how many were there already."""

    added: int
    updated: int
    unchanged: int


def merge(db: apsw.Connection, other: apsw.Connection) -> Merged:
    """Take in all that `other` holds, or nothing when something is raised.

    Raises:
        CorruptIndex: a row of `other` is none that Satchel writes.
    """
    try:
        with transaction(db):
            merged = _items(db, other)
            links = select(other, f"SELECT {rows.LINK_COLUMNS} FROM link ORDER BY src, rel, dst")
            write.add_links(db, map(partial(rows.from_row, Link), links))
            _events(db, other)
            # What belongs to sessions, and what was of use under which focus; ours stays.
            for table, columns in (
                ("session", rows.SESSION_COLUMNS),
                ("association", rows.ASSOCIATION_COLUMNS),
            ):
                marks = ", ".join("?" * (columns.count(",") + 1))
                db.executemany(
                    f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})",
                    select(other, f"SELECT {columns} FROM {table}"),
                )
    except (ValueError, TypeError, msgspec.MsgspecError, apsw.SQLError) as error:
        raise CorruptIndex(f"a row cannot be read: {error}", "nothing was taken over") from error
    return merged


def _items(db: apsw.Connection, other: apsw.Connection) -> Merged:
    ours = {item.id: item for item in _all_items(db)}
    added = updated = unchanged = 0
    for item in _all_items(other):
        known = ours.get(item.id)
        if known is None:
            write.insert_item(db, item)
            added += 1
        elif known.updated_at < item.updated_at:
            write.update_item(db, item)
            updated += 1
        else:
            unchanged += 1
    return Merged(added, updated, unchanged)


def _all_items(db: apsw.Connection) -> list[Item]:
    return [
        rows.from_row(Item, row)
        for row in select(db, f"SELECT {rows.ITEM_COLUMNS} FROM item i ORDER BY i.id")
    ]


def _events(db: apsw.Connection, other: apsw.Connection) -> None:
    ours = set(select(db, f"SELECT {_EVENT} FROM event"))
    new = (row for row in select(other, f"SELECT {_EVENT} FROM event ORDER BY seq"))
    marks = ", ".join("?" * (_EVENT.count(",") + 1))
    db.executemany(
        f"INSERT INTO event ({_EVENT}) VALUES ({marks})", [row for row in new if row not in ours]
    )
