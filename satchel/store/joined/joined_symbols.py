"""Symbols, uses and call graphs of several indexes as one tree; see `store.reading.snapshot`.

No edge leads from one index to another: each was linked by itself. What one uses of another is
listed as an unresolved use.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from satchel.store.joined.parts import Part, Parts
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.records import Edge, ModuleUse, Node, ReferenceRecord, SymbolRecord


class JoinedSymbols:
    """The symbols of all parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def by_id(self, ids: Iterable[int]) -> list[SymbolRecord]:
        wanted = list(ids)
        found = {
            record.id + part.first_symbol: part.symbol(record)
            for part, numbers in self._parts.of_symbols(wanted)
            for record in part.snapshot.symbols.by_id(numbers)
        }
        return [found[number] for number in wanted if number in found]

    def named(self, *names: str) -> list[SymbolRecord]:
        return [
            part.symbol(record)
            for part in self._parts
            for record in part.snapshot.symbols.named(*names)
        ]

    def in_any_case(self, name: str) -> list[str]:
        each = (part.snapshot.symbols.in_any_case(name) for part in self._parts)
        return sorted({found for names in each for found in names})

    def with_prefix(self, prefix: str, limit: int) -> list[SymbolRecord]:
        # Each part is asked for as many as there may be in all, since all of them may be its own.
        found = [
            part.symbol(record)
            for part in self._parts
            for record in part.snapshot.symbols.with_prefix(prefix, limit)
        ]
        # Sorting is stable: paths and lines are in order already.
        return sorted(found, key=lambda symbol: symbol.name.encode("utf-8", "replace"))[:limit]

    def of_file(self, path: RepoPath) -> list[SymbolRecord]:
        found = self._parts.of_path(path)
        if found is None:
            return []
        part, inside = found
        return [part.symbol(record) for record in part.snapshot.symbols.of_file(inside)]

    def references_to(self, name: str, limit: int) -> list[ReferenceRecord]:
        found = (
            part.use(use)
            for part in self._parts
            for use in part.snapshot.symbols.references_to(name, limit)
        )
        return list(islice(found, limit))

    def unresolved_uses(
        self, name: str, languages: Iterable[str]
    ) -> list[tuple[ReferenceRecord, bool]]:
        # An iterator would be used up by the first part.
        among = tuple(languages)
        return [
            (part.use(use), is_test)
            for part in self._parts
            for use, is_test in part.snapshot.symbols.unresolved_uses(name, among)
        ]

    def references_from(self, symbol_ids: Iterable[int]) -> list[ReferenceRecord]:
        return [
            part.use(use)
            for part, ids in self._parts.of_symbols(symbol_ids)
            for use in part.snapshot.symbols.references_from(ids)
        ]

    def edges_from(self, symbol_ids: Iterable[int]) -> list[Edge]:
        return [
            _edge(part, edge)
            for part, ids in self._parts.of_symbols(symbol_ids)
            for edge in part.snapshot.symbols.edges_from(ids)
        ]

    def edges_to(self, symbol_ids: Iterable[int]) -> list[Edge]:
        return [
            _edge(part, edge)
            for part, ids in self._parts.of_symbols(symbol_ids)
            for edge in part.snapshot.symbols.edges_to(ids)
        ]

    def uses_of(self, symbol_ids: Iterable[int]) -> Iterator[tuple[int, int]]:
        for part, ids in self._parts.of_symbols(symbol_ids):
            for user, used in part.snapshot.symbols.uses_of(ids):
                yield user + part.first_symbol, used + part.first_symbol

    def edge_counts(self, symbol_ids: Iterable[int]) -> Iterator[tuple[int, bool, int]]:
        for part, ids in self._parts.of_symbols(symbol_ids):
            for symbol, is_test, n_users in part.snapshot.symbols.edge_counts(ids):
                yield symbol + part.first_symbol, is_test, n_users

    def files_used(self, paths: Sequence[RepoPath]) -> list[tuple[RepoPath, RepoPath]]:
        found: set[tuple[RepoPath, RepoPath]] = set()
        for part, inside in self._parts.by_folders(paths):
            pairs = part.snapshot.symbols.files_used(inside)
            found |= {(part.path(user), part.path(used)) for user, used in pairs}
        return sorted(found)


class JoinedGraph:
    """The call graphs of all parts, side by side."""

    def __init__(self, parts: Parts, cache: SnapshotCache) -> None:
        self._parts, self._cache = parts, cache

    def nodes(self) -> Iterator[Node]:
        for part in self._parts:
            for node in part.snapshot.graph.nodes():
                yield node._replace(
                    id=node.id + part.first_symbol, path=part.path(node.path),
                    parent=part.symbol_id(node.parent),
                )  # fmt: skip

    def edges(self) -> Iterator[Edge]:
        for part in self._parts:
            for edge in part.snapshot.graph.edges():
                yield _edge(part, edge)

    def module_uses(self, *, tests: bool) -> list[ModuleUse]:
        return [
            use._replace(source=part.path(use.source), target=part.path(use.target))
            for part in self._parts
            for use in part.snapshot.graph.module_uses(tests=tests)
        ]

    def uses_between_files(self) -> list[tuple[int, int, float, int]]:
        return [
            (user + part.first_symbol, used + part.first_symbol, sure, file + part.first_symbol)
            for part in self._parts
            for user, used, sure, file in part.snapshot.graph.uses_between_files()
        ]

    def unresolved_names(self, names: Sequence[str]) -> dict[str, int]:
        found: Counter[str] = Counter()
        for part in self._parts:
            found.update(part.snapshot.graph.unresolved_names(names))
        return dict(found)


def _edge(part: Part, edge: Edge) -> Edge:
    shift = part.first_symbol
    return replace(edge, source=edge.source + shift, target=edge.target + shift)
