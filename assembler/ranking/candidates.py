"""Which chunks could answer a question: by their terms, by what they define, by their vectors."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.assembler.kinds import Scope
from satchel.assembler.query.qualified import last_part, may_hold, qualifier
from satchel.assembler.query.read_query import Query
from satchel.assembler.ranking import bm25f, folders
from satchel.assembler.ranking.bm25f import Matches
from satchel.assembler.ranking.rank import Candidate, detail
from satchel.assembler.weights import POOL, SHORTEST_NAME, Naming, Weights
from satchel.store import terms
from satchel.store.model import SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

VectorSearch = Callable[[str, int], Sequence[tuple[int, float]]]
"""(query, limit) → (chunk id, cosine) pairs, best first."""

_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
# A name that more definitions share, such as `get`, points at none of them.
_DEFINITIONS_PER_NAME = 50


class Found(Struct, frozen=True):
    """Candidates, and what the search learned about the query's terms on the way."""

    candidates: tuple[Candidate, ...]
    idf: dict[str, float]
    has_vectors: bool
    matches: Matches
    covering: tuple[int, ...]
    """Ids of the chunks that hold most of what the query's terms are worth, ascending."""


def find(
    snapshot: Snapshot,
    query: Query,
    scope: Scope,
    path: str,
    weights: Weights,
    vectors: VectorSearch | None,
) -> Found:
    """Everything worth ranking."""
    wanted = None if scope == Scope.ALL else scope == Scope.TEST
    allowed = snapshot.chunks.allowed(wanted, path)
    matches = bm25f.search(snapshot, query.terms, allowed, weights.term)
    by_terms = _best(matches.chunks, matches.scores, POOL)
    by_vectors = dict(vectors(query.gist or query.text, POOL)) if vectors else {}
    by_definition = _defining(snapshot, query, matches.idf, weights.naming)
    # The sources are added up, not chained: what only one of them finds still competes.
    ids = by_terms.keys() | by_vectors.keys() | by_definition.keys()
    # Neither vectors nor definitions know of scope and path, so their chunks are filtered here.
    if allowed is not None:
        ids = {chunk_id for chunk_id in ids if allowed[chunk_id]}
    # BM25 has no upper bound, so scores are held against the best of the question to lie in 0..1.
    top_terms = max(by_terms.values(), default=0.0) or 1.0
    by_file = _file_scores(matches, ids)
    top_file = max(by_file.values(), default=0.0) or 1.0
    by_folder = _folder_scores(snapshot, query, matches, ids, allowed, weights)
    low = min(by_vectors.values(), default=0.0)
    high = max(by_vectors.values(), default=0.0)
    candidates = tuple(
        Candidate(
            chunk,
            terms=by_terms.get(chunk.id, 0.0) / top_terms,
            file=by_file.get(chunk.id, 0.0) / top_file,
            # Everything has some cosine to everything, so the worst of those found counts as none
            # at all. What the search did not return counts as the worst.
            vectors=max(0.0, by_vectors.get(chunk.id, low) - low) / ((high - low) or 1.0),
            definition=by_definition.get(chunk.id, 0.0),
            folder=by_folder.get(chunk.id, 0.0),
        )
        # Sets have no order of their own, and candidates must come in the same order in every
        # process.
        for chunk in snapshot.chunks.by_id(sorted(ids))
    )
    # A score is always less than the coverage: it decides between chunks that cover the same.
    worth = matches.coverage * 1000 + matches.scores
    covering = tuple(_best(matches.chunks, worth, POOL))
    return Found(candidates, matches.idf, bool(by_vectors), matches, covering)


def _best(
    chunks: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], limit: int
) -> dict[int, float]:
    """The `limit` best chunks and all that tie with the last, so that ids decide nothing."""
    if len(scores) > limit:
        floor = np.partition(scores, -limit)[-limit]
        keep = scores >= floor
        chunks, scores = chunks[keep], scores[keep]
    return dict(zip(chunks.tolist(), scores.tolist(), strict=True))


def _file_scores(matches: Matches, ids: Iterable[int]) -> dict[int, float]:
    """What the files of some chunks score, by chunk; those without a term of the query are out."""
    wanted = np.array(sorted(ids), dtype=np.int64)
    # Candidates that only a vector or a definition brought in stand in no term's postings; their
    # places are those of other chunks, or behind the end.
    places = np.searchsorted(matches.chunks, wanted)
    known = places < len(matches.chunks)
    known[known] = matches.chunks[places[known]] == wanted[known]
    scores = matches.file_scores[places[known]]
    return dict(zip(wanted[known].tolist(), scores.tolist(), strict=True))


def _folder_scores(
    snapshot: Snapshot,
    query: Query,
    matches: Matches,
    ids: Iterable[int],
    allowed: npt.NDArray[np.bool_] | None,
    weights: Weights,
) -> dict[int, float]:
    """What the folders of some chunks score; nothing for a question that asks for one place."""
    if not matches.entries or detail(query, weights.penalty) == 1.0:
        return {}
    layout = snapshot.chunks.layout()
    scores = folders.scores(query.terms, matches.entries, layout, allowed, weights.term)
    wanted = np.array(sorted(ids), dtype=np.int64)
    found = scores[layout.folder_of[wanted]].tolist()
    return dict(zip(wanted.tolist(), found, strict=True))


def _defining(
    snapshot: Snapshot, query: Query, idf: dict[str, float], weights: Naming
) -> dict[int, float]:
    """Chunks that define what the query names, with how surely it names them (0..1)."""
    named = [s for name in query.identifiers for s in _definitions(snapshot, name)]
    for name in query.members:
        if len(last_part(name)) >= SHORTEST_NAME:  # `e.g` is none
            named += _few(members_of_variable(snapshot, name))
    strength = {symbol.id: 1.0 for symbol in named}
    top = max(idf.values(), default=0.0)
    for word in query.words:
        if len(word) < SHORTEST_NAME or word in query.identifiers:
            continue
        # How telling a word is among those of its query, in 0..1.
        own = max((idf.get(term, 0.0) for term in terms.split(word)), default=0.0)
        sure = weights.plain_definition * (own / top if top else 0)
        for symbol in _definitions(snapshot, word):
            strength[symbol.id] = max(sure, strength.get(symbol.id, 0.0))
    located = snapshot.chunks.defining(sorted(strength))
    result: dict[int, float] = {}
    for symbol_id, chunk_id in located.items():
        result[chunk_id] = max(strength[symbol_id], result.get(chunk_id, 0.0))
    return result


def members_of_variable(snapshot: Snapshot, name: str) -> list[SymbolRecord]:
    """What `variable.member` may mean where the variable is called like a class.

    `Math.min` and `zlib.error` belong to libraries, though some class may have such a member.
    """
    variable = qualifier(name)
    return [
        symbol
        for symbol in snapshot.symbols.named(last_part(name))
        if symbol.kind in _MEMBERS and may_hold(variable, symbol.qualified_name.rpartition(".")[0])
    ]


def _definitions(snapshot: Snapshot, name: str) -> list[SymbolRecord]:
    found = snapshot.symbols.named(last_part(name))
    owner = qualifier(name)
    if owner:
        owned = [s for s in found if owner in s.qualified_name.split(".")]
        # An owner that fits none may be a variable (`self`, an instance), so it does not rule the
        # name out.
        found = owned or found
    return _few(found)


def _few(found: list[SymbolRecord]) -> list[SymbolRecord]:
    return found if len(found) <= _DEFINITIONS_PER_NAME else []
