"""Edges of files from before a branch switch, kept for a switch back.

A row holds the edges of a file with certain bytes, and the keys they depend on, as of a row of
`store.sqlite.replaced`: what the tree was at that moment can be told as long as that record goes.
Whether that makes them right today is for `indexer.callgraph.restored` to find out. Every function
that writes expects an open transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import numpy as np
from msgspec.structs import replace

from satchel.store import codec
from satchel.store.model import Value
from satchel.store.sqlite import replaced
from satchel.store.sqlite.database import scalar, select

# CROSS JOIN, so that the few files that are stale come first.
_STALE = """FROM files f CROSS JOIN kept_edges k USING (path, digest, language)
    WHERE f.id NOT IN (SELECT file_id FROM depends)"""
KEEP = 10_000
"""Rows that are kept, some 600 bytes each: the latest."""
_MOMENTS = 3
"""Rows of a file with the same bytes: it may not have changed itself, but what it calls did."""


class KeptEdge(Value, frozen=True):
    """An edge; symbols are numbered within their files, the module first.

    `path` and `digest` say in which file its target was, and what that file held.
    """

    source: int
    path: bytes
    digest: str
    target: int
    kind: str
    line: int
    rule: str
    confidence: float


class KeptFile(Value, frozen=True):
    """What the edges of a file were: its row of `depends`, and the edges in order."""

    keys: bytes
    edges: tuple[KeptEdge, ...]


class Candidate(NamedTuple):
    """A file that has stale edges, and what they were at a moment when it had the same bytes."""

    file_id: int
    first_symbol: int
    n_symbols: int
    since: int
    packed: bytes


Lost = Mapping[int, Sequence[KeptEdge]]
"""Edges that were there at that moment and are not now, by the ids of their sources, which they
have for their numbers."""


def keep(connection: apsw.Connection, since: int, files: Iterable[int], lost: Lost) -> None:
    """Keep the edges that files had when `since` was the last row of the record.

    Files whose edges are stale are left out.
    """
    connection.executemany(
        "INSERT OR REPLACE INTO kept_edges VALUES (?, ?, ?, ?, ?)",
        _kept(connection, since, files, lost),
    )


def _kept(
    connection: apsw.Connection, since: int, files: Iterable[int], lost: Lost
) -> Iterator[tuple[bytes, str, str, int, bytes]]:
    """The rows of these files."""
    sql = (
        "SELECT path, digest, language, first_symbol, n_symbols, keys FROM files"
        " JOIN depends ON file_id = id WHERE id = ?"
    )
    for file_id in files:
        for path, digest, language, first, n_symbols, keys in select(connection, sql, (file_id,)):
            ids = range(first, first + n_symbols)
            edges = [KeptEdge(*row) for row in _edges_from(connection, ids)]
            for source in ids if lost else ():
                edges += (replace(edge, source=source - first) for edge in lost.get(source, ()))
            yield path, digest, language, since, codec.encode(KeptFile(keys, tuple(edges)))


def _edges_from(connection: apsw.Connection, symbols: range) -> list[tuple[Any, ...]]:
    sql = (
        "SELECT e.source_id - ?1, t.path, t.digest, e.target_id - t.first_symbol, e.kind, e.line,"
        " e.rule, e.confidence FROM edges e JOIN symbols s ON s.id = e.target_id"
        " JOIN files t ON t.id = s.file_id WHERE e.source_id BETWEEN ?1 AND ?2"
        " ORDER BY e.source_id, e.target_id, e.kind"
    )
    return select(connection, sql, (symbols.start, symbols.stop - 1))


def candidates(connection: apsw.Connection) -> list[Candidate]:
    """What was kept of files with stale edges while they had the same bytes; the latest first."""
    if scalar(connection, "SELECT 1 FROM kept_edges LIMIT 1") is None:
        return []
    columns = "f.id, f.first_symbol, f.n_symbols, k.since, k.edges"
    sql = f"SELECT {columns} {_STALE} ORDER BY k.since DESC, f.path"
    return [Candidate(*row) for row in select(connection, sql)]


def n_candidates(connection: apsw.Connection) -> int:
    """How many there are of these."""
    return int(scalar(connection, f"SELECT count(DISTINCT f.id) {_STALE}"))


def unpack(candidate: Candidate) -> KeptFile | None:
    """What was kept; None where it is damaged, since it can be derived."""
    try:
        return codec.decode(candidate.packed, KeptFile)
    except codec.Damaged:
        return None


def keys_of(kept: KeptFile) -> set[int]:
    """The keys that the edges of a file depend on."""
    return set(np.frombuffer(kept.keys, dtype="<u4").tolist())


class Places:
    """Where files and their symbols are now."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._known: dict[bytes, tuple[str, int]] = {}

    def symbol(self, edge: KeptEdge) -> int | None:
        """The id of the edge's target; None unless its file holds what it held."""
        found = self._known.get(edge.path)
        if found is None:  # asked for once, for all files that use it
            sql = "SELECT digest, first_symbol FROM files WHERE path = ?"
            found = next(iter(select(self._db, sql, (edge.path,))), ("", 0))
            self._known[edge.path] = found
        digest, first_symbol = found
        return first_symbol + edge.target if digest == edge.digest else None


def prune(connection: apsw.Connection) -> None:
    """Drop what the record does not reach back to any more, and the oldest where it is too much."""
    whole_since = replaced.whole_since(connection)
    connection.execute("DELETE FROM kept_edges WHERE since < ?", (whole_since,))
    connection.execute(
        "DELETE FROM kept_edges WHERE (path, digest, language, since) IN (SELECT path, digest,"
        " language, since FROM (SELECT path, digest, language, since, row_number() OVER (PARTITION"
        " BY path, digest, language ORDER BY since DESC) AS place FROM kept_edges)"
        " WHERE place > ?)",
        (_MOMENTS,),
    )
    n_rows = int(scalar(connection, "SELECT count(*) FROM kept_edges"))
    connection.execute(
        "DELETE FROM kept_edges WHERE (path, digest, language, since) IN (SELECT path, digest,"
        " language, since FROM kept_edges ORDER BY since, path, digest, language LIMIT ?)",
        (max(0, n_rows - KEEP),),
    )


def clear(connection: apsw.Connection) -> None:
    """Forget all of them: something that no record tells of has changed."""
    connection.execute("DELETE FROM kept_edges")
