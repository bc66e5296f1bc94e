"""A pack for a question: what `assembler.search` ranks, expanded and packed under the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b

from msgspec.structs import replace

from satchel.assembler import asked_lines, quoting, render
from satchel.assembler.budget import CountTokens, Spending, checked
from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import absence
from satchel.assembler.packing import required, snapshot_access
from satchel.assembler.packing.costs import FENCE
from satchel.assembler.packing.inputs import PackInputs, Pointed
from satchel.assembler.packing.pack import pack
from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import Query, Topic
from satchel.assembler.ranking import declared_options, rank
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.search import Ranking, absences, ranked_by
from satchel.assembler.values import ContextPack, Places, Receipt, Required, Sent
from satchel.assembler.weights import DEFAULT, Weights
from satchel.store import tokens
from satchel.store.model import Digest, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord

_KNOWLEDGE_FILES = 10
"""Knowledge is looked up for this many best files of a pack."""


IsCurrent = Callable[[RepoPath, Digest], bool]
"""Whether a file still has the bytes with this digest."""

KnowledgeLines = Callable[[Sequence[RepoPath], int], Sequence[str]]
"""What is known of some files, best first, as lines of at most so many tokens together."""


def _trusted(_path: RepoPath, _digest: Digest) -> bool:
    return True


def context(
    snapshot: Snapshot,
    question: Question,
    spending: Spending | int,
    *,
    encoding: str = tokens.DEFAULT_ENCODING,
    count: CountTokens | None = None,
    notices: Sequence[str] = (),
    vectors: VectorSearch | None = None,
    is_current: IsCurrent = _trusted,
    sent: Sent | None = None,
    known: KnowledgeLines | None = None,
    weights: Weights = DEFAULT,
    ranked: Ranking | None = None,
) -> ContextPack:
    """What a model should see of this code base, in the tokens of `encoding` that may be spent.

    A number stands for a budget that somebody wrote. `count` counts tokens where they are not those
    of a vocabulary that ships with Satchel; `encoding` then only names them. Nothing is shown of
    files that have changed: the receipt names them. What is in `sent` is named. Up to a tenth of
    the budget goes to what `known` says of the files.

    Raises:
        UsageError: the ceiling is outside its bounds (`assembler.budget`).
    """
    budget = (spending := checked(spending)).ceiling
    question = asked_lines.of_tests_alone(snapshot, asked_lines.of_one_file(snapshot, question))
    ranked = ranked or ranked_by(snapshot, question, vectors, weights)
    absent = absences(snapshot, question, ranked, vectors, weights)
    counted = count or tokens.remembering_counter(encoding)
    places = _pasted(ranked, counted, budget, weights)
    blank = Receipt(
        id=_id(snapshot, question, spending, encoding, sent), budget=budget, used=0,
        encoding=encoding, generation=snapshot.generation, complete=snapshot.complete,
        n_excerpts=0, n_neighbours=0, n_omitted=0, n_searched=snapshot.files.count(),
        absent=tuple(absent), notices=(*places.left_out, *notices, *absence.stale_graph(snapshot)),
    )  # fmt: skip
    lines = asked_lines.ranges(snapshot, question.text, counted, budget)
    if ranked.pasted is None:
        # Output of a program names lines that a trace or a run is read by.
        lines += asked_lines.around(snapshot, question.text)
    if lines and asked_lines.is_all(question.text):
        # Nothing but lines was asked for, so other code of their file is no match; what their
        # function calls and is called by still follows.
        ranked = replace(ranked, items=[])
    pasted = (*lines, *places.required)

    def packed(blank: Receipt, stale: frozenset[RepoPath]) -> ContextPack:
        without = replace(ranked, items=[i for i in ranked.items if i.chunk.path not in stale])
        inputs = _inputs(
            snapshot, question, without, weights, stale, pasted, counted, sent or Sent()
        )
        receipt = replace(blank, absent=(*absence.stale(stale), *blank.absent))
        return pack(without.items, receipt, inputs, weights.packing, spending.turn)

    made, stale = _fresh_pack(partial(packed, blank), frozenset(), is_current)
    notes = _knowledge_lines(known, made, weights.packing.known_share)
    if notes:
        made, _ = _fresh_pack(partial(packed, replace(blank, known=notes)), stale, is_current)
    return made


def _fresh_pack(
    packed: Callable[[frozenset[RepoPath]], ContextPack],
    stale: frozenset[RepoPath],
    is_current: IsCurrent,
) -> tuple[ContextPack, frozenset[RepoPath]]:
    """A pack that shows nothing of files that have changed, and those that it leaves out for it."""
    # Each round adds a file to `stale` or returns, so there are no more rounds than files.
    while True:
        made = packed(stale)
        changed = {e.path for e in made.excerpts if not is_current(e.path, e.digest)}
        if not changed:
            return made, stale
        stale |= changed


def _knowledge_lines(
    known: KnowledgeLines | None, made: ContextPack, share: float
) -> tuple[str, ...]:
    """What is known of the files that a pack shows, within its share of the budget."""
    if known is None or not made.excerpts:
        return ()
    # A pack has its required and best files first, so the first paths are those that matter most.
    paths = list(dict.fromkeys(shown.path for shown in made.excerpts))[:_KNOWLEDGE_FILES]
    frame = tokens.count(render.known_block(("",), FENCE), made.receipt.encoding)
    return tuple(known(paths, max(int(made.receipt.budget * share) - frame, 0)))


def _id(
    snapshot: Snapshot, question: Question, spending: Spending, encoding: str, sent: Sent | None
) -> str:
    """Nine digits that stand for everything a pack is made from, notices and settings aside."""
    # The generation stands for the indexed text, so that an id is the same while the answer is.
    # Pasted text may hold lone surrogates, which a strict encoder would refuse.
    asked: tuple[object, ...] = (question, spending, encoding, snapshot.generation, sent or Sent())
    if question.put_in or question.taken_out:
        asked = (*asked, question.put_in, question.taken_out)
    digest = blake2b(repr(asked).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return f"{int.from_bytes(digest) % 10**9:09d}"


def _inputs(
    snapshot: Snapshot,
    question: Question,
    ranked: Ranking,
    weights: Weights,
    stale: frozenset[RepoPath],
    pasted: Sequence[Required],
    count: CountTokens,
    sent: Sent,
) -> PackInputs:
    word = "changed" if question.changes else "see line"
    named = _query_as_written(question, ranked)
    # What a run points at ranks before all that is named beside it.
    best = None if ranked.pasted else ranked.items[: weights.naming.best]
    places = required.required(snapshot, named, question.scope, question.path, best, pasted)
    if ranked.pasted is None:
        places = (*places, *asked_lines.files(ranked.asked.paths, ranked.items))
        if not ranked.asked.is_change:
            places = (*places, *asked_lines.documents(question.text, ranked.items))
    places = required.changed_by_hand(places, question)

    def admits(chunk: ChunkRecord) -> bool:
        return chunk.path not in stale and question.admits(chunk)

    options = declared_options.written(question.text)
    declared = snapshot_access.lists(snapshot, admits, ranked.items, weights, options)
    return PackInputs(
        count=count,
        source=snapshot_access.reader(snapshot),
        expand=snapshot_access.expander(
            snapshot, admits, ranked.items, weights, _caller_weight(question, ranked, weights),
            is_change=ranked.asked.is_change,
            # A run says by itself what it has reached, and a diff what it changed.
            by_use=ranked.pasted is None,
        ),
        around=snapshot_access.looker(snapshot),
        chunks_of=snapshot.chunks.of_file,
        broken=partial(snapshot_access.broken, snapshot),
        idf=ranked.idf,
        pointed=Pointed(ranked.pointed.lines(), word, weights.pointing.unit),
        named=ranked.asked.identifiers,
        detail=rank.detail(ranked.asked, weights.penalty),
        wants_tests=question.scope == Scope.TEST or Topic.TESTS in ranked.asked.topics,
        topics=ranked.asked.topics,
        fence=partial(quoting.fence, question.text + question.changes),
        sent=sent,
        unshown=weights.edges.unshown,
        required=tuple(place for place in places if place.path not in stale),
        taken_out=question.taken_out,
        only_required=(
            bool(pasted) and ranked.pasted is not None and ranked.pasted.suffices(pasted)
        ),
        is_addition=not pasted and ranked.asked.adds,
        declared=declared if ranked.asked.adds_option else None,
    )  # fmt: skip


def _caller_weight(question: Question, ranked: Ranking, weights: Weights) -> float:
    """Weight of callers of the shown code, relative to its callees (0 or more)."""
    # A review asks first what the change can break.
    if question.changes:
        return weights.pointing.users
    # The callers that matter stand in the trace itself.
    artefact = ranked.pasted.artefact if ranked.pasted else None
    return 0.0 if artefact and artefact.is_run and not artefact.failures else 1.0


def _pasted(ranked: Ranking, count: CountTokens, budget: int, weights: Weights) -> Places:
    """The places that the pasted output of a program, or a diff, requires a pack to show."""
    if ranked.pasted is None:
        return Places(())
    return ranked.pasted.required(ranked.items, count, budget, weights.pointing)


def _query_as_written(question: Question, ranked: Ranking) -> Query:
    """The question as far as somebody wrote it: the lines of a diff ask for no name."""
    # Names in the lines of a diff are in passing; if they counted as named by the question, they
    # would be required ahead of the change itself.
    is_written = bool(question.text)
    if ranked.pasted and not question.changes:
        is_written = ranked.pasted.artefact.is_said
    return ranked.asked if is_written else replace(ranked.asked, identifiers=())
