"""Fields, constants and properties that the shown functions use: the call graph has no such edge.

A name counts as used where it stands as a word in the text of a function of the same class, or of
the same file for what stands outside of classes. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from satchel.assembler.ranking.expand import Admits
from satchel.assembler.values import Neighbour, Origin
from satchel.assembler.weights import DEFAULT
from satchel.store.model import FUNCTIONS, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord, SymbolRecord

_KINDS = frozenset(
    {SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY}
)
_WEIGHTS = DEFAULT.neighbourhood
_SEEDS = 6
"""Best places whose members are looked for: each costs reading the symbols of its file."""
_LEAST_NAME = 3
"""Letters of a name: `i` and `id` are locals more often than members."""
_WORD = re.compile(r"[^\W\d]\w*")


def used(
    snapshot: Snapshot, seeds: Sequence[Origin], relevance: Mapping[int, float], admits: Admits
) -> list[Neighbour]:
    """The members that shown functions of the best `seeds` use, a chunk once for each seed."""
    found: list[Neighbour] = []
    for seed in sorted(seeds, key=lambda s: (-s.score, s.chunk.path, s.chunk.span.start_byte))[
        :_SEEDS
    ]:
        listed = snapshot.symbols.of_file(seed.chunk.path)
        functions = [s for s in listed if s.id in seed.shown and s.kind in FUNCTIONS]
        for function in functions:
            found += _of_function(snapshot, seed, function, listed, relevance, admits)
    return found


def _of_function(
    snapshot: Snapshot,
    seed: Origin,
    function: SymbolRecord,
    listed: Sequence[SymbolRecord],
    relevance: Mapping[int, float],
    admits: Admits,
) -> list[Neighbour]:
    span = function.span
    source = snapshot.files.source(seed.chunk.digest, seed.chunk.language)
    text = source[span.start_byte : span.end_byte].decode("utf-8", "replace")
    words = set(_WORD.findall(text))
    by_id = {symbol.id: symbol for symbol in listed}
    around = {function.parent_id}
    owner = by_id.get(function.parent_id)
    around |= {owner.parent_id} if owner else set()
    members = [
        symbol
        for symbol in listed
        if symbol.kind in _KINDS
        and symbol.parent_id in around
        and len(symbol.name) >= _LEAST_NAME
        and symbol.name in words
        and not span.start_line <= symbol.line <= span.end_line
    ]
    located = snapshot.chunks.defining(sorted(member.id for member in members))
    chunks: dict[int, ChunkRecord] = {
        chunk.id: chunk for chunk in snapshot.chunks.by_id(sorted(set(located.values())))
    }
    weight = seed.score * seed.shown[function.id] * _WEIGHTS.member
    return [
        Neighbour(
            chunk, member, "used by", function.qualified_name, "name", 1.0,
            weight * (_WEIGHTS.unasked + relevance.get(chunk.id, 0.0)),
        )
        for member in members
        if (chunk := chunks.get(located.get(member.id, -1))) and admits(chunk)
    ]  # fmt: skip
