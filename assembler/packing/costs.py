"""What pieces of a pack cost, each counted once. Pure.

A block and a segment start and end with a line of their own, so tokens never reach across two of
them and their counts add up. While pieces are chosen a fence of the usual length stands for the
one that is found when all text is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from satchel.assembler.packing import render
from satchel.assembler.packing.pieces import Count, Piece, ReadSource, excerpt, runs, with_headers
from satchel.store.model import RepoPath

FENCE = "```000"


class Costs:
    """Token counts of excerpts and of what surrounds them."""

    def __init__(self, count: Count, read: ReadSource) -> None:
        self.count = count
        self.read = read
        self._known: dict[tuple[object, ...], int] = {}
        self._heads: dict[RepoPath, int] = {}
        self.outline_head = count(render.outline_fence(FENCE))
        self._closing = count(f"{FENCE}\n")

    def used(self, pieces: Sequence[Piece]) -> int:
        """What the pieces cost together, with the headers they need."""
        total = 0
        files: set[RepoPath] = set()
        outlined: set[RepoPath] = set()
        for run in runs(with_headers(pieces)):
            total += self.of(run)
            path = run[0].unit.chunk.path
            files.add(path)
            if run[0].symbol is not None:
                outlined.add(path)
        heads = sum(self.head(path) for path in files)
        return total + heads + len(outlined) * self.outline_head

    def of(self, run: Sequence[Piece]) -> int:
        """What one excerpt costs by itself."""
        key = _key(run[0]) if len(run) == 1 else tuple(_key(piece) for piece in run)
        known = self._known.get(key)
        if known is None:
            text = render.by_itself(excerpt(run, self.read), FENCE)
            known = self._known[key] = self.count(text)
        return known

    def head(self, path: RepoPath) -> int:
        """What naming a file and closing its block costs."""
        if path not in self._heads:
            self._heads[path] = self.count(render.file_line(path, 0.5)) + self._closing
        return self._heads[path]


def _key(piece: Piece) -> tuple[object, ...]:
    """What the text of a piece depends on."""
    unit = piece.unit
    return (
        *(unit.chunk.id, piece.start, piece.end, piece.symbol is None, piece.cut, piece.elided),
        *(piece.continues, piece.leads, unit.reason, piece.also),
    )
