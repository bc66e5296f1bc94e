"""Reading symbols, their uses and the call graph."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import apsw

from satchel.store.model import ReferenceKind, RepoPath, Span, SymbolKind, Visibility
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.records import SURE, Edge, ReferenceRecord, SymbolRecord
from satchel.store.sqlite.database import select, select_in
from satchel.store.sqlite.rows import EDGE_COLUMNS, ByValue, decode_path, encode_path

_SYMBOL = (
    "SELECT s.id, f.path, s.name, s.qualified, s.kind, s.line, s.start_line, s.end_line,"
    " s.start_byte, s.end_byte, s.signature, s.doc, s.visibility, s.is_test,"
    " coalesce(s.parent_id, 0)"
    " FROM symbols s JOIN files f ON f.id = s.file_id "
)


# Looking a member up in a dict is ten times as fast as calling the class of the enumeration.
_KINDS = ByValue(SymbolKind)
_VISIBILITIES = ByValue(Visibility)


class Symbols:
    """The symbols of one snapshot and the edges between them."""

    def __init__(
        self, connection: apsw.Connection, cache: SnapshotCache, of_edges: SnapshotCache
    ) -> None:
        self._db, self._cache, self._of_edges = connection, cache, of_edges
        self._known: dict[int, SymbolRecord] = cache.records("symbols")
        # Packing a question asks for the same three files seventeen times.
        self._in_file = lru_cache(maxsize=32)(self._read_file)

    def by_id(self, ids: Iterable[int]) -> list[SymbolRecord]:
        wanted, known = list(ids), self._known
        new = [i for i in wanted if i not in known]
        for row in select_in(self._db, f"{_SYMBOL} WHERE s.id IN (KEYS)", new):
            known[row[0]] = _symbol(row)
        return [known[i] for i in wanted if i in known]

    def named(self, *names: str) -> list[SymbolRecord]:
        sql = f"{_SYMBOL} WHERE s.name IN (KEYS) ORDER BY f.path, s.line, s.start_byte"
        return [_symbol(row) for row in select_in(self._db, sql, dict.fromkeys(names))]

    def in_any_case(self, name: str) -> list[str]:
        # No index is kept for this: the names are read once, 0.1 s for a million of them.
        sql = "SELECT DISTINCT name FROM symbols WHERE name = ? COLLATE NOCASE ORDER BY name"
        return [row[0] for row in select(self._db, sql, (name,))]

    def with_prefix(self, prefix: str, limit: int) -> list[SymbolRecord]:
        rows = select(
            self._db,
            # A range up to the last character of Unicode; LIKE would take "_" in a name for any
            # character.
            f"{_SYMBOL} WHERE s.name >= ? AND s.name < ? ORDER BY s.name, f.path, s.line LIMIT ?",
            (prefix, prefix + "\U0010ffff", limit),
        )
        return [_symbol(row) for row in rows]

    def of_file(self, path: RepoPath) -> list[SymbolRecord]:
        return list(self._in_file(path))

    def _read_file(self, path: RepoPath) -> tuple[SymbolRecord, ...]:
        # By id, since symbols have no index by file.
        where = "f.path = ? AND s.id >= f.first_symbol AND s.id < f.first_symbol + f.n_symbols"
        rows = select(self._db, f"{_SYMBOL} WHERE {where} ORDER BY s.id", (encode_path(path),))
        return tuple(map(_symbol, rows))

    def references_to(self, name: str, limit: int) -> list[ReferenceRecord]:
        rows = select(
            self._db,
            "SELECT r.scope_id, f.path, r.name, r.receiver, r.kind, r.line FROM refs r"
            " JOIN files f ON f.id = r.file_id WHERE r.name = ?"
            " ORDER BY f.path, r.line, r.receiver, r.kind LIMIT ?",
            (name, limit),
        )
        return [_reference(row) for row in rows]

    def unresolved_uses(
        self, name: str, languages: Iterable[str]
    ) -> list[tuple[ReferenceRecord, bool]]:
        # Without repetitions and in order, so that equal questions are equal statements.
        among = sorted(set(languages))
        rows = select(
            self._db,
            "SELECT r.scope_id, f.path, r.name, r.receiver, r.kind, r.line, s.is_test FROM refs r"
            " JOIN files f ON f.id = r.file_id JOIN symbols s ON s.id = r.scope_id"
            f" WHERE r.name = ? AND f.language IN ({','.join('?' * len(among))})"
            # A constructor's edge leads to `__init__`, whose class has the name that was used.
            " AND NOT EXISTS ("
            "SELECT 1 FROM edges e JOIN symbols t ON t.id = e.target_id"
            " LEFT JOIN symbols o ON o.id = t.parent_id"
            " WHERE e.source_id = r.scope_id AND r.name IN (t.name, o.name))"
            " ORDER BY f.path, r.line, r.receiver, r.kind",
            (name, *among),
        )
        return [(_reference(row), bool(row[6])) for row in rows]

    def references_from(self, symbol_ids: Iterable[int]) -> list[ReferenceRecord]:
        found: list[ReferenceRecord] = []
        for symbol_id in symbol_ids:
            rows = select(
                self._db,
                "SELECT r.scope_id, f.path, r.name, r.receiver, r.kind, r.line FROM symbols s"
                " JOIN files f ON f.id = s.file_id JOIN refs r ON r.file_id = f.id"
                " WHERE s.id = ? AND r.scope_id = s.id ORDER BY r.line, r.name, r.receiver, r.kind",
                (symbol_id,),
            )
            found += [_reference(row) for row in rows]
        return found

    def edges_from(self, symbol_ids: Iterable[int]) -> list[Edge]:
        return list(self._edges("source_id", symbol_ids))

    def edges_to(self, symbol_ids: Iterable[int]) -> list[Edge]:
        return list(self._edges("target_id", symbol_ids))

    def uses_of(self, symbol_ids: Iterable[int]) -> Iterator[tuple[int, int]]:
        sql = (
            "SELECT source_id, target_id FROM edges"
            " WHERE source_id IN (KEYS) AND confidence >= ? ORDER BY source_id, target_id, kind"
        )
        yield from self._of_edges.rows(self._db, sql, symbol_ids, (SURE,))

    def edge_counts(self, symbol_ids: Iterable[int]) -> Iterator[tuple[int, bool, int]]:
        # Grouped by what the index is ordered by, so that nothing is sorted.
        sql = (
            "SELECT e.target_id, count(*), sum(u.is_test) FROM edges e"
            " JOIN symbols u ON u.id = e.source_id"
            " WHERE e.target_id IN (KEYS) AND e.confidence >= ?"
            " GROUP BY e.target_id ORDER BY e.target_id"
        )
        for symbol, n_users, n_tests in self._of_edges.rows(self._db, sql, symbol_ids, (SURE,)):
            if n_users > n_tests:
                yield symbol, False, n_users - n_tests
            if n_tests:
                yield symbol, True, n_tests

    def files_used(self, paths: Sequence[RepoPath]) -> list[tuple[RepoPath, RepoPath]]:
        sql = (
            "SELECT f.path, g.path FROM ("
            # In this order, or each edge is looked at before its symbol.
            "SELECT DISTINCT f.id AS user, t.file_id AS used FROM files f"
            " CROSS JOIN symbols u"
            " ON u.id >= f.first_symbol AND u.id < f.first_symbol + f.n_symbols"
            " CROSS JOIN edges e ON e.source_id = u.id"
            " CROSS JOIN symbols t ON t.id = e.target_id"
            " WHERE f.path IN (KEYS) AND NOT u.is_test AND e.confidence >= ?"
            ") JOIN files f ON f.id = user JOIN files g ON g.id = used WHERE user != used"
        )
        found = sorted(self._of_edges.rows(self._db, sql, map(encode_path, paths), (SURE,)))
        return [(decode_path(user), decode_path(used)) for user, used in found]

    def _edges(self, column: str, symbol_ids: Iterable[int]) -> Iterator[Edge]:
        sql = (
            f"SELECT {column}, {EDGE_COLUMNS} FROM edges"
            f" WHERE {column} IN (KEYS) ORDER BY source_id, target_id, kind"
        )
        return (Edge(*row[1:]) for row in self._of_edges.rows(self._db, sql, symbol_ids))


def _reference(row: tuple[Any, ...]) -> ReferenceRecord:
    scope, path, name, receiver, kind, line = row[:6]
    return ReferenceRecord(scope, decode_path(path), name, receiver, ReferenceKind(kind), line)


def _symbol(row: tuple[Any, ...]) -> SymbolRecord:
    (symbol_id, path, name, qualified, kind, line, start_line, end_line, start, end, signature,
     doc, visibility, is_test, parent_id) = row  # fmt: skip
    return SymbolRecord(
        symbol_id, decode_path(path), name, qualified, _KINDS[kind], line,
        Span(start_line, end_line, start, end), signature, doc, _VISIBILITIES[visibility],
        bool(is_test), parent_id,
    )  # fmt: skip
