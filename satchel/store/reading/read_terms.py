"""Reading the lexical index."""

from __future__ import annotations

import apsw
import numpy as np
import numpy.typing as npt

from satchel.store import postings
from satchel.store.errors import CorruptIndex
from satchel.store.postings import Columns, Field
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite.database import scalar, select


class Terms:
    """The terms of one snapshot."""

    def __init__(self, connection: apsw.Connection, cache: SnapshotCache) -> None:
        self._db = connection
        self._cache = cache

    def mean_lengths(self) -> npt.NDArray[np.float64]:
        def make() -> npt.NDArray[np.float64]:
            n_chunks = max(1, self.n_chunks())
            totals = dict(select(self._db, "SELECT field, total FROM field_lengths"))
            # Scores divide by these means, and a field that no chunk has would have a mean of 0.
            means = [max(1.0, totals.get(int(field), 0) / n_chunks) for field in Field]
            return np.array(means, dtype=np.float64)

        return self._cache.get("mean lengths", make)

    def n_chunks(self) -> int:
        # Counting reads a whole index of the table, so it is done once for each content generation.
        sql = "SELECT count(*) FROM chunks"
        return self._cache.get("chunks", lambda: int(scalar(self._db, sql)))

    def postings(self, term: str) -> Columns:
        rows = select(
            self._db, "SELECT block, entries FROM postings WHERE term = ? ORDER BY block", (term,)
        )
        pieces = [postings.unpack(block, packed) for block, packed in rows]
        empty = np.zeros(0, dtype=np.uint64)
        found = postings.columns(np.concatenate(pieces) if pieces else empty)
        # Scores are added up by these numbers: a damaged row must not lead out of the arrays.
        if len(found.chunks) and (
            int(found.fields.max()) >= len(Field) or int(found.chunks.max()) >= self._end()
        ):
            raise CorruptIndex(
                "the lexical index refers to chunks that do not exist", "run `satchel repair`"
            )
        return found

    def _end(self) -> int:
        """The first number above those of all chunks."""
        sql = "SELECT max(first_chunk + n_chunks) FROM files"
        return self._cache.get("end of chunks", lambda: int(scalar(self._db, sql) or 0))
