"""Derives the call graph from the facts of all files and keeps it up to date.

Edges are rows, and a reader loads the part that it needs (`assembler.ranking.expand`). With its
edges a file stores the keys of all lookups that were made to derive them
(`indexer.callgraph.tables.index_tables`). After a change the edges of a file are derived again when
the file changed, or when a lookup that it made has another answer now
(`indexer.callgraph.invalidation`); all other edges stay valid.

Following values takes longer than everything before it. So a graph by names alone comes first
(`indexer.callgraph.first_graph`), and edges may be stale for a while: `Linker` catches up.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

import apsw

from satchel.indexer.callgraph import edge_rules
from satchel.indexer.callgraph.by_name import resolution
from satchel.indexer.callgraph.first_graph import (
    EdgeKey,
    OnFile,
    clear,
    ignore_file,
    keep_surest,
)
from satchel.indexer.callgraph.resolve import resolve
from satchel.indexer.callgraph.restored import RestoredFile, restored, write
from satchel.indexer.callgraph.stale import underived
from satchel.indexer.callgraph.tables.bindings import Definition, Resolution, Use
from satchel.indexer.callgraph.tables.file_table import FileTable
from satchel.indexer.callgraph.tables.flow_texts import (
    last_name,
    made_in_arguments,
    names_in_arguments,
)
from satchel.indexer.callgraph.tables.index_tables import IndexTables
from satchel.indexer.callgraph.tables.lookups import Lookup, lookup_key
from satchel.indexer.callgraph.values.dispatch.fixtures import FIXTURE, renamed_by
from satchel.indexer.callgraph.values.evaluate import Evaluator
from satchel.indexer.callgraph.values.members import MEANT_BY_LANGUAGES
from satchel.indexer.extract.references import RESULT
from satchel.indexer.languages.name_rules import EVENTS
from satchel.store.model import Generation, ReferenceKind
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.records import Edge
from satchel.store.sqlite.database import never, scalar, select, transaction
from satchel.store.sqlite.earlier import kept_edges
from satchel.store.sqlite.rows import ByValue
from satchel.store.sqlite.writer import Writer

_T = TypeVar("_T")
_KINDS = ByValue(ReferenceKind)
_READ = ReferenceKind.READ
EDGES_AT_ONCE = 2_000
"""Edges in one transaction, where others may want to write in between."""
MAX_QUESTIONS = 250_000
"""What an evaluator remembers, about 0.25 GB; asking again costs 5 % at a tenth of that."""
MAX_SOURCE = 64 << 20
"""Bytes of source of the files that are held at once, unless a memory limit says otherwise."""
_TABLE_BYTES = 20
_OTHER_BYTES = 640 << 20
"""Memory for each byte of their source, and for everything else (`bench.indexing.heavy`)."""
_LEAST_SOURCE = 4 << 20


def max_source_within(memory_bytes: int) -> int:
    """How many bytes of source may be held within so many bytes of memory."""
    return max(_LEAST_SOURCE, (memory_bytes - _OTHER_BYTES) // _TABLE_BYTES)


def derive_all(
    connection: apsw.Connection,
    max_source: int = MAX_SOURCE,
    on_file: OnFile = ignore_file,
) -> None:
    """Derive every edge, holding files of so much source at once; expects an open transaction."""
    # Edges of files that are gone would stay otherwise.
    clear(connection)
    tables, writer = IndexTables(connection), Writer(connection)
    files, names = _files_and_names(connection, tables, max_source)
    n_files = 0
    for derived in _derive_files(connection, tables, files, names, max_source):
        if derived is not None:
            writer.add_edges(derived.edges)
            writer.put_depends(derived.file_id, derived.keys)
            n_files += 1
            on_file(n_files)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Collect no garbage in the whole process meanwhile, threads of a server included.

    Nearly all objects stay alive, and visiting them again and again takes a tenth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_without_garbage_collection()
def link(
    connection: apsw.Connection,
    max_source: int = MAX_SOURCE,
    on_file: OnFile = ignore_file,
) -> Generation:
    """Derive all stale edges in one go, holding files of so much source at once.

    `on_file` hears how many files are done.
    """
    # All at once is quicker than file by file: names are read together, and uses of names that
    # nothing has are left out. After a switch back, though, most edges are known; that is counted
    # only where no edges are left, not after each save.
    is_empty = scalar(connection, "SELECT 1 FROM depends LIMIT 1") is None
    if is_empty and kept_edges.n_candidates(connection) <= len(underived(connection)) / 2:
        with transaction(connection):
            derive_all(connection, max_source, on_file)
            return Writer(connection).advance_edges(linked=True)
    Linker(connection, max_source, on_file).link(never)
    with SqliteSnapshot(connection) as snapshot:
        return snapshot.generation


class _PausedError(Exception):
    """Raised when something else has to be done first; a later attempt continues from there."""


class Linker:
    """Derives stale edges, in steps, through a connection that nobody else writes to.

    What was read for one step serves the next ones, until the text changes or the files that are
    held had more than `max_source` bytes.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        max_source: int = MAX_SOURCE,
        on_file: OnFile = ignore_file,
    ) -> None:
        self._db = connection
        self._max_source = max_source
        self._on_file = on_file
        self._writer = Writer(connection)
        self._steps: Iterator[None] = iter(())
        self._text = -1
        self._pause: Callable[[], bool] = never
        self._n_read = 0

    def link(self, pause: Callable[[], bool]) -> bool:
        """Go on until `pause` says so; returns whether no edges are stale any more."""
        with SqliteSnapshot(self._db) as snapshot:
            if snapshot.linked or not snapshot.complete:
                return True
            if snapshot.content_generation != self._text:
                self._steps, self._text = self._work(), snapshot.content_generation
        self._pause, self._n_read = pause, 0
        for _ in self._steps:
            if pause():
                return False
        self._steps, self._text = iter(()), -1  # lets go of what was read
        return True

    def _before_reading(self) -> None:
        """Some uses lead to thousands of files. At least one file is read between two pauses."""
        self._n_read += 1
        if self._n_read > 1 and self._pause():
            raise _PausedError

    def _work(self) -> Iterator[None]:
        """Steps of some milliseconds; work may stop between any two of them."""
        # First whose lookups have other answers now, some hundred files at a time.
        after: int | None = -1
        while after is not None:
            with transaction(self._db):
                after = self._writer.forget_stale_dependencies(after)
            yield
        # Then the edges of those that have been like this before.
        known: list[RestoredFile] = []
        for file in restored(self._db, underived(self._db), {}):
            known.append(file)
            yield
        if known:
            with transaction(self._db):
                write(self._writer, known)
                self._writer.advance_edges(linked=False)
        files = underived(self._db)
        yield
        # Then those of the others, file by file. Names are not collected: that would read every
        # file.
        tables = IndexTables(self._db)
        tables.before_reading = self._before_reading
        done: list[_FileEdges] = []
        n_edges = n_files = 0
        for derived in _derive_files(self._db, tables, files, None, self._max_source):
            if derived is not None:
                n_files += 1
                self._on_file(n_files)
                done.append(derived)
                n_edges += len(derived.edges)
            if n_edges > EDGES_AT_ONCE:
                self._write(done, linked=False)
                done, n_edges = [], 0
            yield
        self._write(done, linked=True)

    def _write(self, done: Iterable[_FileEdges], *, linked: bool) -> None:
        with transaction(self._db):
            for derived in done:
                self._writer.replace_edges(derived.file_id, derived.edges, derived.keys)
            self._writer.advance_edges(linked=linked)


