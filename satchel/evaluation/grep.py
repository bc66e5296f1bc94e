"""What somebody finds with grep: lines that hold a word of the question, with lines around. Pure.

As `grep -i -F -C 5` over all words of three letters and more; files with most such lines first.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from satchel.evaluation.bm25_windows import Window

AROUND = 5
"""Lines shown above and below one that matches."""
_WORD = re.compile(r"\w{3,}")
_ANY = re.compile(r"\w+")
_STOP_WORD = re.compile(
    r"the|and|for|are|how|what|does|where|which|with|from|this|that|into|"
    r"when|who|why|can|has|have|not|but|its|all|was|were|been|being|will|"
    r"would|should"
)


def keywords(text: str) -> list[str]:
    """Words of three letters and more that carry meaning, in order, once each."""
    words = dict.fromkeys(_WORD.findall(text.lower()))
    return [word for word in words if not _STOP_WORD.fullmatch(word)] or list(words) or [text]


class Grep:
    """The lines of some files by the words in them."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._lines = {path: text.split("\n") for path, text in texts.items()}
        self._of_word: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for path, lines in self._lines.items():
            for number, line in enumerate(lines, 1):
                for word in _ANY.findall(line.lower()):
                    self._of_word[word][path].add(number)
        self._words = sorted(self._of_word)

    def best(self, text: str) -> Iterator[Window]:
        """Runs of lines with a word of the question, of files with most such lines first."""
        found: dict[str, set[int]] = defaultdict(set)
        asked = keywords(text)
        for word in self._words:
            # What grep finds of a word lies within one run of letters, as each of these is.
            if any(part in word for part in asked):
                for path, numbers in self._of_word[word].items():
                    found[path] |= numbers
        # A person who uses grep opens the file with most hits first.
        for path in sorted(found, key=lambda p: (-len(found[p]), p)):
            yield from self._runs(path, sorted(found[path]))

    def _runs(self, path: str, numbers: Sequence[int]) -> Iterator[Window]:
        lines = self._lines[path]
        for first, last in _joined(numbers, len(lines)):
            yield Window(path, first, last, "\n".join(lines[first - 1 : last]))


def _joined(numbers: Iterable[int], n_lines: int) -> Iterator[tuple[int, int]]:
    """Lines with those around them, as runs that do not touch."""
    start = end = 0
    for number in numbers:
        first, last = max(1, number - AROUND), min(n_lines, number + AROUND)
        if start and first > end + 1:
            yield start, end
            start = 0
        start, end = start or first, last
    if start:
        yield start, end
