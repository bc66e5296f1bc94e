"""Fields, constants and properties that shown functions use; the call graph has no such edges.

A name counts as used if it is a word in the text of a function of the same class or, for names
outside classes, of the same file. Pure.
"""

import re
from collections.abc import Mapping, Sequence

from satchel.assembler.ranking.expand import Admits
from satchel.assembler.values import Neighbour, Origin
from satchel.assembler.weights import SHORTEST_NAME, EdgeWeights
from satchel.store.model import FUNCTIONS, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord, SymbolRecord

KINDS = frozenset({SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY})
_SEEDS = 6
"""Best places whose names are followed; each costs reading its file."""
_WORD = re.compile(r"[^\W\d]\w*")


class Members:
    """What the functions of a question's code use; each is looked at once.

    `relevance` maps chunk ids to their own scores.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        relevance: Mapping[int, float],
        admits: Admits,
        weights: EdgeWeights,
    ) -> None:
        self._snapshot, self._weights = snapshot, weights
        self._relevance, self._admits = relevance, admits
        self._named_in: dict[int, list[SymbolRecord]] = {}
        self._chunks: dict[int, ChunkRecord | None] = {}

    def used(self, seeds: Sequence[Origin]) -> list[Neighbour]:
        """The members that shown functions of the best `seeds` use, once for each function."""
        in_order = sorted(seeds, key=lambda s: (-s.score, s.chunk.path, s.chunk.span.start_byte))
        uses = [
            (seed, function, member)
            for seed in in_order[:_SEEDS]
            for function in self._functions(seed)
            for member in self._named_in[function.id]
        ]
        new = sorted({member.id for *_, member in uses} - self._chunks.keys())
        located = self._snapshot.chunks.defining(new)
        chunks = {c.id: c for c in self._snapshot.chunks.by_id(sorted(set(located.values())))}
        self._chunks |= {member: chunks.get(located.get(member, -1)) for member in new}
        found: list[Neighbour] = []
        for seed, function, member in uses:
            chunk = self._chunks[member.id]
            if chunk is None or not self._admits(chunk):
                continue
            weight = seed.score * seed.shown[function.id] * self._weights.related
            score = weight * (self._weights.weak + self._relevance.get(chunk.id, 0.0))
            of = function.qualified_name
            found.append(Neighbour(chunk, member, "used by", of, "name", 1.0, score))
        return found

    def _functions(self, seed: Origin) -> list[SymbolRecord]:
        """The functions that are shown of a seed; from then on it is known what they name."""
        symbols = self._snapshot.symbols.of_file(seed.chunk.path)
        functions = [s for s in symbols if s.id in seed.shown and s.kind in FUNCTIONS]
        new = [function for function in functions if function.id not in self._named_in]
        if new:
            # A file is unpacked to be read, so it is read once for all of its functions.
            source = self._snapshot.files.source(seed.chunk.digest, seed.chunk.language)
            self._named_in |= {function.id: named_in(function, source, symbols) for function in new}
        return functions


def named_in(
    function: SymbolRecord, source: bytes, listed: Sequence[SymbolRecord]
) -> list[SymbolRecord]:
    """The members of a function's class, or of what encloses it, whose names occur in the
    function."""
    span = function.span
    text = source[span.start_byte : span.end_byte]
    words = frozenset(_WORD.findall(text.decode("utf-8", "replace")))
    owner = next((symbol for symbol in listed if symbol.id == function.parent_id), None)
    around = {function.parent_id, owner.parent_id} if owner else {function.parent_id}
    return [
        symbol
        for symbol in listed
        if symbol.kind in KINDS
        and symbol.parent_id in around
        and len(symbol.name) >= SHORTEST_NAME
        and symbol.name in words
        and not span.start_line <= symbol.line <= span.end_line
    ]
