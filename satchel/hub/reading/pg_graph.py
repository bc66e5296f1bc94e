"""The whole call graph of a hub's repositories; see `store.reading.snapshot`.

Made of what `pg_symbols` reads, without statements of its own: a question to a hub asks for it
rarely.
"""

from collections.abc import Iterator, Sequence

from satchel.hub.reading.pg_files import PgFiles
from satchel.hub.reading.pg_symbols import PgSymbols
from satchel.store.model import FUNCTIONS, TYPES, RepoPath
from satchel.store.records import SATISFIES, SURE, Edge, ModuleUse, Node, SymbolRecord

_MAX_USES = 1_000_000
"""Of one name; more than there are, so that a hub counts as many as a checkout does."""


class PgGraph:
    """The call graph of one snapshot, whole; nothing is kept between two questions."""

    def __init__(self, files: PgFiles, symbols: PgSymbols) -> None:
        self._files, self._symbols = files, symbols

    def nodes(self) -> Iterator[Node]:
        tied = {end for edge in self.edges() for end in (edge.source, edge.target)}
        found = (s for file in self._files.all() for s in self._symbols.of_file(file.path))
        wanted = (s for s in found if s.id in tied or s.kind in FUNCTIONS | TYPES)
        for s in sorted(wanted, key=lambda symbol: symbol.id):
            yield Node(
                s.id, s.path, s.name, s.qualified_name, str(s.kind), s.line, str(s.visibility),
                s.is_test, s.parent_id,
            )  # fmt: skip

    def edges(self) -> Iterator[Edge]:
        yield from sorted(self._symbols.all_edges(), key=lambda e: (e.source, e.target, e.kind))

    def module_uses(self, *, tests: bool) -> list[ModuleUse]:
        found: dict[tuple[RepoPath, RepoPath], ModuleUse] = {}
        for edge, user, used in self._between_files():
            if edge.rule == SATISFIES or (not tests and (user.is_test or used.is_test)):
                continue
            key = user.path, used.path
            known = found.get(key) or ModuleUse(*key, 0, 0.0, edge.line)
            found[key] = ModuleUse(
                *key, known.uses + 1, known.confidence + edge.confidence,
                min(known.line, edge.line),
            )  # fmt: skip
        return [found[key] for key in sorted(found)]

    def uses_between_files(self) -> list[tuple[int, int, float, int]]:
        ids = {file.path: file.id for file in self._files.all()}
        return [
            (edge.source, edge.target, edge.confidence, ids[user.path])
            for edge, user, used in self._between_files()
            if not (user.is_test or used.is_test)
        ]

    def unresolved_names(self, names: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for name in names:
            targets = {symbol.id for symbol in self._symbols.named(name)}
            tied = {edge.source for edge in self._symbols.edges_to(sorted(targets))}
            uses = self._symbols.references_to(name, _MAX_USES)
            if n_uses := sum(use.scope not in tied for use in uses):
                found[name] = n_uses
        return found

    def _between_files(self) -> Iterator[tuple[Edge, SymbolRecord, SymbolRecord]]:
        edges = [edge for edge in self.edges() if edge.confidence >= SURE]
        ends = sorted({end for edge in edges for end in (edge.source, edge.target)})
        records = {record.id: record for record in self._symbols.by_id(ends)}
        for edge in edges:
            user, used = records[edge.source], records[edge.target]
            if user.path != used.path:
                yield edge, user, used
