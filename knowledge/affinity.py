"""Which tools fit what a caller is about: words of the tools, and what was of use before. Pure.

0.6 of a score is static, what the focus and the tool's own words have in common; 0.4 is learned,
the nearest focus under which the tool did what was wanted (riglm2's shares). What is learned counts
by its best pair, not by the sum of all, so that much use does not make a tool fit everything.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge import signals
from knowledge.model import Association, Moment
from knowledge.moments import DAY

STATIC, LEARNED = 0.6, 0.4
SHOWN = 15
"""Tools that a focus brings up, beside those that are always shown."""
_FLOOR = 0.05
"""Best static score below which a focus says nothing about these tools, and all are shown."""
_ALIKE = 0.3
"""Words in common, 0..1, from which what was learned under another focus counts."""
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
    static: float
    learned: float


def ranked(
    offered: Sequence[Offered], focus: str, pairs: Sequence[Association], now: Moment
) -> list[Fit]:
    """All tools, best first, ties by name."""
    static = _static(offered, focus)
    learned = _learned(focus, pairs, now)
    fits = [
        Fit(tool.name, STATIC * s + LEARNED * (k := learned.get(tool.name, 0.0)), s, k)
        for tool, s in zip(offered, static, strict=True)
    ]
    return sorted(fits, key=lambda fit: (-fit.score, fit.name))


def brought_up(fits: Sequence[Fit], recent: Sequence[str], limit: int = SHOWN) -> list[str] | None:
    """The names a focus brings up, with what was used just now; None when it says too little."""
    best = max((fit.static for fit in fits), default=0.0)
    learned = max((fit.learned for fit in fits), default=0.0)
    if max(best, learned) < _FLOOR:
        return None
    known = {fit.name for fit in fits}
    shown = [fit.name for fit in fits[:limit]]
    return list(dict.fromkeys([*shown, *(name for name in recent if name in known)]))


def _static(offered: Sequence[Offered], focus: str) -> list[float]:
    """The share of the focus's words that a tool has, rare ones counting more, 0..1."""
    names = [signals.terms(tool.name.replace("__", " ")) for tool in offered]
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


def _learned(focus: str, pairs: Sequence[Association], now: Moment) -> dict[str, float]:
    ours = signals.terms(focus)
    best: dict[str, float] = {}
    for pair in pairs:
        theirs = signals.terms(pair.focus)
        alike = len(ours & theirs) / (len(ours | theirs) or 1)
        if alike >= _ALIKE:
            idle = max(now - pair.last_used_at, 0) / DAY
            worth = alike * min(pair.confidence / _STRONGEST, 1.0) * 2 ** (-idle / _HALF_LIFE_DAYS)
            name = pair.target.removeprefix("tool:")
            best[name] = max(best.get(name, 0.0), worth)
    return best
