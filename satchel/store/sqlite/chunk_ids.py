"""Chooses the ids of a file's chunks: ids of removed files are reused once there are many.

Questions add up scores in arrays as long as the largest id, and a block of postings holds the terms
of neighbouring ids. Ids that only grew would make every answer slower, and every block emptier, for
each save that the index has ever seen.
"""

import apsw

from satchel.store.sqlite.database import next_id, scalar, select

SLACK = 1 << 14
"""How many more ids than chunks there may be, beyond as many again."""
_STEPS = 32
"""How many gaps are tried before a file goes to the end."""
CHECK = 1 << 10
"""How many ids are given out at the end between two looks at how many are in use."""
_NEXT_FILE = """
    SELECT c.id, max(c.id + 1, coalesce(f.first_chunk + f.n_chunks, 0)) FROM chunks c
    LEFT JOIN files f ON f.id = c.file_id WHERE c.id >= ? ORDER BY c.id LIMIT 1
"""
"""The next id that a chunk has, and the first after those of its file."""


class ChunkIdAllocator:
    """Gives out ids for chunks: next fit (Knuth 1968, 2.5), over the gaps of removed files.

    `cursor`, 0 or more, is where the search for a gap goes on; any value will do. Expects an open
    transaction, in which the ids it gives are filled before more are asked for.
    """

    def __init__(self, connection: apsw.Connection, cursor: int) -> None:
        self._db = connection
        self._end = next_id(connection, "chunks")
        self.cursor = min(cursor, self._end)

    def allocate(self, n_chunks: int) -> int:
        """The first of `n_chunks` consecutive ids that no chunk has."""
        for _ in range(_STEPS):
            if self.cursor >= self._end:
                first = self._append(n_chunks)
                self.cursor = self._end
                # Counting reads a whole index of the table, so it is done once in `CHECK` ids. As
                # long as few ids are free the cursor stays at the end and no gap is looked for.
                if first // CHECK != self._end // CHECK:
                    n_used = int(scalar(self._db, "SELECT count(*) FROM chunks"))
                    self.cursor = 0 if self._end > 2 * n_used + SLACK else self._end
                return first
            first = self.cursor
            occupied, after_file = select(self._db, _NEXT_FILE, (first,))[0]
            if first + n_chunks <= occupied:
                self.cursor = first + n_chunks
                return first
            self.cursor = int(after_file)
        # The cursor stays where it is: the next file goes on with the gaps behind it.
        return self._append(n_chunks)

    def _append(self, n_chunks: int) -> int:
        first, self._end = self._end, self._end + n_chunks
        return first
