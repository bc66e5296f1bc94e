"""The two questions, answered. Read top to bottom, this is how a reply is made:

read the query → find candidates → rank them → (search) spread over files
                                             → (context) expand and pack under the budget
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

from satchel.assembler import quoting, render
from satchel.assembler.asked_lines import asked_lines, is_all
from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.assembler.lookup import absence, symbols
from satchel.assembler.packing import required, snapshot_access
from satchel.assembler.packing.costs import FENCE
from satchel.assembler.packing.inputs import Count, Pointed, Tools
from satchel.assembler.packing.pack import pack
from satchel.assembler.pasted import artefacts, seeds
from satchel.assembler.pasted.artefacts import Artefact
from satchel.assembler.pasted.seeds import Seeds
from satchel.assembler.pasted_places import Pasted, find
from satchel.assembler.query import read_query, report
from satchel.assembler.query.question import MAX_QUERY as MAX_QUERY
from satchel.assembler.query.question import Question as Question
from satchel.assembler.query.read_query import Query, Topic
from satchel.assembler.ranking import candidates, graph_signals, phrases, rank, rerank
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.values import (
    Absent,
    ContextPack,
    Receipt,
    Required,
    Scope,
    Scored,
    SearchReply,
    Sent,
)
from satchel.assembler.weights import DEFAULT, Weights
from satchel.store import tokens
from satchel.store.errors import UsageError
from satchel.store.model import Digest, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord

MAX_RESULTS = 200
# A reply has at most this many results, so what ranks below these is not spread over files.
_SPREAD_POOL = 200
_KNOWN_FILES = 10
"""What is known is asked for the best files of a pack."""


IsCurrent = Callable[[RepoPath, Digest], bool]
"""Whether a file still has the bytes with this digest."""

Known = Callable[[Sequence[RepoPath], int], Sequence[str]]
"""What is known of some files, best first, as lines of at most so many tokens together."""


def _trusted(_path: RepoPath, _digest: Digest) -> bool:
    return True


def context(
    snapshot: Snapshot,
    question: Question,
    budget: int,
    *,
    encoding: str = tokens.DEFAULT_ENCODING,
    count: Count | None = None,
    notices: Sequence[str] = (),
    vectors: VectorSearch | None = None,
    is_current: IsCurrent = _trusted,
    sent: Sent | None = None,
    known: Known | None = None,
    weights: Weights = DEFAULT,
) -> ContextPack:
    """What a model should see of this code base, in at most `budget` tokens of `encoding`.

    `count` counts tokens where they are not those of a vocabulary that ships with Satchel;
    `encoding` then only names them. Nothing is shown of files that are not current any more: the
    receipt names them as stale, and whoever can refresh the index asks again. What is in `sent` is
    named, not shown. Up to a tenth of the budget goes to what `known` says of the files shown.

    Raises:
        UsageError: `budget` is outside its bounds (`assembler.budget`).
    """
    check_budget(budget)
    ranked = _ranked(snapshot, question, vectors, weights)
    absent = _absent(snapshot, question, ranked, vectors, weights)
    blank = Receipt(
        id=_id(snapshot, question, budget, encoding, sent), budget=budget, used=0,
        encoding=encoding, generation=snapshot.generation,
        complete=snapshot.complete, n_excerpts=0, n_neighbours=0, n_omitted=0,
        n_searched=snapshot.files.count(), notices=(*notices, *absence.stale_graph(snapshot)),
        absent=tuple(absent),
    )  # fmt: skip
    counted = count or partial(tokens.count, name=encoding)
    stale: set[RepoPath] = set()
    lines = asked_lines(snapshot, question.text, counted, budget)
    if lines and is_all(question.text):
        # Nothing but lines was asked for, so other code of their file is no match; what their
        # function calls and is called by still follows.
        ranked = replace(ranked, items=[])
    pasted = (*lines, *_pasted(ranked, counted, budget, weights))
    # Each round adds a file to `stale` or returns, so there are no more rounds than files.
    while True:
        without = replace(ranked, items=[i for i in ranked.items if i.chunk.path not in stale])
        repetition = rank.repetition(ranked.asked, weights.penalty)
        ordered = rank.spread(without.items, repetition, len(without.items))
        tools = _tools(snapshot, question, without, weights, frozenset(stale), pasted)
        tools = replace(tools, count=counted, sent=sent or Sent())
        receipt = replace(blank, absent=(*absence.stale(stale), *blank.absent))
        made = pack(ordered, receipt, tools, weights.packing)
        changed = {e.path for e in made.excerpts if not is_current(e.path, e.digest)}
        if changed:
            stale |= changed
            continue
        notes = _known(known, made, weights.packing.known_share)
        if not notes:
            return made
        blank, known = replace(blank, known=notes), None


def _known(known: Known | None, made: ContextPack, share: float) -> tuple[str, ...]:
    """What is known of the files that a pack shows, within its share of the budget."""
    if known is None or not made.excerpts:
        return ()
    # A pack has its required and best files first, so the first paths are those that matter most.
    paths = list(dict.fromkeys(shown.path for shown in made.excerpts))[:_KNOWN_FILES]
    frame = tokens.count(render.known_block(("",), FENCE), made.receipt.encoding)
    return tuple(known(paths, max(int(made.receipt.budget * share) - frame, 0)))


def check_budget(budget: int) -> None:
    """Raises: UsageError, as `context` does, before there is an index."""
    if not MIN_BUDGET <= budget <= MAX_BUDGET:
        raise UsageError(
            f"budget_tokens is {budget}, must be {MIN_BUDGET} to {MAX_BUDGET}",
            "4096 suits most questions",
        )


def check_search(max_results: int, min_score: float) -> None:
    """Raises: UsageError, as `search` does, before there is an index."""
    if not 1 <= max_results <= MAX_RESULTS:
        raise UsageError(f"max_results is {max_results}, must be 1 to {MAX_RESULTS}", "try 10")
    if not 0.0 <= min_score <= 1.0:
        raise UsageError(f"min_score is {min_score}, must be 0.0 to 1.0", "0.0 keeps everything")


def search(
    snapshot: Snapshot,
    question: Question,
    max_results: int,
    *,
    min_score: float = 0.0,
    vectors: VectorSearch | None = None,
    weights: Weights = DEFAULT,
) -> SearchReply:
    """The best chunks for a question, spread over files.

    Raises:
        UsageError: `max_results` is outside 1 to 200 or `min_score` outside 0 to 1.
    """
    check_search(max_results, min_score)
    ranked = _ranked(snapshot, question, vectors, weights)
    repetition = rank.repetition(ranked.asked, weights.penalty)
    listed = rank.spread(ranked.items[:_SPREAD_POOL], repetition, max_results)
    results = tuple(item for item in listed if item.score >= min_score)
    absent: list[Absent] = []
    if not listed:
        absent += _absent(snapshot, question, ranked, vectors, weights)
    # Something did match here, so the reply says how near it came and not that nothing is there.
    elif not results:
        absent.append(absence.too_low(len(ranked.items), listed[0].score, min_score))
    return SearchReply(
        results=results,
        n_searched=snapshot.files.count(),
        generation=snapshot.generation,
        complete=snapshot.complete,
        absent=tuple(absent),
    )


def text_of(snapshot: Snapshot, chunk: ChunkRecord) -> str:
    """A chunk's source, undecodable bytes replaced."""
    return snapshot_access.reader(snapshot)(chunk)[
        chunk.span.start_byte : chunk.span.end_byte
    ].decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What a question found, best first, and how it was read."""

    items: list[Scored]
    asked: Query
    pointed: Seeds
    rarity: dict[str, float]
    pasted: Pasted | None = None


def _ranked(
    snapshot: Snapshot, question: Question, vectors: VectorSearch | None, weights: Weights
) -> _Ranking:
    asked, artefact = read_question(question, weights)
    found = candidates.find(snapshot, asked, question.scope, question.path, weights, vectors)
    items = rank.rank(asked, found.candidates, found.idf, weights, has_vectors=found.has_vectors)
    items = graph_signals.lift(snapshot, items, weights.link)
    items = rerank.rerank(snapshot, asked, found, items, weights)
    quoted = phrases.read(asked, found.idf, weights.quoting)
    # Reading and aligning texts is the dear part of this signal, so a question without any phrase
    # reads none.
    covering = snapshot.chunks.by_id(found.covering) if quoted else ()
    items = phrases.lift(items, covering, quoted, partial(text_of, snapshot), weights.quoting)
    if artefact is None:
        return _Ranking(items, asked, Seeds((), ()), found.idf)
    # Being pointed at comes last and outweighs the sum of all before: a frame says where, words
    # only guess.
    pasted = find(snapshot, artefact, weights.pointing)
    lifted = seeds.lift(items, pasted.seeds(question.path), weights.pointing.weight)
    return _Ranking(lifted, asked, pasted.pointed, found.idf, pasted)


def read_question(question: Question, weights: Weights) -> tuple[Query, Artefact | None]:
    """The question as it is searched for, and what is pasted in it."""
    told = report.read(question.text)
    # A template names files that nobody reports about, so its lines point at nothing.
    text = told.text if told and report.is_form(question.text) else question.text
    artefact = artefacts.read(question.changes or text)
    # The lines of a machine would drown the words, so only the prose around an artefact is
    # searched for. A text beside a diff under review is prose already.
    if artefact and not (question.changes and question.text):
        text = artefact.prose
        told = report.read(text)
    if told is None:
        return read_query.read(text, weights.term.part), artefact
    return read_query.read_report(told, weights.term.part, weights.report), artefact


def _id(
    snapshot: Snapshot, question: Question, budget: int, encoding: str, sent: Sent | None
) -> str:
    """Nine digits that stand for everything a pack is made from, notices and settings aside."""
    # The generation stands for the indexed text, so that an id is the same while the answer is.
    # Pasted text may hold lone surrogates, which a strict encoder would refuse.
    asked: tuple[object, ...] = (question, budget, encoding, snapshot.generation, sent or Sent())
    if question.put_in or question.taken_out:
        asked = (*asked, question.put_in, question.taken_out)
    digest = blake2b(repr(asked).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return f"{int.from_bytes(digest) % 10**9:09d}"


def _absent(
    snapshot: Snapshot,
    question: Question,
    ranked: _Ranking,
    vectors: VectorSearch | None,
    weights: Weights,
) -> list[Absent]:
    """Why there is nothing, or what of it is left out."""
    written = (*ranked.asked.paths, *ranked.pointed.outside)
    unindexed = absence.unindexed(snapshot, written, question.path)
    unindexed += ranked.pasted.absent() if ranked.pasted else []
    if ranked.items:
        name = ranked.asked.symbol
        defined = symbols.matching(snapshot, name) if name else []
        # A definition that the scope keeps out cannot have been meant, so it makes no name
        # ambiguous.
        admitted = [s for s in defined if question.scope.admits(s.is_test)]
        return [*absence.ambiguous(ranked.asked, admitted), *unindexed]
    # The same question without scope and path tells a narrow filter from a question that nothing
    # here answers.
    anywhere = replace(question, scope=Scope.ALL, path="")
    n_outside = len(_ranked(snapshot, anywhere, vectors, weights).items)
    n_files = snapshot.files.count()
    return [absence.nothing(n_files, n_outside, question.scope, question.path), *unindexed]


def _tools(
    snapshot: Snapshot,
    question: Question,
    ranked: _Ranking,
    weights: Weights,
    stale: frozenset[RepoPath],
    pasted: Sequence[Required],
) -> Tools:
    word = "changed" if question.changes else "see line"
    named = _named(question, ranked)
    places = required.required(snapshot, named, question.scope, question.path, pasted)
    places = required.changed_by_hand(places, question)
    expand = snapshot_access.expander(
        snapshot, question.admits, ranked.items, weights, is_review=bool(question.changes)
    )
    return Tools(
        tokens.count,
        snapshot_access.reader(snapshot),
        lambda seeds: [n for n in expand(seeds) if n.chunk.path not in stale],
        partial(snapshot_access.around, snapshot),
        snapshot.chunks.of_file,
        partial(snapshot_access.broken, snapshot),
        ranked.rarity,
        Pointed(ranked.pointed.lines(), word, weights.pointing.unit),
        ranked.asked.identifiers,
        rank.detail(ranked.asked, weights.penalty),
        question.scope == Scope.TEST or Topic.TESTS in ranked.asked.topics,
        Topic.DOCUMENTATION in ranked.asked.topics,
        partial(quoting.fence, question.text + question.changes),
        Sent(),
        tuple(place for place in places if place.path not in stale),
        question.taken_out,
    )


def _pasted(ranked: _Ranking, count: Count, budget: int, weights: Weights) -> Sequence[Required]:
    """What the output of a program, or a diff, has a pack show first."""
    if ranked.pasted is None:
        return ()
    return ranked.pasted.required(ranked.items, count, budget, weights.pointing)


def _named(question: Question, ranked: _Ranking) -> Query:
    """The question as far as somebody wrote it: the lines of a diff ask for no name."""
    # Names in the lines of a diff are in passing; if they counted as named by the question, they
    # would be required ahead of the change itself.
    is_written = bool(question.text)
    if ranked.pasted and not question.changes:
        is_written = ranked.pasted.artefact.is_said
    return ranked.asked if is_written else replace(ranked.asked, identifiers=())
