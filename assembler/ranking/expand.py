"""Structural expansion: what the packed code calls, what calls it, what it is built on.

The neighbourhood of the seeds is read from the store; each edge there says which rule resolved it
and how sure that rule is, and a neighbour repeats that as its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from satchel.assembler.values import Neighbour, Origin
from satchel.assembler.weights import EdgeWeights
from satchel.store.model import ReferenceKind, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ONLY_OF_ITS_NAME, SURE, ChunkRecord, Edge, SymbolRecord

_FORWARD = {
    ReferenceKind.CALL: "called by",
    ReferenceKind.INHERIT: "base of",
    ReferenceKind.IMPLEMENT: "implemented by",
    ReferenceKind.TYPE: "type used by",
}
_BACKWARD = {
    ReferenceKind.CALL: "calls",
    ReferenceKind.INHERIT: "inherits",
    ReferenceKind.IMPLEMENT: "implements",
    ReferenceKind.TYPE: "uses type",
}
_CONSTRUCTOR = "constructor"
"""The rule of the edge from a call of a class to what that runs."""
USERS = frozenset(_BACKWARD.values())
"""Relations of what uses a seed, rather than is used by it."""

_Edges = dict[int, dict[int, dict[str, Edge]]]
"""Edges by the symbol at one end, the symbol at the other, and kind; in the order they came."""

Admits = Callable[[ChunkRecord], bool]
"""Whether a chunk lies in the scope and below the path that a question is about."""


def edge_weights(weights: EdgeWeights) -> dict[ReferenceKind, float]:
    """The weight (0..1) of an edge of each kind, in both directions."""
    return {
        ReferenceKind.CALL: 1.0,
        ReferenceKind.INHERIT: weights.related,
        ReferenceKind.IMPLEMENT: weights.related,
        ReferenceKind.TYPE: weights.weak,
    }


class Preference(Struct, frozen=True):
    """Which neighbours are wanted: at most `per_seed` for each seed.

    Callers and callees in the file of a seed count `beside` times as much as others, and what uses
    a seed `users` times as much as what it uses; with 0 it is left out. With `by_use`, what a seed
    calls counts by the inverse of how many places of the product use it.
    """

    per_seed: int
    beside: float = 1.0
    users: float = 1.0
    by_use: bool = False


class Surroundings:
    """The call graph around seeds, each of whose symbols is read and weighed once.

    A pack looks around the code that it shows several times, with more of it each time.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        weights: EdgeWeights,
        preferred: Preference = Preference(0),  # noqa: B008
        relevance: Mapping[int, float] = MappingProxyType({}),
        admits: Admits = lambda _chunk: True,
    ) -> None:
        """`relevance` maps chunk ids to their own scores, so that of two callees the one that also
        matches the question comes first; `admits` says which chunks a question wants at all."""
        self.snapshot = snapshot
        self.weights = weights
        self.preferred = preferred
        self._relevance, self._admits = relevance, admits
        self._by_kind = edge_weights(weights)
        # Two tables of a few hundred edges: a library of graphs takes longer to load than a pack
        # takes to make.
        self._used: _Edges = {}
        self._users: _Edges = {}
        self._chunks: dict[int, ChunkRecord | None] = {}
        self._steps: dict[int, list[_Step]] = {}
        self._reached: dict[int, list[_Reached]] = {}
        self._names: dict[int, SymbolRecord] = {}
        self._n_users: dict[int, int] = {}

    def read(self, symbol_ids: Iterable[int]) -> None:
        """Add what these symbols use, and what uses them."""
        new = [i for i in dict.fromkeys(symbol_ids) if i not in self._steps]
        symbols = self.snapshot.symbols
        for edge in (*symbols.edges_from(new), *symbols.edges_to(new)):
            # What only shares its name with a member is more often a member of a library's type.
            if edge.confidence < SURE and edge.rule == ONLY_OF_ITS_NAME:
                continue
            kinds = self._used.setdefault(edge.source, {}).setdefault(edge.target, {})
            kinds[edge.kind] = edge
            self._users.setdefault(edge.target, {})[edge.source] = kinds
        self._locate(new)
        self._steps |= {i: list(self._steps_from(i)) for i in new}

    def _locate(self, new: Iterable[int]) -> None:
        """Read the chunks of symbols that came new into the graph."""
        known = self._chunks.keys()
        nodes = sorted({*new, *self._used, *self._users} - known)
        located = self.snapshot.chunks.defining(nodes)
        found = self.snapshot.chunks.by_id(sorted(set(located.values())))
        chunks = {chunk.id: chunk for chunk in found}
        self._chunks |= {node: chunks.get(located.get(node, -1)) for node in nodes}

    def n_users(self, symbol_id: int) -> int:
        """How many uses in code of the product reach a symbol that is used, by sure edges."""
        if symbol_id not in self._n_users:
            # Asked for all that were met since at once, as a query for each would add up.
            met = sorted(self._users.keys() - self._n_users.keys())
            self._n_users |= dict.fromkeys(met, 0)
            counted = self.snapshot.symbols.edge_counts(met)
            self._n_users |= {symbol: n for symbol, by_tests, n in counted if not by_tests}
        return self._n_users[symbol_id]

    def reached(self, symbol_id: int, path: RepoPath) -> Sequence[_Reached]:
        """What is wanted of what a symbol leads to that was read; `path` is its file's."""
        known = self._reached.get(symbol_id)
        if known is None:
            found = (self._weighed(step, path) for step in self._steps[symbol_id])
            known = self._reached[symbol_id] = [each for each in found if each is not None]
        return known

    def names(self, symbol_ids: Iterable[int]) -> Mapping[int, SymbolRecord]:
        """The records of these symbols, among others."""
        new = sorted({*symbol_ids} - self._names.keys())
        self._names |= {record.id: record for record in self.snapshot.symbols.by_id(new)}
        return self._names

    def _weighed(self, step: _Step, path: RepoPath) -> _Reached | None:
        chunk, edge = self._chunks[step.other], step.edge
        preferred, is_call = 1.0, edge.kind == ReferenceKind.CALL
        if step.relation in USERS:
            preferred = self.preferred.users
        # What everybody calls says little of any one of them.
        elif self.preferred.by_use and is_call:
            preferred = 1.0 / max(1, self.n_users(step.other))
        if chunk is None or not preferred or not self._admits(chunk):
            return None
        # What calls each other in one file was written to be read together.
        is_beside = is_call and chunk.path == path
        factor = preferred * (self.preferred.beside if is_beside else 1.0)
        return _Reached(chunk, step, self.weights.weak + self._relevance.get(chunk.id, 0.0), factor)

    def _steps_from(self, symbol_id: int) -> Iterator[_Step]:
        for target, kinds in self._used.get(symbol_id, {}).items():
            for edge in kinds.values():
                kind = ReferenceKind(edge.kind)
                yield self._step(target, edge, _FORWARD[kind], self._by_kind[kind])
        for source, kinds in self._users.get(symbol_id, {}).items():
            for edge in kinds.values():
                kind = ReferenceKind(edge.kind)
                yield self._step(source, edge, _BACKWARD[kind], self._by_kind[kind])

    def _step(self, other: int, edge: Edge, relation: str, worth: float) -> _Step:
        # That a class is built says less than what is done with it.
        factor = self.weights.weak if edge.rule == _CONSTRUCTOR else 1.0
        return _Step(other, relation, worth * factor, edge)


