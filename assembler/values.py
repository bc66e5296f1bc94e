"""The values of the assembler: candidates, evidence, excerpts, packs.

All are frozen; only `Shares` fills a cache of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.assembler.kinds import Absent, Detail, End, brief
from satchel.store.model import Digest, Generation, RepoPath, SymbolKind
from satchel.store.records import SURE, ChunkRecord, SymbolRecord

MAX_MEANT = 2
"""A name that more definitions share, or the end of a path that more files share, does not tell
which one is meant."""
LineRange = tuple[int, int]
"""First and last line, 1-based and inclusive."""
TextOf = Callable[[ChunkRecord], str]
"""The source of a chunk."""


class Held(Struct, frozen=True):
    """A unit that was sent whole in reply number `reply`, by the digest of its bytes."""

    path: RepoPath
    symbol: str
    digest: str
    reply: int


class Sent(Struct, frozen=True):
    """Everything a client holds. `n_replies` counts packs; the next one is number n + 1."""

    held: tuple[Held, ...] = ()
    n_replies: int = 0

    def since(self, reply: int) -> Sent:
        """What a client holds that remembers reply number `reply` and later ones."""
        return replace(self, held=tuple(h for h in self.held if h.reply >= reply))

    def forgotten(self) -> Sent:
        """Nothing held, for a reply that sends everything; replies are counted on."""
        return replace(self, held=())

    def joined(self, later: Sent) -> Sent:
        """What is held after another reply; of what was sent twice the later reply counts."""
        # Later entries replace earlier ones of the same key, so a client that forgets old replies
        # keeps what was sent again.
        known = {(h.path, h.digest): h for h in (*self.held, *later.held)}
        return Sent(tuple(known.values()), later.n_replies)


class Evidence(Struct, frozen=True):
    """One signal's part of a score, in the score's own unit."""

    signal: str
    share: float


class Shares(Mapping[str, float]):
    """The parts of a score by signal, worked out when somebody looks at them.

    Hundreds of chunks are ranked for each that is shown, and only what is shown is explained.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Mapping[str, float]]) -> None:
        self._make = make
        self._made: Mapping[str, float] | None = None

    def __getitem__(self, signal: str) -> float:
        return self.made()[signal]

    def __iter__(self) -> Iterator[str]:
        return iter(self.made())

    def __len__(self) -> int:
        return len(self.made())

    def made(self) -> Mapping[str, float]:
        """All of them."""
        if self._made is None:
            self._made = self._make()
        return self._made


class Scored(Struct, frozen=True):
    """A chunk with its score in 0..1, the sum of its `shares` by signal; these may be left out.

    `before` is the score before a signal that outweighs all others, None without one.
    """

    chunk: ChunkRecord
    score: float
    shares: Mapping[str, float] = field(default_factory=dict)
    before: float | None = None

    @property
    def unboosted(self) -> float:
        """The score by words alone: what somebody quotes or points at measures no other match."""
        return self.score if self.before is None else self.before

    @property
    def why(self) -> tuple[Evidence, ...]:
        """What the score is made of, largest part first."""
        return evidence(self.shares)


def evidence(shares: Mapping[str, float]) -> tuple[Evidence, ...]:
    """The parts of a score by signal as a list, largest part first."""
    found = sorted((-share, signal) for signal, share in shares.items() if share)
    return tuple(Evidence(signal, -share) for share, signal in found)


class Origin(Struct, frozen=True):
    """A chunk whose neighbours are wanted.

    `shown` says of the symbols in it how much each one matters, 0..1; without it all do alike.
    """

    chunk: ChunkRecord
    score: float
    shown: Mapping[int, float] = field(default_factory=dict)


class Neighbour(Struct, frozen=True):
    """A chunk that an origin leads to, by way of `symbol`, which is in `relation` to `of`.

    `rule` is what resolved the edge, with `confidence` (0 to 1).
    """

    chunk: ChunkRecord
    symbol: SymbolRecord
    relation: str
    of: str
    rule: str
    confidence: float
    score: float

    @property
    def reason(self) -> str:
        """Why it is in a pack: the edge."""
        is_sure = self.confidence >= SURE
        return edge_reason(self.relation, brief(self.of), self.rule, is_sure=is_sure)


def edge_reason(relation: str, name: str, rule: str, *, is_sure: bool) -> str:
    """An edge as a pack names it; the rule costs tokens and is told where it is only likely."""
    return f"{relation} {name}" if is_sure else f"{relation} {name} via {rule}"


