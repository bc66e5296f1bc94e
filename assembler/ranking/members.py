"""Fields, constants and properties that shown functions use; the call graph has no such edges.

A name counts as used if it is a word in the text of a function of the same class or, for names
outside classes, of the same file. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from satchel.assembler.ranking.expand import Admits
from satchel.assembler.values import Neighbour, Origin
from satchel.assembler.weights import EdgeWeights
from satchel.store.model import FUNCTIONS, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

KINDS = frozenset({SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY})
_SEEDS = 6
"""Best places whose names are followed; each costs reading its file."""
_LEAST_NAME = 3
"""Least length of a name: `i` and `id` are more often local variables than members."""
_WORD = re.compile(r"[^\W\d]\w*")


def used(
    snapshot: Snapshot,
    seeds: Sequence[Origin],
    relevance: Mapping[int, float],
    admits: Admits,
    weights: EdgeWeights,
) -> list[Neighbour]:
    """The members that shown functions of the best `seeds` use, once for each function."""
    uses: list[tuple[Origin, SymbolRecord, SymbolRecord]] = []
    in_order = sorted(seeds, key=lambda s: (-s.score, s.chunk.path, s.chunk.span.start_byte))
    for seed in in_order[:_SEEDS]:
        symbols = snapshot.symbols.of_file(seed.chunk.path)
        functions = [s for s in symbols if s.id in seed.shown and s.kind in FUNCTIONS]
        if functions:
            # A file is unpacked to be read, so it is read once for all of its functions.
            source = snapshot.files.source(seed.chunk.digest, seed.chunk.language)
            uses += (
                (seed, f, member) for f in functions for member in named_in(f, source, symbols)
            )
    located = snapshot.chunks.defining(sorted({member.id for *_, member in uses}))
    chunks = {each.id: each for each in snapshot.chunks.by_id(sorted(set(located.values())))}
    found: list[Neighbour] = []
    for seed, function, member in uses:
        chunk = chunks.get(located.get(member.id, -1))
        if chunk is None or not admits(chunk):
            continue
        weight = seed.score * seed.shown[function.id] * weights.related
        score = weight * (weights.weak + relevance.get(chunk.id, 0.0))
        of = function.qualified_name
        found.append(Neighbour(chunk, member, "used by", of, "name", 1.0, score))
    return found


def named_in(
    function: SymbolRecord, source: bytes, listed: Sequence[SymbolRecord]
) -> list[SymbolRecord]:
    """The members of a function's class, or of what encloses it, whose names occur in the
    function."""
    span = function.span
    words = _words(source[span.start_byte : span.end_byte])
    owner = next((symbol for symbol in listed if symbol.id == function.parent_id), None)
    around = {function.parent_id, owner.parent_id} if owner else {function.parent_id}
    return [
        symbol
        for symbol in listed
        if symbol.kind in KINDS
        and symbol.parent_id in around
        and len(symbol.name) >= _LEAST_NAME
        and symbol.name in words
        and not span.start_line <= symbol.line <= span.end_line
    ]


@lru_cache(maxsize=64)
def _words(text: bytes) -> frozenset[str]:
    """The names in a text; those of the best functions are asked for in every round of packing."""
    return frozenset(_WORD.findall(text.decode("utf-8", "replace")))
