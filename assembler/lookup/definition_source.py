"""The source of definitions, whole, in at most some tokens. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from satchel.store.model import Digest
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord


@dataclass(frozen=True, slots=True)
class DefinitionSource:
    """A definition and its source, decorators included.

    `text` is None where its `tokens` did not fit what was left of the budget. `start_line` is that
    of the text, which may lie above the line of the name.
    """

    record: SymbolRecord
    digest: Digest
    text: str | None
    tokens: int

    @property
    def start_line(self) -> int:
        """The first line of the source, 1-based."""
        return self.record.span.start_line


def sources(
    snapshot: Snapshot, records: Sequence[SymbolRecord], budget: int, count: Callable[[str], int]
) -> Iterator[DefinitionSource]:
    """The definitions in their order, each whole or not at all; one that is too long is passed over
    and the next may still fit."""
    left = budget
    for record in records:
        identity = snapshot.files.identity(record.path)
        # Record and file come from one snapshot, so the file of a symbol is always there.
        assert identity is not None
        digest, language = identity
        source = snapshot.files.source(digest, language)
        # A decorated or indented definition begins within a line; its whole first line is shown.
        start = source.rfind(b"\n", 0, record.span.start_byte) + 1
        data = source[start : record.span.end_byte]
        text = data.decode("utf-8", "replace").rstrip("\n")
        tokens = count(text)
        fits = tokens <= left
        left -= tokens if fits else 0
        yield DefinitionSource(record, digest, text if fits else None, tokens)
