"""Near duplicates: units whose lines are nearly those of a unit that is already shown. Pure.

Two units are near duplicates when at least `alike` of their distinct lines are the same, blanks at
both ends aside (Jaccard's measure). A copy is not shown again; the one that is shown says
where it is.
"""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")

_LEAST_LINES = 4
"""Shorter pieces are alike by chance."""
_LEAST_LETTERS = 3


class NearDuplicates(Generic[K]):
    """The lines of what is shown, in the order it was."""

    def __init__(self, alike: float) -> None:
        """`alike` is the least share of lines (0..1) that near duplicates have in common."""
        self._alike = alike
        self._lines: dict[K, frozenset[bytes]] = {}

    def of(self, text: bytes) -> K | None:
        """What was added first of all that is nearly the same as `text`, None for nothing."""
        lines = _telling_lines(text)
        if len(lines) < _LEAST_LINES:
            return None
        for key, shown in self._lines.items():
            low, high = sorted((len(lines), len(shown)))
            # Sets whose sizes differ by more than that cannot be alike, which spares most
            # intersections.
            if low < self._alike * high:
                continue
            # Jaccard's measure is what both have over what either has; the product avoids a
            # division.
            common = len(lines & shown)
            if common >= self._alike * (len(lines) + len(shown) - common):
                return key
        return None

    def add(self, key: K, text: bytes) -> None:
        """Remember what is shown."""
        self._lines[key] = _telling_lines(text)


def _telling_lines(text: bytes) -> frozenset[bytes]:
    stripped = (line.strip() for line in text.split(b"\n"))
    return frozenset(line for line in stripped if len(line) >= _LEAST_LETTERS)
