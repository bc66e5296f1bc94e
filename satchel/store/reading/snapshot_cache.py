"""A cache of arrays that all snapshots of one content generation share.

A process that answers many questions opens a snapshot for each; which chunk lies in which file, and
which are test code, would be half of a question's time, and after a save twice as much as all else.
So the arrays of the generation before are updated instead of made anew, where the log of chunk ids
says how (`store.sqlite.chunk_id_log`). Values are never changed once they are here, so that threads
may share them; while one thread makes a value, others that want it wait.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import apsw

from satchel.store.model import Generation
from satchel.store.sqlite.database import select_in

_T = TypeVar("_T")
_MAX_VALUES = 64
"""Masks of path prefixes are the only ones without a natural end."""
_MAX_SOURCE_BYTES = 32 << 20
_MAX_RECORDS = 10_000
"""Some 6 MB; whoever reads adds what one question needs before it is looked at again."""


class RecentSources:
    """The sources of files that were read last, at most 32 MiB; threads may share them.

    The same digest is the same bytes in every generation. One question reads some two hundred files
    for quotations, its chunks and their units, and the next one about the same subject the same.
    """

    def __init__(self) -> None:
        self._keeping = threading.Lock()
        self._sources: OrderedDict[Hashable, bytes] = OrderedDict()
        self._n_bytes = 0

    def get(self, key: Hashable, read: Callable[[], bytes]) -> bytes:
        """What `read` returned for this key, or returns."""
        with suppress(KeyError):
            self._sources.move_to_end(key)
            return self._sources[key]
        source = read()
        with self._keeping:
            if key not in self._sources:
                self._sources[key] = source
                self._n_bytes += len(source)
            while self._n_bytes > _MAX_SOURCE_BYTES:
                self._n_bytes -= len(self._sources.popitem(last=False)[1])
        return source


class SnapshotCache:
    """Values by key, of one content generation of one index; `index` tells it from others.

    Values of `before`, the cache of an earlier generation of the same index, can be updated instead
    of made anew.
    """

    def __init__(
        self,
        generation: Generation = Generation(0),  # noqa: B008
        index: Hashable = None,
        before: SnapshotCache | None = None,
    ) -> None:
        self.generation, self.index = generation, index
        self.sources: RecentSources = before.sources if before else RecentSources()
        # Reentrant: making one value may ask for another.
        self._making = threading.RLock()
        self._values: OrderedDict[Hashable, object] = OrderedDict()
        self._outdated = before.with_generations() if before else {}

    def get(
        self,
        key: Hashable,
        make: Callable[[], _T],
        update: Callable[[_T, Generation], _T | None] | None = None,
    ) -> _T:
        """The value of `key`, made if it is not there.

        `update` makes it from an earlier one and the generation that was of; None if it cannot.
        """
        # Most calls find their value, and take no lock for it: one operation on a dict is atomic.
        with suppress(KeyError):
            self._values.move_to_end(key)
            return self._values[key]  # type: ignore[return-value]
        with self._making:
            if key not in self._values:
                value: object = None
                if update is not None and key in self._outdated:
                    generation, outdated = self._outdated.pop(key)
                    value = update(outdated, generation)  # type: ignore[arg-type]
                self.put(key, make() if value is None else value)
            return self._values[key]  # type: ignore[return-value]

    def records(self, kind: Hashable) -> dict[Any, _T]:
        """Records by key that snapshots have read, to add to; what is in it is never changed."""
        known: dict[Any, _T] = self.get(("records", kind), dict)
        if len(known) > _MAX_RECORDS:
            known = {}
            self.put(("records", kind), known)
        return known

    def rows(
        self,
        connection: apsw.Connection,
        sql: str,
        keys: Iterable[Any],
        values: Sequence[Any] = (),
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a query that has `IN (KEYS)`, by key, which is the first column.

        A key is asked for once: the next question is about two thirds of the same code.
        """
        known: dict[Any, list[tuple[Any, ...]]] = self.records((sql, values))
        wanted = sorted(set(keys))
        new: dict[Any, list[tuple[Any, ...]]] = {key: [] for key in wanted if key not in known}
        for row in select_in(connection, sql, new, values):
            new[row[0]].append(row)
        known |= new  # at once: other threads may read it
        for key in wanted:
            yield from known[key]

    def of_edges(self, generation: Generation) -> SnapshotCache:
        """The cache of what follows from edges as well, which are derived after the text."""
        found = self.get("edges", SnapshotCache)
        if found.generation != generation:
            found = SnapshotCache(generation)
            self.put("edges", found)
        return found

    def put(self, key: Hashable, value: object) -> None:
        """Set the value of `key`; when there are too many, the least recently used one goes."""
        with self._making:
            self._values[key] = value
            if len(self._values) > _MAX_VALUES:
                self._values.popitem(last=False)

    def with_generations(self) -> dict[Hashable, tuple[Generation, object]]:
        """Every value with the generation that it is of.

        One that nobody asked for in this generation is passed on as it was: it can still be updated
        by whoever asks for it next.
        """
        with self._making:
            found = {key: value for key, value in self._outdated.items() if key not in self._values}
            found |= {key: (self.generation, value) for key, value in self._values.items()}
            return dict(list(found.items())[-_MAX_VALUES:])


class SnapshotCaches:
    """The caches of the newest content generation that was read, and of the one before."""

    def __init__(self) -> None:
        self._choosing = threading.Lock()
        self._both = (SnapshotCache(), SnapshotCache())

    def of(self, file: int, generation: Generation, index: Hashable) -> SnapshotCache:
        """The cache of a content generation, in the index file with the inode `file`.

        A reader that opened its snapshot just before a save still finds the cache of its own
        generation; one that is older still gets a cache that nobody shares.
        """
        place = (file, index)
        with self._choosing:
            newest, _ = self._both
            for cache in self._both:
                if (cache.generation, cache.index) == (generation, place):
                    return cache
            if newest.index == place and newest.generation > generation:
                return SnapshotCache(generation, place)
            before = newest if newest.index == place else SnapshotCache()
            self._both = SnapshotCache(generation, place, before), before
            return self._both[0]
