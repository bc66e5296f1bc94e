"""From matches to a ranking: signals per chunk, one weighted sum, penalties, a total order. Pure.

Each signal lies in 0..1. Ties are broken by path, then by position in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from satchel.assembler.query.read_query import Query
from satchel.assembler.ranking.path_roles import PathRole, role_of
from satchel.assembler.values import Scored, Shares
from satchel.assembler.weights import Penalties, Weights
from satchel.store.model import FUNCTIONS, ChunkKind, RepoPath
from satchel.store.records import ChunkRecord

SIGNALS = ("terms", "vectors", "definition", "path", "file", "folder", "callable")
"""What the weighted sum is made of."""
STEP = 1 << 20
"""Parts of 1 to which scores are rounded that come of exponentials and logarithms: these differ in
their last bits between processors."""

_FUSED_FROM = 20
"""Places by which those of fused rankings are moved: with fewer, the first places count more."""


class Candidate(Struct, frozen=True):
    """A chunk in the running, with the signals that need more than the chunk itself, in 0..1."""

    chunk: ChunkRecord
    terms: float
    file: float
    vectors: float
    definition: float
    folder: float


def order(scored: Scored) -> tuple[float, RepoPath, int]:
    """The total order of every list of scored chunks: best first."""
    return -scored.score, scored.chunk.path, scored.chunk.span.start_byte


def rank(
    query: Query,
    candidates: Sequence[Candidate],
    idf: dict[str, float],
    weights: Weights,
    *,
    has_vectors: bool,
) -> list[Scored]:
    """Score the candidates, best first; those that nothing speaks for are left out."""
    worth = signal_weights(query, weights, has_vectors=has_vectors)
    roles = [role_of(c.chunk.path, c.chunk.language, c.chunk.is_test) for c in candidates]
    factors = np.array(
        [
            penalty(role, c.chunk.kind, query, weights)
            for c, role in zip(candidates, roles, strict=True)
        ]
    )
    measured = measure(query, candidates, roles, idf)
    # Penalties multiply the shares and not only the sum, so that the shares of a score still add
    # up to it.
    shares = factors[:, None] * measured * (worth / (worth.sum() or 1.0))
    rows = zip(candidates, shares.tolist(), strict=True)
    scored = (
        Scored(c.chunk, sum(row), dict(zip(SIGNALS, row, strict=True)))
        for c, row in rows
        if any(row)
    )
    return sorted(scored, key=order)


def signal_weights(query: Query, weights: Weights, *, has_vectors: bool) -> npt.NDArray[np.float64]:
    """The weights of the signals for this question, in the order of `SIGNALS`."""
    signal = weights.signal
    # A signal that cannot apply gives its weight to the others, or scores would fall while vectors
    # are missing.
    vectors = signal.secondary if has_vectors else 0.0
    # A short question is about a part of the tree and a long one about behaviour, so folder and
    # callable trade places between the two.
    long = detail(query, weights.penalty)
    folder, of_callable = signal.secondary * (1 - long), signal.callable * long
    named = {
        "terms": 1.0, "vectors": vectors, "definition": signal.secondary,
        "path": signal.path, "file": 1.0, "folder": folder, "callable": of_callable,
    }  # fmt: skip
    return np.array([0.0 if name in signal.left_out else named[name] for name in SIGNALS])


def measure(
    query: Query,
    candidates: Sequence[Candidate],
    roles: Sequence[PathRole],
    idf: dict[str, float],
) -> npt.NDArray[np.float64]:
    """The signals of each candidate, in 0..1: a row a candidate, columns as in `SIGNALS`."""
    words = _PathWords.of(query, idf)
    by_path = {c.chunk.path: role for c, role in zip(candidates, roles, strict=True)}
    # A file has many chunks and one path, so each path is matched once.
    named = {path: words.match(role) for path, role in by_path.items()}
    columns = {
        "terms": [c.terms for c in candidates],
        "vectors": [c.vectors for c in candidates],
        "definition": [c.definition for c in candidates],
        "path": [named[c.chunk.path] for c in candidates],
        "file": [c.file * c.terms for c in candidates],
        "folder": [c.folder for c in candidates],
        "callable": [c.chunk.symbol_kind in FUNCTIONS for c in candidates],
    }
    return np.array([columns[name] for name in SIGNALS], dtype=np.float64).T


def with_signal(item: Scored, signal: str, value: float, weight: float) -> Scored:
    """A scored chunk with one more signal (0..1), `weight` against all it has so far together."""
    scale = 1 / (1 + weight)
    # The earlier shares shrink together, so that a score with one more signal stays within 0..1.
    own = weight * value * scale
    before = item.unboosted if weight > 1 else item.before
    shares = Shares(lambda: {**_multiplied(item.shares, scale), signal: own})
    return Scored(item.chunk, item.score * scale + own, shares, before)


def boosted(
    items: Sequence[Scored],
    found: Sequence[tuple[ChunkRecord, float]],
    signal: str,
    weight: float,
) -> list[Scored]:
    """The ranking with one more signal, from chunks with its values (0..1), 0 for all others.

    What was not in the ranking comes into it; where nothing was found it is as it was.
    """
    if not found:
        return list(items)
    values = {chunk.id: value for chunk, value in found}
    known = {item.chunk.id for item in items}
    added = (Scored(chunk, 0.0) for chunk, _ in found if chunk.id not in known)
    lifted = (
        with_signal(item, signal, values.get(item.chunk.id, 0.0), weight)
        for item in (*items, *added)
    )
    return sorted(lifted, key=order)


def fused(items: Sequence[Scored], others: Sequence[Scored], weight: float = 1.0) -> list[Scored]:
    """Two rankings, best first, as one by place (reciprocal rank fusion, Cormack et al. 2009); a
    place among `others` counts `weight` times as much.

    What ties has the last of its places: evidence that many share tells little of any of them. A
    chunk gets the score of the place that it comes to, so that scores mean what they meant.
    """
    worth: dict[int, float] = {}
    listed: dict[int, Scored] = {}
    for ranking, share in ((items, 1.0), (others, weight)):
        last_of = {item.score: place for place, item in enumerate(ranking, 1)}
        for item in ranking:
            gain = share / (_FUSED_FROM + last_of[item.score])
            worth[item.chunk.id] = worth.get(item.chunk.id, 0.0) + gain
            listed.setdefault(item.chunk.id, item)
    in_order = sorted(listed.values(), key=lambda item: (-worth[item.chunk.id], *order(item)))
    scores = [item.score for item in items] + [0.0] * (len(in_order) - len(items))
    return [
        scaled(item, score / item.score) if item.score else item
        for item, score in zip(in_order, scores, strict=True)
    ]


def scaled(item: Scored, factor: float) -> Scored:
    """A scored chunk that counts `factor` times as much."""
    before = None if item.before is None else item.before * factor
    return Scored(item.chunk, item.score * factor, times(item.shares, factor), before)


def times(shares: Mapping[str, float], factor: float) -> Mapping[str, float]:
    """Shares that are each `factor` times as large."""
    if factor == 1.0:
        return shares
    return Shares(lambda: _multiplied(shares, factor))


def _multiplied(shares: Mapping[str, float], factor: float) -> dict[str, float]:
    # A dict is read in a tenth of the time of what only looks like one.
    plain = shares.made() if isinstance(shares, Shares) else shares
    return {name: share * factor for name, share in plain.items()}


def boost_folders(
    items: list[Scored], likely: Sequence[tuple[str, float]], weight: float
) -> list[Scored]:
    """The ranking with one more signal, "repository": the likelihood, 0..1, of a chunk's folder.

    `likely` has folders with their likelihoods; the first that holds the chunk counts.
    """
    if not likely:
        return items

    def value(item: Scored) -> float:
        path = item.chunk.path
        return next((share for folder, share in likely if path.startswith(folder)), 0.0)

    boosted = (with_signal(item, "repository", value(item), weight) for item in items)
    return sorted(boosted, key=order)


class _PathWords(Struct, frozen=True):
    """The query's words, to be found in paths; rarer words weigh more."""

    idf: dict[str, float]
    terms: frozenset[str]
    total: float

    @classmethod
    def of(cls, query: Query, idf: dict[str, float]) -> _PathWords:
        asked = [term.text for term in query.terms if len(term.text) > 1]
        wanted = {term: idf.get(term, 0.0) for term in asked}
        return cls(wanted, frozenset(wanted), sum(wanted.values()))

    def match(self, role: PathRole) -> float:
        """Share of the query's words, by rarity, that a file's name or its folders' hold."""
        named = role.stem | role.folder
        # Most paths have none of the words.
        if self.terms.isdisjoint(named) or not self.total:
            return 0.0
        # In the question's order, whatever a set's may be.
        return sum(worth for term, worth in self.idf.items() if term in named) / self.total


