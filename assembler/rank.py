"""From matches to a ranking: signals per chunk, one weighted sum, penalties, a total order. Pure.

Each signal lies in 0..1. Ties are broken by path, then by position in the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assembler.places import Place, place_of
from assembler.query import Query, Topic
from assembler.values import Evidence, Scored
from assembler.weights import Penalties, Weights
from store.model import RepoPath
from store.records import ChunkRecord


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk in the running, with the signals that need more than the chunk itself, in 0..1."""

    chunk: ChunkRecord
    terms: float
    file: float
    vectors: float
    definition: float


def order(scored: Scored) -> tuple[float, RepoPath, int]:
    """The total order of every list of scored chunks: best first."""
    return -scored.score, scored.chunk.path, scored.chunk.span.start_byte


def rank(
    query: Query,
    candidates: Iterable[Candidate],
    idf: dict[str, float],
    weights: Weights,
    *,
    has_vectors: bool,
) -> list[Scored]:
    """Score the candidates, best first."""
    listed = list(candidates)
    words = _PathWords.of(query, idf)
    signal = weights.signal
    applicable = {
        "terms": signal.terms,
        "vectors": signal.vectors if has_vectors else 0.0,
        "definition": signal.definition,
        "path": signal.path,
        "file": signal.file,
    }
    total = sum(applicable.values())
    scored: list[Scored] = []
    for candidate in listed:
        chunk = candidate.chunk
        place = place_of(chunk.path, chunk.language, chunk.is_test)
        values = {
            "terms": candidate.terms,
            "vectors": candidate.vectors,
            "definition": candidate.definition,
            "path": words.match(place),
            "file": candidate.file * candidate.terms,
        }
        factor = _penalty(place, query, weights)
        why = tuple(
            Evidence(name, factor * applicable[name] * value / total)
            for name, value in sorted(values.items(), key=lambda v: -applicable[v[0]] * v[1])
            if value
        )
        scored.append(Scored(chunk, sum(evidence.share for evidence in why), why))
    return sorted(scored, key=order)


def with_signal(item: Scored, signal: str, value: float, weight: float) -> Scored:
    """A scored chunk with one more signal (0..1), `weight` against all it has so far together."""
    share = weight * value / (1 + weight)
    why = [Evidence(e.signal, e.share / (1 + weight)) for e in item.why]
    if share:
        why.append(Evidence(signal, share))
        why.sort(key=lambda evidence: (-evidence.share, evidence.signal))
    return Scored(item.chunk, item.score / (1 + weight) + share, tuple(why))


@dataclass(frozen=True, slots=True)
class _PathWords:
    """The query's words, to be found in paths; rarer words weigh more."""

    idf: dict[str, float]
    names: frozenset[str]
    total: float

    @classmethod
    def of(cls, query: Query, idf: dict[str, float]) -> _PathWords:
        asked = [term.text for term in query.terms if len(term.text) > 1]
        wanted = {term: max(idf.get(term, 0.0), 0.1) for term in asked}
        named = [identifier.split(".")[0] for identifier in query.paths] + list(query.words)
        return cls(wanted, frozenset(name.lower() for name in named), sum(wanted.values()))

    def match(self, place: Place) -> float:
        """Share of the query's words that a path names; 1 when the stem is one of them whole."""
        if not self.total:
            return 0.0
        stem = sum(self.idf.get(term, 0.0) for term in place.stem)
        folder = sum(self.idf.get(term, 0.0) for term in place.folder - place.stem)
        covered = sum(1 for term in place.stem if term in self.idf) / max(1, len(place.stem))
        return min(1.0, (stem * (0.5 + 0.5 * covered) + 0.5 * folder) / self.total)


def _penalty(place: Place, query: Query, weights: Weights) -> float:
    penalty = weights.penalty
    by_topic = {
        Topic.TESTS: penalty.test,
        Topic.EXAMPLES: penalty.example,
        Topic.DOCUMENTATION: penalty.documentation,
        Topic.CONFIGURATION: penalty.configuration,
    }
    factor = by_topic[place.topic] if place.topic and place.topic not in query.topics else 1.0
    if place.is_compatibility:
        factor *= penalty.compatibility
    if place.is_reexport:
        factor *= penalty.reexport
    return factor * penalty.declaration if place.is_declaration else factor


def repetition(query: Query, penalty: Penalties) -> float:
    """What each further chunk of one file counts in a list, between the two kinds of question."""
    span = penalty.detailed_words - penalty.short_words
    detail = min(1.0, max(0.0, (len(query.words) - penalty.short_words) / span))
    return penalty.next_of_file + detail * (penalty.next_of_file_detailed - penalty.next_of_file)


def spread(scored: list[Scored], factor: float, limit: int) -> list[Scored]:
    """Reorder a ranking so that each further chunk of one file counts `factor` times less."""
    seen: dict[RepoPath, int] = {}
    lowered: list[tuple[float, Scored]] = []
    for item in scored:
        n = seen.get(item.chunk.path, 0)
        seen[item.chunk.path] = n + 1
        lowered.append((item.score * factor**n, item))
    lowered.sort(key=lambda pair: (-pair[0], *order(pair[1])[1:]))
    return [
        Scored(item.chunk, score, tuple(_scaled(item, score))) for score, item in lowered[:limit]
    ]


def _scaled(item: Scored, score: float) -> Iterable[Evidence]:
    ratio = score / item.score if item.score else 0.0
    return (Evidence(evidence.signal, evidence.share * ratio) for evidence in item.why)