def expand(surroundings: Surroundings, seeds: Sequence[Origin]) -> list[Neighbour]:
    """The neighbours of each seed chunk, in seed order, best first within a seed.

    A symbol is the neighbour of the first seed that reaches it. What a seed's chunk holds beside
    the symbols that are shown of it is a neighbour like any other.
    """
    ids = [seed.chunk.id for seed in seeds]
    weights, per_seed = surroundings.weights, surroundings.preferred.per_seed
    defined = surroundings.snapshot.chunks.symbols_in(ids)
    surroundings.read(s for chunk_id in ids for s in defined.get(chunk_id, ()))
    shown_of = {seed.chunk.id: seed.shown for seed in seeds}
    taken: set[int] = set()
    result: list[_Found] = []
    for seed in seeds:
        found: list[_Found] = []
        for symbol_id in defined.get(seed.chunk.id, ()):
            # A chunk may hold several functions of which a pack shows one; what the others call
            # explains less.
            shown = seed.shown.get(symbol_id, weights.weak) if seed.shown else 1.0
            weight = seed.score * shown
            for chunk, step, meant, factor in surroundings.reached(symbol_id, seed.chunk.path):
                other, relation, worth, edge = step
                seed_shows = shown_of.get(chunk.id)
                # Of a seed with nothing known to be shown all of it is, so it is no neighbour.
                if seed_shows is not None and (not seed_shows or other in seed_shows):
                    continue
                if other not in taken:
                    score = weight * worth * edge.confidence * meant * factor
                    found.append(_Found(chunk, other, relation, symbol_id, edge, score))
        for neighbour in _distinct(found)[:per_seed]:
            taken.add(neighbour.symbol_id)
            result.append(neighbour)
    names = surroundings.names(i for one in result for i in (one.symbol_id, one.of))
    return [
        Neighbour(
            one.chunk, names[one.symbol_id], one.relation, names[one.of].qualified_name,
            one.edge.rule, one.edge.confidence, one.score,
        )
        for one in result
    ]  # fmt: skip


class _Found(NamedTuple):
    """A neighbour by the ids of its symbols, of which most are not kept."""

    chunk: ChunkRecord
    symbol_id: int
    relation: str
    of: int
    edge: Edge
    score: float


class _Step(NamedTuple):
    """To a symbol that is used or uses: the relation, and what it is worth in 0..1."""

    other: int
    relation: str
    worth: float
    edge: Edge


class _Reached(NamedTuple):
    """A step to a chunk that is wanted: how well the chunk matches, and how far it is preferred."""

    chunk: ChunkRecord
    step: _Step
    meant: float
    factor: float


def _distinct(found: list[_Found]) -> list[_Found]:
    """Best first, each symbol once; ids of one file ascend with its lines."""

    def key(one: _Found) -> tuple[float, RepoPath, int, str, int, int]:
        span = one.chunk.span
        return -one.score, one.chunk.path, span.start_byte, one.relation, one.of, one.symbol_id

    # Edges come from the store by symbol id, so equal scores are told apart by all that a
    # neighbour has, and what was inserted first does not matter.
    found.sort(key=key)
    seen: set[int] = set()
    result: list[_Found] = []
    for neighbour in found:
        if neighbour.symbol_id not in seen:
            seen.add(neighbour.symbol_id)
            result.append(neighbour)
    return result
