"""How much of a unit is shown: whole with its long comments cut, or the parts that match. Pure.

A function too long for its share keeps its signature and the lines that the question points at or
that hold its rarest words, each with lines around it to edit it by. Lines are 1-based, inclusive.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from satchel.assembler.packing import comments
from satchel.assembler.packing.shown import SHORT_GAP, Piece, ReadLines, merged
from satchel.assembler.packing.units import Unit
from satchel.assembler.values import LineRange
from satchel.store import terms, token_estimate
from satchel.store.model import RepoPath

_AROUND = 5
"""Lines shown above and below one that matters, so that it can be changed; fewer together say
nothing."""
_SIGNATURE = 12
"""Lines of a signature that are shown at most."""


class Interest(Struct, frozen=True):
    """What makes lines matter: the rarity of words, and lines that are pointed at, by path."""

    idf: Mapping[str, float]
    pointed: Mapping[RepoPath, Sequence[LineRange]]


def whole(unit: Unit) -> Piece:
    """Every line of a unit."""
    return Piece(unit, ((unit.first, unit.last),))


def trimmed(unit: Unit, read: ReadLines, interest: Interest) -> Piece:
    """A unit without what its long comments say beyond their first sentence.

    A comment that is pointed at stays.
    """
    lines = read(unit.chunk).between(unit.first, unit.last)
    texts = [line.decode("utf-8", "replace") for line in lines]
    pointed = interest.pointed.get(unit.chunk.path, ())
    ranges, at = list[LineRange](), unit.first
    for start, end in comments.spare(texts, unit.chunk.language):
        first, last = unit.first + start, unit.first + end
        # A diff or a trace may be about the comment itself.
        if any(a <= last and b >= first for a, b in pointed):
            continue
        if first > at:
            ranges.append((at, first - 1))
        at = last + 1
    if at <= unit.last:
        ranges.append((at, unit.last))
    # A unit that is nothing but a comment would have no line left.
    return Piece(unit, tuple(ranges)) if ranges else whole(unit)


def signature(unit: Unit) -> Piece | None:
    """A unit by its name; None where it has none to show."""
    return Piece(unit) if unit.name is not None and unit.name.signature else None


def part(unit: Unit, read: ReadLines, interest: Interest, limit: float) -> Piece | None:
    """The signature of a unit and what matters in it, in about `limit` tokens.

    None where not even the least part fits. Comments that are cut stay cut.
    """
    shown = trimmed(unit, read, interest)
    allowed = {n for first, last in shown.ranges for n in range(first, last + 1)}
    lines = read(unit.chunk).between(unit.first, unit.last)
    # The whole text is estimated at once and taken apart at line ends, which is cheaper than
    # estimating each line.
    totals = token_estimate.cumulative_tokens(b"\n".join(lines) + b"\n")
    ends = np.cumsum([len(line) + 1 for line in lines])
    sizes = [float(size) for size in np.diff(totals[ends], prepend=0.0)]
    scores = _scores(unit, lines, interest)
    # The signature is shown in any case, because lines without it do not say what they are part
    # of.
    chosen = set(_top(unit, lines)) & allowed
    spent = sum(sizes[n - unit.first] for n in chosen)
    # Line numbers break ties, so that the lines of a set come in the same order each time.
    listed = sorted(allowed, key=lambda n: (-scores[n - unit.first], n))
    for line in listed:
        if line in chosen:
            continue
        around = range(max(unit.first, line - _AROUND), min(unit.last, line + _AROUND) + 1)
        more = [n for n in around if n in allowed and n not in chosen]
        cost = sum(sizes[n - unit.first] for n in more)
        # The loop ends at the first line that does not fit: lesser lines that do fit would be
        # shown in place of better ones.
        if spent + cost > limit:
            break
        chosen.update(more)
        spent += cost
    ranges = _ranges_of(chosen, allowed)
    if not any(last - first + 1 >= _AROUND for first, last in ranges):
        return None
    return Piece(unit, ranges, is_cut=True)


def _top(unit: Unit, lines: Sequence[bytes]) -> range:
    """The lines that say what a unit is: from its definition to what looks like its body."""
    if unit.symbol is None:
        return range(0)
    first = max(unit.first, unit.symbol.line)
    length = len("".join(unit.symbol.signature.split()))
    last, n_seen = first, 0
    for last, line in enumerate(lines[first - unit.first :][:_SIGNATURE], first):  # noqa: B007
        # Blanks are ignored on both sides, since a signature is kept in one line and code breaks
        # it anywhere.
        n_seen += len(b"".join(line.split()))
        if n_seen >= length:
            break
    return range(first, min(unit.last, last) + 1)


def _scores(unit: Unit, lines: Sequence[bytes], interest: Interest) -> list[float]:
    """How much each line matters: the rarity of the words in it.

    Rarity is that in the repository times that in the unit, log((n + 1) / lines with the word) over
    log(n + 1): a word that stands in every branch of a long function leads to none of them.
    """
    # Whole words, since `no` stands in half of all lines as a part of others.
    held = [terms.term_counts(line.decode("utf-8", "replace")).keys() for line in lines]
    scores, most = [0.0] * len(held), math.log(len(held) + 1)
    for term, idf in interest.idf.items():
        holding = [n for n, words in enumerate(held) if term in words]
        for n in holding:
            scores[n] += idf * math.log((len(held) + 1) / len(holding)) / most
    for first, last in interest.pointed.get(unit.chunk.path, ()):
        for n in range(max(first, unit.first), min(last, unit.last) + 1):
            # A rarity is a logarithm of the number of chunks, so the words of a line do not add up
            # to a thousand.
            scores[n - unit.first] += 1000.0
    return scores


def _ranges_of(chosen: Iterable[int], allowed: set[int]) -> tuple[LineRange, ...]:
    """The chosen lines as ranges; a gap shorter than what would mark it is closed."""
    ranges = merged((n, n) for n in chosen)
    closed = list(ranges[:1])
    for first, last in ranges[1:]:
        between = range(closed[-1][1] + 1, first)
        if len(between) <= SHORT_GAP and allowed.issuperset(between):
            closed[-1] = (closed[-1][0], last)
        else:
            closed.append((first, last))
    return tuple(closed)
