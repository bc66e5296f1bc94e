"""Satchel without what was learned: the hand-made weighted sum, the baseline of its ranking."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec.structs import replace

from bench.peers import inprocess
from bench.peers.systems import SystemFailed
from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row
from satchel.assembler.weights import DEFAULT
from satchel.store.errors import SatchelError

SUM = replace(DEFAULT, is_learned=False)


class SatchelSum:
    """The index of this process, asked with a ranking that no model puts in order."""

    name = "satchel-sum"

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._open = ExitStack()
        self._index: inprocess.Index | None = None

    def prepare(self, root: Path) -> float:
        """Bring the index of a folder up to date; seconds it took."""
        started = time.perf_counter()
        try:
            self._index = self._open.enter_context(inprocess.opened(root))
        except SatchelError as error:
            raise SystemFailed(str(error)) from error
        return time.perf_counter() - started

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """Ranked rows for each query, best first."""
        if self._index is None:
            raise SystemFailed("nothing was prepared")
        return [self._index.search(query.text, SUM, self._n_rows) for query in queries]

    def close(self) -> None:
        """Let go of the index."""
        self._index = None
        self._open.close()
