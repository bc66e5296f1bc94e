"""What a system under test has to do: index a folder, then answer questions about it.

Times are wall-clock seconds. A system that fails raises `SystemFailed`; its questions then score 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from bench.retrieval.cases import Query
from bench.retrieval.metrics import Row


class SystemFailed(Exception):
    """The tool could not index or answer; the message says why."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A whole reply made for a budget, and the excerpts in it."""

    text: str
    excerpts: tuple[Row, ...]


class System(Protocol):
    """A search tool, driven one repository at a time."""

    name: str

    def prepare(self, root: Path) -> float:
        """Index `root`; seconds it took. Later calls are about this root."""
        ...

    def search(self, queries: Sequence[Query]) -> list[list[Row]]:
        """Ranked rows for each query, best first."""
        ...

    def close(self) -> None:
        """Let go of what `prepare` made."""
        ...


@runtime_checkable
class Packer(Protocol):
    """A system that also fills a token budget."""

    def context(self, queries: Sequence[Query], budget: int) -> list[Pack]:
        """One pack of at most `budget` tokens for each query."""
        ...
