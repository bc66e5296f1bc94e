"""Checks whether what knowledge.db derives from items agrees with the items, and repairs it.

An item is never changed or removed here: one that cannot be read is named and left. Vectors, terms,
tags and digests are made again from the items; links to items that are gone are removed.
"""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

import apsw
import msgspec
from msgspec import Struct

from satchel.knowledge.model import Item
from satchel.knowledge.storage import fulltext, rows, vectors, write
from satchel.store.sqlite.database import select, transaction

_BATCH = 2_000


class IntegrityProblem(Struct, frozen=True):
    """One thing that is wrong in the file; `item` is "" where it is about the whole file."""

    item: str
    what: str
    repaired: bool = msgspec.field(name="mended")


def check_integrity(db: apsw.Connection, *, repair: bool) -> list[IntegrityProblem]:
    """Every problem, those of the file first, then by item.

    With `repair` what can be repaired is, and everything is rolled back when that fails.
    """
    # One transaction also without `repair`: the checks need a temporary table and one consistent
    # state, and are rolled back.
    with transaction(db, keep=repair):
        reported = [row[0] for row in select(db, "PRAGMA integrity_check(20)")]
        broken = [f"{row[0]} refers to nothing" for row in select(db, "PRAGMA foreign_key_check")]
        found = [
            IntegrityProblem("", what, repaired=False)
            for what in (*reported, *broken)
            if what != "ok"
        ]
        lost = "dst LIKE 'item:%' AND substr(dst, 6) NOT IN (SELECT id FROM item)"
        for src, rel in select(
            db, f"SELECT src, rel FROM link WHERE {lost} ORDER BY src, rel, dst"
        ):
            found.append(IntegrityProblem(src, f"{rel} leads to an item that is gone", repair))
        if repair:
            db.execute(f"DELETE FROM link WHERE {lost}")
        indexed = _indexed_term_sums(db)
        known: set[int] = set()
        last = 0
        while batch := select(
            db, f"SELECT i.seq, i.digest, {rows.ITEM_COLUMNS} FROM item i WHERE i.seq > ?"
            " ORDER BY i.seq LIMIT ?", (last, _BATCH),
        ):  # fmt: skip
            last = batch[-1][0]
            known |= {row[0] for row in batch}  # rows of unreadable items belong to somebody too
            found += _item_problems(db, batch, indexed, repair=repair)
        if indexed.keys() - known:
            found.append(IntegrityProblem("", "terms of items that are gone", repair))
            for seq in indexed.keys() - known if repair else ():
                db.execute("DELETE FROM item_text WHERE rowid = ?", (seq,))
    return found


def _indexed_term_sums(db: apsw.Connection) -> Counter[int]:
    """For each item, the sum of the checksums of all terms under which the index has it.

    The full-text index is contentless: it can be asked which items hold a term, and not which
    terms an item holds. So its whole vocabulary is read once and summed up by item; sums of
    checksums do not depend on the order of terms.
    """
    db.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.instance"
        " USING fts5vocab('main', 'item_text', 'instance')"
    )
    sums: Counter[int] = Counter()
    for term, seq, column in db.execute("SELECT term, doc, col FROM temp.instance"):
        sums[seq] += _term_checksum(term, column)
    return sums


def _term_checksum(term: str, column: str) -> int:
    return zlib.crc32(f"{column} {term}".encode()) + 1  # never 0: every term must move the sum


def _item_problems(
    db: apsw.Connection, batch: Sequence[tuple[object, ...]], indexed: Counter[int], *, repair: bool
) -> Iterator[IntegrityProblem]:
    readable: list[tuple[int, str, Item]] = []
    for seq, digest, *row in batch:
        try:
            readable.append((int(str(seq)), str(digest), rows.from_row(Item, tuple(row))))
        except (ValueError, msgspec.MsgspecError) as error:
            yield IntegrityProblem(str(row[0]), f"cannot be read: {error}", repaired=False)
    wrong_vectors = vectors.mismatched(db, [(seq, item) for seq, _, item in readable])
    for seq, digest, item in readable:
        stored = select(db, "SELECT tag FROM tag WHERE seq = ? ORDER BY tag", (seq,))
        term_sum = sum(
            _term_checksum(term, column)
            for column, terms in zip(("summary", "rest"), fulltext.indexed_terms(item), strict=True)
            for term in set(terms.split())
        )
        problems = [
            what
            for is_so, what in (
                (digest != rows.item_columns(item)["digest"], "digest of other words"),
                ([tag for (tag,) in stored] != sorted(set(item.tags)),
                 "found by other tags than it has"),
                (indexed[seq] != term_sum, "found by other words than it has"),
                (seq in wrong_vectors, "vector of another text"),
            )
            if is_so
        ]  # fmt: skip
        if problems and repair:
            write.update_item(db, item)  # writes everything that is derived from the item as well
        yield from (IntegrityProblem(item.id, what, repair) for what in problems)
