"""Edges of files from before a branch switch, kept for a switch back.

A row of `kept_edges` holds the edges of a file with certain bytes, and the keys they depend on. A
row of `kept_moments` says that they were that while a certain row of the record (`replaced`)
was the last one: what the tree was at that moment can be told as long as that record goes. Whether
that makes them right today is for `indexer.callgraph.restored` to find out.

Most files that use what a switch changes have the same edges on both branches. These are one row,
whose id is a hash of what is in it, and `depends` says which row has the edges of today: then a
switch compares two numbers. Every function that writes expects an open transaction.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from satchel.store import codec
from satchel.store.model import Value
from satchel.store.platform.blake2 import blake2b
from satchel.store.sqlite.database import scalar, select, select_many
from satchel.store.sqlite.earlier import replaced
from satchel.store.sqlite.schema import FORGET_KEPT_EDGES

KEEP = 10_000
"""Rows that are kept, some 600 bytes each: the latest."""
_MOMENTS = 3
"""Moments of a row; when a fourth comes, the earliest goes."""


class TargetFile(Value, frozen=True):
    """A file that edges lead to, and which symbols it had (`store.sqlite.rows.shape`)."""

    path: bytes
    shape: bytes


class KeptEdge(Value, frozen=True):
    """An edge; `target` is a symbol of the `file`-th of the files that edges lead to.

    Symbols are numbered within their files, the module first.
    """

    source: int
    file: int
    target: int
    kind: str
    line: int
    rule: str
    confidence: float


class KeptFile(Value, frozen=True):
    """The edges of a file, by source, path of the target, target and kind; `files` by path."""

    files: tuple[TargetFile, ...]
    edges: tuple[KeptEdge, ...]


class LostEdge(NamedTuple):
    """An edge that was there and is not now, because its target was taken out."""

    file: TargetFile
    target: int
    kind: str
    line: int
    rule: str
    confidence: float


Lost = Mapping[int, Sequence[LostEdge]]
"""By the ids of their sources."""


class Candidate(NamedTuple):
    """A file whose edges may be what they were at some moment, when it had the same bytes."""

    file_id: int
    first_symbol: int
    n_symbols: int
    kept: int


class _Kept(NamedTuple):
    """A row of `kept_edges`."""

    id: int
    path: bytes
    digest: str
    language: str
    keys: bytes
    edges: bytes


def keep(
    connection: apsw.Connection, since: int, files: Sequence[int], lost: Lost
) -> dict[int, int]:
    """Keep the edges that files had when `since` was the last row of the record.

    `lost` are those that have gone since then. Files whose edges are stale are left out. Returns
    the row that has the edges of each file.
    """
    # The row that `depends` names may be dropped by now.
    sql = (
        "SELECT file_id, kept FROM depends WHERE file_id = ?"
        " AND EXISTS (SELECT 1 FROM kept_edges WHERE id = kept)"
    )
    rows: dict[int, int] = dict(select_many(connection, sql, files))
    sql = (
        "SELECT f.id, f.path, f.digest, f.language, f.first_symbol, f.n_symbols, d.keys"
        " FROM files f JOIN depends d ON d.file_id = f.id WHERE f.id = ?"
    )
    new = select_many(connection, sql, (file for file in files if file not in rows))
    if new:
        made = _make_rows(connection, new, lost)
        _write_rows(connection, made.values())
        rows |= {file_id: row.id for file_id, row in made.items()}
    connection.executemany(
        "INSERT OR IGNORE INTO kept_moments VALUES (?, ?)",
        sorted((since, k) for k in rows.values()),
    )
    return rows


def _make_rows(
    connection: apsw.Connection, files: Iterable[tuple[Any, ...]], lost: Lost
) -> dict[int, _Kept]:
    """The rows of files, by the ids of the files."""
    sql = (
        "SELECT e.source_id - ?1, t.path, t.shape, e.target_id - t.first_symbol, e.kind, e.line,"
        " e.rule, e.confidence FROM edges e JOIN symbols s ON s.id = e.target_id"
        " JOIN files t ON t.id = s.file_id WHERE e.source_id BETWEEN ?1 AND ?1 + ?2 - 1"
    )
    made: dict[int, _Kept] = {}
    for file_id, path, digest, language, first, n_symbols, keys in files:
        edges = select(connection, sql, (first, n_symbols))
        for source in range(first, first + n_symbols) if lost else ():
            edges += (
                (source - first, edge.file.path, edge.file.shape, *edge[1:])
                for edge in lost.get(source, ())
            )
        # Not by ids, so that equal edges are equal bytes.
        edges.sort()
        packed = codec.encode(_kept_file(edges))
        content = repr((path, digest, language, packed)).encode()
        hashed = blake2b(content, digest_size=8).digest()
        number = int.from_bytes(hashed, "little") >> 1 or 1  # positive, and 0 means none
        made[file_id] = _Kept(number, path, digest, language, keys, packed)
    return made


def _kept_file(edges: Iterable[tuple[Any, ...]]) -> KeptFile:
    """The edges of a file, given as columns of `KeptEdge` with path and shape for `file`."""
    files = sorted({(path, shape) for _, path, shape, *_ in edges})
    numbers = {file: n for n, file in enumerate(files)}
    return KeptFile(
        tuple(TargetFile(*file) for file in files),
        tuple(
            KeptEdge(source, numbers[path, shape], *rest) for source, path, shape, *rest in edges
        ),
    )


def _write_rows(connection: apsw.Connection, made: Iterable[_Kept]) -> None:
    """Write rows; keys of one that is there are added to."""
    # The same edges may follow from other look-ups on another branch. All of them together are
    # right on both: the edges are derived again when any of them has another answer.
    row = "SELECT keys FROM kept_edges WHERE id = ?"
    for kept in made:
        keys = scalar(connection, row, (kept.id,))
        if keys is None:
            connection.execute("INSERT INTO kept_edges VALUES (?, ?, ?, ?, ?, ?)", kept)
        elif keys != kept.keys:
            both = codec.encode_keys(codec.decode_keys(keys) | codec.decode_keys(kept.keys))
            connection.execute("UPDATE kept_edges SET keys = ? WHERE id = ?", (both, kept.id))


def candidates(connection: apsw.Connection, files: Sequence[int]) -> dict[int, list[Candidate]]:
    """What was kept of some files while they had the same bytes, by moment."""
    sql = (
        "SELECT f.id, f.first_symbol, f.n_symbols, k.id FROM files f"
        " JOIN kept_edges k USING (path, digest, language) WHERE f.id = ?"
    )
    found: defaultdict[int, list[Candidate]] = defaultdict(list)
    for row in select_many(connection, sql, files):
        found[row[3]].append(Candidate(*row))
    moments: defaultdict[int, list[Candidate]] = defaultdict(list)
    for since, kept in select(connection, "SELECT since, kept FROM kept_moments") if found else ():
        moments[since] += found.get(kept, ())
    return {since: group for since, group in moments.items() if group}


def n_candidates(connection: apsw.Connection) -> int:
    """How many files with stale edges there are of which something was kept."""
    # CROSS JOIN, so that the few files that are stale come first.
    sql = (
        "SELECT count(DISTINCT f.id) FROM files f CROSS JOIN kept_edges k"
        " USING (path, digest, language) WHERE f.id NOT IN (SELECT file_id FROM depends)"
    )
    return int(scalar(connection, sql))


def edges_of(connection: apsw.Connection, kept: int) -> KeptFile | None:
    """The edges of a row; None where they are damaged, since they can be derived."""
    edges = scalar(connection, "SELECT edges FROM kept_edges WHERE id = ?", (kept,))
    try:
        return codec.decode(edges, KeptFile)
    except codec.Damaged:
        return None


def keys_of(connection: apsw.Connection, kept: int) -> bytes:
    """The keys that the edges of a row depend on."""
    return bytes(scalar(connection, "SELECT keys FROM kept_edges WHERE id = ?", (kept,)))


def depend_on(keys: bytes, changed: set[int]) -> bool:
    """Whether any of some keys has changed."""
    return not changed.isdisjoint(codec.decode_keys(keys))


class FirstSymbols:
    """The ids of the first symbols of files today."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._known: dict[bytes, tuple[bytes, int]] = {}

    def of(self, file: TargetFile) -> int | None:
        """That of a file; None unless it has the symbols that it had."""
        found = self._known.get(file.path)
        if found is None:  # asked for once, for all files that use it
            sql = "SELECT shape, first_symbol FROM files WHERE path = ?"
            found = next(iter(select(self._db, sql, (file.path,))), (b"", 0))
            self._known[file.path] = found
        shape, first_symbol = found
        return first_symbol if shape == file.shape else None


def prune(connection: apsw.Connection) -> None:
    """Drop what the record does not reach back to any more, and the oldest where it is too much."""
    whole_since = replaced.whole_since(connection)
    connection.execute("DELETE FROM kept_moments WHERE since < ?", (whole_since,))
    connection.execute(
        "DELETE FROM kept_moments WHERE (since, kept) IN (SELECT since, kept FROM (SELECT since,"
        " kept, row_number() OVER (PARTITION BY kept ORDER BY since DESC) AS place"
        " FROM kept_moments) WHERE place > ?)",
        (_MOMENTS,),
    )
    connection.execute(
        "DELETE FROM kept_edges WHERE id IN (SELECT id FROM kept_edges EXCEPT SELECT kept FROM"
        " (SELECT kept FROM kept_moments GROUP BY kept ORDER BY max(since) DESC, kept LIMIT ?))",
        (KEEP,),
    )
    connection.execute("DELETE FROM kept_moments WHERE kept NOT IN (SELECT id FROM kept_edges)")


def clear(connection: apsw.Connection) -> None:
    """Forget all of them: something that no record tells of has changed."""
    connection.execute(FORGET_KEPT_EDGES)
