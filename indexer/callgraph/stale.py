"""Which edges are stale. Not in `indexer.callgraph.linker`, which takes long to load."""

from collections.abc import Iterable

import apsw

from satchel.store.records import Edge
from satchel.store.sqlite.database import scalar, select
from satchel.store.sqlite.writer import Writer


def underived(connection: apsw.Connection) -> list[int]:
    """The files that have no edges that follow values yet, by path."""
    sql = "SELECT id FROM files WHERE id NOT IN (SELECT file_id FROM depends) ORDER BY path"
    return [row[0] for row in select(connection, sql)]


def bytes_of_flows(connection: apsw.Connection) -> int:
    """How many bytes all flows take, packed: what following values takes depends on them more than
    on the number of files."""
    return int(scalar(connection, "SELECT ifnull(sum(length(flows)), 0) FROM contents"))


def mark_stale(
    connection: apsw.Connection, moved: Iterable[Edge], changed_keys: Iterable[int]
) -> None:
    """Mark what became stale by the `changed_keys` of written files; keep edges whose target moved.

    Callers keep their edges until they are derived again.
    """
    writer = Writer(connection)
    writer.move_edges(moved)
    writer.mark_stale(changed_keys)