def _retry_after_pauses(ask: Callable[[], _T]) -> Generator[None, None, _T]:
    """The result of `ask`, which is called again after each pause; answers found before are
    remembered."""
    while True:
        try:
            return ask()
        except _PausedError:
            yield


def compute_edges(
    connection: apsw.Connection, max_source: int = MAX_SOURCE
) -> tuple[list[Edge], dict[int, set[int]]]:
    """All edges, by source, target and kind, and the keys that those of each file depend on.

    Nothing is written. An index that has grown may depend on more: on names that nothing has now.
    """
    tables = IndexTables(connection)
    files, names = _files_and_names(connection, tables, max_source)
    found: list[Edge] = []
    depends: dict[int, set[int]] = {}
    for derived in _derive_files(connection, tables, files, names, max_source):
        if derived is not None:
            found += derived.edges
            depends[derived.file_id] = derived.keys
    return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind)), depends


def _files_and_names(
    connection: apsw.Connection, tables: IndexTables, max_source: int
) -> tuple[list[int], set[str]]:
    """All files by path, and every name under which a definition can be found.

    Uses of other names, 4 to 26 of a hundred in six trees, need no evaluation.
    """
    rows = select(connection, "SELECT id, size FROM files ORDER BY path")
    if sum(size for _, size in rows) <= max_source:
        tables.preload_files()
    tables.preload_uses()
    sql = "SELECT name FROM symbols UNION SELECT alias FROM imports UNION SELECT name FROM imports"
    names = {row[0] for row in select(connection, sql)} | MEANT_BY_LANGUAGES | {RESULT}
    for file_id, _ in rows:
        table = tables.table(file_id)
        names |= table.dictionary_keys
        names.update(
            name for site in table.call_sites.get(FIXTURE, ()) for name in renamed_by(site)
        )
        names.update(name for _, name in table.values)
        names.update(name for _, name in table.attributes)
        if tables.n_bytes > max_source:
            tables.release()
    return [file_id for file_id, _ in rows], names


class _FileEdges(NamedTuple):
    """The edges of a file, and the keys they depend on."""

    file_id: int
    edges: list[Edge]
    keys: set[int]


