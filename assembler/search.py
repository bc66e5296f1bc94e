"""The best places for a question. Read top to bottom, this is how a reply is made:

read the query → find candidates → rank them → (search) spread over files
                                             → (`assembler.assemble`) expand and pack
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.asked_lines import of_tests_alone
from satchel.assembler.budget import check_search
from satchel.assembler.kinds import Absent, Scope
from satchel.assembler.lookup import absence, symbols
from satchel.assembler.lookup.prototypes import without_announced
from satchel.assembler.pasted import artefacts, seeds
from satchel.assembler.pasted.artefacts import Artefact
from satchel.assembler.pasted.seeds import Seeds
from satchel.assembler.query import read_query
from satchel.assembler.query.qualified import last_part
from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import Query
from satchel.assembler.ranking import candidates, graph_signals, phrases, rank, rerank, vendored
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.values import Scored, SearchReply
from satchel.assembler.weights import DEFAULT, Weights
from satchel.store import terms
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord

if TYPE_CHECKING:
    from satchel.assembler.pasted_places import Pasted
    from satchel.assembler.query.report import BugReport

# A reply has at most this many results, so what ranks below these is not spread over files.
_SPREAD_POOL = 200


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
    question = of_tests_alone(snapshot, question)
    ranked = ranked_by(snapshot, question, vectors, weights)
    repetition = rank.repetition(ranked.asked, weights.penalty)
    listed = rank.spread(ranked.items[:_SPREAD_POOL], repetition, max_results)
    results = tuple(item for item in listed if item.score >= min_score)
    absent: list[Absent] = []
    if not listed:
        absent += absences(snapshot, question, ranked, vectors, weights)
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
    from satchel.assembler.packing import snapshot_access

    source = snapshot_access.reader(snapshot)(chunk)
    return source[chunk.span.start_byte : chunk.span.end_byte].decode("utf-8", "replace")


class Ranking(Struct, frozen=True):
    """What a question found, best first, and how it was read."""

    items: list[Scored]
    asked: Query
    pointed: Seeds
    rarity: dict[str, float]
    pasted: Pasted | None = None


def ranked_by(
    snapshot: Snapshot, question: Question, vectors: VectorSearch | None, weights: Weights
) -> Ranking:
    """What answers a question, best first; nothing is spread over files yet."""
    asked, artefact = read_question(question, weights)
    found = candidates.find(snapshot, asked, question.scope, question.path, weights, vectors)
    items = rank.rank(asked, found.candidates, found.idf, weights, has_vectors=found.has_vectors)
    items = graph_signals.lift(snapshot, items, weights.link)
    items = graph_signals.lift_used(snapshot, asked, items, weights)
    items = rerank.rerank(snapshot, asked, found, items, weights)
    quoted = phrases.read(asked, found.idf, weights.quoting)
    # Reading and aligning texts is the dear part of this signal, so a question without any phrase
    # reads none.
    covering = snapshot.chunks.by_id(found.covering) if quoted else ()
    snapshot.files.read_ahead((chunk.digest, chunk.language) for chunk in covering)
    items = phrases.lift(items, covering, quoted, partial(text_of, snapshot), weights.quoting)
    items = rank.favour(items, question.likely, weights.repositories.weight)
    items = vendored.lowered(snapshot, items, weights.penalty.vendored)
    if artefact is None:
        return Ranking(items, asked, Seeds((), ()), found.idf)
    # Being pointed at comes last and outweighs the sum of all before: a frame says where, words
    # only guess.
    from satchel.assembler.pasted_places import find  # most questions paste nothing

    pasted = find(snapshot, artefact, weights.pointing)
    lifted = seeds.lift(items, pasted.seeds(question.path), weights.pointing.weight)
    return Ranking(lifted, asked, pasted.pointed, found.idf, pasted)


def read_question(question: Question, weights: Weights) -> tuple[Query, Artefact | None]:
    """The question as it is searched for, and what is pasted in it."""
    told = _as_report(question.text)
    # A template names files that nobody reports about, so its lines point at nothing.
    text = told.text if told and told.is_form else question.text
    artefact = artefacts.read(question.changes or text)
    # The lines of a machine would drown the words, so only the prose around an artefact is
    # searched for. A text beside a diff under review is prose already.
    if artefact and not (question.changes and question.text):
        text = artefact.prose
        told = _as_report(text)
    if told is None:
        return read_query.read(text, weights.term.part), artefact
    return read_query.read_report(told, weights.term.part, weights.report), artefact


def _as_report(text: str) -> BugReport | None:
    """The bug report that a text is; None for any other."""
    # What tells a report takes a while to load, and nothing of one line is any.
    if "\n" not in text:
        return None
    from satchel.assembler.query import report

    return report.read(text)


def _nowhere(names: Iterable[str], rarity: Mapping[str, float]) -> list[str]:
    """The names that no indexed text has: what stands in a string or a comment is spelled well."""
    return [name for name in names if not any(map(rarity.get, terms.split(last_part(name))[:1]))]


def absences(
    snapshot: Snapshot,
    question: Question,
    ranked: Ranking,
    vectors: VectorSearch | None,
    weights: Weights,
) -> list[Absent]:
    """Why there is nothing, or what of it is left out."""
    written = (*ranked.asked.paths, *ranked.pointed.outside)
    of_pasted = ranked.pasted.absent() if ranked.pasted else []
    if ranked.items:
        unindexed = [*absence.not_indexed(snapshot, written, question.path), *of_pasted]
        name = ranked.asked.symbol
        defined = symbols.matching(snapshot, name) if name else []
        # A definition that the scope keeps out cannot have been meant, so it makes no name
        # ambiguous.
        admitted = [s for s in defined if question.scope.admits(s.is_test)]
        meant = without_announced(admitted)
        # Output of a program names members of what is not indexed.
        written = () if ranked.pasted else ranked.asked.identifiers
        unknown = absence.unknown_members(snapshot, written)
        unknown = unknown or symbols.misspelt(snapshot, _nowhere(written, ranked.rarity))
        # What surrounds the output of a program is often printed by it as well.
        if not (unknown or ranked.pasted):
            # Of a path that is not indexed it is said by itself.
            paths = ranked.asked.paths
            words = [w for w in ranked.asked.words if not any(w in path for path in paths)]
            unknown = absence.unknown_words(words, ranked.rarity)
        return [*absence.ambiguous(ranked.asked, meant), *unknown, *unindexed]
    # A diff that only takes files out has no lines to search for, and nothing is wrong with that.
    if ranked.pasted and ranked.pasted.artefact.deleted and not ranked.asked.text.strip():
        return of_pasted
    # The same question without scope and path tells a narrow filter from a question that nothing
    # here answers.
    anywhere = replace(question, scope=Scope.ALL, path="")
    n_outside = len(ranked_by(snapshot, anywhere, vectors, weights).items)
    why = absence.why_nothing(snapshot, written, n_outside, question.scope, question.path)
    return [*why, *of_pasted]
