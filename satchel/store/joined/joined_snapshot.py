"""Several indexes as one snapshot, each a folder of one tree; see `store.reading.snapshot`.

The same ranking sees them all, scores are comparable, and every path says whose it is.
"""

from collections.abc import Callable, Sequence

from satchel.store.joined.joined_chunks import JoinedChunks, JoinedTerms
from satchel.store.joined.joined_files import JoinedFiles, JoinedTexts
from satchel.store.joined.joined_symbols import JoinedGraph, JoinedSymbols
from satchel.store.joined.parts import Parts
from satchel.store.model import Generation
from satchel.store.reading.snapshot import Snapshot, T
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite.chunk_id_log import IdRange
from satchel.store.sqlite.vectors import BLOCK_BITS, Block, ContextShares, VectorTable
from satchel.store.vectors.encoders import Encoder


class JoinedSnapshot:
    """Some snapshots with the folder of each; whoever opened them closes them.

    `cache` is shared by snapshots of the same generations of the same indexes.
    """

    def __init__(
        self, snapshots: Sequence[tuple[str, Snapshot]], cache: SnapshotCache | None = None
    ) -> None:
        self.parts = Parts(snapshots)
        each = [part.snapshot for part in self.parts]
        # Of several, any that changes changes the sum.
        self.generation = Generation(sum(one.generation for one in each))
        self.content_generation = Generation(sum(one.content_generation for one in each))
        self.complete = all(one.complete for one in each)
        self.linked = all(one.linked for one in each)
        self.rebuild_number = 0
        """It tells an index file from the next in its place; a joined snapshot has none."""
        self.head = ""
        """Several trees have no commit in common."""
        self._cache = cache = cache or SnapshotCache()
        self.files = JoinedFiles(self.parts)
        self.chunks = JoinedChunks(self.parts, cache)
        self.symbols = JoinedSymbols(self.parts)
        self.graph = JoinedGraph(self.parts, cache)
        self.terms = JoinedTerms(self.parts)
        self.texts = JoinedTexts(self.parts)

    def vectors(self, encoder: Encoder, shares: ContextShares) -> VectorTable:
        blocks: dict[int, Block] = {}
        without: list[IdRange] = []
        n_chunks = 0
        # A part begins at a whole block of ids, so that no block holds rows of two parts and all
        # are taken over without a copy.
        for part in self.parts:
            table = part.snapshot.vectors(encoder, shares)
            for number, block in table.blocks.items():
                moved = Block(block.ids + part.first_chunk, block.matrix)
                blocks[number + (part.first_chunk >> BLOCK_BITS)] = moved
            without += [
                IdRange(each.first + part.first_chunk, each.n_ids) for each in table.without
            ]
            n_chunks += table.n_chunks
        return VectorTable(blocks, n_chunks, tuple(without))

    def cached(self, key: str, make: Callable[[], T]) -> T:
        return self._cache.get(("made", key), make)
