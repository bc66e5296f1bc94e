"""Chunks taken apart into what can be shown by itself: functions, and what stands between them.

A chunk holds up to a thousand tokens and often several functions, of which a question needs one. A
unit is a callable with its comment and decorators, or the lines between two of them; the units of
a chunk tile it. Each has a worth: how likely it is to be what was asked for, by a formula whose
numbers are in `weights.Packing`. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assembler.values import Evidence, Scored
from assembler.weights import Packing
from store import estimate
from store.model import RepoPath, SymbolKind
from store.records import ChunkRecord, SymbolRecord

_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR})
_MINOR = frozenset({SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_WORD = re.compile(rb"[\w\x80-\xff]")
"""What is worth showing by itself has one: closing braces belong to what stands above."""
_MOST_OF_FILE = 5
"""Further chunks of one file say nothing new about how likely the file is."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Bytes `start` to `end` (whole lines) of a file; `line` is the 1-based line of `start`.

    `symbol` is the callable that it is, or that it is a part of; `name` what its signature is when
    it is not shown whole: that callable, or else what is defined between two of them.
    `tokens` is estimated, to about 13 %. `score` is its chunk's, `worth` its own, 0 or more.
    """

    chunk: ChunkRecord
    start: int
    end: int
    line: int
    symbol: SymbolRecord | None
    name: SymbolRecord | None
    n_lines: int
    tokens: float
    score: float
    worth: float
    why: tuple[Evidence, ...] = ()
    """The signals of its chunk."""
    reason: str = ""
    """Why it is here when it is not a match itself: "called by Signal.send"."""
    note: str = ""
    """What to look at in it: "changed 63-64"."""
    held: int = 0
    """The reply in which the client was sent this very text; 0 for none."""

    @property
    def key(self) -> tuple[RepoPath, int]:
        """What tells units apart."""
        return self.chunk.path, self.start

    @property
    def starts_symbol(self) -> bool:
        """Whether the definition itself stands in the unit, not only a later part of it."""
        return self.symbol is not None and self.symbol.span.start_byte >= self.start


@dataclass(frozen=True, slots=True)
class Around:
    """What is known around a chunk: the symbols named in it, and the ones they lie in, by id."""

    inside: Sequence[SymbolRecord]
    belongs_to: SymbolRecord | None


def split(item: Scored, around: Around, data: bytes) -> list[Unit]:
    """The units of a chunk in source order; `data` is the whole file. Worth is not set."""
    chunk = item.chunk
    first, last = chunk.span.start_byte, chunk.span.end_byte
    cuts: list[tuple[int, SymbolRecord | None]] = [(first, None)]
    end = first
    for symbol in around.inside:
        if symbol.kind not in _CALLABLE or symbol.span.end_byte <= end:
            continue
        start = data.rfind(b"\n", 0, symbol.span.start_byte) + 1
        stop = data.find(b"\n", symbol.span.end_byte - 1) + 1 or len(data)
        if start < end or start < first:
            continue
        if not _WORD.search(data, end, start):
            cuts.pop()
        cuts.append((start, symbol))
        end = min(stop, last)
        cuts.append((end, None))
    if not _WORD.search(data, cuts[-1][0], last) and len(cuts) > 1:
        cuts.pop()
    cuts[0] = (first, cuts[0][1])
    totals = estimate.cumulative_tokens(data[first:last])
    units: list[Unit] = []
    for (start, found), stop in zip(cuts, [*(s for s, _ in cuts[1:]), last], strict=True):
        line = chunk.span.start_line + data.count(b"\n", first, start)
        belongs = found or (around.belongs_to if len(cuts) == 1 else None)
        name = belongs or _defined(around, start, stop)
        n_lines = data.count(b"\n", start, stop)
        size = float(totals[stop - first] - totals[start - first])
        units.append(
            Unit(chunk, start, stop, line, belongs, name, n_lines, size, item.score, 0.0, item.why)
        )
    return units


def _defined(around: Around, start: int, stop: int) -> SymbolRecord | None:
    """What stands between two callables: the first class or the like, else whatever is named."""
    inside = [s for s in around.inside if start <= s.span.start_byte < stop and s.signature]
    types = (s for s in inside if s.kind not in _MINOR)
    return next(types, next(iter(inside), around.belongs_to))


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a chunk stands in a ranking.

    `share` is its score over the best, `place` counts from 0, `nth` is its number among the
    chunks of its file from 1.
    """

    share: float
    place: int
    nth: int


def end_line(unit: Unit, data: bytes) -> int:
    """The last line of a unit, 1-based; `data` is the whole file."""
    return unit.line + data.count(b"\n", unit.start, max(unit.start, unit.end - 1))


def worth(
    unit: Unit, text: bytes, standing: Standing, rarity: Mapping[str, float], weights: Packing
) -> float:
    """How likely a unit is to be meant, up to a common factor.

    A product of powers, fitted by logistic regression on the development cases: score, place in
    the ranking, earlier chunks of the same file, size, and words of the question in its name.
    """
    value = float(
        (standing.share + 0.01) ** weights.by_score
        * (1 + standing.place) ** -weights.by_place
        * min(standing.nth, _MOST_OF_FILE) ** weights.by_file
        * max(5.0, unit.tokens) ** weights.by_size
    )
    total = sum(rarity.values())
    if total:
        lowered = text.decode("utf-8", "replace").lower()
        said = sum(r for term, r in rarity.items() if term in lowered)
        value *= (said / total + 0.02) ** weights.by_words
    if unit.symbol is None or not unit.starts_symbol:
        return value * weights.between if unit.symbol is None else value
    name = unit.symbol.name.lower()
    named = sum(r for term, r in rarity.items() if term in name) / total if total else 0.0
    return value * math.exp(weights.by_name * named)
