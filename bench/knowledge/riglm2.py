"""riglm2's filter, as its analysis describes it: cosines of one encoder, what was learned summed.

    score = 0.6 · cos(query, "name: description") + Σ 0.4 · cos(query, learned query)

over the 30 nearest tools and the 30 nearest learned pairs. As built it shows everything while its
confidence, the mean of the ten nearest learned similarities times their number over ten, is below
0.3. Its intent counts nowhere, nor does what it learned of how good a pair is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from satchel.knowledge.ranking.tool_ranking import ToolDescription
from satchel.store.vectors.encoders import Encoder

STATIC, LEARNED = 0.6, 0.4
_NEAREST = 30
_JUDGED = 10
_SURE = 0.3


class Riglm2:
    """Tools as it would rank them; `learn` takes what was called under a query."""

    def __init__(self, offered: Sequence[ToolDescription], encoder: Encoder) -> None:
        self._names = [tool.name for tool in offered]
        self._encoder = encoder
        self._tools = encoder.encode([f"{tool.name}: {tool.about}" for tool in offered])
        self._pairs: dict[tuple[str, str], npt.NDArray[np.float32]] = {}

    def learn(self, query: str, tool: str) -> None:
        """Note that a tool was called under a query; the same again adds no pair."""
        self._pairs.setdefault((query, tool), self._vector(query))

    def ranked(self, query: str) -> tuple[list[str], bool]:
        """All tools, best first, ties by name; and whether it is sure enough to hide any."""
        vector = self._vector(query)
        static = self._tools @ vector
        worth = dict.fromkeys(self._names, 0.0)
        for place in np.argsort(-static, kind="stable")[:_NEAREST].tolist():
            worth[self._names[place]] += STATIC * float(static[place])
        near = sorted(
            ((float(held @ vector), tool) for (_, tool), held in self._pairs.items()), reverse=True
        )[:_NEAREST]
        for likeness, tool in near:
            worth[tool] = worth.get(tool, 0.0) + LEARNED * likeness
        judged = [likeness for likeness, _ in near[:_JUDGED]]
        confidence = sum(judged) / _JUDGED
        return sorted(worth, key=lambda name: (-worth[name], name)), confidence >= _SURE

    def _vector(self, text: str) -> npt.NDArray[np.float32]:
        return np.asarray(self._encoder.encode([text])[0], dtype=np.float32)
