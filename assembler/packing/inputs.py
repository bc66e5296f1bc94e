"""What packing needs of the index and of the question, as one value. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from msgspec import Struct

from satchel.assembler.budget import CountTokens
from satchel.assembler.packing.units import Around
from satchel.assembler.query.question import NamedPlace
from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking.declared_options import Listed
from satchel.assembler.values import Neighbour, Origin, Required, Scored, Sent
from satchel.store.model import RepoPath
from satchel.store.records import ChunkRecord

ReadSource = Callable[[ChunkRecord], bytes]
"""The whole file that a chunk is in, as indexed."""
# Packing reads the index through these functions alone, so tests can give it any index.
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


class PackInputs(Struct, frozen=True, kw_only=True):
    """What packing needs of the index and of the question.

    Of the question: `rarity` is the inverse document frequency of each of its terms, `pointed`
    the lines that it names, `named` the names that it writes as code, and `topics` the kinds of
    places that it names. `detail`, in 0..1, is 1 where it asks for one place in full and 0 where it
    asks for many files. `wants_tests` says whether it asks for tests too, `is_addition` whether for
    something that is not there yet.

    Of the pack: `required` is shown first, in this order, and nothing else with `only_required`.
    Places in `taken_out` are not shown. `sent` is what the client was sent before. `declared` finds
    lists of options, and is None unless the question adds an option. `unshown` is that of
    `EdgeWeights`.

    `broken` gives the files, of some, that the parser could not read as a whole; `fence` gives a
    fence that none of some texts can close.
    """

    count: CountTokens
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
    unshown: float
    required: Sequence[Required] = ()
    taken_out: Sequence[NamedPlace] = ()
    only_required: bool = False
    is_addition: bool = False
    declared: FindLists | None = None

    def weighed(self, many: float, one: float) -> float:
        """A number that is `many` for a question about many files and `one` for one place."""
        return many * (1 - self.detail) + one * self.detail
