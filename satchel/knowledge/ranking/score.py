"""Scores the candidates for a question and sorts them, best first. Pure.

A signal that is unavailable for all candidates gives its weight to the others: without a question
neither relevance nor keyword counts, without a scope neither scope nor graph.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.knowledge import text_terms
from satchel.knowledge.code_links.anchors import Anchor, Freshness
from satchel.knowledge.model import Item, ItemId, Kind, Timestamp
from satchel.knowledge.ranking import signals
from satchel.knowledge.ranking.presets import (
    AGEING_RATE,
    FRESHNESS_FACTOR,
    RELEVANCE_FLOOR,
    SIGNAL_NAMES,
    WORTH_BY_STEPS,
    Preset,
    Signals,
    TextMatch,
    normalize_weights,
)


class Candidate(Struct, frozen=True):
    """An item that may answer a question, with the facts that its text does not tell."""

    item: Item
    nearness: float = 0.0
    """0..1, see `scopes.proximity`; above 0 where the scopes overlap."""
    cosine: float | None = None
    """Relevance by vectors, 0..1, see `vectors.cosine_to_relevance`; None without a vector."""
    steps: int | None = None
    """Steps in the call graph from the scope to what the item links to, None beyond three."""
    n_links: int = 0
    n_contradictions: int = 0


class ScoredItem(Struct, frozen=True):
    """A candidate with its score in 0..1 and what each signal added to it."""

    match: Candidate
    score: float
    why: Signals = field(default_factory=Signals)
    anchors: tuple[Anchor, ...] = ()

    @property
    def freshness(self) -> Freshness:
        """The worst of its anchors."""
        return max((anchor.freshness for anchor in self.anchors), default=Freshness.FRESH)

    @property
    def item(self) -> Item:
        """The item itself."""
        return self.match.item


class ScoringQuery(Struct, frozen=True):
    """The question that candidates are scored for."""

    query: str
    now: Timestamp
    has_place: bool
    """Whether a scope narrower than the project was named."""
    follows_focus: bool = False
    """Whether the query is the caller's focus: then every warning of the scope is told as well."""


def score(
    matches: Sequence[Candidate], asked: ScoringQuery, preset: Preset, weights: Signals
) -> list[ScoredItem]:
    """Candidates with their scores, best first, ties by newest id; irrelevant ones are left out."""
    values = signal_values(matches, asked, preset)
    weighed = normalize_weights(weights, available_signals(matches, asked, preset))
    scored = []
    for match, value in zip(matches, values, strict=True):
        is_admitted_by_scope = match.nearness > 0 and asked.has_place
        is_relevant = max(value.relevance, value.keyword) >= RELEVANCE_FLOOR
        is_told = asked.follows_focus and match.item.kind == Kind.WARNING and match.nearness > 0
        if is_relevant or is_admitted_by_scope or is_told or not asked.query:
            shares = {n: getattr(weighed, n) * getattr(value, n) for n in SIGNAL_NAMES}
            scored.append(ScoredItem(match, sum(shares.values()), Signals(**shares)))
    return _best_first(scored, asked)


def demote_stale(
    ranked: Sequence[ScoredItem],
    anchors: Mapping[ItemId, tuple[Anchor, ...]],
    asked: ScoringQuery,
) -> list[ScoredItem]:
    """The same items with their anchors; those whose code has changed or gone move down."""
    known = [replace(one, anchors=anchors.get(one.item.id, ())) for one in ranked]
    stale = [replace(one, score=one.score * FRESHNESS_FACTOR[one.freshness]) for one in known]
    return _best_first(stale, asked)


def _best_first(ranked: Sequence[ScoredItem], asked: ScoringQuery) -> list[ScoredItem]:
    def key(one: ScoredItem) -> tuple[bool, float, ItemId]:
        # Who names a place and asks nothing wants to know what is said of just that place, before
        # what holds for the whole project.
        is_place = asked.has_place and not asked.query and one.match.nearness == 1.0
        return is_place, one.score, one.item.id

    return sorted(ranked, key=key, reverse=True)


def available_signals(
    matches: Sequence[Candidate], asked: ScoringQuery, preset: Preset
) -> frozenset[str]:
    """The names of the signals that say something about these candidates."""
    missing: set[str] = set()
    if not asked.query:
        missing |= {"relevance", "keyword"}
    if not asked.has_place:
        missing.add("scope")
    # Without an index, or far from everything: then steps say nothing about any candidate.
    if not preset.graph_from_links and all(match.steps is None for match in matches):
        missing.add("graph")
    return frozenset(SIGNAL_NAMES) - missing


def signal_values(
    matches: Sequence[Candidate], asked: ScoringQuery, preset: Preset
) -> list[Signals]:
    """The signals of each candidate, in the order given."""
    items = [match.item for match in matches]
    texts = [text_terms.item_text(item) for item in items]
    relevances = _text_relevances(asked.query, texts, preset.text)
    # Keyword scores are the expensive signal (edit distances): only where they weigh something.
    near = (
        signals.keyword_scores(
            asked.query, [f"{item.summary} {item.detail} {' '.join(item.tags)}" for item in items]
        )
        if preset.weights.keyword
        else [0.0] * len(items)
    )
    most_uses = max((item.uses for item in items), default=0)
    return [
        Signals(
            relevance=_relevance(match, relevance, preset),
            keyword=keyword,
            scope=match.nearness,
            recency=_recency(match.item, asked.now, preset),
            confidence=(
                0.5
                if preset.neutral_confidence and match.item.kind != Kind.DECISION
                else match.item.confidence
            ),
            importance=match.item.importance,
            access=(
                match.item.uses / max(most_uses, 1)
                if preset.access_from_uses
                else signals.recent_use(match.item, asked.now)
            ),
            graph=_graph(match, preset),
            trust=signals.trust(match.item, match.n_contradictions),
            warning=float(match.item.kind == Kind.WARNING),
        )
        for match, relevance, keyword in zip(matches, relevances, near, strict=True)
    ]


def _text_relevances(query: str, texts: Sequence[str], how: TextMatch) -> list[float]:
    if how == TextMatch.OCCURRENCES:
        return [min(signals.occurrence_score(query, text), 1.0) for text in texts]
    # `TERMS` finds a word in another form, `WORDS` only as it is written.
    split = text_terms.terms if how == TextMatch.TERMS else text_terms.words
    asked = split(query)
    return [signals.term_overlap(asked, split(text)) for text in texts]


def _relevance(match: Candidate, by_words: float, preset: Preset) -> float:
    # The greater of the two: a sum or a mean was worse for questions that share words with the item
    # (docs/decisions/knowledge.md).
    if match.cosine is not None and match.cosine > by_words:
        return match.cosine
    if not by_words and match.nearness and preset.scope_relevance is not None:
        return preset.scope_relevance
    return by_words


def _recency(item: Item, now: Timestamp, preset: Preset) -> float:
    touched = item.touched_at if preset.age_from_use else None
    since = touched if touched is not None else item.created_at
    pace = AGEING_RATE.get(item.kind, 1.0) if preset.age_by_kind else 1.0
    return signals.recency(now - since, preset.days, half_life=preset.half_life, pace=pace)


def _graph(match: Candidate, preset: Preset) -> float:
    if preset.graph_from_links:
        return min(match.n_links / 5, 1.0)  # Shabka: five links are many
    return (
        WORTH_BY_STEPS[match.steps]
        if match.steps is not None and match.steps < len(WORTH_BY_STEPS)
        else 0.0
    )
