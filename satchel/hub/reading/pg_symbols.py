"""Reading symbols, their uses and the call graph from a hub; see `store.reading.snapshot`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from satchel.hub.database import Hub, Row, read_back, rows, written
from satchel.hub.reading.file_table import FileRow, FileTable, OrdinalInFile, Part
from satchel.store.model import ReferenceKind, RepoPath, Span, SymbolKind, Visibility
from satchel.store.records import SURE, Edge, ReferenceRecord, SymbolRecord
from satchel.store.sqlite.rows import EDGE_COLUMNS, ByValue, encode_path

_SYMBOL = (
    "SELECT s.content_id, s.ordinal, s.name, s.qualified, s.kind, s.line, s.start_line, s.end_line,"
    " s.start_byte, s.end_byte, s.signature, s.doc, s.visibility, s.is_test, s.parent"
    " FROM content_symbols s "
)
_HELD = "content_id IN (SELECT content_id FROM files WHERE build_id = ANY (%s::bigint[]))"
_REFERENCE = "SELECT content_id, scope, name, receiver, kind, line FROM content_refs"
_EDGES = f"SELECT {EDGE_COLUMNS} FROM edges WHERE build_id = %s"
_KINDS = ByValue(SymbolKind)
_VISIBILITIES = ByValue(Visibility)
# The last character of Unicode: all names with a prefix lie between it and this.
_LAST = "\U0010ffff"


class PgSymbols:
    """The symbols of one snapshot and the edges between them."""

    def __init__(self, connection: Hub, parts: Sequence[Part], files: FileTable) -> None:
        self._db, self._parts, self._files = connection, parts, files
        self._builds = [part.build.id for part in parts]

    def by_id(self, ids: Iterable[int]) -> list[SymbolRecord]:
        wanted = list(ids)
        places = dict(self._files.symbols(wanted))
        keys = sorted({(p.file.content, p.ordinal) for p in places.values() if p.ordinal >= 0})
        sql = (
            f"{_SYMBOL} JOIN unnest(%s::bigint[], %s::integer[]) AS w(content_id, ordinal)"
            " ON w.content_id = s.content_id AND w.ordinal = s.ordinal"
        )
        values = ([content for content, _ in keys], [ordinal for _, ordinal in keys])
        made = {(row[0], row[1]): row for row in rows(self._db, sql, values)} if keys else {}
        return [_record(places[number], made) for number in wanted if number in places]

    def named(self, *names: str) -> list[SymbolRecord]:
        # Module symbols are made from the path and are in no table, as equal bytes may have
        # several.
        wanted = dict.fromkeys(names)
        modules = [_module(file) for name in wanted for file in self._files.modules.get(name, ())]
        sql = f"{_SYMBOL} WHERE s.name = ANY (%s::text[]) AND s.{_HELD}"
        found = rows(self._db, sql, ([written(name) for name in wanted], self._builds))
        return sorted([*modules, *self._records(found)], key=_by_place)

    def in_any_case(self, name: str) -> list[str]:
        sql = f"SELECT DISTINCT name FROM content_symbols WHERE lower(name) = lower(%s) AND {_HELD}"
        found = {read_back(each) for (each,) in rows(self._db, sql, (written(name), self._builds))}
        found |= {each for each in self._files.modules if each.lower() == name.lower()}
        return sorted(found)

    def with_prefix(self, prefix: str, limit: int) -> list[SymbolRecord]:
        first, last = written(prefix), written(prefix) + _LAST
        between = f"s.name >= %s AND s.name < %s AND s.{_HELD}"
        values = (first, last, self._builds)
        # No definition behind the name of the last row can be among the first `limit`.
        sql = f"SELECT s.name FROM content_symbols s WHERE {between} ORDER BY 1 OFFSET %s LIMIT 1"
        end = rows(self._db, sql, (*values, max(0, limit - 1)))
        if end:
            sql = f"{_SYMBOL} WHERE {between} AND s.name <= %s"
            found_rows = rows(self._db, sql, (*values, end[0][0]))
        else:
            found_rows = rows(self._db, f"{_SYMBOL} WHERE {between}", values)
        modules = self._files.modules
        found = [
            _module(f) for name in modules if prefix <= name < prefix + _LAST for f in modules[name]
        ]
        found += self._records(found_rows)
        return sorted(found, key=lambda s: (s.name.encode(), *_by_place(s)))[:limit]

    def of_file(self, path: RepoPath) -> list[SymbolRecord]:
        file = self._files.named.get(encode_path(path))
        if file is None:
            return []
        sql = f"{_SYMBOL} WHERE s.content_id = %s ORDER BY s.ordinal"
        found = rows(self._db, sql, (file.content,))
        return [_module(file), *(_symbol(file, row) for row in found)]

    def references_to(self, name: str, limit: int) -> list[ReferenceRecord]:
        return [use for use, _ in self._uses(name)][:limit]

    def unresolved_uses(
        self, name: str, languages: Iterable[str]
    ) -> list[tuple[ReferenceRecord, bool]]:
        among = set(languages)
        uses = [(use, file) for use, file in self._uses(name) if file.language in among]
        # A use is tied where its scope has an edge to the name: edges are kept by scope, not by
        # line.
        tied = self._tied(name, {use.scope for use, _ in uses})
        return [
            (use, _is_test(file, use.scope - file.first_symbol - 1))
            for use, file in uses
            if use.scope not in tied
        ]

    def references_from(self, symbol_ids: Iterable[int]) -> list[ReferenceRecord]:
        places = [place for _, place in self._files.symbols(symbol_ids)]
        sql = (
            "SELECT w.n, r.content_id, r.scope, r.name, r.receiver, r.kind, r.line FROM"
            " unnest(%s::bigint[], %s::integer[]) WITH ORDINALITY AS w(content_id, scope, n)"
            " JOIN content_refs r ON r.content_id = w.content_id AND r.scope = w.scope"
            " ORDER BY w.n, r.line, r.name, r.receiver, r.kind"
        )
        values = ([place.file.content for place in places], [place.ordinal for place in places])
        # Numbered, since several files may hold the same content.
        found = rows(self._db, sql, values) if places else ()
        return [_reference(places[number - 1].file, row) for number, *row in found]

    def edges_from(self, symbol_ids: Iterable[int]) -> list[Edge]:
        return list(self._edges("source_id", symbol_ids))

    def edges_to(self, symbol_ids: Iterable[int]) -> list[Edge]:
        return list(self._edges("target_id", symbol_ids))

    def uses_of(self, symbol_ids: Iterable[int]) -> Iterator[tuple[int, int]]:
        for edge in self._edges("source_id", symbol_ids):
            if edge.confidence >= SURE:
                yield edge.source, edge.target

    def edge_counts(self, symbol_ids: Iterable[int]) -> Iterator[tuple[int, bool, int]]:
        edges = [edge for edge in self.edges_to(symbol_ids) if edge.confidence >= SURE]
        sources = np.array([edge.source for edge in edges], dtype=np.int64)
        numbers, files = self._files.files_of_symbols(sources)
        found: Counter[tuple[int, bool]] = Counter()
        for edge, number in zip(edges, numbers.tolist(), strict=True):
            user = files[number]
            found[edge.target, _is_test(user, edge.source - user.first_symbol - 1)] += 1
        for (symbol, is_test), n_users in sorted(found.items()):
            yield symbol, is_test, n_users

    def files_used(self, paths: Sequence[RepoPath]) -> list[tuple[RepoPath, RepoPath]]:
        known = self._files.named
        asked = [known[path] for path in map(encode_path, paths) if path in known]
        ids = [f.first_symbol + n for f in asked for n in range(f.n_symbols)]
        edges = [edge for edge in self._edges("source_id", ids) if edge.confidence >= SURE]
        users, files = self._files.files_of_symbols(np.array([e.source for e in edges], np.int64))
        used, _ = self._files.files_of_symbols(np.array([e.target for e in edges], np.int64))
        ends = zip(edges, users.tolist(), used.tolist(), strict=True)
        found = {
            (files[user].path, files[other].path)
            for edge, user, other in ends
            if user != other
            and not _is_test(files[user], edge.source - files[user].first_symbol - 1)
        }
        return [(known[user].repo_path, known[other].repo_path) for user, other in sorted(found)]

    def all_edges(self) -> Iterator[Edge]:
        """The whole graph, in no order."""
        for part in self._parts:
            for row in rows(self._db, _EDGES, (part.build.id,)):
                yield _edge(part, row)

    def _edges(self, column: str, symbol_ids: Iterable[int]) -> Iterator[Edge]:
        chosen = f"{column} = ANY (%s::bigint[]) ORDER BY {column}, source_id, target_id, kind"
        sql = f"{_EDGES} AND {chosen}"
        by_part: dict[int, list[int]] = {}
        for number, place in self._files.symbols(symbol_ids):
            by_part.setdefault(place.file.part, []).append(number)
        for part_number, numbers in sorted(by_part.items()):
            part = self._parts[part_number]
            ids = [number - part.first_symbol for number in numbers]
            for row in rows(self._db, sql, (part.build.id, ids)):
                yield _edge(part, row)

    def _uses(self, name: str) -> list[tuple[ReferenceRecord, FileRow]]:
        """Uses of a name with their files, by path, line, receiver and kind."""
        sql = f"{_REFERENCE} WHERE name = %s AND {_HELD}"
        found = [
            (_reference(file, row), file)
            for row in rows(self._db, sql, (written(name), self._builds))
            for file in self._files.holding[row[0]]
        ]

        def order(item: tuple[ReferenceRecord, FileRow]) -> tuple[bytes, int, bytes, str, int]:
            use, file = item
            return file.path, use.line, use.receiver.encode(), use.kind, use.scope

        return sorted(found, key=order)

    def _tied(self, name: str, scopes: set[int]) -> set[int]:
        """The scopes with an edge to something of this name, or to what is defined in it."""
        edges = self.edges_from(sorted(scopes))
        targets = {record.id: record for record in self.by_id({edge.target for edge in edges})}
        # A constructor's edge leads to `__init__`, whose class has the name that was used.
        parents = {
            r.id: r for r in self.by_id({t.parent_id for t in targets.values() if t.parent_id})
        }
        means = {
            number
            for number, target in targets.items()
            if target.name == name
            or (target.parent_id in parents and parents[target.parent_id].name == name)
        }
        return {edge.source for edge in edges if edge.target in means}

    def _records(self, found_rows: Iterable[Row]) -> Iterator[SymbolRecord]:
        """Rows as symbols, one for each file that holds the content."""
        return (_symbol(file, row) for row in found_rows for file in self._files.holding[row[0]])


def _by_place(symbol: SymbolRecord) -> tuple[bytes, int, int, int]:
    return encode_path(symbol.path), symbol.line, symbol.span.start_byte, symbol.id


def _edge(part: Part, row: Row) -> Edge:
    source, target, kind, line, rule, confidence = row
    shift = part.first_symbol
    return Edge(source + shift, target + shift, kind, line, rule, confidence)


def _reference(file: FileRow, row: Sequence[Any]) -> ReferenceRecord:
    _, scope, name, receiver, kind, line = row
    return ReferenceRecord(
        file.first_symbol + 1 + scope, file.repo_path, read_back(name), read_back(receiver),
        ReferenceKind(kind), line,
    )  # fmt: skip


def _record(place: OrdinalInFile, made: dict[tuple[int, int], Row]) -> SymbolRecord:
    if place.ordinal < 0:
        return _module(place.file)
    return _symbol(place.file, made[place.file.content, place.ordinal])


def _module(file: FileRow) -> SymbolRecord:
    """The symbol of a whole file, as `store.sqlite.rows` makes it."""
    return SymbolRecord(
        file.first_symbol, file.repo_path, file.module, file.module, SymbolKind.MODULE, 1,
        Span(1, file.n_lines, 0, file.end_byte), "", "", Visibility.PUBLIC, file.is_test,
    )  # fmt: skip


def _symbol(file: FileRow, row: Row) -> SymbolRecord:
    (_, ordinal, name, qualified, kind, line, start_line, end_line, start, end, signature, doc,
     visibility, is_test, parent) = row  # fmt: skip
    return SymbolRecord(
        file.first_symbol + 1 + ordinal, file.repo_path, read_back(name), read_back(qualified),
        _KINDS[kind], line, Span(start_line, end_line, start, end), read_back(signature),
        read_back(doc), _VISIBILITIES[visibility], file.is_test or is_test,
        file.first_symbol + 1 + parent,
    )  # fmt: skip


def _is_test(file: FileRow, ordinal: int) -> bool:
    """Whether a symbol of a file is test code; the module is what the file is by its path."""
    return file.is_test or (ordinal >= 0 and file.symbol_tests[ordinal] != 0)
