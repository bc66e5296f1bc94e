"""What packing needs of the index and of the question, as one value. Pure."""

from collections.abc import Iterable, Mapping, Sequence, Set

from msgspec import Struct

from satchel.assembler.budget import CountTokens
from satchel.assembler.packing.snapshot_access import IndexAccess
from satchel.assembler.packing.units import Unit
from satchel.assembler.query.question import NamedPlace
from satchel.assembler.query.read_query import Topic
from satchel.assembler.values import LeftOut, Required, Sent
from satchel.store.model import RepoPath


class Pointed(Struct, frozen=True):
    """Lines that a question names, ascending by file, and what units that hold them gain."""

    lines: Mapping[RepoPath, Sequence[tuple[int, int]]]
    word: str
    """What is said of such lines: "changed 63-64"."""
    factor: float


class PackInputs(Struct, frozen=True, kw_only=True):
    """What packing needs of the index and the question, and what a pack must show or must not."""

    count: CountTokens
    index: IndexAccess
    fence_seed: str
    """What the number of the fence around the excerpts is made from."""
    unshown: float
    """See `EdgeWeights.weak`."""
    idf: Mapping[str, float]
    """The inverse document frequency of each term of the question."""
    topics: Set[Topic]
    """The kinds of places that the question names."""
    pointed: Pointed
    detail: float
    """1 for a question that asks for one place in full, 0 for one that asks for many files."""
    wants_tests: bool
    """Whether the question asks for tests too."""
    is_addition: bool = False
    """Whether the question asks for something that is not there yet."""
    sent: Sent
    """What the client was sent before."""
    required: Sequence[Required] = ()
    """Places that are shown first, in this order."""
    left_out: LeftOut | None = None
    """What is said of those that are not shown."""
    only_required: bool = False
    """Whether these answer the question, as in a review: only matches in their files follow."""
    taken_out: Sequence[NamedPlace] = ()
    """Places that a person took out, which are not shown."""

    def not_taken_out(self, units: Iterable[Unit]) -> list[Unit]:
        """The units of which no line was taken out by hand."""
        return [
            unit
            for unit in units
            if not any(
                place.overlaps(unit.chunk.path, unit.first, unit.last) for place in self.taken_out
            )
        ]
