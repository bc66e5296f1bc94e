"""The peer: semble (PyPI) without its vector model, in an environment of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.cases import Query
from bench.metrics import Row
from bench.systems import SystemFailed


class Semble:
    """Drives `bench/semble_worker.py` over pipes; `ranked` adds semble's boosts and penalties.

    `chunk` is the wanted length of a chunk in bytes, 0 for the release's own.
    """

    def __init__(self, python: str, max_results: int, ranked: bool, chunk: int = 0) -> None:
        self.name = "semble" if ranked else "semble-bm25"
        self._python = python
        self._max_results = max_results
        self._ranked = ranked
        self._chunk = chunk
        self._worker: subprocess.Popen[str] | None = None

    def prepare(self, root: Path) -> float:
        """Start a worker on `root`; seconds it says indexing took."""
        self.close()
        script = Path(__file__).with_name("semble_worker.py")
        self._worker = subprocess.Popen(
            [self._python, "-P", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        return float(self._ask({"root": str(root.resolve()), "chunk": self._chunk})["seconds"])

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """semble's chunks for each query."""
        answer = self._ask(
            {
                "queries": [query.text for query in queries],
                "top_k": self._max_results,
                "ranked": self._ranked,
            }
        )
        return [[Row(*fields) for fields in rows] for rows in answer]

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.communicate()
            self._worker = None

    def _ask(self, message: dict[str, object]) -> Any:  # noqa: ANN401 - JSON
        worker = self._worker
        if worker is None or worker.stdin is None or worker.stdout is None:
            raise SystemFailed("semble was not prepared")
        worker.stdin.write(json.dumps(message) + "\n")
        worker.stdin.flush()
        line = worker.stdout.readline()
        if not line:
            raise SystemFailed(f"semble's worker ended; is it installed for {self._python}?")
        return json.loads(line)
