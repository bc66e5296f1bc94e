"""The peer: the repository map of aider (PyPI), in an environment of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.peers.piped import Piped
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row


class Aider:
    """Drives `bench/peers/aider_worker.py`: a row is a definition of the map, one line long."""

    name = "aider"

    def __init__(self, python: str, max_results: int) -> None:
        self._worker = Piped(python, "aider_worker.py")
        self._max_results = max_results

    def prepare(self, root: Path) -> float:
        """Start a worker on `root`; seconds it took to read all tags."""
        return float(self._worker.start({"root": str(root.resolve())})["seconds"])

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """The best definitions of the map for each query."""
        texts = [query.text for query in queries]
        answer = self._worker.ask({"queries": texts, "top_k": self._max_results})
        return [[Row(*fields) for fields in rows] for rows in answer]

    def close(self) -> None:
        """End the worker."""
        self._worker.close()
