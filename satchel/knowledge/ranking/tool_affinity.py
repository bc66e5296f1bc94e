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

from satchel.knowledge.model import Association, Moment
from satchel.knowledge.ranking import signals
from satchel.knowledge.storage import vectors
from satchel.knowledge.timestamps import DAY
from satchel.store.vectors.encoders import Matrix, normalized
from satchel.store.vectors.table_encoder import DIMENSIONS

STATIC, LEARNED = 0.6, 0.4
SHOWN = 15
"""Tools that a focus brings up, beside those that are always shown."""
_FLOOR = 0.12
"""Best likeness below which a focus says nothing about these tools, and all are shown: none of 64
tasks was below 0.136, most requests for what no tool does were."""
_KNOWN = 0.5
"""What was learned that says enough by itself."""
_WORDS = 0.3
"""What words in common are worth against a cosine of 1."""
_FAR = 0.2
"""Likeness of two focus texts from which what was learned under one counts for the other, the more
the more alike; of pairs of unrelated ones 1 in 7 is above it. From 0.15 on, what had been learned
of other matters kept the right tools out (bench/RESULTS.md)."""
_STRONGEST = 1.5
_HALF_LIFE_DAYS = 30
_IN_NAME = 2.0
"""A word in a tool's name against one in its description."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as its server describes it; `params` are the names of its parameters."""

    name: str
    about: str
    params: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fit:
    """A tool with its score in 0..1 and the two parts of it."""

    name: str
    score: float
    alike: float
    """The tool's own likeness to the focus."""
    static: float
    """That, and as much again for its server's."""
    learned: float


def ranked(
    offered: Sequence[Offered], focus: str, pairs: Sequence[Association], now: Moment
) -> list[Fit]:
    """All tools, best first, ties by name."""
    alike = _alike(offered, focus)
    learned = _learned(focus, pairs, now)
    fits = [
        Fit(tool.name, STATIC * s + LEARNED * (k := learned.get(tool.name, 0.0)), own, s, k)
        for tool, own, s in zip(offered, alike, _with_servers(offered, alike), strict=True)
    ]
    return sorted(fits, key=lambda fit: (-fit.score, fit.name))


def brought_up(fits: Sequence[Fit], recent: Sequence[str], limit: int = SHOWN) -> list[str] | None:
    """The names a focus brings up, with what was used just now; None when it says too little."""
    best = max((fit.alike for fit in fits), default=0.0)
    learned = max((fit.learned for fit in fits), default=0.0)
    if best < _FLOOR and learned < _KNOWN:
        return None
    known = {fit.name for fit in fits}
    shown = [fit.name for fit in fits[:limit]]
    return list(dict.fromkeys([*shown, *(name for name in recent if name in known)]))


def _alike(offered: Sequence[Offered], focus: str) -> list[float]:
    """How like the focus each tool is, 0..1: by meaning, and by words."""
    near = _meanings(tuple(f"{_spoken(tool.name)} {tool.about}" for tool in offered)) @ _meaning(
        focus
    )
    return [
        (max(float(cosine), 0.0) + _WORDS * share) / (1 + _WORDS)
        for cosine, share in zip(near, _shares(offered, focus), strict=True)
    ]


def _with_servers(offered: Sequence[Offered], alike: Sequence[float]) -> list[float]:
    """The mean of each tool's likeness and that of its whole server."""
    servers = [tool.name.partition("__")[0] for tool in offered]
    sums: dict[str, float] = {}
    for server, own in zip(servers, alike, strict=True):
        sums[server] = sums.get(server, 0.0) + own
    sizes = Counter(servers)
    return [
        (own + sums[server] / sizes[server]) / 2
        for server, own in zip(servers, alike, strict=True)
    ]  # fmt: skip


def _spoken(name: str) -> str:
    return name.replace("__", " ")


@lru_cache(maxsize=8)
def _meanings(texts: tuple[str, ...]) -> Matrix:
    """A vector for each tool, without what all tools have in common; zeros without an encoder."""
    made = vectors.encoder()
    if made is None:
        return np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    matrix = made.encode(texts)
    return normalized(np.asarray(matrix - matrix.mean(axis=0), dtype=np.float32))


@lru_cache(maxsize=8_192)
def _meaning(text: str) -> vectors.Vector:
    vector = vectors.vector(text)
    return vector if vector is not None else np.zeros(DIMENSIONS, dtype=np.float32)


def _shares(offered: Sequence[Offered], focus: str) -> list[float]:
    """The share of the focus's words that a tool has, rare ones counting more, 0..1."""
    names = [signals.terms(_spoken(tool.name)) for tool in offered]
    texts = [signals.terms(f"{tool.about} {' '.join(tool.params)}") for tool in offered]
    df = Counter(term for name, text in zip(names, texts, strict=True) for term in name | text)
    asked = {
        term: math.log(1 + len(offered) / df[term]) for term in signals.terms(focus) if df[term]
    }
    total = sum(asked.values()) * _IN_NAME
    if not total:
        return [0.0] * len(offered)

    def share(name: frozenset[str], text: frozenset[str]) -> float:
        found = (w * (_IN_NAME if t in name else t in text) for t, w in asked.items())
        return sum(found) / total

    return [share(name, text) for name, text in zip(names, texts, strict=True)]


def likeness(one: str, other: str) -> float:
    """How alike two focus texts are, 0..1: by meaning or by words, whichever is more."""
    ours, theirs = signals.terms(one), signals.terms(other)
    by_words = len(ours & theirs) / (len(ours | theirs) or 1)
    return max(by_words, float(_meaning(one) @ _meaning(other)))


def _learned(focus: str, pairs: Sequence[Association], now: Moment) -> dict[str, float]:
    best: dict[str, float] = {}
    for pair in pairs:
        near = (likeness(focus, pair.focus) - _FAR) / (1 - _FAR)
        if near > 0:
            idle = max(now - pair.last_used_at, 0) / DAY
            worth = near * min(pair.confidence / _STRONGEST, 1.0) * 2 ** (-idle / _HALF_LIFE_DAYS)
            name = pair.target.removeprefix("tool:")
            best[name] = max(best.get(name, 0.0), worth)
    return best
