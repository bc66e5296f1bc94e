"""The plain baseline: BM25 over windows of 40 lines, identifiers also split into their parts. Pure.

Formula: Robertson & Zaragoza 2009, §3.
"""

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
from msgspec import Struct

K1 = 1.5
B = 0.75
LINES = 40
CHARACTERS = 1500

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


class Window(Struct, frozen=True):
    """Lines `start` to `end` of a file, and their text."""

    path: str
    start: int
    end: int
    text: str


def windows(
    path: str, text: str, lines: int = LINES, characters: int = CHARACTERS
) -> Iterator[Window]:
    """Consecutive runs of at most `lines` lines and `characters` characters; one line at least."""
    run: list[str] = []
    size, start = 0, 1
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if run and (len(run) == lines or size + len(line) > characters):
            yield Window(path, start, number - 1, "".join(run))
            run, size, start = [], 0, number
        run.append(line)
        size += len(line)
    if run and size:
        yield Window(path, start, start + len(run) - 1, "".join(run))


def terms(text: str) -> list[str]:
    """Identifiers of a text in lower case, each followed by its camelCase or snake_case parts."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found.append(word.lower())
        parts = _PART.findall(word)
        if len(parts) > 1:
            found.extend(part.lower() for part in parts)
    return found


class Bm25:
    """An index in memory over some windows, in the order in which they came."""

    def __init__(self, listed: Iterable[Window]) -> None:
        self._windows: list[Window] = []
        postings: defaultdict[str, tuple[array[int], array[int]]] = defaultdict(
            lambda: (array("l"), array("l"))
        )
        lengths: list[int] = []
        for number, window in enumerate(listed):
            self._windows.append(window)
            counts = Counter(terms(window.text))
            lengths.append(counts.total())
            for term, count in counts.items():
                numbers, frequencies = postings[term]
                numbers.append(number)
                frequencies.append(count)
        self._postings = dict(postings)
        self._lengths: npt.NDArray[np.float64] = np.asarray(lengths, dtype=float)

    def best(self, text: str, limit: int) -> list[Window]:
        """The best windows for a question; equal scores keep their order."""
        n_windows = len(self._windows)
        scores = np.zeros(n_windows)
        norms = K1 * (1 - B + B * self._lengths / (self._lengths.mean() if n_windows else 1.0))
        for term, repeats in Counter(terms(text)).items():
            if term not in self._postings:
                continue
            # Arrays of the standard library hold a posting in eight bytes.
            numbers = np.asarray(self._postings[term][0])
            counts = np.asarray(self._postings[term][1], dtype=float)
            idf = math.log(1 + (n_windows - len(numbers) + 0.5) / (len(numbers) + 0.5))
            scores[numbers] += repeats * idf * counts / (counts + norms[numbers])
        # A stable sort: equal scores keep the order of files and lines.
        order = np.argsort(-scores, kind="stable")[:limit]
        return [self._windows[number] for number in order if scores[number] > 0]
