"""The forms a unit can be shown in: by its signature, cut to the lines that matter, or whole. Pure.

Cut to what matters, a unit keeps its first lines, the lines that the question points at and those
that hold its rarest words, each with two lines around it, up to a share of its lines. Of fixes to
functions of 25 lines and more, two fifths of the lines chosen so hold a changed line in 71 of 100,
two fifths from the top in 54, from anywhere in 53 (`bench/RESULTS.md`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from satchel.assembler.packing.pieces import Piece, outline, signature, whole
from satchel.assembler.packing.units import Unit
from satchel.assembler.weights import Packing
from satchel.store.model import RepoPath

SEGMENT = 9
"""Tokens of the line above a segment, about."""
_LETTERS_A_TOKEN = 4.5
"""Of a signature, at most; a low estimate is corrected when it is counted."""
_LEAST_LINES = 25
"""Shorter functions are shown whole or not at all."""
_MATCHING = 5
"""Lines that are kept of a later part of a function, at least; more are counted."""
_AROUND = 2
"""Lines shown above and below one that matters; so many between two are shown as well."""
_SIGNATURE = 12
"""Lines of a signature that are shown at most."""
_SEGMENTS = 3
"""Into which a unit is cut, about, for the estimate."""


class Form(IntEnum):
    """How much of a unit is shown, least first."""

    NOTHING = 0
    NAMED = 1
    ELIDED = 2
    WHOLE = 3


@dataclass(frozen=True, slots=True)
class Interest:
    """What makes lines matter: the rarity of words, and lines that are pointed at, by path."""

    rarity: Mapping[str, float]
    pointed: Mapping[RepoPath, Sequence[tuple[int, int]]]


Option = tuple[Form, float, float]
"""A form with the tokens it takes, about, and its worth."""


def options(unit: Unit, weights: Packing) -> tuple[Option, ...]:
    """The forms that a unit has, least first."""
    found = ((form, estimate(unit, form, weights), worth(unit, form, weights)) for form in Form)
    return tuple(option for option in found if option[1])


def worth(unit: Unit, form: Form, weights: Packing) -> float:
    """What a unit shown in a form counts for."""
    shares = (0.0, weights.signature, weights.elided, 1.0)
    return shares[form] * unit.worth


def estimate(unit: Unit, form: Form, weights: Packing) -> float:
    """About how many tokens a form takes; 0 where the unit has no such form."""
    if unit.held:
        return float(SEGMENT) if form == Form.WHOLE else 0.0
    if form == Form.WHOLE:
        return unit.tokens + SEGMENT
    if unit.name is None or not unit.name.signature or unit.tokens < 3 * SEGMENT:
        return 0.0
    if form == Form.NAMED:
        return len(outline(unit.name)) / _LETTERS_A_TOKEN + 2
    if form == Form.ELIDED and unit.n_lines >= _LEAST_LINES:
        is_part = unit.symbol is not None and not unit.starts_symbol
        share = _MATCHING / unit.n_lines if is_part else weights.elided_lines
        return share * unit.tokens + _SEGMENTS * SEGMENT
    return 0.0


def defined(unit: Unit, form: Form) -> tuple[int, ...]:
    """The ids of symbols whose header a form shows."""
    if form == Form.WHOLE:
        return unit.defines
    shown = unit.name if form == Form.NAMED else unit.symbol
    return (shown.id,) if shown is not None and form else ()


def pieces(
    unit: Unit, form: Form, data: bytes, interest: Interest, weights: Packing
) -> tuple[Piece, ...]:
    """What is shown of a unit in a form; `data` is its whole file."""
    if form == Form.NAMED and unit.name is not None:
        return (signature(unit, unit.name),)
    if form == Form.ELIDED:
        return tuple(_elided(unit, data, interest, weights.elided_lines))
    return (whole(unit),)


def _elided(unit: Unit, data: bytes, interest: Interest, share: float) -> list[Piece]:
    """Runs of the lines that matter."""
    starts = [unit.start]
    while (end := data.find(b"\n", starts[-1], unit.end)) >= 0 and end + 1 < unit.end:
        starts.append(end + 1)
    chosen = _chosen(unit, data[unit.start : unit.end], len(starts), interest, share)
    bounds = [*starts, unit.end]
    found: list[Piece] = []
    for line in sorted(chosen):
        start, end = bounds[line], bounds[line + 1]
        if found and found[-1].end == start:
            start = found.pop().start
        found.append(Piece(unit, start, end, elided=True, continues=bool(found)))
    return found


def _chosen(unit: Unit, text: bytes, n_lines: int, interest: Interest, share: float) -> set[int]:
    """The numbers of the lines to show, from 0: a signature as a whole."""
    top = _top(unit, text)
    chosen = {line for line in top if line < n_lines}
    scores = _scores(text, n_lines, interest)
    for first, last in interest.pointed.get(unit.chunk.path, ()):
        for line in range(max(0, first - unit.line), min(n_lines, last - unit.line + 1)):
            scores[line] += 1000.0
    most = int(share * n_lines) + max(0, len(top) - _AROUND)
    # In the middle of a function a line without a match says nothing; below a signature it may.
    listed = [n for n in range(n_lines) if top or scores[n] > 0] or range(n_lines)
    for line in sorted(listed, key=lambda n: (-scores[n], n)):
        around = range(max(0, line - _AROUND), min(n_lines, line + _AROUND + 1))
        if len(chosen.union(around)) > most:
            break
        chosen.update(around)
    # A gap that is shorter than the line which would mark it is shown.
    for line in range(n_lines):
        if line not in chosen and {line - 1, line - 2} & chosen and {line + 1, line + 2} & chosen:
            chosen.add(line)
    return chosen


def _top(unit: Unit, text: bytes) -> range:
    """The numbers of the lines that say what a unit is; none where its beginning is elsewhere."""
    if unit.symbol is None:
        return range(_AROUND)
    if not unit.starts_symbol:
        return range(0)
    first = unit.symbol.line - unit.line
    lines = text.split(b"\n")[first : first + _SIGNATURE]
    return range(first, first + max(_AROUND, _height(unit.symbol.signature, lines)))


def _height(signature: str, lines: Sequence[bytes]) -> int:
    """Over how many of some lines a signature extends that starts in the first.

    A line counts as far as the signature has it: comments are no part of one.
    """
    said = "".join(signature.split()).encode("utf-8", "surrogatepass")
    left = len(said)
    for n, line in enumerate(lines, 1):
        left -= _shared(b"".join(line.split()), said)
        if left <= 0:
            return n
    return 1


def _shared(line: bytes, said: bytes) -> int:
    """How many of a line's first bytes stand together in what is said."""
    if line in said:
        return len(line)
    return bisect_left(range(1, len(line)), True, key=lambda n: line[:n] not in said)


def _scores(text: bytes, n_lines: int, interest: Interest) -> list[float]:
    lines = text.decode("utf-8", "replace").lower().split("\n")[:n_lines]
    terms = interest.rarity.items()
    return [sum(rarity for term, rarity in terms if term in line) for line in lines]
