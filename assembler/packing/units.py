"""Splits ranked chunks into units that can be shown alone: functions, and code between them.

A chunk holds up to a thousand tokens: often several functions, of which a question needs one, or a
part of a long one. A unit is a whole callable with its comment and decorators, however many chunks
it spans, or the lines between two callables of a chunk. Lines are 1-based and inclusive. Pure.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.assembler.values import Required, Scored
from satchel.store.model import WITH_CODE, ChunkKind, Digest, RepoPath, Span, SymbolKind
from satchel.store.records import ChunkRecord, SymbolRecord

_MINOR = frozenset({SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_WORD = re.compile(rb"[\w\x80-\xff]")
"""What is worth showing by itself has one: closing braces belong to what stands above."""

NO_CHUNK = -1
"""The id of what no chunk of the index holds."""
Key = tuple[RepoPath, int, int]
"""What tells units apart: path, first and last line."""


class Unit(Struct, frozen=True):
    """Lines `first` to `last` of the file of `chunk`.

    `symbol` is the callable that it is, None for what lies between two; `name` is what it is called
    by: that callable, or what matches the question best of all that is defined between. `symbols`
    are all that begin in it. `score` is its chunk's; `worth` is how likely it is needed, 0..1.
    """

    chunk: ChunkRecord
    first: int
    last: int
    symbol: SymbolRecord | None
    name: SymbolRecord | None
    score: float
    worth: float = 0.0
    tokens: float = 0.0
    """About what it costs to show it whole."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """What the score of its chunk is made of, by signal."""
    chunk_words: float = 0.0
    """The rarity of those words of the question that its whole chunk holds, together."""
    symbols: tuple[SymbolRecord, ...] = ()
    reason: str = ""
    """Why it is here when it is not a match itself: "called by Signal.send"."""
    is_neighbour: bool = False
    """Whether an edge of the call graph leads here; any other `reason` is the question's."""
    note: str = ""
    """What to look at in it: "changed 63-64"."""
    sent_in: int = 0
    """The number of the reply in which the client was sent this very text; 0 for none."""

    def __hash__(self) -> int:
        """The hash of the place alone: a mapping has none."""
        return hash(self.key)

    @property
    def key(self) -> Key:
        """What tells units apart."""
        return self.chunk.path, self.first, self.last

    @property
    def n_lines(self) -> int:
        """How many lines it has."""
        return self.last - self.first + 1


class Around(Struct, frozen=True):
    """What is known around a chunk: the symbols named in it, in source order, and the one it
    belongs to.
    """

    inside: Sequence[SymbolRecord]
    belongs_to: SymbolRecord | None


class Lines:
    """A file as lines without their ends; numbers are 1-based."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.split(b"\n")
        # A file that ends with a line end has no further line behind it.
        if len(self._lines) > 1 and not self._lines[-1]:
            self._lines.pop()

    def __len__(self) -> int:
        return len(self._lines)

    def between(self, first: int, last: int) -> list[bytes]:
        """Lines `first` to `last`."""
        return self._lines[first - 1 : last]

    def says_something(self, first: int, last: int, *, without: Set[int] = frozenset()) -> bool:
        """Whether any of some lines, `without` these, has a word in it."""
        numbered = enumerate(self.between(first, last), first)
        return any(_WORD.search(line) for n, line in numbered if n not in without)


def of_gone(wanted: Required) -> Unit:
    """The unit of a required place in a file that is not there any more."""
    first, last = wanted.first_line, wanted.last_line
    chunk = ChunkRecord(
        NO_CHUNK, wanted.path, Digest(""), "", Span(first, last, 0, 0), ChunkKind.BLOCK, "", 0,
        None, "", 0, is_test=False,
    )  # fmt: skip
    return Unit(chunk, first, last, None, None, 1.0, 1.0, reason=wanted.reason)


def split(item: Scored, around: Around, lines: Lines, idf: Mapping[str, float]) -> Iterator[Unit]:
    """The units of a chunk in source order; a callable may begin above it and end below it."""
    # A chunk may end behind the last line end, where no line begins.
    at = item.chunk.span.start_line, min(item.chunk.span.end_line, len(lines))
    words = words_held(b"\n".join(lines.between(*at)).decode("utf-8", "replace"), idf)
    for unit in _parts(item, around, lines, idf, at):
        yield replace(unit, chunk_words=words)


def words_held(text: str, idf: Mapping[str, float]) -> float:
    """The rarity of the question's words that a text holds, together."""
    # Words are stems in small letters, so they are looked for as parts of the text and not as its
    # words.
    lowered, held = text.lower(), 0.0
    # Hundreds of texts are measured for a pack: a loop takes half the time of a sum.
    for term, rarity in idf.items():
        if term in lowered:
            held += rarity
    return held


