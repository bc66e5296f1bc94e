"""The plain baseline: BM25 over 40-line windows, identifiers also split into their parts."""

from __future__ import annotations

import math
import re
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.peers.source import source_files, windows
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row

K1 = 1.5
B = 0.75
WINDOW_LINES = 40
WINDOW_CHARACTERS = 1500

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def terms(text: str) -> list[str]:
    """Identifiers of a text in lower case, each followed by its camelCase or snake_case parts."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found.append(word.lower())
        parts = _PART.findall(word)
        if len(parts) > 1:
            found.extend(part.lower() for part in parts)
    return found


class Bm25:
    """BM25 over line windows of all source files, in memory."""

    name = "bm25"

    def __init__(self, max_results: int) -> None:
        self._max_results = max_results
        self._rows: list[Row] = []
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        self._lengths: npt.NDArray[np.float64] = np.zeros(0)

    def prepare(self, root: Path) -> float:
        """Index `root`; seconds it took."""
        began = time.perf_counter()
        self._rows = [
            row
            for path, text in source_files(root)
            for row in windows(path, text, WINDOW_LINES, WINDOW_CHARACTERS)
        ]
        postings: defaultdict[str, tuple[array[int], array[int]]] = defaultdict(
            lambda: (array("l"), array("l"))
        )
        lengths: list[int] = []
        for number, row in enumerate(self._rows):
            counts = Counter(terms(row.text))
            lengths.append(counts.total())
            for term, count in counts.items():
                numbers, frequencies = postings[term]
                numbers.append(number)
                frequencies.append(count)
        self._postings = dict(postings)
        self._lengths = np.asarray(lengths, dtype=float)
        return time.perf_counter() - began

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """The best windows for each query; equal scores keep the order of the files."""
        return [self._best(query.text) for query in queries]

    def close(self) -> None:
        """Forget the index."""
        self._rows, self._postings = [], {}

    def _best(self, text: str) -> list[Row]:
        n_rows = len(self._rows)
        scores = np.zeros(n_rows)
        norms = K1 * (1 - B + B * self._lengths / (self._lengths.mean() if n_rows else 1.0))
        for term, repeats in Counter(terms(text)).items():
            if term not in self._postings:
                continue
            numbers = np.asarray(self._postings[term][0])
            counts = np.asarray(self._postings[term][1], dtype=float)
            rarity = math.log(1 + (n_rows - len(numbers) + 0.5) / (len(numbers) + 0.5))
            scores[numbers] += repeats * rarity * counts / (counts + norms[numbers])
        order = np.argsort(-scores, kind="stable")[: self._max_results]
        return [self._rows[number] for number in order if scores[number] > 0]
