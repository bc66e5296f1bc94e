"""The plain baseline: BM25 over 40-line windows, identifiers also split into their parts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from bench.peers.source import source_files
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row
from satchel.evaluation import bm25_windows


class Bm25:
    """BM25 over line windows of all source files, in memory."""

    name = "bm25"

    def __init__(self, max_results: int) -> None:
        self._max_results = max_results
        self._index = bm25_windows.Bm25(())

    def prepare(self, root: Path) -> float:
        """Index `root`; seconds it took."""
        began = time.perf_counter()
        self._index = bm25_windows.Bm25(
            window
            for path, text in source_files(root)
            for window in bm25_windows.windows(path, text)
        )
        return time.perf_counter() - began

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """The best windows for each query; equal scores keep the order of the files."""
        return [
            [
                Row(w.path, w.start, w.end, w.text)
                for w in self._index.best(q.text, self._max_results)
            ]
            for q in queries
        ]

    def close(self) -> None:
        """Forget the index."""
        self._index = bm25_windows.Bm25(())