def penalty(role: PathRole, kind: ChunkKind, query: Query, weights: Weights) -> float:
    """The factor that applies to a chunk, given what the question asks for."""
    # Who asks for tests by name wants them.
    is_unasked = role.topic is not None and role.topic not in query.topics
    is_other = role.is_compatibility or role.is_installed or role.is_declaration
    is_aside = is_unasked or is_other or kind == ChunkKind.IMPORTS
    return weights.penalty.aside if is_aside else 1.0


def repetition(query: Query, penalty: Penalties) -> float:
    """What each further chunk of one file counts in a list, between the two kinds of question."""
    return penalty.next_of_file + detail(query, penalty) * (1 - penalty.next_of_file)


def detail(query: Query, penalty: Penalties) -> float:
    """How far a question is from a short one (0) to a long one (1), by its distinct words.

    Who asks for a change has one place in mind, in however few words.
    """
    return min(1.0, max(query.change.sureness, len(query.words) / penalty.short_words - 1.0))


def spread(scored: Sequence[Scored], factor: float, limit: int) -> list[Scored]:
    """Reorder a ranking so that each further chunk of one file counts `factor` times less."""
    seen: dict[RepoPath, int] = {}
    discounted: list[tuple[float, float, Scored]] = []
    for item in scored:
        n = seen.get(item.chunk.path, 0)
        seen[item.chunk.path] = n + 1
        discounted.append((item.score * factor**n, factor**n, item))
    # Discounted scores tie more often, so path and position decide as they do everywhere.
    discounted.sort(key=lambda entry: (-entry[0], *order(entry[2])[1:]))
    return [
        Scored(item.chunk, score, times(item.shares, ratio))
        for score, ratio, item in discounted[:limit]
    ]
