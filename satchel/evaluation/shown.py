"""What a pack shows of the lines that a fix changed. Pure.

A line counts as shown only where its own text stands in an excerpt that is not an outline: names
and signatures show nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from satchel.assembler.kinds import Detail
from satchel.assembler.values import ContextPack
from satchel.evaluation.bm25_windows import Window
from satchel.evaluation.fixes import Target
from satchel.store import tokens

_LEAST = 40
"""With fewer tokens left no further window is tried."""
_LONGEST_SEARCH = 400
"""Windows that are tried: a reader who starts at the top would not come to later ones."""
Lines = Callable[[str], Sequence[str]]
"""The lines of a file of the snapshot, by its path."""


class Shown(Struct, frozen=True):
    """What a pack shows of a fix: shares of changed lines and of functions whole, means, 0..1."""

    changed: float
    whole: float
    has_file: bool
    """Whether anything of a file that the fix changed is shown."""


def of_pack(pack: ContextPack, lines: Lines) -> dict[str, set[int]]:
    """The lines that a pack shows, by path."""
    found: dict[str, set[int]] = defaultdict(set)
    for excerpt in pack.excerpts:
        if excerpt.detail != Detail.SIGNATURE and excerpt.text.rstrip("\n") in pack.text:
            start, end, text = excerpt.start_line, excerpt.end_line, excerpt.text
            found[excerpt.path] |= lines_of(start, end, text, lines(excerpt.path))
    return found


def lines_of(start: int, end: int, text: str, source: Sequence[str]) -> set[int]:
    """Lines of a file whose text stands in an excerpt of lines `start` to `end`, in order."""
    at, found = start, set()
    for line in text.split("\n"):
        # Lines recur, so the search goes on behind the last one that was found.
        for number in range(at, min(end, len(source)) + 1):
            if source[number - 1].rstrip() == line.rstrip():
                found.add(number)
                at = number + 1
                break
    return found


def of_windows(windows: Iterable[Window], budget: int) -> dict[str, set[int]]:
    """The lines of windows that a budget buys, in their order while they fit, by path.

    Each costs its text and a line that says where it is.
    """
    left, found = budget, defaultdict[str, set[int]](set)
    for window in islice(windows, _LONGEST_SEARCH):
        place = f"{window.path}:{window.start}-{window.end}\n"
        cost = tokens.count(f"{place}{window.text.rstrip()}\n")
        # A shorter one further down may still fit.
        if cost > left:
            continue
        found[window.path].update(range(window.start, window.end + 1))
        left -= cost
        if left < _LEAST:
            break
    return found


def score(targets: Sequence[Target], shown: Mapping[str, set[int]]) -> Shown:
    """How much of the changed functions some lines show."""
    changed = whole = 0.0
    for target in targets:
        there = shown.get(target.path, set())
        wanted = {n for first, last in target.changed for n in range(first, last + 1)}
        changed += len(wanted & there) / len(wanted)
        whole += set(range(target.first_line, target.last_line + 1)) <= there
    n_targets = len(targets)
    has_file = any(shown.get(target.path) for target in targets)
    return Shown(changed / n_targets, whole / n_targets, has_file)
