"""Satchel in this process, with any weights: what ablations and fits ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.peers.systems import Pack
from bench.retrieval.metrics import Row
from satchel.assembler import assemble
from satchel.assembler.query.question import Question
from satchel.assembler.ranking.candidates import VectorSearch
from satchel.assembler.search import search, text_of
from satchel.assembler.weights import Weights
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord
from satchel.workspace.project import Project

_SCORED = 30


@dataclass(frozen=True, slots=True)
class Index:
    """An index to ask with weights of one's choice."""

    snapshot: Snapshot
    vectors: VectorSearch | None

    def search(self, text: str, weights: Weights, max_results: int = 100) -> list[Row]:
        """The rows of `satchel search --mode full`."""
        reply = search(
            self.snapshot, Question(text), max_results, vectors=self.vectors, weights=weights
        )
        return [self._row(item.chunk) for item in reply.results]

    def scored(self, text: str) -> list[tuple[float, Row]]:
        """The same rows with their scores, the thirty best."""
        found = search(self.snapshot, Question(text), _SCORED, vectors=self.vectors)
        return [(item.score, self._row(item.chunk)) for item in found.results]

    def context(self, text: str, weights: Weights, budget: int) -> Pack:
        """The reply of `satchel context`."""
        pack = assemble.context(
            self.snapshot,
            Question(text),
            budget,
            assemble.PackOptions(vectors=self.vectors, weights=weights),
        )
        rows = (Row(e.path, e.start_line, e.end_line, e.text) for e in pack.excerpts)
        return Pack(pack.text, tuple(rows))

    def _row(self, chunk: ChunkRecord) -> Row:
        text = text_of(self.snapshot, chunk)
        return Row(chunk.path, chunk.span.start_line, chunk.span.end_line, text)


@contextmanager
def opened(root: Path) -> Iterator[Index]:
    """The index of a folder, brought up to date, its vectors too."""
    project = Project.at(root, {"SATCHEL_VECTORS_ENGINE": "exact"})
    project.refresh(lambda _: None)
    project.build_vectors()
    with project.snapshot() as snapshot:
        vectors, _ = project.vector_search(snapshot)
        yield Index(snapshot, vectors)
