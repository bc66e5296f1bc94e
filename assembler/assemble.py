"""A pack for a question: what `assembler.search` ranks, expanded and packed under the budget."""

from collections.abc import Callable, Sequence
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler import render
from satchel.assembler.budget import CountTokens, Spending, checked
from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import absence
from satchel.assembler.packing import required
from satchel.assembler.packing.costs import FENCE
from satchel.assembler.packing.finish import KNOWN_SHARE
from satchel.assembler.packing.inputs import PackInputs, Pointed
from satchel.assembler.packing.pack import pack
from satchel.assembler.packing.snapshot_access import IndexAccess
from satchel.assembler.places import asked_lines
from satchel.assembler.query import read_query
from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking import rank
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.ranking.expand import Preference
from satchel.assembler.search import Ranking, absences, ranked_by
from satchel.assembler.values import ContextPack, Places, Receipt, Sent
from satchel.assembler.weights import DEFAULT, Weights
from satchel.store import tokens
from satchel.store.model import Digest, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord

_KNOWLEDGE_FILES = 5
"""Knowledge is looked up for this many best files."""


IsCurrent = Callable[[RepoPath, Digest], bool]
"""Whether a file still has the bytes with this digest."""

KnowledgeLines = Callable[[Sequence[RepoPath], int], Sequence[str]]
"""What is known of some files, best first, as lines of at most so many tokens together."""


def _trusted(_path: RepoPath, _digest: Digest) -> bool:
    return True


class PackOptions(Struct, frozen=True, kw_only=True):
    """What a pack is made with, beside its question.

    `count` counts tokens where they are not those of a vocabulary that ships with Satchel;
    `encoding` then only names them.
    """

    encoding: str = tokens.DEFAULT_ENCODING
    count: CountTokens | None = None
    notices: tuple[str, ...] = ()
    vectors: VectorSearch | None = None
    is_current: IsCurrent = _trusted
    """Nothing is shown of files that have changed: the receipt names them."""
    sent: Sent = Sent()
    """What the client was sent before, which is named."""
    known: KnowledgeLines | None = None
    """What is said of the files, in up to a tenth of the budget."""
    weights: Weights = DEFAULT
    ranked: Ranking | None = None
    """What the question found, where that is known already."""
    reached: Callable[[str], None] = lambda _stage: None
    """Told of each stage that is over."""


USUAL = PackOptions()


class _Packing(Struct, frozen=True):
    """What every attempt at one pack has in common."""

    snapshot: Snapshot
    question: Question
    spending: Spending
    options: PackOptions
    count: CountTokens
    places: Places


def context(
    snapshot: Snapshot,
    question: Question,
    spending: Spending | int,
    options: PackOptions = USUAL,
) -> ContextPack:
    """What a model should see of this code base, in the tokens that may be spent.

    A number stands for a budget that somebody wrote.

    Raises:
        UsageError: the ceiling is outside its bounds (`assembler.budget`).
    """
    spending, weights = checked(spending), options.weights
    budget, ranked = spending.ceiling, options.ranked
    asked = ranked.asked if ranked else read_query.read(question, weights)
    question = asked_lines.of_one_file(snapshot, question, asked)
    ranked = ranked or ranked_by(snapshot, question, asked, options.vectors, weights)
    absent = absences(snapshot, question, ranked, options.vectors, weights)
    options.reached("rank")
    count = options.count or tokens.counter(options.encoding)
    places = _required(snapshot, ranked, count, weights)
    if places.required and asked.places.is_all:
        # Nothing but lines was asked for, so other code of their file is no match; what their
        # function calls and is called by still follows.
        ranked = replace(ranked, items=[])
    notices = (*places.notices, *options.notices, *absence.stale_graph(snapshot))
    blank = Receipt(
        id=_id(snapshot, question, spending, options), budget=budget, used=0,
        encoding=options.encoding, generation=snapshot.generation, complete=snapshot.complete,
        n_excerpts=0, n_neighbours=0, n_omitted=0, n_searched=snapshot.files.count(),
        absent=tuple(absent), notices=notices,
    )  # fmt: skip
    blank = replace(blank, known=_knowledge_lines(options.known, places, ranked, blank))
    packing = _Packing(snapshot, question, spending, options, count, places)
    # Each round adds a file to `stale` or returns, so there are no more rounds than files.
    stale: frozenset[RepoPath] = frozenset()
    while True:
        made = _packed(packing, ranked, blank, stale)
        changed = {e.path for e in made.excerpts if not options.is_current(e.path, e.digest)}
        if not changed:
            return made
        stale |= changed


def _packed(
    asked: _Packing, ranked: Ranking, blank: Receipt, stale: frozenset[RepoPath]
) -> ContextPack:
    """The pack that shows nothing of files that are `stale`."""
    if stale:
        ranked = replace(ranked, items=[i for i in ranked.items if i.chunk.path not in stale])
    receipt = replace(blank, absent=(*absence.stale(stale), *blank.absent))
    inputs = _inputs(asked, ranked, stale)
    return pack(ranked.items, receipt, inputs, asked.options.weights.packing, asked.spending.turn)