def _derive_files(
    connection: apsw.Connection,
    tables: IndexTables,
    files: Iterable[int],
    names: set[str] | None,
    max_source: int,
) -> Iterator[_FileEdges | None]:
    """Yields the edges of each file; yields None after each use, where the caller may stop."""
    evaluator = Evaluator(tables)
    try:
        # Edges do not depend on the order of files, or on what an evaluator remembers: the solution
        # of the solver is the least one, whoever asks first.
        for file_id in files:
            is_full = tables.n_bytes > max_source
            if is_full:
                tables.release()
            # An evaluator's answers hold on to nothing of the tables but ids that the tables know.
            if is_full or evaluator.solver.n_questions > MAX_QUESTIONS:
                evaluator.close()
                evaluator = Evaluator(tables)
            yield from _derive_file(connection, file_id, evaluator, names)
    finally:
        evaluator.close()


def _derive_file(
    connection: apsw.Connection, file_id: int, evaluator: Evaluator, names: set[str] | None
) -> Iterator[_FileEdges | None]:
    """Resolve the uses in a file: yields None after each of them, then the edges of the file."""
    tables = evaluator.tables
    tables.lookups = set()
    evaluator.solver.begin()
    edges: dict[EdgeKey, Edge] = {}
    yield from _retry_after_pauses(partial(tables.table, file_id))
    for use in _uses(connection, tables, file_id, names):
        meant: list[Resolution] | None = None
        while meant is None:
            # As `_retry_after_pauses` does, without an object for each of 30,000 uses.
            try:
                meant = resolve(use, evaluator)
            except _PausedError:
                yield None
        for found in meant:
            keep_surest(edges, use, found)
        yield None
    for holder in _types_that_satisfy(tables.table(file_id)):
        interfaces_of = partial(evaluator.structural.interfaces_of, holder)
        satisfied = yield from _retry_after_pauses(interfaces_of)
        line = tables.line(holder.id) if satisfied else 0
        for interface in satisfied:
            named = interface.name, "", ReferenceKind.IMPLEMENT
            use = Use(file_id, holder.id, holder.qualified, *named, line)
            keep_surest(edges, use, resolution(edge_rules.METHODS, interface))
        yield None
    # What was answered for an earlier file was looked up then: the solver has those keys.
    keys = tables.lookups | evaluator.solver.lookups()
    yield _FileEdges(file_id, [edges[key] for key in sorted(edges)], keys)


def _uses(
    connection: apsw.Connection, tables: IndexTables, file_id: int, names: set[str] | None
) -> Iterator[Use]:
    """The uses in a file without repetitions and without those that cannot have an edge."""
    rows: Iterable[tuple[Any, ...]] = select(
        connection,
        "SELECT scope_id, name, receiver, kind, line FROM refs WHERE file_id = ? ORDER BY rowid",
        (file_id,),
    )
    table = tables.table(file_id)
    alike: dict[tuple[int, str, str, str], list[int]] = {}
    for scope_id, name, receiver, kind, line in rows:
        alike.setdefault((scope_id, name, receiver, kind), []).append(line)
    for (scope_id, name, receiver, kind), lines in alike.items():
        file, is_member = table.imports.file, bool(receiver)
        if kind == _READ and not tables.means_when_read(name, file, is_member=is_member):
            continue
        if (
            names is not None
            and kind != _READ
            and name not in names
            and _has_no_target(tables, table, name, receiver, names)
        ):
            continue
        is_module = scope_id == table.module
        scope = "" if is_module else table.definitions[scope_id].qualified
        yield Use(file_id, scope_id, scope, name, receiver, _KINDS[kind], lines[0], tuple(lines))


def _types_that_satisfy(table: FileTable) -> tuple[Definition, ...]:
    """The types of a file that may satisfy interfaces without naming them."""
    if not table.imports.file.rules.satisfies_interfaces:
        return ()
    return tuple(table.definitions.values())


def _has_no_target(
    tables: IndexTables, table: FileTable, name: str, receiver: str, names: set[str]
) -> bool:
    """Whether a use of a name that `names` lack leads nowhere: none of its arguments is a function.

    Records the keys by which a later edit that changes this is noticed.
    """
    rules = table.imports.file.rules
    # A base may be one name with its namespace, as Elixir's modules are.
    last = last_name(name) or name
    if last in names or (not receiver and name in table.parameters()):
        return False
    if (receiver and name in rules.calling_methods) or name in EVENTS.publishing:
        return False
    for site in table.call_sites.get(name, ()):
        given = names_in_arguments(site.arguments)
        if rules.function_types:
            given += made_in_arguments(site.arguments)
        for argument in map(last_name, given):
            tables.note_name(argument)
            if argument in names:
                return False
    for each in {name, last}:
        tables.note_name(each)
        tables.lookups.add(lookup_key(Lookup.BOUND, each))
    return True
