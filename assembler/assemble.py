"""The two questions, answered. Read top to bottom, this is how a reply is made:

read the query → find candidates → rank them → (search) spread over files
                                             → (context) expand and pack under the budget
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from assembler import artefacts, candidates, expand, links, query, quoting, rank, seeds
from assembler.candidates import VectorSearch
from assembler.pack import Expand, Tools, pack
from assembler.pieces import Count, ReadSource
from assembler.query import Query
from assembler.seeds import Seeds
from assembler.units import Around
from assembler.values import ContextPack, Neighbour, Receipt, Scope, Scored, SearchReply
from assembler.weights import DEFAULT, Weights
from store import tokens
from store.errors import UsageError
from store.records import ChunkRecord
from store.snapshot import Snapshot

MAX_QUERY = 10_000
MIN_BUDGET, MAX_BUDGET = 256, 32_768
MAX_RESULTS = 200
_SPREAD_POOL = 200


@dataclass(frozen=True, slots=True)
class Question:
    """What both questions ask: `path` is a prefix of paths, "" for the whole tree.

    `text` is words, names or the output of a program (`assembler.artefacts`). `changes` is a
    unified diff to be reviewed, of files as the index has them; then `text` may be empty.
    """

    text: str
    scope: Scope = Scope.IMPL
    path: str = ""
    changes: str = ""

    def __post_init__(self) -> None:
        """Hold the bounds.

        Raises:
            UsageError: the text is empty or too long.
        """
        if not self.text.strip() and not self.changes:
            raise UsageError("query is empty", "say what you are looking for in words or names")
        if len(self.text) > MAX_QUERY:
            raise UsageError(
                f"query has {len(self.text)} characters, at most {MAX_QUERY} are read",
                "shorten it, or keep the part that names things",
            )


def context(
    snapshot: Snapshot,
    question: Question,
    budget: int,
    *,
    encoding: str = tokens.DEFAULT_ENCODING,
    notices: Sequence[str] = (),
    vectors: VectorSearch | None = None,
    weights: Weights = DEFAULT,
) -> ContextPack:
    """What a model should see of this code base, in at most `budget` tokens of `encoding`.

    Raises:
        UsageError: `budget` is outside 256 to 32,768.
    """
    if not MIN_BUDGET <= budget <= MAX_BUDGET:
        raise UsageError(
            f"budget_tokens is {budget}, must be {MIN_BUDGET} to {MAX_BUDGET}",
            "4096 suits most questions",
        )
    ranked = _ranked(snapshot, question, vectors, weights)
    n_files = snapshot.files.count()
    if not ranked.items:
        notices = (*notices, f"nothing matches in the {n_files} files that were searched")
    ordered = rank.spread(ranked.items, weights.packing.repeat_in_file, len(ranked.items))
    count: Count = partial(tokens.count, name=encoding)
    blank = Receipt(
        budget=budget, used=0, encoding=encoding, generation=snapshot.generation,
        complete=snapshot.complete, n_excerpts=0, n_neighbours=0, n_omitted=0,
        n_searched=n_files, notices=tuple(notices),
    )  # fmt: skip
    tools = Tools(
        count,
        _reader(snapshot),
        _expander(snapshot, question.scope, ranked.items, weights),
        partial(_around, snapshot),
        ranked.rarity,
        partial(quoting.fence, question.text + question.changes),
    )
    return pack(ordered, blank, tools, weights.packing)


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
    if not 1 <= max_results <= MAX_RESULTS:
        raise UsageError(f"max_results is {max_results}, must be 1 to {MAX_RESULTS}", "try 10")
    if not 0.0 <= min_score <= 1.0:
        raise UsageError(f"min_score is {min_score}, must be 0.0 to 1.0", "0.0 keeps everything")
    ranked = _ranked(snapshot, question, vectors, weights)
    repetition = rank.repetition(ranked.asked, weights.penalty)
    listed = rank.spread(ranked.items[:_SPREAD_POOL], repetition, max_results)
    return SearchReply(
        results=tuple(item for item in listed if item.score >= min_score),
        n_searched=snapshot.files.count(),
        generation=snapshot.generation,
        complete=snapshot.complete,
    )


def text_of(snapshot: Snapshot, chunk: ChunkRecord) -> str:
    """A chunk's source, undecodable bytes replaced."""
    return _reader(snapshot)(chunk)[chunk.span.start_byte : chunk.span.end_byte].decode(
        "utf-8", "replace"
    )


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What a question found, best first, and how it was read."""

    items: list[Scored]
    asked: Query
    pointed: Seeds
    rarity: dict[str, float]


def _ranked(
    snapshot: Snapshot, question: Question, vectors: VectorSearch | None, weights: Weights
) -> _Ranking:
    pasted = artefacts.read(question.changes or question.text)
    said = pasted.prose if pasted and not (question.changes and question.text) else question.text
    asked = query.read(said, weights.term.part)
    found = candidates.find(snapshot, asked, question.scope, question.path, weights, vectors)
    items = rank.rank(asked, found.candidates, found.idf, weights, has_vectors=found.has_vectors)
    items = links.lift(snapshot, items, weights.link)
    if pasted is None:
        return _Ranking(items, asked, Seeds((), ()), found.idf)
    pointed = seeds.resolve(snapshot, pasted, weights.pointing)
    # A test that failed by name is asked for by name, whatever the scope.
    under = [seed for seed in pointed.found if seed.chunk.path.startswith(question.path)]
    lifted = seeds.lift(items, under, weights.pointing.weight)
    return _Ranking(lifted, asked, pointed, found.idf)


def _reader(snapshot: Snapshot) -> ReadSource:
    return lambda chunk: snapshot.files.source(chunk.digest, chunk.language)


def _around(snapshot: Snapshot, items: Sequence[Scored]) -> dict[int, Around]:
    """The symbols in and around some chunks."""
    chunks = {item.chunk.id: item.chunk for item in items}
    inside = snapshot.chunks.symbols_in(chunks)
    ids = {i for held in inside.values() for i in held} | {c.symbol_id for c in chunks.values()}
    known = {record.id: record for record in snapshot.symbols.by_id(sorted(ids - {0}))}
    return {
        chunk.id: Around(
            tuple(known[i] for i in inside.get(chunk.id, ())), known.get(chunk.symbol_id)
        )
        for chunk in chunks.values()
    }


def _expander(
    snapshot: Snapshot, scope: Scope, ranked: Sequence[Scored], weights: Weights
) -> Expand:
    relevance = {item.chunk.id: item.score for item in ranked}

    def neighbours(seeds: Sequence[Scored]) -> Sequence[Neighbour]:
        per_seed = weights.packing.neighbours_per_seed
        return expand.expand(snapshot, seeds, relevance, scope, per_seed)

    return neighbours
