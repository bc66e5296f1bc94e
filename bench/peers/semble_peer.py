"""The peer: semble (PyPI) without its vector model, in an environment of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.peers.piped import Piped
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row


class Semble:
    """Drives `bench/peers/semble_worker.py`; `ranked` adds semble's boosts and penalties.

    `chunk` is the wanted length of a chunk in bytes, 0 for the release's own.
    """

    def __init__(self, python: str, max_results: int, ranked: bool, chunk: int = 0) -> None:
        self.name = "semble" if ranked else "semble-bm25"
        self._worker = Piped(python, "semble_worker.py")
        self._max_results = max_results
        self._ranked = ranked
        self._chunk = chunk

    def prepare(self, root: Path) -> float:
        """Start a worker on `root`; seconds it says indexing took."""
        answer = self._worker.start({"root": str(root.resolve()), "chunk": self._chunk})
        return float(answer["seconds"])

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """semble's chunks for each query."""
        answer = self._worker.ask(
            {
                "queries": [query.text for query in queries],
                "top_k": self._max_results,
                "ranked": self._ranked,
            }
        )
        return [[Row(*fields) for fields in rows] for rows in answer]

    def close(self) -> None:
        """End the worker."""
        self._worker.close()