def _parts(
    item: Scored, around: Around, lines: Lines, idf: Mapping[str, float], within: tuple[int, int]
) -> Iterator[Unit]:
    """Callables of a chunk, which has the lines `within`, and what lies between them."""
    chunk, (first, last) = item.chunk, within
    at = first
    for symbol in _callables(chunk, around, first, last):
        span = symbol.span
        yield from _between(item, around, lines, idf, (at, span.start_line - 1))
        inside = tuple(s for s in around.inside if span.start_line <= s.line <= span.end_line)
        yield Unit(
            chunk, span.start_line, min(span.end_line, len(lines)), symbol, symbol, item.score,
            shares=item.shares, symbols=inside or (symbol,),
        )  # fmt: skip
        # What a callable covers is not shown again as what lies between, so the units of a chunk
        # never overlap.
        at = span.end_line + 1
    yield from _between(item, around, lines, idf, (at, last))


def _callables(chunk: ChunkRecord, around: Around, first: int, last: int) -> Iterator[SymbolRecord]:
    """The callables of a chunk, in order, none within another.

    A callable of one line, as in an interface, stays among what is around it. A chunk without one
    of its own is a part of the callable that it belongs to.
    """
    at, n = first - 1, 0
    for symbol in around.inside:
        span = symbol.span
        if (
            # Symbols come in source order, so one that begins before `at` is inside the callable
            # before it.
            symbol.kind in WITH_CODE
            and span.end_line > span.start_line > at
            and span.start_line <= last
        ):
            yield symbol
            at, n = span.end_line, n + 1
    # Chunks of a long function hold no definition of their own; each leads to the same whole
    # function, which is then one unit.
    owner = around.belongs_to
    if not n and owner and owner.kind in WITH_CODE and owner.path == chunk.path:
        yield owner


def _between(
    item: Scored,
    around: Around,
    lines: Lines,
    idf: Mapping[str, float],
    at: tuple[int, int],
) -> Iterator[Unit]:
    """What stands between two callables, without blank lines at both ends; it may say nothing."""
    first, last = at
    while first <= last and not lines.between(first, first)[0].strip():
        first += 1
    while first <= last and not lines.between(last, last)[0].strip():
        last -= 1
    inside = [s for s in around.inside if first <= s.line <= last]
    # The line that opens a type says nothing without its members, which are units of their own.
    opening = {s.line for s in inside if s.span.end_line > last}
    if not lines.says_something(first, last, without=opening):
        return
    name = _naming_definition(inside, idf) or around.belongs_to
    yield Unit(
        item.chunk, first, last, None, name, item.score, shares=item.shares,
        symbols=tuple(inside),
    )  # fmt: skip


def _naming_definition(
    inside: Iterable[SymbolRecord], idf: Mapping[str, float]
) -> SymbolRecord | None:
    """The definition that names several: the best match, types before fields, the first of equals.

    A group of constants is named by the line that was asked for; one that has nothing to do with
    the question says nothing.
    """
    best: SymbolRecord | None = None
    best_key = (-1.0, False)
    for symbol in inside:
        if symbol.signature:
            found = words_held(f"{symbol.signature} {symbol.doc}", idf)
            if (found, symbol.kind not in _MINOR) > best_key:
                best, best_key = symbol, (found, symbol.kind not in _MINOR)
    return best if best_key > (0.0, False) else None