class Required(Struct, frozen=True):
    """Lines that a pack shows first, whatever their score: `first_line` to `last_line` of `path`.

    The lines stand for every function that they touch, which is shown whole while it fits, and
    otherwise by its signature and these lines with some around them. `is_exact` keeps to the lines
    themselves. `text`, when given, is quoted as it is in place of the file's lines (a hunk with the
    lines it removed). `reason` is said beside the excerpt: "named by the question", "frame 2".
    What was sent before is sent again.
    """

    path: RepoPath
    first_line: int
    last_line: int
    reason: str
    is_exact: bool = False
    text: str = ""
    is_asked: bool = True
    """Whether the question names it: then it keeps its long comments."""
    is_neighbour: bool = False
    """Whether an edge of the call graph leads here, and not the question itself."""
    is_read_last: bool = False
    """Whether it stands below the matches, though it is chosen before them."""
    waits: bool = False
    """Whether it leaves room for others at the beginning of a pack."""
    at: int = 0
    """The line of them that matters most, 0 for none: what is too long is cut around it."""
    symbol: SymbolRecord | None = None
    """The definition that `text` or the lines are about, if they are about one."""
    told: tuple[LineRange, ...] = ()
    """Lines that are left out, because something else that is required shows them; ascending."""


LeftOut = Callable[[Set[Required], int], str]
"""What a reply says of the places that it lacks, by those that it shows, in so many tokens at most;
"" for nothing."""


class Places(Struct, frozen=True):
    """Required places, first things first, and what is said of them."""

    required: tuple[Required, ...]
    notices: tuple[str, ...] = ()
    left_out: LeftOut | None = None


class Excerpt(Struct, frozen=True):
    """A piece of a file as the model will see it; lines are 1-based, inclusive."""

    path: RepoPath
    start_line: int
    end_line: int
    symbol: str
    kind: SymbolKind | None
    detail: Detail
    text: str
    score: float
    tokens: int
    digest: Digest
    """Digest of the file it was taken from, as indexed."""
    reason: str = ""
    """Why it is here when it is not a match itself: "called by Signal.send"."""
    worth: float = 0.0
    """What it counted for when it was chosen, in a unit of its own."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """The score of its best match by signal."""
    label: str = ""
    """What to look at in it, and where else it stands."""
    omitted: tuple[tuple[int, int], ...] = ()
    """Lines between the first and the last that are left out, ascending."""
    lost: str = ""
    """What the parser could not read of its file, and from where on: "2 of 40 lines, from 7"."""
    is_neighbour: bool = False
    """Whether an edge of the call graph leads here; any other `reason` is the question's."""
    n_others: int = 0
    """How many more functions and types it shows besides `symbol`."""

    @property
    def why(self) -> tuple[Evidence, ...]:
        """The signals of its best match, largest part first."""
        return evidence(self.shares)


class Ending(Struct, frozen=True):
    """Why a pack ends, and what comes next: its name, about its tokens, and how likely it is
    needed (0..1)."""

    end: End
    name: str = ""
    tokens: int = 0
    likely: float = 0.0


class Receipt(Struct, frozen=True):
    """What a reply cost and what it left out. `used` counts the whole reply, this included."""

    id: str
    """Names the question together with the generation; see `--replay`."""
    budget: int
    used: int
    encoding: str
    generation: Generation
    complete: bool
    n_excerpts: int
    n_neighbours: int
    n_omitted: int
    """Relevant matches that did not fit."""
    n_searched: int
    """Files that the search looked through."""
    notices: tuple[str, ...] = ()
    absent: tuple[Absent, ...] = ()
    """What the reply lacks, and why."""
    known: tuple[str, ...] = ()
    """What people and agents said of the code, a line each, first things first."""
    ending: Ending | None = None
    """Why it ends where it does; None where nothing was there to show."""


class Waiting(Struct, frozen=True):
    """Something that a pack has no room for: about how many tokens it takes, what it is worth."""

    path: RepoPath
    line: int
    name: str
    tokens: int
    worth: float


class ContextPack(Struct, frozen=True):
    """The reply to a `context` question: `text` is exactly what the client receives."""

    text: str
    excerpts: tuple[Excerpt, ...]
    receipt: Receipt
    sent: Sent | None = None
    """What the client holds after this reply, for the next one."""
    waiting: tuple[Waiting, ...] = ()
    """What came next, best first."""

    def displaced_by(self, excerpt: Excerpt) -> Waiting | None:
        """The best of what waits and would have fitted in place of an excerpt, None for nothing."""
        return next((each for each in self.waiting if each.tokens <= excerpt.tokens), None)


class SearchReply(Struct, frozen=True):
    """The reply to a `search` question, best first."""

    results: tuple[Scored, ...]
    n_searched: int
    generation: Generation
    complete: bool
    notices: tuple[str, ...] = ()
    absent: tuple[Absent, ...] = ()
    """Why there is no result."""
