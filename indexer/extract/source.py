"""The text of one file with the positions that everything else is measured in.

Lines end at "\\n" alone, as git and editors count them; the Unicode separators are ordinary bytes.
A last line without "\\n" is a line; the empty piece after a final "\\n" is not.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from msgspec import Struct

from satchel.indexer.languages.decode import as_text
from satchel.store import secrets
from satchel.store.model import Span

_NEWLINE = 10


def indexed(data: bytes) -> bytes:
    """What is indexed of a file's bytes: text in UTF-8, without the values of secrets.

    Everything that compares a file with the index goes through here, and so depends on its bytes
    alone. A line that holds no secret is what it is in the file.
    """
    return secrets.redacted(as_text(data))


class Source(Struct, frozen=True):
    """A file's bytes and the byte offset at which each line starts (ascending, first is 0)."""

    data: bytes
    line_starts: tuple[int, ...]
    plain: str
    """The text when it is ASCII, so that bytes and characters are at the same places, else ""."""

    @classmethod
    def of(cls, data: bytes) -> Source:
        """Index the lines of `data`."""
        ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE) + 1
        # The last piece is a line only if something stands in it.
        starts = [0, *ends.tolist()]
        if len(starts) > 1 and starts[-1] == len(data):
            starts.pop()
        # Most source is ASCII, and then a slice of text costs no decoding.
        return cls(data, tuple(starts), data.decode("ascii") if data.isascii() else "")

    @property
    def n_lines(self) -> int:
        """How many lines there are; 0 for an empty file."""
        return len(self.line_starts) if self.data else 0

    def line_of(self, byte: int) -> int:
        """The 1-based line that holds `byte`."""
        return bisect_right(self.line_starts, byte)

    def line_start(self, line: int) -> int:
        """The first byte of 1-based `line`; the file's length past the last line."""
        return self.line_starts[line - 1] if line <= len(self.line_starts) else len(self.data)

    def text(self, start: int, end: int) -> str:
        """Bytes `start` to `end`, undecodable ones replaced."""
        if self.plain:
            return self.plain[start:end]
        return self.data[start:end].decode("utf-8", "replace")

    def span(self, start: int, end: int) -> Span:
        """The span of a non-empty byte range."""
        return Span(self.line_of(start), self.line_of(max(start, end - 1)), start, end)

    def whole_lines(self, start: int, end: int) -> tuple[int, int]:
        """The byte range of the whole lines that `start` to `end` touches."""
        first = self.line_of(start)
        last = self.line_of(max(start, end - 1))
        return self.line_start(first), self.line_start(last + 1)
