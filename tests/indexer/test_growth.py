"""A day of saves, cut short: the index does not grow with the number of saves it has seen."""

from pathlib import Path

import pytest

from bench.robustness.crash_scene import Here
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import RefreshOptions
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.store.sqlite import chunk_ids, database
from satchel.store.sqlite.earlier import retention
from tests.support.satchel import silent

KEPT = 60_000


def save(connection, root: Path, keep_bytes: int = KEPT) -> None:
    options = RefreshOptions(WalkOptions(), WorkerLimits(), 0, keep_bytes=keep_bytes)
    refresh(connection, root, options, silent, pool=Here())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_an_index_does_not_grow_with_the_saves_it_has_seen(tmp_path, root, monkeypatch):
    monkeypatch.setattr(retention, "FLOOR_BYTES", KEPT)
    monkeypatch.setattr(chunk_ids, "SLACK", 16)
    monkeypatch.setattr(chunk_ids, "CHECK", 4)
    connection = database.connect(tmp_path, writable=True)
    sizes, ids = [], []
    for number in range(160):
        names = [f"day{n * number % 997}" for n in range(20 + number % 7 * 20)]
        (root / "a.py").write_text("".join(f"def {n}():\n    return {n}\n" for n in names))
        save(connection, root)
        sizes.append(int(str(connection.pragma("page_count"))))
        ids.append(database.scalar(connection, "SELECT max(id) FROM chunks"))
    held = database.scalar(connection, "SELECT sum(bytes) FROM retired")
    connection.close()
    assert KEPT / 2 < held <= KEPT
    assert max(sizes[80:]) <= 1.1 * max(sizes[:80])
    assert max(ids) < 60


def test_room_that_a_smaller_tree_leaves_goes_back_to_the_disk(tmp_path, root):
    (root / "a.py").write_text("".join(f"def f{n}():\n    return {n}\n" for n in range(3_000)))
    connection = database.connect(tmp_path, writable=True)
    save(connection, root)
    before = int(str(connection.pragma("page_count")))
    (root / "a.py").unlink()
    save(connection, root, keep_bytes=0)
    database.give_back_space(connection)
    after = int(str(connection.pragma("page_count")))
    free = int(str(connection.pragma("freelist_count")))
    connection.close()
    assert (tmp_path / f"{database.INDEX_NAME}-wal").exists() is False
    assert after < before / 2
    assert free <= before / 8
