"""Connections that a server keeps: as many as it says, to the index that there is now."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import apsw
import pytest

from satchel.store.sqlite import database
from satchel.store.sqlite.kept_connections import KeptConnections


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[KeptConnections]:
    database.connect(tmp_path, writable=True).close()
    with closing(KeptConnections()) as found:
        found.n_kept = 1
        yield found


def opened(kept: KeptConnections, directory: Path) -> apsw.Connection:
    """A connection that was lent and given back."""
    with kept.opened(directory, database.inode(directory)) as connection:
        connection.execute("SELECT count(*) FROM files").fetchall()
    return connection


def is_open(connection: apsw.Connection) -> bool:
    try:
        connection.execute("SELECT 1").fetchall()
    except apsw.ConnectionClosedError:
        return False
    return True


def test_one_serves_again_and_no_more_than_are_kept(kept: KeptConnections, tmp_path: Path):
    assert opened(kept, tmp_path) is opened(kept, tmp_path)
    inode = database.inode(tmp_path)
    with ExitStack() as both:
        two = [both.enter_context(kept.opened(tmp_path, inode)) for _ in range(2)]
        assert two[0] is not two[1]
    assert sorted(map(is_open, two)) == [False, True]


def test_a_command_keeps_none(tmp_path: Path):
    database.connect(tmp_path, writable=True).close()
    assert not is_open(opened(KeptConnections(), tmp_path))


def test_one_that_something_was_raised_over_is_closed(kept: KeptConnections, tmp_path: Path):
    with pytest.raises(KeyboardInterrupt), kept.opened(tmp_path, database.inode(tmp_path)) as one:
        raise KeyboardInterrupt
    assert not is_open(one)


def test_an_index_in_the_place_of_another_is_read_by_a_new_one(
    kept: KeptConnections, tmp_path: Path
):
    before = opened(kept, tmp_path)
    database.remove(tmp_path)
    with closing(database.connect(tmp_path, writable=True)) as writer:
        # The journal of the new index is not taken away by whoever closes the old one.
        writer.execute("INSERT INTO meta VALUES ('mark', 'new')")
        after = opened(kept, tmp_path)
        assert not is_open(before)
        mark = after.execute("SELECT value FROM meta WHERE key = 'mark'").fetchall()
        assert mark == [("new",)]
        assert (tmp_path / f"{database.INDEX_NAME}-wal").exists()


def test_what_is_released_holds_no_file(kept: KeptConnections, tmp_path: Path):
    one = opened(kept, tmp_path)
    kept.release()
    assert not is_open(one)
    assert is_open(opened(kept, tmp_path))
    kept.close()
    assert not is_open(opened(kept, tmp_path))
