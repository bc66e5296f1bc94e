"""The call graph, derived from the facts of all files and kept up with them.

Edges are rows; whoever walks them loads the part it needs (`assembler.expand`). Beside its edges a
file keeps the keys of all questions that were asked to find them (`indexer.tables`). After a change
the edges of a file are derived again when the file changed, or when a question that it asked has
another answer now; everything else would come out the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import apsw

from indexer.bindings import Use
from indexer.evaluate import Evaluator
from indexer.flow_places import handed_names, last_name
from indexer.members import MEANT_BY_LANGUAGES
from indexer.resolve import resolve
from indexer.tables import FileTable, Tables, key
from indexer.uses import RESULT
from store.database import batches, select
from store.model import ReferenceKind
from store.records import Edge
from store.rows import encode_path
from store.writer import Writer

if TYPE_CHECKING:
    from indexer.pending import Pending


def derive_all(connection: apsw.Connection) -> None:
    """Derive every edge; expects an open transaction."""
    # Those of files that went another way than `remove_file` would stay otherwise.
    connection.execute("DELETE FROM edges; DELETE FROM depends")
    tables = Tables(connection)
    tables.load_names()
    files = [row[0] for row in select(connection, "SELECT id FROM files ORDER BY path")]
    _derive(connection, tables, files, _known_names(connection, tables, files))


def derive_changed(connection: apsw.Connection, pending: Pending) -> None:
    """Derive again the edges of what was written, and of whoever asked what is different now."""
    wanted: set[int] = set()
    for some in batches([encode_path(path) for path in sorted(pending.paths)]):
        marks = ",".join("?" * len(some))
        sql = f"SELECT id FROM files WHERE path IN ({marks})"
        wanted.update(row[0] for row in select(connection, sql, some))
    writer = Writer(connection)
    writer.move_edges(pending.moved)
    wanted |= writer.files_depending_on(pending.keys)
    rows = select(connection, "SELECT id FROM files ORDER BY path")
    files = [row[0] for row in rows if row[0] in wanted]
    _derive(connection, Tables(connection), files, None)


def every_edge(connection: apsw.Connection) -> tuple[list[Edge], dict[int, set[int]]]:
    """All edges, by source, target and kind, and what those of each file depend on.

    Nothing is written. An index that has grown may depend on more: on names that nothing has now.
    """
    tables = Tables(connection)
    tables.load_names()
    files = [row[0] for row in select(connection, "SELECT id FROM files ORDER BY path")]
    names = _known_names(connection, tables, files)
    found: list[Edge] = []
    depends: dict[int, set[int]] = {}
    for file_id, edges, keys in _derived(connection, tables, files, names):
        found += edges
        depends[file_id] = keys
    return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind)), depends


def _known_names(connection: apsw.Connection, tables: Tables, files: Iterable[int]) -> set[str]:
    """Every name that anything could be found under; uses of others need no look."""
    sql = "SELECT name FROM symbols UNION SELECT alias FROM imports UNION SELECT name FROM imports"
    names = {row[0] for row in select(connection, sql)} | MEANT_BY_LANGUAGES | {RESULT}
    for file_id in files:
        table = tables.file(file_id)
        names |= table.item_names
        names.update(name for _, name in table.flows)
        names.update(name for _, name in table.attributes)
    return names


def _derive(
    connection: apsw.Connection, tables: Tables, files: Iterable[int], names: set[str] | None
) -> None:
    writer = Writer(connection)
    for file_id, edges, keys in _derived(connection, tables, files, names):
        writer.replace_edges(file_id, tables.file(file_id).definitions, edges, keys)


def _derived(
    connection: apsw.Connection, tables: Tables, files: Iterable[int], names: set[str] | None
) -> Iterator[tuple[int, list[Edge], set[int]]]:
    """(file, its edges, the keys they depend on)."""
    evaluator = Evaluator(tables)
    for file_id in files:
        tables.touched = set()
        evaluator.solver.roots.clear()
        edges = _edges(evaluator, _uses(connection, tables, file_id, names))
        yield file_id, edges, tables.touched | evaluator.solver.keys(evaluator.solver.roots)


def _uses(
    connection: apsw.Connection, tables: Tables, file_id: int, names: set[str] | None
) -> Iterator[Use]:
    """The uses in a file, the first of those that say the same."""
    rows: Iterable[tuple[Any, ...]] = select(
        connection,
        "SELECT scope_id, name, receiver, kind, line FROM refs WHERE file_id = ? ORDER BY rowid",
        (file_id,),
    )
    table = tables.file(file_id)
    seen: set[tuple[int, str, str, str]] = set()
    for scope_id, name, receiver, kind, line in rows:
        said = (scope_id, name, receiver, kind)
        if said in seen:
            continue
        seen.add(said)
        if names is not None and _leads_nowhere(tables, table, (name, receiver), names):
            continue
        is_module = scope_id == table.module
        scope = "" if is_module else table.definitions[scope_id].qualified
        yield Use(file_id, scope_id, scope, name, receiver, ReferenceKind(kind), line)


def _leads_nowhere(tables: Tables, table: FileTable, use: tuple[str, str], names: set[str]) -> bool:
    """Whether nothing is called so, and no function is handed to it."""
    name, receiver = use
    if name in names or (not receiver and table.takes(name)):
        return False
    for site in table.sites.get(name, ()):
        for handed in map(last_name, handed_names(site.arguments)):
            tables.touched.add(key("name", handed))
            if handed in names:
                return False
    tables.touched |= {key("name", name), key("held", name)}
    return True


def _edges(evaluator: Evaluator, uses: Iterable[Use]) -> list[Edge]:
    """One edge for each (source, target, kind): the surest, then the first."""
    best: dict[tuple[int, int, str], Edge] = {}
    for use in uses:
        for found in resolve(use, evaluator):
            ends = (use.scope_id, found.target.id, str(use.kind))
            edge = Edge(*ends, use.line, found.rule, found.confidence)
            known = best.get(ends)
            if known is None or (-edge.confidence, edge.line) < (-known.confidence, known.line):
                best[ends] = edge
    return [best[ends] for ends in sorted(best)]
