"""Which ids the chunks of a file get: those that removed files have left, once there are many.

Questions add up scores in arrays as long as the largest id, and a block of postings holds the terms
of neighbouring ids. Ids that only grew would make every answer slower, and every block emptier, for
each save that the index has ever seen.
"""

from __future__ import annotations

import apsw

from satchel.store.sqlite.database import scalar, select

SLACK = 1 << 14
"""How many more ids than chunks there may be, beyond as many again."""
_STEPS = 32
"""How many neighbours are asked for room before a file goes to the end."""
CHECK = 1 << 10
"""How many ids are given out at the end between two looks at how many are in use."""


class Room:
    """Ids for chunks. `cursor`, 0 or more, is where the search for room goes on; any will do.

    Expects an open transaction, in which what is taken is filled before more is taken.
    """

    def __init__(self, connection: apsw.Connection, cursor: int) -> None:
        self._db = connection
        self._end = int(scalar(connection, "SELECT coalesce(max(id) + 1, 0) FROM chunks"))
        self.cursor = min(cursor, self._end)

    def take(self, n_chunks: int) -> int:
        """The first of so many ids in a row that no chunk has."""
        for _ in range(_STEPS):
            if self.cursor >= self._end:
                return self._follow(n_chunks)
            first = self.cursor
            occupied, after = self._next_file()
            if first + n_chunks <= occupied:
                self.cursor = first + n_chunks
                return first
            self.cursor = after
        return self._at_end(n_chunks)

    def _next_file(self) -> tuple[int, int]:
        """The next id that a chunk has, and the first after those of its file."""
        sql = (
            "SELECT c.id, max(c.id + 1, coalesce(f.first_chunk + f.n_chunks, 0)) FROM chunks c"
            " LEFT JOIN files f ON f.id = c.file_id WHERE c.id >= ? ORDER BY c.id LIMIT 1"
        )
        occupied, after = select(self._db, sql, (self.cursor,))[0]
        return int(occupied), int(after)

    def _follow(self, n_chunks: int) -> int:
        """Ids at the end; from there the search goes on, or from the start when there is room."""
        first = self._at_end(n_chunks)
        self.cursor = self._end
        if first // CHECK != self._end // CHECK and self._is_sparse():
            self.cursor = 0
        return first

    def _at_end(self, n_chunks: int) -> int:
        first, self._end = self._end, self._end + n_chunks
        return first

    def _is_sparse(self) -> bool:
        n_used = int(scalar(self._db, "SELECT count(*) FROM chunks"))
        return self._end > 2 * n_used + SLACK
