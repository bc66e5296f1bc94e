"""Reading the lexical index."""

from __future__ import annotations

import apsw
import numpy as np
import numpy.typing as npt

from satchel.store import postings
from satchel.store.postings import Columns, Field
from satchel.store.reading.snapshot_cache import Kept
from satchel.store.sqlite.database import scalar, select


class Terms:
    """The terms of one snapshot."""

    def __init__(self, connection: apsw.Connection, kept: Kept) -> None:
        self._db = connection
        self._kept = kept

    def mean_lengths(self) -> npt.NDArray[np.float64]:
        """Mean length in terms of each `Field`, at least 1."""
        return self._kept.get("mean lengths", self._mean_lengths)

    def n_chunks(self) -> int:
        """How many chunks there are."""
        return self._kept.get("chunks", self._n_chunks)

    def _mean_lengths(self) -> npt.NDArray[np.float64]:
        n_chunks = max(1, self.n_chunks())
        totals = dict(select(self._db, "SELECT field, total FROM field_lengths"))
        means = [max(1.0, totals.get(int(field), 0) / n_chunks) for field in Field]
        return np.array(means, dtype=np.float64)

    def _n_chunks(self) -> int:
        return int(scalar(self._db, "SELECT count(*) FROM chunks"))

    def postings(self, term: str) -> Columns:
        """Every entry of `term`, ascending by chunk id."""
        rows = select(
            self._db, "SELECT block, entries FROM postings WHERE term = ? ORDER BY block", (term,)
        )
        pieces = [postings.unpack(block, packed) for block, packed in rows]
        empty = np.zeros(0, dtype=np.uint64)
        return postings.columns(np.concatenate(pieces) if pieces else empty)
