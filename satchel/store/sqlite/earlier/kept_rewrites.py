"""What was rewritten of files when a branch was switched, kept for the switch back.

A switch back rewrites what the switch rewrote, the other way round. A row of `kept_rewrites` says
what differs between two contents of a path, so that neither is unpacked and compared again. It
follows from the two alone and is never wrong later. Every function that writes expects an open
transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import apsw

from satchel.store import codec
from satchel.store.model import Digest, RepoPath
from satchel.store.platform.blake2 import blake2b
from satchel.store.sqlite.database import scalar, select_many
from satchel.store.sqlite.differences import Difference, taken_back
from satchel.store.sqlite.rows import encode_path

KEEP = 5_000
"""Rows that stay when there are twice as many: the latest."""
_MAX_BYTES = 8_192
"""What is larger is not kept: most have some hundred bytes."""


class Step(NamedTuple):
    """A path whose contents become others, of the same language."""

    path: RepoPath
    was: Digest
    now: Digest
    language: str

    @property
    def number(self) -> int:
        """The id of its row, which is that of the way back as well."""
        # Both ways have one row: sorted, they have the same key.
        key = (encode_path(self.path), self.language, *sorted((self.was, self.now)))
        hashed = blake2b(repr(key).encode(), digest_size=8).digest()
        return int.from_bytes(hashed, "little") >> 1


def find(connection: apsw.Connection, steps: Iterable[Step]) -> dict[Step, Difference]:
    """What is known of some steps."""
    by_number = {step.number: step for step in steps}
    sql = "SELECT id, difference FROM kept_rewrites WHERE id = ?"
    found: dict[Step, Difference] = {}
    for number, packed in select_many(connection, sql, by_number):
        step = by_number[number]
        try:
            known = codec.decode(packed, Difference)
        except codec.Damaged:
            continue  # it is told by comparing
        found[step] = known if step.was < step.now else taken_back(known)
    return found


def keep(connection: apsw.Connection, since: int, made: Mapping[Step, Difference]) -> None:
    """Keep what differs, for the latest steps; `since` is the last row of the record (`replaced`)
    before they were taken."""
    if not made:
        return
    packed = (
        (step.number, since, codec.encode(d if step.was < step.now else taken_back(d)))
        for step, d in made.items()
    )
    connection.executemany(
        "INSERT OR REPLACE INTO kept_rewrites VALUES (?, ?, ?)",
        (row for row in packed if len(row[2]) <= _MAX_BYTES),
    )
    if scalar(connection, "SELECT count(*) FROM kept_rewrites") > 2 * KEEP:
        connection.execute(
            "DELETE FROM kept_rewrites WHERE id NOT IN"
            " (SELECT id FROM kept_rewrites ORDER BY since DESC, id LIMIT ?)",
            (KEEP,),
        )
