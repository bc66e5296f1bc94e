"""Chunks taken apart into what can be shown by itself: functions, and what stands between them.

A chunk holds up to a thousand tokens and often several functions, of which a question needs one. A
unit is a callable with its comment and decorators, or the lines between two of them; the units of
a chunk tile it. Each has a worth: how likely it is to be what was asked for, by a formula whose
numbers are in `weights.Packing`. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from satchel.assembler.values import Evidence, Scored
from satchel.assembler.weights import Packing
from satchel.store import token_estimate
from satchel.store.model import CLASS_LIKE, FUNCTIONS, TYPES, RepoPath, SymbolKind
from satchel.store.records import ChunkRecord, SymbolRecord

_TYPES = CLASS_LIKE | TYPES
_CONTEXT = FUNCTIONS | _TYPES
_MINOR = frozenset({SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_WORD = re.compile(rb"[\w\x80-\xff]")
"""What is worth showing by itself has one: closing braces belong to what stands above."""
_MOST_OF_FILE = 5
"""Further chunks of one file say nothing new about how likely the file is."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Bytes `start` to `end` (whole lines) of a file; `line` is the 1-based line of `start`.

    `symbol` is the callable that it is, or that it is a part of; `name` what its signature is when
    it is not shown whole: that callable, or else what is defined between two of them. `context`
    is what has to be seen first, outermost first: the type that a method is in, and of a later
    part of a function its beginning. `defines` are the ids of what is defined in it.
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
    context: tuple[SymbolRecord, ...] = ()
    defines: tuple[int, ...] = ()
    within: str = ""
    """The type that `name` is defined in."""
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
    """What is known around a chunk: the symbols named in it, in source order, and the one it
    belongs to; `known` has these and what they are defined in, by id.
    """

    inside: Sequence[SymbolRecord]
    belongs_to: SymbolRecord | None
    known: Mapping[int, SymbolRecord]


class Part(NamedTuple):
    """What the worth of a unit depends on: its text, its first byte, its callable, its tokens."""

    text: bytes
    start: int
    symbol: SymbolRecord | None
    tokens: float


Appraise = Callable[[Part], float]


def _nothing(_part: Part) -> float:
    return 0.0


def split(
    item: Scored,
    around: Around,
    data: bytes,
    rarity: Mapping[str, float],
    appraise: Appraise = _nothing,
) -> list[Unit]:
    """The units of a chunk in source order; `data` is the whole file.

    What lies between two callables is named by what matches `rarity` best of all it defines.
    """
    chunk = item.chunk
    first, last = chunk.span.start_byte, chunk.span.end_byte
    cuts = _cuts(chunk, around, data)
    totals = token_estimate.cumulative_tokens(data[first:last])
    units: list[Unit] = []
    line, counted = chunk.span.start_line, first
    for (start, found), stop in zip(cuts, [*(s for s, _ in cuts[1:]), last], strict=True):
        line, counted = line + data.count(b"\n", counted, start), start
        belongs = found or (around.belongs_to if len(cuts) == 1 else None)
        size = float(totals[stop - first] - totals[start - first])
        held = [s for s in around.inside if start <= s.span.start_byte < stop]
        name = belongs or _named(held, rarity) or around.belongs_to
        owner = around.known.get(name.parent_id) if name else None
        units.append(
            Unit(
                chunk,
                start,
                stop,
                line,
                belongs,
                name=name,
                n_lines=data.count(b"\n", start, stop),
                tokens=size,
                score=item.score,
                worth=appraise(Part(data[start:stop], start, belongs, size)),
                why=item.why,
                context=_context(belongs or next(iter(held), around.belongs_to), start, around),
                defines=tuple(symbol.id for symbol in held),
                within=owner.name if owner and owner.kind in _TYPES else "",
            )
        )
    return units


def _cuts(chunk: ChunkRecord, around: Around, data: bytes) -> list[tuple[int, SymbolRecord | None]]:
    """Where the units of a chunk start, and the callable that each one is.

    A callable of one line, as in an interface, stays among what is around it.
    """
    first, last = chunk.span.start_byte, chunk.span.end_byte
    cuts: list[tuple[int, SymbolRecord | None]] = [(first, None)]
    end = first
    for symbol in around.inside:
        span = symbol.span
        if symbol.kind not in FUNCTIONS or span.start_line == span.end_line or span.end_byte <= end:
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
    return cuts


def _named(held: Sequence[SymbolRecord], rarity: Mapping[str, float]) -> SymbolRecord | None:
    """What stands for several definitions: what matches best, types before fields, else the first.

    A group of constants is named by the line that was asked for; one that has nothing to do with
    the question says nothing.
    """
    best: SymbolRecord | None = None
    standing = (-1.0, False)
    for symbol in held:
        if symbol.signature:
            said = f"{symbol.signature} {symbol.doc}".lower()
            found = sum(r for term, r in rarity.items() if term in said)
            if (found, symbol.kind not in _MINOR) > standing:
                best, standing = symbol, (found, symbol.kind not in _MINOR)
    return best if standing > (0.0, False) else None


def _context(symbol: SymbolRecord | None, start: int, around: Around) -> tuple[SymbolRecord, ...]:
    """What a unit that starts at byte `start` stands in, as far as it begins above it."""
    found: list[SymbolRecord] = []
    if symbol is not None:
        owner = around.known.get(symbol.parent_id)
        found = [
            above
            for above in (owner, symbol)
            if above
            and above.signature
            and above.kind in _CONTEXT
            and above.span.start_byte < start
        ]
    return tuple(found)


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


def worth(part: Part, standing: Standing, rarity: Mapping[str, float], weights: Packing) -> float:
    """How likely a unit is to be meant, up to a common factor.

    A product of powers, fitted by logistic regression on the development cases: score, place in
    the ranking, earlier chunks of the same file, size, and words of the question in its name.
    """
    value = float(
        (standing.share + 0.01) ** weights.by_score
        * (1 + standing.place) ** -weights.by_place
        * min(standing.nth, _MOST_OF_FILE) ** weights.by_file
        * max(5.0, part.tokens) ** weights.by_size
    )
    total = sum(rarity.values())
    if total:
        lowered = part.text.decode("utf-8", "replace").lower()
        said = sum(r for term, r in rarity.items() if term in lowered)
        value *= (said / total + 0.02) ** weights.by_words
    if part.symbol is None or part.symbol.span.start_byte < part.start:
        return value * weights.between if part.symbol is None else value
    name = part.symbol.name.lower()
    named = sum(r for term, r in rarity.items() if term in name) / total if total else 0.0
    return value * math.exp(weights.by_name * named)
