"""Reading the whole call graph: rows for graph algorithms, without signatures, docs or spans."""

from collections.abc import Iterator, Sequence
from sys import intern

import apsw

from satchel.store.model import FUNCTIONS, TYPES, RepoPath
from satchel.store.records import SATISFIES, SURE, Edge, ModuleUse, Node
from satchel.store.sqlite.database import select, select_in
from satchel.store.sqlite.rows import EDGE_COLUMNS, decode_path

_ALONE = tuple(sorted(FUNCTIONS | TYPES))
"""Kinds that are nodes without an edge: whether they are used at all is a question."""


class Graph:
    """The call graph of one snapshot, whole."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection

    def nodes(self) -> Iterator[Node]:
        rows = self._db.execute(
            "SELECT s.id, f.path, s.name, s.qualified, s.kind, s.line, s.visibility, s.is_test,"
            " coalesce(s.parent_id, 0) FROM symbols s JOIN files f ON f.id = s.file_id"
            f" WHERE s.kind IN ({','.join('?' * len(_ALONE))})"
            " OR EXISTS (SELECT 1 FROM edges WHERE source_id = s.id)"
            " OR EXISTS (SELECT 1 FROM edges WHERE target_id = s.id) ORDER BY s.id",
            _ALONE,
        )
        paths: dict[bytes, RepoPath] = {}
        for symbol, path, name, qualified, kind, line, visibility, is_test, parent in rows:
            known = paths.get(path) or paths.setdefault(path, decode_path(path))
            # Words that come again in each row are kept once: they are a third of the graph.
            yield Node(
                symbol, known, name, name if qualified == name else qualified, intern(kind), line,
                intern(visibility), bool(is_test), parent,
            )  # fmt: skip

    def edges(self) -> Iterator[Edge]:
        sql = f"SELECT {EDGE_COLUMNS} FROM edges"
        rows = self._db.execute(f"{sql} ORDER BY source_id, target_id, kind")
        for source, target, kind, line, rule, confidence in rows:
            yield Edge(source, target, intern(kind), line, intern(rule), confidence)

    def module_uses(self, *, tests: bool) -> list[ModuleUse]:
        rows = select(
            self._db,
            # The paths of millions of edges would be read otherwise: files are few.
            "SELECT a.path, b.path, used.n, used.sure, used.line FROM ("
            " SELECT u.file_id AS source, t.file_id AS target, count(*) AS n,"
            " sum(e.confidence) AS sure, min(e.line) AS line FROM edges e"
            " JOIN symbols u ON u.id = e.source_id JOIN symbols t ON t.id = e.target_id"
            " WHERE u.file_id != t.file_id AND e.confidence >= ? AND e.rule != ?"
            " AND (? OR NOT (u.is_test OR t.is_test)) GROUP BY 1, 2) used"
            " JOIN files a ON a.id = used.source JOIN files b ON b.id = used.target"
            " ORDER BY a.path, b.path",
            (SURE, SATISFIES, tests),
        )
        return [
            ModuleUse(decode_path(source), decode_path(target), n, sure, line)
            for source, target, n, sure, line in rows
        ]

    def uses_between_files(self) -> list[tuple[int, int, float, int]]:
        return select(
            self._db,
            "SELECT e.source_id, e.target_id, e.confidence, u.file_id FROM edges e"
            " JOIN symbols u ON u.id = e.source_id JOIN symbols t ON t.id = e.target_id"
            " WHERE u.file_id != t.file_id AND e.confidence >= ? AND NOT (u.is_test OR t.is_test)"
            " ORDER BY 1, 2, e.kind",
            (SURE,),
        )

    def unresolved_names(self, names: Sequence[str]) -> dict[str, int]:
        sql = (
            "SELECT r.name, count(*) FROM refs r WHERE r.name IN (KEYS)"
            " AND NOT EXISTS (SELECT 1 FROM edges e JOIN symbols t ON t.id = e.target_id"
            " WHERE e.source_id = r.scope_id AND t.name = r.name) GROUP BY r.name"
        )
        return dict(select_in(self._db, sql, names))
