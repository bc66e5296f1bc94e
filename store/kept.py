"""Arrays that all snapshots of one generation share, so that each is read from the index once.

A process that answers many questions opens a snapshot for each; which chunk lies in which file, and
which are test code, would be half of a question's time. Values are never changed once they are
here, so that threads may share them: at worst two of them make the same value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

_T = TypeVar("_T")
_MAX_VALUES = 64
"""Masks of path prefixes are the only ones without a natural end."""


class Kept:
    """Values by key; `stamp` says of which state of the index."""

    def __init__(self, stamp: Hashable = None) -> None:
        self.stamp = stamp
        self._values: dict[Hashable, object] = {}

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """The value of `key`, made if it is not there."""
        if key not in self._values:
            if len(self._values) >= _MAX_VALUES:
                self._values = {}
            self._values[key] = make()
        value: _T = self._values[key]  # type: ignore[assignment]
        return value
