"""Arrays that all snapshots of one state share, and that those of the next are made from.

A process that answers many questions opens a snapshot for each; which chunk lies in which file, and
which are test code, would be half of a question's time, and after a save twice as much as all else.
Values are never changed once they are here, so that threads may share them; while one makes a
value, others that want it wait.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import TypeVar

from satchel.store.model import Generation

_T = TypeVar("_T")
_MAX_VALUES = 64
"""Masks of path prefixes are the only ones without a natural end."""


class Kept:
    """Values by key, of the index at `place` as of the generation `text`.

    Those of `before`, an earlier text of the same index, are kept up with instead of made anew.
    """

    def __init__(
        self,
        text: Generation = Generation(0),  # noqa: B008
        place: Hashable = None,
        before: Kept | None = None,
    ) -> None:
        self.text, self.place = text, place
        self._making = threading.RLock()
        self._values: OrderedDict[Hashable, object] = OrderedDict()
        self._before = before.left() if before else {}

    def get(
        self,
        key: Hashable,
        make: Callable[[], _T],
        follow: Callable[[_T, Generation], _T | None] | None = None,
    ) -> _T:
        """The value of `key`, made if it is not there.

        `follow` makes it from an earlier one, given the text that was of, or returns None.
        """
        with suppress(KeyError):
            self._values.move_to_end(key)
            return self._values[key]  # type: ignore[return-value]
        with self._making:
            if key not in self._values:
                value = self._followed(key, follow)
                self.put(key, make() if value is None else value)
            return self._values[key]  # type: ignore[return-value]

    def put(self, key: Hashable, value: object) -> None:
        """Say what the value of `key` is."""
        with self._making:
            self._values[key] = value
            if len(self._values) > _MAX_VALUES:
                self._values.popitem(last=False)

    def left(self) -> dict[Hashable, tuple[Generation, object]]:
        """What there is, with the text that it is of: what nobody asked for stays what it is."""
        with self._making:
            found = {key: held for key, held in self._before.items() if key not in self._values}
            found |= {key: (self.text, value) for key, value in self._values.items()}
            return dict(list(found.items())[-_MAX_VALUES:])

    def _followed(
        self, key: Hashable, follow: Callable[[_T, Generation], _T | None] | None
    ) -> _T | None:
        if follow is None or key not in self._before:
            return None
        text, value = self._before.pop(key)
        return follow(value, text)  # type: ignore[arg-type]


class Latest:
    """What snapshots share, of the newest state and of the one before."""

    def __init__(self) -> None:
        self._choosing = threading.Lock()
        self._both = (Kept(), Kept())

    def of(self, file: int, text: Generation, index: Hashable) -> Kept:
        """Of a state: of the text of a generation, in the index in a file that says `index`.

        Who began to read a moment before a save finds what there was then.
        """
        place = (file, index)
        with self._choosing:
            newest, _ = self._both
            for kept in self._both:
                if (kept.text, kept.place) == (text, place):
                    return kept
            if newest.place == place and newest.text > text:
                return Kept(text, place)
            before = newest if newest.place == place else Kept()
            self._both = Kept(text, place, before), before
            return self._both[0]
