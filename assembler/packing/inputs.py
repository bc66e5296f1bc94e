"""What packing needs from outside, as one value, so that it stays pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from msgspec import Struct

from satchel.assembler.packing.units import Around
from satchel.assembler.query.question import Place
from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking.declared_options import Listed
from satchel.assembler.values import Neighbour, Origin, Required, Scored, Sent
from satchel.store.model import RepoPath
from satchel.store.records import ChunkRecord

Count = Callable[[str], int]
"""Tokens of a text."""
ReadSource = Callable[[ChunkRecord], bytes]
"""The whole file that a chunk is in, as indexed."""
# Packing is pure: it reads the index through these functions alone, so tests can give it any
# index.
Expand = Callable[[Sequence[Origin]], Sequence[Neighbour]]
FindLists = Callable[[Sequence[Origin]], Sequence[Listed]]
"""Where the options that shown code reads are declared, best first."""
LookAround = Callable[[Sequence[Scored]], Mapping[int, Around]]
"""For each chunk id, the symbols in it and around it."""
ChunksOf = Callable[[RepoPath], Sequence[ChunkRecord]]
"""The chunks of a file, in its order."""


class Pointed(Struct, frozen=True):
    """Lines that a question names, ascending by file, and what units that hold them gain."""

    lines: Mapping[RepoPath, Sequence[tuple[int, int]]]
    word: str
    """What is said of such lines: "changed 63-64"."""
    factor: float


class PackInputs(Struct, frozen=True):
    """What packing needs from outside, so that it stays pure.

    `rarity` is the inverse document frequency of each term of the question; `fence` finds a fence
    that none of some texts can close; `pointed` are the lines that the question names, `named`
    the names that it writes as code. `detail` says how far it asks for one place and all of it (1)
    or for many files (0), `wants_tests` whether for
    these too, `topics` are the kinds of places that it names. `required` is what is shown first,
    in this order; `broken` says which files the parser could not read as a whole; `sent` is what
    the client holds; places in `taken_out` are not shown. With `only_required` nothing is shown
    beside what is required. `declared` finds lists of options where the question adds one.
    """

    count: Count
    source: ReadSource
    expand: Expand
    around: LookAround
    chunks_of: ChunksOf
    broken: Callable[[Iterable[RepoPath]], frozenset[RepoPath]]
    rarity: Mapping[str, float]
    pointed: Pointed
    named: Sequence[str]
    detail: float
    wants_tests: bool
    topics: Set[Topic]
    fence: Callable[[Iterable[str]], str]
    sent: Sent
    required: Sequence[Required] = ()
    taken_out: Sequence[Place] = ()
    only_required: bool = False
    declared: FindLists | None = None

    def weighed(self, many: float, one: float) -> float:
        """A number that is `many` for a question about many files and `one` for one place."""
        return many * (1 - self.detail) + one * self.detail
