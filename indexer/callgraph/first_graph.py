"""A first call graph, by names alone, for whoever asks before values have been followed.

It takes a fifth of the time of `satchel.indexer.callgraph.linker`, which replaces it file by file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import apsw

from satchel.indexer.callgraph.by_name import by_name
from satchel.indexer.callgraph.tables.bindings import FileScope, Resolution, Use
from satchel.indexer.callgraph.tables.index_tables import Tables
from satchel.store.model import Import, ReferenceKind
from satchel.store.records import Edge
from satchel.store.sqlite.writer import Writer

Ends = tuple[int, int, str]
_KINDS = {str(kind): kind for kind in ReferenceKind}


def name_all(connection: apsw.Connection) -> None:
    """Derive every edge by names, and none for good; expects an open transaction."""
    connection.execute("DELETE FROM edges; DELETE FROM depends; DELETE FROM behind")
    tables = Tables(connection)
    tables.load_names()
    scopes = _scopes(connection, tables)
    named = cache(tables.named)
    edges: dict[Ends, Edge] = {}
    for use in _uses(connection):
        scope = scopes.get(use.file_id)
        if scope is None:
            scope = scopes[use.file_id] = FileScope.of(tables.place(use.file_id), ())
        found = by_name(use, scope, named)
        if found is not None:
            surest(edges, use, found)
    Writer(connection).add_edges(edges[ends] for ends in sorted(edges))


def surest(edges: dict[Ends, Edge], use: Use, found: Resolution) -> None:
    """Keep one edge for each (source, target, kind): the surest, then the first."""
    ends = (use.scope_id, found.target.id, str(use.kind))
    known = edges.get(ends)
    if known is None or (-found.confidence, use.line) < (-known.confidence, known.line):
        edges[ends] = Edge(*ends, use.line, found.rule, found.confidence)


def _scopes(connection: apsw.Connection, tables: Tables) -> dict[int, FileScope]:
    """What each file that imports something brings into scope."""
    imports: dict[int, list[Import]] = {}
    sql = "SELECT file_id, module, name, alias, line FROM imports ORDER BY rowid"
    for file_id, *row in connection.execute(sql):
        imports.setdefault(file_id, []).append(Import(*row))
    return {file_id: FileScope.of(tables.place(file_id), of) for file_id, of in imports.items()}


def _uses(connection: apsw.Connection) -> Iterator[Use]:
    """Uses of names that something has, the first of those in a file that say the same."""
    rows = connection.execute(
        "SELECT r.file_id, r.scope_id, iif(s.parent_id IS NULL, '', s.qualified), r.name,"
        " r.receiver, r.kind, r.line FROM refs r JOIN symbols s ON s.id = r.scope_id"
        " WHERE r.name IN (SELECT name FROM symbols"
        " UNION SELECT alias FROM imports UNION SELECT name FROM imports) ORDER BY r.rowid"
    )
    file, seen = 0, set[tuple[int, str, str, str]]()
    for file_id, scope_id, scope, name, receiver, kind, line in rows:
        if file_id != file:
            file = file_id
            seen.clear()
        said = (scope_id, name, receiver, kind)
        if said not in seen:
            seen.add(said)
            yield Use(file_id, scope_id, scope, name, receiver, _KINDS[kind], line)
