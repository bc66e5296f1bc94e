"""The call graph, derived from the facts of all files and kept up with them.

Edges are rows; whoever walks them loads the part it needs into networkx (`assembler.expand`). After
a change, a symbol's outgoing edges are derived again when its file changed, or when it uses a name
whose definitions changed; everything else would come out the same (see `indexer.resolve`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import apsw

from indexer.bindings import MEMBERS, Definition, FileScope, Namesakes, Place, Use, can_mean
from indexer.resolve import Memory, resolve
from store.database import batches, select
from store.model import Import, ReferenceKind, RepoPath, SymbolKind
from store.records import Edge
from store.rows import decode_path, encode_path
from store.writer import Writer


def derive_all(connection: apsw.Connection) -> None:
    """Derive every edge; expects an open transaction."""
    Writer(connection).replace_edges(None, every_edge(connection))


def every_edge(connection: apsw.Connection) -> list[Edge]:
    """All edges, by source, target and kind; nothing is written."""
    tables = _Tables(connection)
    tables.load_all()
    return _edges(tables, _uses(connection, None))


def derive_changed(connection: apsw.Connection, paths: Iterable[RepoPath], names: set[str]) -> None:
    """Derive again what changed files, and names defined there before or after, can alter."""
    file_ids: set[int] = set()
    for some_paths in batches([encode_path(path) for path in sorted(paths)]):
        marks = ",".join("?" * len(some_paths))
        sql = f"SELECT id FROM files WHERE path IN ({marks})"
        file_ids.update(row[0] for row in select(connection, sql, some_paths))
    sources = _affected(connection, file_ids, names)
    tables = _Tables(connection)
    Writer(connection).replace_edges(sources, _edges(tables, _uses(connection, sources)))


def _affected(connection: apsw.Connection, file_ids: set[int], names: set[str]) -> set[int]:
    sources: set[int] = set()
    for some_names in batches(sorted(names)):
        marks = ",".join("?" * len(some_names))
        sql = f"SELECT DISTINCT scope_id FROM refs WHERE name IN ({marks})"
        sources.update(row[0] for row in select(connection, sql, some_names))
        sql = f"SELECT DISTINCT file_id FROM imports WHERE alias != '' AND name IN ({marks})"
        file_ids = file_ids | {row[0] for row in select(connection, sql, some_names)}
    for some_files in batches(sorted(file_ids)):
        marks = ",".join("?" * len(some_files))
        sql = f"SELECT DISTINCT scope_id FROM refs WHERE file_id IN ({marks})"
        sources.update(row[0] for row in select(connection, sql, some_files))
    return sources


class _Tables:
    """Definitions by name and files by id, read when first asked for."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._places: dict[int, Place] = {}
        self._scopes: dict[int, FileScope] = {}
        self._defined: dict[str, list[Definition]] = {}
        self._namesakes: dict[tuple[str, ReferenceKind, str], Namesakes] = {}
        self._complete = False

    def load_all(self) -> None:
        wanted = "name IN (SELECT DISTINCT name FROM refs UNION SELECT name FROM imports)"
        self._load(wanted, ())
        self._complete = True

    def named(self, name: str, use: ReferenceKind, family: str) -> Namesakes:
        key = (name, use, family)
        known = self._namesakes.get(key)
        if known is None:
            if name not in self._defined and not self._complete:
                self._defined[name] = []
                self._load("name = ?", (name,))
            known = self._namesakes[key] = Namesakes.of(
                definition
                for definition in self._defined.get(name, ())
                if definition.place.family == family and can_mean(use, definition.kind)
            )
        return known

    def _load(self, condition: str, values: tuple[str, ...]) -> None:
        sql = (
            "SELECT s.id, s.file_id, s.name, s.qualified, s.kind, s.is_test, p.kind FROM symbols s"
            " LEFT JOIN symbols p ON p.id = s.parent_id WHERE s."
        )
        for row in select(self._db, f"{sql}{condition} ORDER BY s.id", values):
            symbol_id, file_id, name, qualified, kind, is_test, parent_kind = row
            definition = Definition(
                id=symbol_id,
                name=name,
                scope=qualified[: -len(name)].rstrip("."),
                top_level=parent_kind == SymbolKind.MODULE and kind not in MEMBERS,
                kind=SymbolKind(kind),
                place=self.place(file_id),
                is_test=bool(is_test),
            )
            self._defined.setdefault(name, []).append(definition)

    def place(self, file_id: int) -> Place:
        place = self._places.get(file_id)
        if place is None:
            sql = "SELECT path, language FROM files WHERE id = ?"
            path, language = select(self._db, sql, (file_id,))[0]
            place = self._places[file_id] = Place.of(decode_path(path), language)
        return place

    def scope(self, file_id: int) -> FileScope:
        scope = self._scopes.get(file_id)
        if scope is None:
            sql = "SELECT module, name, alias, line FROM imports WHERE file_id = ? ORDER BY rowid"
            imports = [Import(*row) for row in select(self._db, sql, (file_id,))]
            scope = self._scopes[file_id] = FileScope.of(self.place(file_id), imports)
        return scope


def _uses(connection: apsw.Connection, sources: Iterable[int] | None) -> Iterator[tuple[int, Use]]:
    """(file id, use), the first of those that say the same; of `sources` only, when given."""
    sql = (
        "SELECT r.file_id, r.scope_id, CASE WHEN s.parent_id IS NULL THEN '' ELSE s.qualified END,"
        " r.name, r.receiver, r.kind, r.line"
        " FROM symbols s JOIN refs r ON r.scope_id = s.id AND r.file_id = s.file_id"
    )
    rows: Iterable[tuple[Any, ...]]
    if sources is None:
        known = "SELECT name FROM symbols UNION SELECT alias FROM imports WHERE alias != ''"
        rows = connection.execute(f"{sql} WHERE r.name IN ({known}) ORDER BY r.rowid")
    else:
        rows = (
            row
            for batch in batches(sorted(sources))
            for row in select(
                connection,
                f"{sql} WHERE s.id IN ({','.join('?' * len(batch))}) ORDER BY r.rowid",
                batch,
            )
        )
    seen: set[tuple[int, str, str, str]] = set()
    for file_id, scope_id, scope, name, receiver, kind, line in rows:
        said = (scope_id, name, receiver, kind)
        if said in seen:
            continue
        seen.add(said)
        yield file_id, Use(scope_id, scope, name, receiver, ReferenceKind(kind), line)


def _edges(tables: _Tables, uses: Iterable[tuple[int, Use]]) -> list[Edge]:
    """One edge for each (source, target, kind): the surest, then the first."""
    best: dict[tuple[int, int, str], Edge] = {}
    memories: dict[int, Memory] = {}
    for file_id, use in uses:
        memory = memories.setdefault(file_id, {})
        found = resolve(use, tables.scope(file_id), tables.named, memory)
        if found is None or found.target.id == use.scope_id:
            continue
        key = (use.scope_id, found.target.id, str(use.kind))
        edge = Edge(*key, use.line, found.rule, found.confidence)
        known = best.get(key)
        if known is None or (-edge.confidence, edge.line) < (-known.confidence, known.line):
            best[key] = edge
    return [best[key] for key in sorted(best)]
