"""Whether knowledge.db is whole: what is derived from items is what items say. And mending that.

An item is never changed or removed here: what cannot be read is named and left. Vectors, terms,
tags, digests and links to items that are gone are made again from what the items hold.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import apsw
import msgspec

from satchel.knowledge.model import Item
from satchel.knowledge.storage import fulltext, rows, vectors, write
from satchel.store.sqlite.database import select, transaction

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class IntegrityProblem:
    """Something that is not as it should be; `item` is "" where it is about the whole file."""

    item: str
    what: str
    repaired: bool


def check_integrity(db: apsw.Connection, *, repair: bool) -> list[IntegrityProblem]:
    """Every flaw, of the file first, then by item; with `repair` those that can be are repaired."""
    with transaction(db, keep=repair):
        found = [*_page_problems(db), *_dangling_links(db, repair=repair)]
        indexed = _indexed_term_sums(db)
        known: set[int] = set()
        last = 0
        while batch := select(
            db, f"SELECT i.seq, i.digest, {rows.ITEM_COLUMNS} FROM item i WHERE i.seq > ?"
            " ORDER BY i.seq LIMIT ?", (last, _BATCH),
        ):  # fmt: skip
            last = batch[-1][0]
            known |= {row[0] for row in batch}
            found += _item_problems(db, batch, indexed, repair=repair)
        if indexed.keys() - known:
            found.append(IntegrityProblem("", "terms of items that are gone", repair))
            for seq in indexed.keys() - known if repair else ():
                db.execute("DELETE FROM item_text WHERE rowid = ?", (seq,))
    return found


def _page_problems(db: apsw.Connection) -> list[IntegrityProblem]:
    said = [row[0] for row in select(db, "PRAGMA integrity_check(20)")]
    broken = [f"{row[0]} refers to nothing" for row in select(db, "PRAGMA foreign_key_check")]
    return [IntegrityProblem("", what, repaired=False) for what in (*said, *broken) if what != "ok"]


def _dangling_links(db: apsw.Connection, *, repair: bool) -> list[IntegrityProblem]:
    lost = "dst LIKE 'item:%' AND substr(dst, 6) NOT IN (SELECT id FROM item)"
    found = select(db, f"SELECT src, rel FROM link WHERE {lost} ORDER BY src, rel, dst")
    if repair:
        db.execute(f"DELETE FROM link WHERE {lost}")
    return [
        IntegrityProblem(src, f"{rel} leads to an item that is gone", repair) for src, rel in found
    ]


def _indexed_term_sums(db: apsw.Connection) -> Counter[int]:
    """For each item a sum over the terms that the full-text index has of it."""
    db.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.instance"
        " USING fts5vocab('main', 'item_text', 'instance')"
    )
    sums: Counter[int] = Counter()
    for term, seq, column in db.execute("SELECT term, doc, col FROM temp.instance"):
        sums[seq] += _term_checksum(term, column)
    return sums


def _term_checksum(term: str, column: str) -> int:
    return zlib.crc32(f"{column} {term}".encode()) + 1


def _item_problems(
    db: apsw.Connection, batch: Sequence[tuple[object, ...]], indexed: Counter[int], *, repair: bool
) -> Iterator[IntegrityProblem]:
    readable: list[tuple[int, str, Item]] = []
    for seq, digest, *row in batch:
        try:
            readable.append((int(str(seq)), str(digest), rows.item_from_row(tuple(row))))
        except (ValueError, msgspec.MsgspecError) as error:
            yield IntegrityProblem(str(row[0]), f"cannot be read: {error}", repaired=False)
    lacking = vectors.mismatched(db, [(seq, item) for seq, _, item in readable])
    for seq, digest, item in readable:
        flaws = [
            what
            for is_so, what in (
                (digest != rows.item_columns(item)["digest"], "digest of other words"),
                (_tags(db, seq) != sorted(set(item.tags)), "found by other tags than it has"),
                (indexed[seq] != _expected_term_sum(item), "found by other words than it has"),
                (seq in lacking, "vector of another text"),
            )
            if is_so
        ]
        if flaws and repair:
            write.update_item(db, item)
        yield from (IntegrityProblem(item.id, what, repair) for what in flaws)


def _tags(db: apsw.Connection, seq: int) -> list[str]:
    return [tag for (tag,) in select(db, "SELECT tag FROM tag WHERE seq = ? ORDER BY tag", (seq,))]


def _expected_term_sum(item: Item) -> int:
    parts = zip(("summary", "rest"), fulltext.indexed_terms(item), strict=True)
    return sum(
        _term_checksum(term, column) for column, terms in parts for term in set(terms.split())
    )
