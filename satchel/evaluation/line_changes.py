"""Which lines differ between two versions of a file, and where lines were before. Pure.

Differences are found here and not by git, which would start programs that a repository names.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from operator import eq

MAX_LINES = 20_000
"""Lines of a version that are compared at most: finding differences takes time by the square of
lines that recur."""

Hunk = tuple[int, int, int, int]
"""First line and number of lines before, the same after; a number of 0 is behind that line."""


def between(before: bytes, after: bytes) -> list[Hunk]:
    """What was changed from one version to another, in the order of lines."""
    old, new = before.split(b"\n"), after.split(b"\n")
    # Most of a file is as it was, and comparing the two ends is what costs least.
    n_head = _n_equal(old, new)
    n_tail = _n_equal(old[n_head:][::-1], new[n_head:][::-1])
    old, new = old[n_head : len(old) - n_tail], new[n_head : len(new) - n_tail]
    # A file that was written anew by a program: no line of it is the same one.
    if max(len(old), len(new)) > MAX_LINES:
        return [_hunk(n_head, 0, len(old), 0, len(new))]
    return [_hunk(n_head, *change) for change in _differing(old, new)]


def _differing(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int, int]]:
    """The runs of lines that differ: from and to in the one, from and to in the other."""
    start = start_new = 0
    # Lines that stand once in both cut the text into short pieces (Cohen's patience diff): what
    # lies between two of them is compared alone, which takes a small part of the time.
    for end, end_new in (*_anchors(old, new), (len(old), len(new))):
        piece, piece_new = old[start:end], new[start_new:end_new]
        if not piece or not piece_new:
            if piece or piece_new:
                yield start, end, start_new, end_new
        elif piece != piece_new:
            for kind, *bounds in SequenceMatcher(None, piece, piece_new).get_opcodes():
                if kind != "equal":
                    first, last, first_new, last_new = bounds
                    yield start + first, start + last, start_new + first_new, start_new + last_new
        start, start_new = end + 1, end_new + 1


def _anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """The most lines that stand once in both and in the same order, by place in each."""
    counts, counts_new = Counter(old), Counter(new)
    place_of = {line: place for place, line in enumerate(old) if counts[line] == 1}
    # The longest run of growing places: the least last place of a run of each length, and for each
    # line the one before it in its run.
    lasts: list[int] = []
    pairs: list[tuple[int, int]] = []
    before: list[int | None] = []
    ends: list[int] = []
    for place_new, line in enumerate(new):
        if counts_new[line] > 1 or line not in place_of:
            continue
        place = place_of[line]
        length = bisect_left(lasts, place)
        lasts[length : length + 1] = [place]
        ends[length : length + 1] = [len(pairs)]
        before.append(ends[length - 1] if length else None)
        pairs.append((place, place_new))
    found: list[tuple[int, int]] = []
    number = ends[-1] if ends else None
    while number is not None:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _n_equal(left: Sequence[bytes], right: Sequence[bytes]) -> int:
    return sum(1 for _ in takewhile(bool, map(eq, left, right)))


def _hunk(shift: int, old: int, old_end: int, new: int, new_end: int) -> Hunk:
    n_old, n_new = old_end - old, new_end - new
    return shift + old + (n_old > 0), n_old, shift + new + (n_new > 0), n_new


def earlier_line(line: int, hunks: Sequence[Hunk]) -> int | None:
    """A line after some changes, as it was numbered before; None for a line that they brought."""
    shift = 0
    for _, n_old, new, n_new in hunks:
        first = new if n_new else new + 1
        if line < first:
            break
        if line < first + n_new:
            return None
        shift += n_old - n_new
    return line + shift


def touches(first: int, last: int, hunks: Sequence[Hunk]) -> bool:
    """Whether changes touch lines of the text before, or lie between two of them."""
    return any(
        old <= last and old + n - 1 >= first if n else first <= old < last for old, n, _, _ in hunks
    )
