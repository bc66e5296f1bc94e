"""One question as arrays: what its candidates measure, and which targets each would show.

With these a ranking under other weights takes a tenth of a millisecond. It is the ranking of
`assembler.ranking.rank` without links, over the same candidates, which do not depend on the weights
here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.peers.inprocess import Index
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row, covers
from satchel.assembler.kinds import Scope
from satchel.assembler.query import read_query
from satchel.assembler.ranking import candidates, rank
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.weights import DEFAULT, Weights

MEASURES = ("NDCG@10", "R@1k", "architecture", "functions", "files")
_DEPTH, _TOKENS, _POOL = 10, 1000, 200
_DISCOUNTS = 1 / np.log2(np.arange(2, _DEPTH + 2))
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A question's candidates, row by row, in the order that breaks ties.

    `measured` has the columns of `rank.measure`; `lowered[i]` says whether candidate i lies
    aside; `shows` maps a level to which targets each candidate covers.
    """

    kind: str
    repository: str
    asked: read_query.Query
    is_architecture: bool
    has_vectors: bool
    measured: Floats
    lowered: npt.NDArray[np.bool_]
    files: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int64]
    shows: dict[str, npt.NDArray[np.bool_]]

    def scores(self, weights: Weights) -> dict[str, float]:
        """The measures of this question's list under some weights."""
        order = self._ranked(weights)
        by_file = order[np.sort(np.unique(self.files[order], return_index=True)[1])]
        ndcg = _ndcg(order, self.shows["target"])
        if self.kind == "fixes":
            return {"functions": ndcg, "files": _ndcg(by_file, self.shows["file"])}
        fitting = order[: np.searchsorted(np.cumsum(self.tokens[order]), _TOKENS, "right")]
        found = {"NDCG@10": ndcg, "R@1k": float(self.shows["target"][fitting].any(axis=0).mean())}
        return {**found, "architecture": ndcg} if self.is_architecture else found

    def _ranked(self, weights: Weights) -> npt.NDArray[np.int64]:
        worth = rank.signal_weights(self.asked, weights, has_vectors=self.has_vectors)
        penalty = np.where(self.lowered, weights.penalty.aside, 1.0)
        scores = penalty * (self.measured @ (worth / worth.sum()))
        order = np.argsort(-scores, kind="stable")[:_POOL]
        nth = _occurrence(self.files[order])
        spread = scores[order] * rank.repetition(self.asked, weights.penalty) ** nth
        return order[np.lexsort((order, -spread))]


def sheet_of(index: Index, kind: str, repository: str, asked: Query) -> Sheet:
    """Read one question's candidates from an index."""
    read = read_query.read_words(asked.text)
    found = candidates.find(index.snapshot, read, Scope.IMPL, "", DEFAULT, index.vectors)
    listed = sorted(found.candidates, key=lambda c: (c.chunk.path, c.chunk.span.start_byte))
    roles = [role_of(c.chunk.path, c.chunk.language, c.chunk.is_test) for c in listed]
    lowered = [
        rank.penalty(role, c.chunk.kind, read, DEFAULT) < 1
        for c, role in zip(listed, roles, strict=True)
    ]
    rows = [Row(c.chunk.path, c.chunk.span.start_line, c.chunk.span.end_line) for c in listed]
    number = {path: i for i, path in enumerate(dict.fromkeys(row.path for row in rows))}
    return Sheet(
        kind, repository, read, asked.kind == "architecture", found.has_vectors,
        rank.measure(read, listed, roles, found.idf),
        np.array(lowered, dtype=np.bool_),
        np.array([number[row.path] for row in rows], dtype=np.int64),
        np.array([c.chunk.tokens for c in listed], dtype=np.int64),
        {
            level: np.array([[covers(row, t) for t in targets] for row in rows], dtype=np.bool_)
            .reshape(-1, len(targets))
            for level, targets in asked.levels.items()
        },
    )  # fmt: skip


def _occurrence(files: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How many entries of the same file stand above each."""
    by_file = np.argsort(files, kind="stable")
    starts = np.flatnonzero(np.diff(files[by_file], prepend=-1))
    counts = np.arange(len(files)) - np.repeat(starts, np.diff(np.append(starts, len(files))))
    nth = np.empty(len(files), dtype=np.int64)
    nth[by_file] = counts
    return nth


def _ndcg(order: npt.NDArray[np.int64], shows: npt.NDArray[np.bool_]) -> float:
    """NDCG@10 as `bench.retrieval.metrics.ndcg` has it, of candidates in order."""
    top = shows[order[:_DEPTH]]
    found = top.any(axis=0)
    gain = _DISCOUNTS[top.argmax(axis=0)[found]].sum() if len(top) else 0.0
    return float(min(1.0, gain / _DISCOUNTS[: min(_DEPTH, shows.shape[1])].sum()))