def _knowledge_lines(
    known: KnowledgeLines | None, places: Places, ranked: Ranking, blank: Receipt
) -> tuple[str, ...]:
    """What is known of the files that a pack begins with, within its share of the budget."""
    required = (place.path for place in places.required)
    paths = dict.fromkeys((*required, *(item.chunk.path for item in ranked.items)))
    if known is None or not paths:
        return ()
    frame = tokens.count(render.known_block(("",), FENCE), blank.encoding)
    room = max(int(blank.budget * KNOWN_SHARE) - frame, 0)
    return tuple(known(list(paths)[:_KNOWLEDGE_FILES], room))


def _id(snapshot: Snapshot, question: Question, spending: Spending, options: PackOptions) -> str:
    """Nine digits that stand for everything a pack is made from, notices and settings aside."""
    # The generation stands for the indexed text, so that an id is the same while the answer is.
    # Pasted text may hold lone surrogates, which a strict encoder would refuse.
    asked: tuple[object, ...] = (
        question, spending, options.encoding, snapshot.generation, options.sent
    )  # fmt: skip
    if question.put_in or question.taken_out:
        asked = (*asked, question.put_in, question.taken_out)
    digest = blake2b(repr(asked).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return f"{int.from_bytes(digest) % 10**9:09d}"


def _inputs(packing: _Packing, ranked: Ranking, stale: frozenset[RepoPath]) -> PackInputs:
    snapshot, question = packing.snapshot, packing.question
    pasted = packing.places.required
    weights, asked = packing.options.weights, ranked.asked
    # Names in the lines of a diff, if they counted as named by the question, would be required
    # ahead of the change itself.
    named = asked if asked.is_written else replace(asked, identifiers=(), members=())
    # What a run points at ranks before all that is named beside it.
    best = None if ranked.pasted else ranked.items[: weights.naming.best]
    places = required.required(snapshot, named, question.scope, question.path, best, pasted)
    if ranked.pasted is None:
        places = (*places, *asked_lines.files(asked.paths, ranked.items))
        if asked.asks_for_documents and asked.change.sureness < 1:
            places = (*places, *asked_lines.documents(ranked.items))
    places = required.changed_by_hand(places, question)

    def admits(chunk: ChunkRecord) -> bool:
        return chunk.path not in stale and question.admits(chunk)

    preference = Preference(
        weights.packing.neighbours_per_seed,
        # Unless a change is asked for, callers and callees in the same file count more.
        1.0 if asked.is_change else weights.edges.preferred,
        _caller_weight(question, ranked, weights),
        # A run says by itself what it has reached, and a diff what it changed.
        by_use=ranked.pasted is None,
    )
    return PackInputs(
        count=packing.count,
        index=IndexAccess(snapshot, admits, ranked.items, weights.edges, preference),
        idf=ranked.idf,
        pointed=Pointed(
            ranked.pointed.lines(),
            "changed" if question.changes else "see line",
            weights.pointing.unit,
        ),
        detail=rank.detail(asked, weights.penalty),
        wants_tests=question.scope == Scope.TEST or Topic.TESTS in asked.topics,
        # Who asks for a name alone may mean whatever holds it.
        topics=frozenset(Topic) if asked.symbol else asked.topics,
        fence_seed=question.text + question.changes,
        sent=packing.options.sent,
        unshown=weights.edges.weak,
        required=tuple(place for place in places if place.path not in stale),
        taken_out=question.taken_out,
        left_out=packing.places.left_out,
        only_required=(
            bool(pasted) and ranked.pasted is not None and ranked.pasted.suffices(pasted)
        ),
        is_addition=not pasted and asked.change.adds,
    )  # fmt: skip


def _caller_weight(question: Question, ranked: Ranking, weights: Weights) -> float:
    """Weight of callers of the shown code, relative to its callees (0 or more)."""
    # A review asks first what the change can break.
    if question.changes:
        return weights.edges.preferred
    # The callers that matter stand in the trace itself.
    artefact = ranked.pasted.artefact if ranked.pasted else None
    return 0.0 if artefact and artefact.is_run and not artefact.failures else 1.0


def _required(snapshot: Snapshot, ranked: Ranking, count: CountTokens, weights: Weights) -> Places:
    """The places that lines, the pasted output of a program or a diff require a pack to show."""
    written = ranked.asked.places
    lines = asked_lines.ranges(snapshot, written.ranges)
    if ranked.pasted is None:
        # Output of a program names lines that a trace or a run is read by.
        return Places((*lines, *asked_lines.around(snapshot, written.lines)))
    places = ranked.pasted.required(ranked.items, count, weights.pointing)
    return replace(places, required=(*lines, *places.required))
