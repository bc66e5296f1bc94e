"""The best places for a question. Read top to bottom, this is how a reply is made:

read the query → find candidates → rank them → (search) spread over files
                                             → (`assembler.assemble`) expand and pack
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.budget import MAX_RESULTS, check_search
from satchel.assembler.kinds import Absent, Scope
from satchel.assembler.lookup import absence, symbols, unknown_names
from satchel.assembler.lookup.prototypes import without_announced
from satchel.assembler.places.asked_lines import of_tests_alone
from satchel.assembler.places.seeds import Seeds
from satchel.assembler.query import read_query
from satchel.assembler.query.qualified import last_part
from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import Query
from satchel.assembler.ranking import (
    candidates,
    commands,
    graph_signals,
    phrases,
    rank,
    rerank,
    vendored,
)
from satchel.assembler.ranking.candidates import Found, VectorSearch
from satchel.assembler.values import Scored, SearchReply
from satchel.assembler.weights import DEFAULT, POOL, Weights
from satchel.store import terms
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord

if TYPE_CHECKING:
    from satchel.assembler.places.pasted import Pasted


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
    asked = read_query.read(question, weights)
    question = of_tests_alone(snapshot, question, asked)
    ranked = ranked_by(snapshot, question, asked, vectors, weights)
    repetition = rank.repetition(ranked.asked, weights.penalty)
    # A reply has at most so many results, so what ranks below is not spread over files.
    listed = rank.spread(ranked.items[:MAX_RESULTS], repetition, max_results)
    results = tuple(item for item in listed if item.score >= min_score)
    absent: list[Absent] = []
    if not listed:
        absent += absences(snapshot, question, ranked, vectors, weights)
    # Something did match here, so the reply says how near it came and not that nothing is there.
    elif not results:
        absent.append(absence.too_low(len(ranked.items), listed[0].score, min_score))
    else:
        absent += _not_here(snapshot, question, ranked)
    return SearchReply(
        results=results,
        n_searched=snapshot.files.count(),
        generation=snapshot.generation,
        complete=snapshot.complete,
        absent=tuple(absent),
    )


def text_of(snapshot: Snapshot, chunk: ChunkRecord) -> str:
    """A chunk's source, undecodable bytes replaced."""
    from satchel.assembler.packing import snapshot_access

    source = snapshot_access.source_of(snapshot, chunk)
    return source[chunk.span.start_byte : chunk.span.end_byte].decode("utf-8", "replace")


class Ranking(Struct, frozen=True):
    """What a question found, best first, and how the question was read.

    `idf` is the inverse document frequency of each of its terms. `pointed` is empty and `pasted`
    None where no output of a program or diff is pasted.
    """

    items: list[Scored]
    asked: Query
    pointed: Seeds
    idf: dict[str, float]
    pasted: Pasted | None = None


def ranked_by(
    snapshot: Snapshot,
    question: Question,
    asked: Query,
    vectors: VectorSearch | None,
    weights: Weights,
) -> Ranking:
    """What answers a question, best first; nothing is spread over files yet.

    A weighted sum of signals; boosts from the call graph; for a question that asks for a change,
    the learned order; then what must hold whichever of the two orders counts: quotations, likely
    folders, the penalty of vendored code, and last the places that a paste names.
    """
    found, items = _by_signals(snapshot, asked, question, vectors, weights)
    if asked.title is not None:
        _, by_title = _by_signals(snapshot, asked.title, question, vectors, weights)
        # The title tells as much as all of the report.
        titled = [(item.chunk, item.score) for item in by_title]
        items = rank.boosted(items, titled, "title", 1.0)
    items = commands.boost(snapshot, asked, found.matches, items)
    quoted = phrases.read(asked, found.idf, weights.quoting)
    pool = found.covering
    if asked.title is not None:
        # Most of the words of a report are no quotation, so what holds most of them holds none.
        pool = tuple(item.chunk.id for item in items[:POOL])
    # Reading and aligning texts is what this signal costs: a question without phrases reads none.
    covering = snapshot.chunks.by_id(pool) if quoted else ()
    snapshot.files.read_ahead((chunk.digest, chunk.language) for chunk in covering)
    in_text = phrases.held(covering, quoted, partial(text_of, snapshot), weights.quoting)
    items = phrases.boost(items, in_text, asked, weights)
    items = rank.boost_folders(items, question.likely, weights.repositories.weight)
    items = vendored.penalised(snapshot, items, weights.penalty.aside)
    if asked.artefact is None:
        return Ranking(items, asked, Seeds((), ()), found.idf)
    from satchel.assembler.places.pasted import find  # most questions paste nothing

    pasted = find(snapshot, asked.artefact, weights.pointing)
    # Last, with more weight than all signals before together: a frame of a trace states the line
    # that words only make likely. So its score is neither replaced nor multiplied by a penalty.
    stated = [(seed.chunk, seed.strength) for seed in pasted.seeds(question.path)]
    items = rank.boosted(items, stated, "pointed at", weights.stated)
    return Ranking(items, asked, pasted.pointed, found.idf, pasted)


