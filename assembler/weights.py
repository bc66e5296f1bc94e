"""Every ranking number, with its range, its origin and the bound it keeps.

A candidate's score is a weighted sum of signals, each scaled to 0..1, times penalties in (0, 1].
The sum is divided by the weights that could apply, so that a score lies in 0..1 and a signal that
is missing (no vectors yet) gives its weight to the rest.
Where no other origin is given, a number was chosen by coordinate descent on the development cases
of `bench/` (31 and 14 repositories), to the steps shown by the digits it has; `bench/RESULTS.md`
says what each signal is worth.
"""

from msgspec import Struct

POOL = 300
"""Best chunks that each step hands on: the text search, the sum to the learned ranking, the ranking
to quotations and to packs."""
ENOUGH = 0.8
"""Share of lines that are shown, from which the rest is not worth its tokens (0..1)."""
NEARLY, SECOND, HALF, LITTLE = 0.85, 0.6, 0.5, 0.4
"""What nearly the same, a second sign, what is half as telling, and what is there beside what is
meant counts (0..1): nobody could say more exactly how much."""
OUTWEIGHS = 3.0
"""What outweighs everything that speaks for something else (1 or more)."""
N_LINKED = 60
"""Best matches that the others can have links to; from 20 on more of them change little."""
FEW = 3
"""Best of a kind that are treated as if they were asked for."""
SHORTEST_NAME = 3
"""Characters of a name: `i` and `id` are more often local variables, and words of every question.
"""


_ABOUT = 1.5
"""A word of a signature or comment, against one of a body: both say what the body is for."""


class TermWeights(Struct, frozen=True):
    """BM25F (Robertson & Zaragoza 2009, §3.6), per `satchel.store.postings.Field` in its order.

    `boost` multiplies a field's length-normalised count; `b` in 0..1 is how much length counts.
    """

    # A name says most of what a chunk is about and bodies least, so names count five times.
    boost: tuple[float, ...] = (5.0, 2.0, 3.0, _ABOUT, _ABOUT, 1.0)
    b: float = 0.4
    k1: float = 1.7
    file_power: float = 2.0
    """A file's score is the sum of its chunks' scores to this power; higher favours the best."""
    file_b: float = 0.28
    """How much a file's number of chunks counts against it (0..1)."""
    spelling: float = SECOND
    """What an occurrence of another spelling (`cfg`) counts against the word asked for (0..1)."""


class Signals(Struct, frozen=True):
    """Weights of the signals, 0 or more, against that of a chunk's own terms.

    That the file as a whole matches weighs the same: scaled by the chunk's terms, it boosts the
    best (docs/decisions/ranking.md, "Order is one weighted sum").
    """

    path: float = 1.25
    """Words of the query are in the file's name or folder."""
    # Without vectors 0.863, not 0.878 (docs/decisions/vectors.md, "A chunk's score adds the
    # cosines").
    secondary: float = SECOND
    """The vectors are near; the chunk defines what the query names; the names, paths and comments
    of its whole folder match (for a short question)."""
    callable: float = HALF
    """The chunk is of a function, for a long question: it tells of behaviour, not of a file."""
    left_out: frozenset[str] = frozenset()
    """Names of signals that count nothing, to measure what they are worth."""


class Naming(Struct, frozen=True):
    """How sure it is that a word of the question names a definition, 0..1; 1 where it is code."""

    plain_definition: float = HALF
    """A plain word that happens to be a definition's name."""
    best: int = FEW
    """Best matches of which a function is shown in any case if the question names it (1 or more).
    Of 26 named functions behind the third place none was changed by the fix."""


class Linking(Struct, frozen=True):
    """What the call graph adds to a ranking."""

    weight: float = 0.05
    """Weight of being one step from a match, relative to all other signals together (0 or more)."""
    sources: int = N_LINKED
    """Best matches whose neighbours are boosted, and best files whose uses of others count."""
    # 0.1 to 0.3 gain (docs/decisions/ranking.md, "Files that other matches use count more").
    used: float = 0.2
    """Weight of being in a file that files with matches use, where code is meant (0 or more)."""


class EdgeWeights(Struct, frozen=True):
    """What an edge of the call graph is worth as a way to a neighbour. Set by hand.

    Callees explain a match and callers show how it is used, so calls count in full; a type that is
    only named says least.
    """

    related: float = NEARLY
    """A base, what inherits or implements, or a member that a function names (0..1)."""
    weak: float = LITTLE
    """A type that is only named, or a constructor; what leads from a symbol that a pack does not
    show, against one that it does; a neighbour that the question says nothing of, against the
    score of one that it means (0..1)."""
    preferred: float = OUTWEIGHS
    """A caller or callee in the same file, unless a change is asked for; in a review, what uses a
    changed function, against what it uses (1 or more)."""


class Penalties(Struct, frozen=True):
    """Factors in (0, 1] for places a question rarely means, left out when it names them."""

    # One for all kinds of places: any of them alone changes questions and fixes by .003 at most.
    aside: float = LITTLE
    """Tests, examples, documents, settings, old versions, declarations, lines that only import, and
    other projects' code: what answers as well in one's own product comes first."""
    next_of_file: float = LITTLE
    """Each further chunk of one file in a list, for a short question: it wants many files. Where
    one place is meant, it counts in full (.448 on fixes; .412 as for a short question)."""
    short_words: float = 6.0
    """Distinct words up to which a question is short; from twice as many on it is long."""


