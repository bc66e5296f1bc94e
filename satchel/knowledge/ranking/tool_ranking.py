"""Ranks tools by how well they fit a caller's focus: by their descriptions and by past use. Pure.

0.6 of a score is static: the mean of two similarities to the focus, by vectors and by words, one of
the tool and one of all tools of its server, since a task that needs one tool of a server seldom
needs it alone. 0.4 is learned: the most similar focus under which the tool was called with success
(the shares are riglm2's). A tool counts by its best such pair and not by the sum of all, so that
frequent use does not make it fit every focus. `python -m bench.knowledge.gateway` compares this
with riglm2.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from satchel.knowledge import text_terms
from satchel.knowledge.model import Association, Timestamp
from satchel.knowledge.storage import vectors
from satchel.knowledge.timestamps import DAY
from satchel.store.vectors.encoders import Matrix, normalized
from satchel.store.vectors.table_encoder import DIMENSIONS

STATIC_WEIGHT, LEARNED_WEIGHT = 0.6, 0.4
_MAX_LISTED = 15
"""Tools that are listed for a focus, beside those that are always listed."""
# When the best similarity is below this the focus says nothing about these tools, and all are
# listed: none of 64 tasks was below 0.136, most requests for what no tool does were.
_MIN_SIMILARITY = 0.12
# A learned score from which the list is narrowed even where no description fits.
_LEARNED_ENOUGH = 0.5
# The weight of the share of common words against a cosine of 1.
_WORD_WEIGHT = 0.3
# Two focus texts must be more similar than this for what was learned under one to count for the
# other; 1 in 7 pairs of unrelated texts is. At 0.15, what had been learned under unrelated focuses
# kept the right tools off the list (bench/RESULTS.md).
_UNRELATED_FOCUS = 0.2
# The confidence of an association whose every use had to be searched for, see `learn`.
_MAX_CONFIDENCE = 1.5
_HALF_LIFE_DAYS = 30
# The weight of a word in a tool's name against one in its description.
_NAME_WEIGHT = 2.0


class ToolDescription(Struct, frozen=True):
    """A tool as its server describes it; `params` are the names of its parameters."""

    name: str
    about: str
    params: tuple[str, ...] = ()


class ToolScore(Struct, frozen=True):
    """A tool with its score in 0..1 and the parts of it, each 0..1."""

    name: str
    score: float
    similarity: float
    """The tool's own similarity to the focus."""
    static: float
    """The mean of that and of the similarity of its server's tools."""
    learned: float
    """What past use under similar focuses says."""


def rank_tools(
    offered: Sequence[ToolDescription], focus: str, pairs: Sequence[Association], now: Timestamp
) -> list[ToolScore]:
    """All tools, best first, ties by name."""
    # The similarity of each tool to the focus, 0..1: by vectors and by words.
    texts = tuple(f"{_name_words(tool.name)} {tool.about}" for tool in offered)
    cosines = _encode_tools(texts) @ _encode(focus)
    similarities = [
        (max(float(cosine), 0.0) + _WORD_WEIGHT * share) / (1 + _WORD_WEIGHT)
        for cosine, share in zip(cosines, _word_shares(offered, focus), strict=True)
    ]
    servers = [tool.name.partition("__")[0] for tool in offered]
    sums: dict[str, float] = {}
    for server, own in zip(servers, similarities, strict=True):
        sums[server] = sums.get(server, 0.0) + own
    sizes = Counter(servers)
    learned = _learned_scores(focus, pairs, now)
    scores = []
    for tool, server, own in zip(offered, servers, similarities, strict=True):
        static = (own + sums[server] / sizes[server]) / 2
        past = learned.get(tool.name, 0.0)
        score = STATIC_WEIGHT * static + LEARNED_WEIGHT * past
        scores.append(ToolScore(tool.name, score, own, static, past))
    return sorted(scores, key=lambda fit: (-fit.score, fit.name))


def tools_for_focus(fits: Sequence[ToolScore], recent: Sequence[str]) -> list[str] | None:
    """The names of the tools to list for a focus, those used just now included.

    None when the focus says too little about these tools: then all of them are listed.
    """
    best = max((fit.similarity for fit in fits), default=0.0)
    learned = max((fit.learned for fit in fits), default=0.0)
    if best < _MIN_SIMILARITY and learned < _LEARNED_ENOUGH:
        return None
    known = {fit.name for fit in fits}
    shown = [fit.name for fit in fits[:_MAX_LISTED]]
    return list(dict.fromkeys([*shown, *(name for name in recent if name in known)]))


def _name_words(name: str) -> str:
    """`server tool_name` of `server__tool_name`."""
    return name.replace("__", " ")


@lru_cache(maxsize=8)
def _encode_tools(texts: tuple[str, ...]) -> Matrix:
    """A vector of length 1 for each tool; zeros where there is no encoder."""
    encoder = vectors.encoder()
    if encoder is None:
        return np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    matrix = encoder.encode(texts)
    # Descriptions of tools resemble each other ("Get the … of a …"): without their mean, what is
    # left is what tells one tool from another.
    return normalized(np.asarray(matrix - matrix.mean(axis=0), dtype=np.float32))


@lru_cache(maxsize=8_192)
def _encode(text: str) -> vectors.Vector:
    vector = vectors.encode_text(text)
    return vector if vector is not None else np.zeros(DIMENSIONS, dtype=np.float32)


def _word_shares(offered: Sequence[ToolDescription], focus: str) -> list[float]:
    """The share of the focus's words that a tool has, rare ones counting more, 0..1.

    Words are weighed by their inverse document frequency over the tools, ln(1 + N / df).
    """
    names = [text_terms.terms(_name_words(tool.name)) for tool in offered]
    texts = [text_terms.terms(f"{tool.about} {' '.join(tool.params)}") for tool in offered]
    df = Counter(term for name, text in zip(names, texts, strict=True) for term in name | text)
    idf = {
        term: math.log(1 + len(offered) / df[term]) for term in text_terms.terms(focus) if df[term]
    }
    total = sum(idf.values()) * _NAME_WEIGHT
    if not total:
        return [0.0] * len(offered)

    def share(name: frozenset[str], text: frozenset[str]) -> float:
        found = (w * (_NAME_WEIGHT if t in name else t in text) for t, w in idf.items())
        return sum(found) / total

    return [share(name, text) for name, text in zip(names, texts, strict=True)]


def focus_similarity(one: str, other: str) -> float:
    """How similar two focus texts are, 0..1: by vectors or by words, whichever is more."""
    by_words = text_terms.jaccard(text_terms.terms(one), text_terms.terms(other))
    return max(by_words, float(_encode(one) @ _encode(other)))


def _learned_scores(focus: str, pairs: Sequence[Association], now: Timestamp) -> dict[str, float]:
    """For each tool, the best of its associations, 0..1: similarity × confidence × recency."""
    best: dict[str, float] = {}
    for pair in pairs:
        near = (focus_similarity(focus, pair.focus) - _UNRELATED_FOCUS) / (1 - _UNRELATED_FOCUS)
        if near > 0:
            confidence = min(pair.confidence / _MAX_CONFIDENCE, 1.0)
            idle_days = max(now - pair.last_used_at, 0) / DAY
            score = near * confidence * 2 ** (-idle_days / _HALF_LIFE_DAYS)
            name = pair.target.removeprefix("tool:")
            best[name] = max(best.get(name, 0.0), score)
    return best
