"""Ranking signals: what speaks for an item, each as a number in 0..1, with its formula's source.

Pure. The formulas are those of Shabka, jido_code and Twining, so that the presets which bear their
names give the scores that their users know; golden numbers in the tests hold them.
"""

import math
from collections.abc import Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from satchel.knowledge.kinds import SALIENCE
from satchel.knowledge.model import Item, Source, Timestamp, Verification
from satchel.knowledge.text_terms import MAX_COMPARED
from satchel.knowledge.timestamps import DAY

# Shabka's credit for a word that is equal, one edit away or two, in the order they are tried.
_EDIT_CREDIT = {0: 1.0, 1: 0.6, 2: 0.3}
# Words of a question that are compared with every word of every item.
_MAX_QUERY_WORDS = 50

_VERIFICATION_TRUST = {
    Verification.VERIFIED: 1.0,
    Verification.UNVERIFIED: 0.5,
    Verification.DISPUTED: 0.2,
    Verification.OUTDATED: 0.1,
}
# Shabka knows manual, derived, import and automatic; what an agent wrote counts as derived.
_SOURCE_TRUST = {
    Source.USER: 0.9,
    Source.AGENT: 0.7,
    Source.DERIVED: 0.7,
    Source.IMPORT: 0.6,
    Source.TOOL: 0.5,
}
# The days without use in which an importance halves; Shabka's.
_HALF_LIFE_DAYS = 30.0
# A detail of at least this many bytes counts as one that its writer took care of.
_CAREFUL_BYTES = 50


def term_overlap(query: frozenset[str], item: frozenset[str]) -> float:
    """How well the terms of a question and of an item fit, 0..1 (jido_code).

    0.7 × the share of `query` that is in `item`, plus 0.3 × the share of `item` that is in `query`.
    """
    if not query or not item:
        return 0.0
    n_both = len(query & item)
    return 0.7 * n_both / len(query) + 0.3 * n_both / len(item)


def occurrence_score(query: str, text: str) -> float:
    """Mean of ln(1 + occurrences) over the words of the query (Twining); not bounded by 1."""
    folded = text.casefold()
    # Occurrences are counted as substrings, as Twining does: "auth" is found in "authorize".
    damped = [math.log(1 + folded.count(word)) for word in query.casefold().split()]
    return sum(damped) / len(damped) if damped else 0.0


def keyword_scores(query: str, texts: Sequence[str]) -> list[float]:
    """For each text, the mean over the query's words of how nearly it holds the word (Shabka).

    1 for a substring, 0.6 for a word one edit away, 0.3 for two. Distances are those of optimal
    string alignment: a swap of two letters is one edit.
    """
    asked = sorted(set(query.casefold().split()))[:_MAX_QUERY_WORDS]
    if not asked:
        return [0.0] * len(texts)
    folded = [text[:MAX_COMPARED].casefold() for text in texts]
    words_of_text = [frozenset(text.split()) for text in folded]
    # Each word is compared once with the vocabulary of all texts and not with every text: texts
    # share most of their words.
    vocabulary = sorted(frozenset().union(*words_of_text))
    totals = [0.0] * len(folded)
    for word in asked:
        # (credit, words of the vocabulary at that distance), the nearest first.
        found = process.extract(word, vocabulary, scorer=OSA.distance, score_cutoff=2, limit=None)
        near = [
            (credit, frozenset(other for other, distance, _ in found if distance == edits))
            for edits, credit in _EDIT_CREDIT.items()
        ]
        for place, (text, words) in enumerate(zip(folded, words_of_text, strict=True)):
            if word in text:
                totals[place] += 1.0
            else:
                credits_ = (credit for credit, others in near if not words.isdisjoint(others))
                totals[place] += next(credits_, 0.0)
    return [total / len(asked) for total in totals]


def recency(age_ms: float, days: float, *, half_life: bool, pace: float = 1.0) -> float:
    """How recent an age in milliseconds is, 0..1: 2^(-age/days) or e^(-age/days).

    `pace` multiplies the age: 0 never ages, 4 ages four times as fast.
    """
    # A clock that was set back makes ages negative; such items are new, and not newer than new.
    passed = max(age_ms, 0.0) * pace / (days * DAY)
    return float(2.0**-passed) if half_life else math.exp(-passed)


def recent_use(item: Item, now: Timestamp) -> float:
    """How lately an item was shown, 0..1, relative to its age (Shabka's access).

    1 just after it was shown, 0 when it was never shown since its creation.
    """
    shown = item.touched_at if item.touched_at is not None else item.created_at
    return 1.0 - min(max(now - shown, 0) / max(now - item.created_at, 1), 1.0)


def trust(item: Item, n_contradictions: int) -> float:
    """How far an item can be trusted, 0..1 (Shabka).

    0.4 verification + 0.3 source + 0.2 absence of contradictions + 0.1 care taken in writing it,
    which is told from tags and from a detail of some length.
    """
    undisputed = {0: 1.0, 1: 0.5}.get(n_contradictions, 0.2)
    care = int(bool(item.tags)) + int(len(item.detail.encode()) >= _CAREFUL_BYTES)
    return (
        0.4 * _VERIFICATION_TRUST[item.verification]
        + 0.3 * _SOURCE_TRUST[item.source]
        + 0.2 * undisputed
        + 0.1 * (0.3, 0.6, 1.0)[care]
    )


def promotion_score(item: Item, now: Timestamp) -> float:
    """How much a provisional item deserves promotion, 0..1 (jido_code; 0.6 suggests it).

    0.2 recency over minutes + 0.3 uses up to ten + 0.25 confidence + 0.25 salience of its kind.
    """
    shown = item.touched_at if item.touched_at is not None else item.created_at
    minutes = max(now - shown, 0) / 60_000
    return (
        0.2 / (1 + minutes / 30)
        + 0.3 * min(item.uses / 10, 1.0)
        + 0.25 * item.confidence
        + 0.25 * SALIENCE[item.kind]
    )


def decayed_importance(importance: float, idle_days: float) -> float:
    """Importance after some days without use: it halves every 30 days (Shabka's decay)."""
    return float(importance * 2.0 ** (-idle_days / _HALF_LIFE_DAYS))


def moving_average(old: float, signal: float) -> float:
    """An exponential moving average that keeps four fifths of the old value (riglm2's learning)."""
    return 0.8 * old + 0.2 * signal
