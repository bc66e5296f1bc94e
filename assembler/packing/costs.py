"""What pieces of a pack cost, each counted once. Pure.

An excerpt starts and ends with a line of its own, so tokens never reach across two of them and
their counts add up. While pieces are chosen a fence of the usual length stands for the one that is
found when all text is known.
"""

from collections.abc import Sequence

from satchel.assembler import render
from satchel.assembler.budget import CountTokens
from satchel.assembler.kinds import Detail
from satchel.assembler.packing.shown import Piece, ReadLines, excerpt, groups
from satchel.assembler.packing.units import Unit
from satchel.store.model import RepoPath

FENCE = "```000"


class Costs:
    """The lines of units, and token counts of excerpts and of what surrounds them."""

    def __init__(self, count: CountTokens, read: ReadLines) -> None:
        self.count = count
        self.read = read
        # Pieces are frozen values, so equal ones cost the same and are counted once.
        self._known: dict[tuple[Piece, ...], int] = {}
        self._heads: dict[RepoPath, int] = {}
        self._closing = count(f"{FENCE}\n")
        self.outline_head = count(render.outline_fence(FENCE)) + self._closing

    def used(self, pieces: Sequence[Piece]) -> int:
        """What the pieces cost together, those that adjoin as one excerpt."""
        joined = groups(pieces)
        # Signatures stand together under a heading of their own, so they open no block of their
        # file.
        files = {run[0].unit.chunk.path for run in joined if run[0].detail != Detail.SIGNATURE}
        is_outlined = any(run[0].detail == Detail.SIGNATURE for run in joined)
        total = sum(map(self.of_run, joined)) + sum(map(self.head, files))
        return total + self.outline_head * is_outlined

    def text_of(self, unit: Unit) -> bytes:
        """All lines of a unit, its comments too."""
        return b"\n".join(self.read(unit.chunk).between(unit.first, unit.last))

    def of(self, piece: Piece) -> int:
        """What one piece costs as an excerpt by itself."""
        return self.of_run((piece,))

    def of_run(self, run: Sequence[Piece]) -> int:
        """What pieces cost that are one excerpt together."""
        key = tuple(run)
        known = self._known.get(key)
        if known is None:
            text = render.by_itself(excerpt(run, self.read), FENCE)
            known = self._known[key] = self.count(text)
        return known

    def head(self, path: RepoPath) -> int:
        """What naming a file and closing its block costs."""
        if path not in self._heads:
            self._heads[path] = self.count(render.file_line(path)) + self._closing
        return self._heads[path]
