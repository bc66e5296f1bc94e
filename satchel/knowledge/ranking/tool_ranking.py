"""Which tools fit what a caller is about: what they say of themselves, what was of use. Pure.

0.6 of a score is static: what the focus and the tool's text have in common, by meaning and by
words, and as much again for what the other tools of its server have, since a task that needs one of
them seldom needs it alone. 0.4 is learned: the nearest focus under which the tool did what was
wanted (riglm2's shares). That counts by its best pair, not by the sum of all, so that much use does
not make a tool fit everything. How this compares with riglm2: `python -m bench.knowledge.gateway`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from satchel.knowledge.model import Association, Timestamp
from satchel.knowledge.ranking import signals
from satchel.knowledge.storage import vectors
from satchel.knowledge.timestamps import DAY
from satchel.store.vectors.encoders import Matrix, normalized
from satchel.store.vectors.table_encoder import DIMENSIONS

STATIC_WEIGHT, LEARNED_WEIGHT = 0.6, 0.4
MAX_LISTED = 15
"""Tools that a focus brings up, beside those that are always shown."""
# Best likeness below which a focus says nothing about these tools, and all are shown: none of 64
# tasks was below 0.136, most requests for what no tool does were.
_MIN_SIMILARITY = 0.12
# What was learned that says enough by itself.
_LEARNED_ENOUGH = 0.5
# What words in common are worth against a cosine of 1.
_WORD_WEIGHT = 0.3
# Likeness of two focus texts from which what was learned under one counts for the other, the more
# the more similarity; of pairs of unrelated ones 1 in 7 is above it. From 0.15 on, what had been
# learned of other matters kept the right tools out (bench/RESULTS.md).
_UNRELATED_FOCUS = 0.2
_MAX_CONFIDENCE = 1.5
_HALF_LIFE_DAYS = 30
# A word in a tool's name against one in its description.
_NAME_WEIGHT = 2.0


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as its server describes it; `params` are the names of its parameters."""

    name: str
    about: str
    params: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolScore:
    """A tool with its score in 0..1 and the two parts of it."""

    name: str
    score: float
    similarity: float
    """The tool's own likeness to the focus."""
    static: float
    """That, and as much again for its server's."""
    learned: float


def rank_tools(
    offered: Sequence[ToolDescription], focus: str, pairs: Sequence[Association], now: Timestamp
) -> list[ToolScore]:
    """All tools, best first, ties by name."""
    similarity = _similarities(offered, focus)
    learned = _learned_scores(focus, pairs, now)
    fits = [
        ToolScore(
            tool.name,
            STATIC_WEIGHT * s + LEARNED_WEIGHT * (k := learned.get(tool.name, 0.0)),
            own,
            s,
            k,
        )
        for tool, own, s in zip(
            offered, similarity, _with_server_means(offered, similarity), strict=True
        )
    ]
    return sorted(fits, key=lambda fit: (-fit.score, fit.name))


def tools_for_focus(
    fits: Sequence[ToolScore], recent: Sequence[str], limit: int = MAX_LISTED
) -> list[str] | None:
    """The names a focus brings up, with what was used just now; None when it says too little."""
    best = max((fit.similarity for fit in fits), default=0.0)
    learned = max((fit.learned for fit in fits), default=0.0)
    if best < _MIN_SIMILARITY and learned < _LEARNED_ENOUGH:
        return None
    known = {fit.name for fit in fits}
    shown = [fit.name for fit in fits[:limit]]
    return list(dict.fromkeys([*shown, *(name for name in recent if name in known)]))


def _similarities(offered: Sequence[ToolDescription], focus: str) -> list[float]:
    """How like the focus each tool is, 0..1: by meaning, and by words."""
    near = _encode_tools(
        tuple(f"{_name_words(tool.name)} {tool.about}" for tool in offered)
    ) @ _encode(focus)
    return [
        (max(float(cosine), 0.0) + _WORD_WEIGHT * share) / (1 + _WORD_WEIGHT)
        for cosine, share in zip(near, _word_shares(offered, focus), strict=True)
    ]


def _with_server_means(
    offered: Sequence[ToolDescription], similarity: Sequence[float]
) -> list[float]:
    """The mean of each tool's likeness and that of its whole server."""
    servers = [tool.name.partition("__")[0] for tool in offered]
    sums: dict[str, float] = {}
    for server, own in zip(servers, similarity, strict=True):
        sums[server] = sums.get(server, 0.0) + own
    sizes = Counter(servers)
    return [
        (own + sums[server] / sizes[server]) / 2
        for server, own in zip(servers, similarity, strict=True)
    ]  # fmt: skip


def _name_words(name: str) -> str:
    return name.replace("__", " ")


@lru_cache(maxsize=8)
def _encode_tools(texts: tuple[str, ...]) -> Matrix:
    """A vector for each tool, without what all tools have in common; zeros without an encoder."""
    made = vectors.encoder()
    if made is None:
        return np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    matrix = made.encode(texts)
    return normalized(np.asarray(matrix - matrix.mean(axis=0), dtype=np.float32))


@lru_cache(maxsize=8_192)
def _encode(text: str) -> vectors.Vector:
    vector = vectors.encode_text(text)
    return vector if vector is not None else np.zeros(DIMENSIONS, dtype=np.float32)


def _word_shares(offered: Sequence[ToolDescription], focus: str) -> list[float]:
    """The share of the focus's words that a tool has, rare ones counting more, 0..1."""
    names = [signals.terms(_name_words(tool.name)) for tool in offered]
    texts = [signals.terms(f"{tool.about} {' '.join(tool.params)}") for tool in offered]
    df = Counter(term for name, text in zip(names, texts, strict=True) for term in name | text)
    asked = {
        term: math.log(1 + len(offered) / df[term]) for term in signals.terms(focus) if df[term]
    }
    total = sum(asked.values()) * _NAME_WEIGHT
    if not total:
        return [0.0] * len(offered)

    def share(name: frozenset[str], text: frozenset[str]) -> float:
        found = (w * (_NAME_WEIGHT if t in name else t in text) for t, w in asked.items())
        return sum(found) / total

    return [share(name, text) for name, text in zip(names, texts, strict=True)]


def focus_similarity(one: str, other: str) -> float:
    """How similarity two focus texts are, 0..1: by meaning or by words, whichever is more."""
    ours, theirs = signals.terms(one), signals.terms(other)
    by_words = len(ours & theirs) / (len(ours | theirs) or 1)
    return max(by_words, float(_encode(one) @ _encode(other)))


def _learned_scores(focus: str, pairs: Sequence[Association], now: Timestamp) -> dict[str, float]:
    best: dict[str, float] = {}
    for pair in pairs:
        near = (focus_similarity(focus, pair.focus) - _UNRELATED_FOCUS) / (1 - _UNRELATED_FOCUS)
        if near > 0:
            idle = max(now - pair.last_used_at, 0) / DAY
            worth = (
                near * min(pair.confidence / _MAX_CONFIDENCE, 1.0) * 2 ** (-idle / _HALF_LIFE_DAYS)
            )
            name = pair.target.removeprefix("tool:")
            best[name] = max(best.get(name, 0.0), worth)
    return best