def _by_signals(
    snapshot: Snapshot,
    asked: Query,
    question: Question,
    vectors: VectorSearch | None,
    weights: Weights,
) -> tuple[Found, list[Scored]]:
    """What was found for a question, and its order; that of a question about the code and that of
    a task, fused by place, where it may be either."""
    found = candidates.find(snapshot, asked, question.scope, question.path, weights, vectors)
    of_question, of_task = (
        replace(asked, change=replace(asked.change, sureness=sure)) for sure in (0.0, 1.0)
    )
    sureness = asked.change.sureness
    # The order of a long question is that of a task.
    if rank.detail(of_question, weights.penalty) == 1.0 or sureness in (0.0, 1.0):
        return found, _in_order(snapshot, asked, found, weights)
    first = _in_order(snapshot, of_question, found, weights)
    second = _in_order(snapshot, of_task, found, weights)
    return found, rank.fused(first, second, sureness / (1.0 - sureness))


def _in_order(snapshot: Snapshot, asked: Query, found: Found, weights: Weights) -> list[Scored]:
    """What was found in order: by signals and, for a change, by the model."""
    items = rank.rank(asked, found.candidates, found.idf, weights, has_vectors=found.has_vectors)
    items = graph_signals.boost_linked(snapshot, items, weights.link)
    items = graph_signals.boost_used(snapshot, asked, items, weights)
    # The model reads the order made so far, and its probabilities replace these scores.
    return rerank.rerank(snapshot, asked, found, items, weights)


def absences(
    snapshot: Snapshot,
    question: Question,
    ranked: Ranking,
    vectors: VectorSearch | None,
    weights: Weights,
) -> list[Absent]:
    """Why nothing was found; where something was, what of the question has no answer here."""
    paths = (*ranked.asked.paths, *ranked.pointed.outside)
    of_pasted = ranked.pasted.absent() if ranked.pasted else []
    if ranked.items:
        unindexed = _not_here(snapshot, question, ranked)
        ambiguous = _ambiguous(snapshot, question, ranked.asked)
        return [*ambiguous, *_unknown_names(snapshot, ranked), *unindexed, *of_pasted]
    # A diff that only takes files out has no lines to search for, and nothing is wrong with that.
    if ranked.pasted and ranked.pasted.artefact.deleted and not ranked.asked.terms:
        return of_pasted
    # The same question without scope and path tells a narrow filter from a question that nothing
    # here answers.
    anywhere = replace(question, scope=Scope.ALL, path="")
    n_outside = len(ranked_by(snapshot, anywhere, ranked.asked, vectors, weights).items)
    why = absence.why_nothing(snapshot, paths, n_outside, question.scope, question.path)
    return [*why, *of_pasted]


def _ambiguous(snapshot: Snapshot, question: Question, asked: Query) -> list[Absent]:
    """That the one name which is asked for has several definitions."""
    defined = symbols.matching(snapshot, asked.symbol) if asked.symbol else []
    # A definition that the scope keeps out cannot have been meant, so it makes no name ambiguous.
    admitted = [symbol for symbol in defined if question.scope.admits(symbol.is_test)]
    return absence.ambiguous(asked, without_announced(admitted))


def _not_here(snapshot: Snapshot, question: Question, ranked: Ranking) -> list[Absent]:
    """Files and lines that a question names and that are not here."""
    paths = (*ranked.asked.paths, *ranked.pointed.outside)
    unindexed = absence.not_indexed(snapshot, paths, question.path)
    if unindexed or ranked.pasted:
        return unindexed
    lines = {place.path: place.first for place in ranked.asked.places.every}
    named = {**dict.fromkeys(ranked.asked.files, 0), **lines}
    return [why for path in named for why in unknown_names.not_there(snapshot, path, named[path])]


def _unknown_names(snapshot: Snapshot, ranked: Ranking) -> list[Absent]:
    """Names that a question writes and nothing here defines; without any, words that are nowhere.

    Nothing is said beside pasted output: it names members of what is not indexed, and the text
    around it was often printed by the program as well.
    """
    identifiers = () if ranked.pasted else ranked.asked.identifiers
    # A name that stands in a string or a comment is spelled well.
    nowhere = [
        name
        for name in identifiers
        if not any(map(ranked.idf.get, terms.split(last_part(name))[:1]))
    ]
    unknown = absence.unknown_members(snapshot, identifiers)
    unknown = unknown or unknown_names.misspelt(snapshot, nowhere)
    if unknown or ranked.pasted:
        return unknown
    # A path or line that is not indexed is reported as such, and its parts are not words.
    lines = (str(place.first) for place in ranked.asked.places.every)
    paths = (*ranked.asked.paths, *lines)
    words = [word for word in ranked.asked.words if not any(word in path for path in paths)]
    return absence.unknown_words(words, ranked.idf)
