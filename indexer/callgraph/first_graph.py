"""A first call graph, by names alone, for answers before values have been followed.

It takes a fifth of the time of `satchel.indexer.callgraph.linker`, which replaces it file by file.
"""

from collections.abc import Callable, Iterator
from functools import cache

import apsw

from satchel.indexer.callgraph.by_name import resolve_by_name
from satchel.indexer.callgraph.prototypes import Prototypes
from satchel.indexer.callgraph.tables.bindings import FileImports, Resolution, Use
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.store.model import Import, ReferenceKind
from satchel.store.records import Edge
from satchel.store.sqlite.rows import ByValue
from satchel.store.sqlite.writer import Writer

EdgeKey = tuple[int, int, str]
"""Source, target and kind: an index has one edge for each."""
OnFile = Callable[[int], None]
_KINDS = ByValue(ReferenceKind)


def ignore_file(_n_done: int) -> None:
    """Ignores the progress."""


def clear(connection: apsw.Connection) -> None:
    """Forget all edges, and that any of them are final; expects an open transaction."""
    # Rows of `depends` say so: without them `linker` derives every file again.
    connection.execute("DELETE FROM edges; DELETE FROM depends; DELETE FROM behind")


def derive_by_name(connection: apsw.Connection, on_file: OnFile = ignore_file) -> None:
    """Derive every edge by names, so that all are stale; expects an open transaction.

    `on_file` hears how many files are done.
    """
    clear(connection)
    tables = IndexTables(connection)
    tables.preload_names()
    # What each file that imports something imports.
    bindings: dict[int, list[Import]] = {}
    sql = "SELECT file_id, module, name, alias, line FROM imports ORDER BY rowid"
    for file_id, *row in connection.execute(sql):
        bindings.setdefault(file_id, []).append(Import(*row))
    imports = {
        file_id: FileImports.of(tables.file(file_id), of) for file_id, of in bindings.items()
    }
    # One dictionary look-up instead of a call and a key: nobody asks here what was looked up.
    find = cache(tables.candidates)
    prototypes = Prototypes(tables)
    edges: dict[EdgeKey, Edge] = {}
    n_files, file = 0, 0
    for use in _uses(connection):
        if use.file_id != file:
            file, n_files = use.file_id, n_files + 1
            on_file(n_files)
        known = imports.get(use.file_id)
        if known is None:
            known = imports[use.file_id] = FileImports.of(tables.file(use.file_id), ())
        found = resolve_by_name(use, known, find)
        if found is not None:
            target = prototypes.defined(found.target)
            keep_surest(edges, use, Resolution(target, found.rule, found.confidence))
    Writer(connection).add_edges(edges[key] for key in sorted(edges))


def keep_surest(edges: dict[EdgeKey, Edge], use: Use, found: Resolution) -> None:
    """Keep one edge for each (source, target, kind): the surest, then the first."""
    kind = ReferenceKind.CALL if use.kind is ReferenceKind.READ else use.kind
    key = (use.scope_id, found.target.id, str(kind))
    known = edges.get(key)
    line = found.line or use.line
    if known is None or (-found.confidence, line) < (-known.confidence, known.line):
        edges[key] = Edge(*key, line, found.rule, found.confidence)


def _uses(connection: apsw.Connection) -> Iterator[Use]:
    """Uses of names that are defined somewhere; of equal uses in a file only the first."""
    # Uses of names without a definition are left out here, so that they need not become objects.
    rows = connection.execute(
        "SELECT r.file_id, r.scope_id, iif(s.parent_id IS NULL, '', s.qualified), r.name,"
        " r.receiver, r.kind, r.line FROM refs r JOIN symbols s ON s.id = r.scope_id"
        " WHERE r.kind <> 'read' AND r.name IN (SELECT name FROM symbols"
        " UNION SELECT alias FROM imports UNION SELECT name FROM imports) ORDER BY r.rowid"
    )
    file, seen = 0, set[tuple[int, str, str, str]]()
    for file_id, scope_id, scope, name, receiver, kind, line in rows:
        if file_id != file:
            file = file_id
            seen.clear()
        what = (scope_id, name, receiver, kind)
        if what not in seen:
            seen.add(what)
            yield Use(file_id, scope_id, scope, name, receiver, _KINDS[kind], line)