class Pointing(Struct, frozen=True):
    """What a frame of a trace, a compiler error or a hunk is worth. Set by hand."""

    next_frame: float = NEARLY
    """Each further frame, against the one before (0..1): the innermost tells most."""
    least: float = LITTLE
    """Strength below which no frame falls, and of chunks of a file that is named without a line
    (0..1)."""
    same_function: float = HALF
    """Other parts of the function that a frame lies in (0..1)."""
    unit: float = 12.0
    """A function that holds a line pointed at, against others of its chunk (1 or more)."""
    # Of 14 traces 2, 4, 6 and 12 show .540, .564, .540 and .522 of what a fix needs.
    frames: int = 4
    """Innermost functions of a trace that are required, failing tests among them, and functions
    that a failing test calls whose trace goes on into the code (0 or more). Those further out are
    matches, boosted for being pointed at."""
    called: int = 8
    """Functions that a failing test calls, where its trace ends in it; callers and tests of changed
    functions that a review requires (0 or more)."""
    followed: int = 2
    """Innermost functions of a trace, or first ones of a test, whose uses are shown (0 or more)."""
    tests_shown: int = FEW
    """Tests in a review that are found by the words of the change (0 or more)."""


class Quoting(Struct, frozen=True):
    """When words of a question that stand side by side in a chunk are a quotation of it.

    Chosen on the literals of ten repositories (`bench.retrieval.literals`), so that questions in
    words (`bench.retrieval.measure`) keep their ranking.
    """

    inexact: float = NEARLY
    """Weight of a quotation in the same words, against one in the same characters (0..1)."""
    spared: float = 0.25
    """Of a phrase's words, by rarity, all must match where no two stand side by side, and this
    share less for each further word of the longest run, but this share at least (0..1). In quotes
    a run counts as a word longer. Of a question's words this share must stand in one pair of
    quotes."""
    half: float = HALF
    """What is worth half (0..1): a word that begins a run, against one that continues it; a word
    that the search leaves out, against ln(N / n) of others; at least, a phrase that is next to
    nothing of its question, and one that holds a whole message; a word of a report's code and logs,
    against one of its prose."""
    gap: int = 8
    """Words between two runs, at most: a placeholder and what it was filled with."""


class Packing(Struct, frozen=True):
    """How the order of a pack is made (docs/decisions/packs.md); in tokens unless it says else.

    How likely a unit is needed is fitted and stands in `packing.worth`.
    """

    order_turn: float = 1_000.0
    """Price of a turn by which units are put in order: (this + tokens) / tokens x likelihood."""
    noise: float = 0.001
    """Matches less likely needed are not shown, however large the budget is (0..1)."""
    room: float = 700.0
    """What a unit, or a part of a longer one, may take at the beginning of a pack; further down, as
    much as all that stands before it."""
    interval: int = 400
    """A pack has room for one place that waits (what a failing test calls, users of a change) in
    each of so many tokens, and neighbours are looked up after so many; then again whenever it has
    doubled."""
    neighbours_per_seed: int = 5  # the design's number
    n_commented: int = FEW
    """Best functions that are shown with their long comments (0 or more)."""
    comments_share: float = 0.2
    """What these may take, against all that stands before them."""
    test: float = 0.03
    """Odds of a test among other code that was not asked for tests, against other code."""
    sure: float = 0.25
    """Score of the best match below which a pack says that its matches are weak (0..1)."""
    alike: float = ENOUGH
    """Share of lines that two units have in common, from which one is shown for both (0..1)."""


_SIGN = 0.3
"""What a single sign counts of which repository is meant, against all others."""


# Chosen on 610 questions over 31 repositories at once, to the nearest of few steps: shares from 100
# to 3000 put the right one first as often within .03 (docs/decisions/hub.md).
class Repositories(Struct, frozen=True):
    """Which of many repositories a question is about: a language model of each (Si & Callan 2002).

    A repository's belief is the mean of log(1 + `density` x share of its chunks with the term),
    weighted as the terms of the question are, and what is added here.
    """

    density: float = 1_000.0
    """How steeply a share of chunks counts: at a thousandth a term says log 2 (100..10,000)."""
    definition: float = _SIGN
    """Added for each word of the question that is a definition's name there (0..1)."""
    definitions: int = FEW
    """Such words that count at most."""
    language: float = 1.0
    """Added where the repository is written in the language that the question names. By hand."""
    span: float = 2.0
    """How far below the best belief a repository has nothing from being likely (1..3)."""
    weight: float = _SIGN
    """Weight of how likely its repository is, against a chunk's own signals (0..0.4)."""


class Weights(Struct, frozen=True):
    """All ranking numbers, by the stage that they belong to."""

    term: TermWeights = TermWeights()
    signal: Signals = Signals()
    naming: Naming = Naming()
    link: Linking = Linking()
    edges: EdgeWeights = EdgeWeights()
    penalty: Penalties = Penalties()
    pointing: Pointing = Pointing()
    quoting: Quoting = Quoting()
    packing: Packing = Packing()
    repositories: Repositories = Repositories()
    stated: float = OUTWEIGHS
    """Weight of what is stated and not only likely, being quoted or pointed at, relative to all
    other signals together (0 or more)."""
    is_learned: bool = True
    """Whether the learned ranking orders the best candidates of the sum."""


DEFAULT = Weights()
