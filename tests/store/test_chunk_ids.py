"""Which ids chunks get: never one in use, and never many more than there are chunks."""

from pathlib import Path
from random import Random

import apsw
import pytest

from satchel.store.sqlite import chunk_ids, database
from satchel.store.sqlite.chunk_ids import ChunkIdAllocator


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chunk_ids, "SLACK", 64)
    monkeypatch.setattr(chunk_ids, "CHECK", 16)
    connection = database.connect(tmp_path, writable=True)
    with database.transaction(connection):
        yield connection
    connection.close()


def fill(db: apsw.Connection, number: int, first: int, n_chunks: int) -> None:
    row = (number, b"%d" % number, first, n_chunks)
    db.execute("INSERT INTO files VALUES (?, ?, '', '', 0, 0, 0, 0, 0, ?, ?, 0, 0, x'')", row)
    for chunk in range(first, first + n_chunks):  # refuses an id that is in use
        values = (chunk, number)
        db.execute("INSERT INTO chunks VALUES (?, ?, NULL, '', 0, 0, 0, 0, '', 0, 0)", values)


def remove(db: apsw.Connection, number: int) -> None:
    db.execute("DELETE FROM chunks WHERE file_id = ?", (number,))
    db.execute("DELETE FROM files WHERE id = ?", (number,))


def n_ids(db: apsw.Connection) -> tuple[int, int]:
    return db.execute("SELECT coalesce(max(id) + 1, 0), count(*) FROM chunks").fetchall()[0]


@pytest.mark.parametrize("cursor", [0, 7, 10**9])
def test_ids_are_used_again_once_there_are_many(db: apsw.Connection, cursor: int):
    random, held = Random(1), list[int]()
    for number in range(1, 2_000):
        while len(held) >= 40:
            remove(db, held.pop(random.randrange(len(held))))
        allocator, n_chunks = ChunkIdAllocator(db, cursor), random.randrange(9)
        fill(db, number, allocator.allocate(n_chunks), n_chunks)
        cursor = allocator.cursor
        held.append(number)
    end, n_used = n_ids(db)
    assert n_used > 100
    assert end <= 3 * n_used + chunk_ids.SLACK


def test_ids_of_what_stays_stay(db: apsw.Connection):
    allocator = ChunkIdAllocator(db, 0)
    for number in range(1, 100):
        fill(db, number, allocator.allocate(5), 5)
    assert n_ids(db) == (495, 495)
    for number in range(1, 100, 3):
        remove(db, number)
    allocator = ChunkIdAllocator(db, 0)
    assert [allocator.allocate(5), allocator.allocate(5), allocator.allocate(0)] == [0, 15, 20]
    assert allocator.allocate(6) == 495  # no gap holds it
