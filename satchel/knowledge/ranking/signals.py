"""What counts for an item, each as a number in 0..1. Formulas, with where they come from. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from rapidfuzz import process
from rapidfuzz.distance import OSA

from satchel.knowledge.kinds import SALIENCE
from satchel.knowledge.model import Item, Source, Timestamp, Verification
from satchel.knowledge.timestamps import DAY
from satchel.store.terms import split
from satchel.store.terms import words as words_of

# Characters of a text that are compared; what matters is said before.
_TEXT_LIMIT = 4_000
_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    "the is at which on a an and or but in to of for with as by be it that this was are".split()
)
_EDIT_CREDIT = {0: 1.0, 1: 0.6, 2: 0.3}  # Shabka's credit for a word one or two edits away

_VERIFICATION_TRUST = {
    Verification.VERIFIED: 1.0,
    Verification.UNVERIFIED: 0.5,
    Verification.DISPUTED: 0.2,
    Verification.OUTDATED: 0.1,
}
_SOURCE_TRUST = {  # Shabka's manual, derived, import and automatic; an agent counts as derived
    Source.USER: 0.9,
    Source.AGENT: 0.7,
    Source.DERIVED: 0.7,
    Source.IMPORT: 0.6,
    Source.TOOL: 0.5,
}
_CONTENT_BYTES = 50


def text_of(item: Item) -> str:
    """What questions are compared with."""
    return f"{item.summary} {item.detail} {item.rationale}"[:_TEXT_LIMIT]


def words(text: str) -> frozenset[str]:
    """Words as written, folded, without the commonest of English (jido_code)."""
    found = _WORD.findall(text[:_TEXT_LIMIT].casefold())
    return frozenset(word for word in found if len(word) > 1) - _STOP_WORDS


def terms(text: str) -> frozenset[str]:
    """Stemmed terms, identifiers split, as the index has them."""
    return frozenset(chain.from_iterable(map(_word_terms, words_of(text[:_TEXT_LIMIT]))))


@lru_cache(maxsize=1 << 16)
def _word_terms(word: str) -> tuple[str, ...]:
    return () if word.casefold() in _STOP_WORDS else tuple(split(word))


def term_overlap(asked: frozenset[str], held: frozenset[str]) -> float:
    """0.7 of the share of `asked` that is held, 0.3 of that of `held` asked for (jido_code)."""
    if not asked or not held:
        return 0.0
    n_both = len(asked & held)
    return 0.7 * n_both / len(asked) + 0.3 * n_both / len(held)


def occurrence_score(query: str, text: str) -> float:
    """Mean of ln(1 + occurrences) over the words of the query (Twining); not bounded by 1."""
    asked = query.casefold().split()
    folded = text.casefold()
    counted = [math.log(1 + folded.count(word)) for word in asked]
    return sum(counted) / len(counted) if counted else 0.0


def keyword_scores(query: str, texts: Sequence[str]) -> list[float]:
    """For each text, the mean over the query's words of how nearly it holds the word (Shabka).

    1 for a substring, 0.6 for a word one edit away, 0.3 for two.
    """
    asked = sorted(set(query.casefold().split()))[:50]
    if not asked:
        return [0.0] * len(texts)
    folded = [text[:_TEXT_LIMIT].casefold() for text in texts]
    held = [frozenset(text.split()) for text in folded]
    vocabulary = sorted(frozenset().union(*held))
    totals = [0.0] * len(folded)
    for word in asked:
        near = _neighbours(word, vocabulary)
        for place, text in enumerate(folded):
            if word in text:
                totals[place] += 1.0
            else:
                ws = held[place]
                totals[place] += next((w for w, others in near if not ws.isdisjoint(others)), 0.0)
    return [total / len(asked) for total in totals]


def _neighbours(word: str, vocabulary: Sequence[str]) -> list[tuple[float, frozenset[str]]]:
    """What a word's neighbours are worth, and which they are: the nearest first."""
    found = process.extract(word, vocabulary, scorer=OSA.distance, score_cutoff=2, limit=None)
    return [
        (worth, frozenset(other for other, distance, _ in found if distance == edits))
        for edits, worth in _EDIT_CREDIT.items()
    ]


def recency(age_ms: float, days: float, *, half_life: bool, pace: float = 1.0) -> float:
    """2^(-age/days) or e^(-age/days), `pace` times as fast."""
    passed = max(age_ms, 0.0) * pace / (days * DAY)
    return float(2.0**-passed) if half_life else math.exp(-passed)


def recent_use(item: Item, now: Timestamp) -> float:
    """1 just after an item was shown, 0 when it never was since its creation (Shabka's access)."""
    shown = item.touched_at if item.touched_at is not None else item.created_at
    return 1.0 - min(max(now - shown, 0) / max(now - item.created_at, 1), 1.0)


def trust(item: Item, n_contradictions: int) -> float:
    """0.4 verification, 0.3 source, 0.2 absence of contradictions, 0.1 care taken (Shabka)."""
    undisputed = {0: 1.0, 1: 0.5}.get(n_contradictions, 0.2)
    care = int(bool(item.tags)) + int(len(item.detail.encode()) >= _CONTENT_BYTES)
    return (
        0.4 * _VERIFICATION_TRUST[item.verification]
        + 0.3 * _SOURCE_TRUST[item.source]
        + 0.2 * undisputed
        + 0.1 * (0.3, 0.6, 1.0)[care]
    )


def promotion_score(item: Item, now: Timestamp) -> float:
    """How much a provisional item deserves promotion (jido_code; 0.6 suggests it).

    0.2 freshness in minutes, 0.3 uses up to ten, 0.25 confidence, 0.25 the kind's salience.
    """
    shown = item.touched_at if item.touched_at is not None else item.created_at
    minutes = max(now - shown, 0) / 60_000
    return (
        0.2 / (1 + minutes / 30)
        + 0.3 * min(item.uses / 10, 1.0)
        + 0.25 * item.confidence
        + 0.25 * SALIENCE[item.kind]
    )


def decayed_importance(importance: float, idle_days: float, half_life_days: float = 30.0) -> float:
    """Importance after a time without use (Shabka's decay)."""
    return float(importance * 2.0 ** (-idle_days / half_life_days))


def moving_average(old: float, signal: float) -> float:
    """An exponential average that remembers four fifths (riglm2's learning)."""
    return 0.8 * old + 0.2 * signal
