"""Chunking: a file cut along its symbols, into pieces that tile its bytes without gap or overlap.

Sizes are cl100k_base tokens. Every chunk is at most `MAX_TOKENS`; below `MIN_TOKENS` only when the
whole file is. Cuts fall between lines, except inside a line that alone exceeds the limit.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from msgspec import Struct, field

from satchel.indexer.extract.source import Source
from satchel.store import token_estimate, tokens
from satchel.store.model import Chunk, ChunkKind, Symbol, SymbolKind

MAX_TOKENS = 1024
MIN_TOKENS = 20
WHOLE_TOKENS = 400
"""A container up to this size stays one chunk; a larger one is cut along its members."""
PART_TOKENS = 600
"""Definitions and blocks longer than `LONG_TOKENS` are cut into parts of about this size."""
LONG_TOKENS = 1000
GROUP_TOKENS = 240
"""Neighbouring small members are joined up to this size."""
SMALL_TOKENS = 60
_DOUBT = (700, 1400)
"""Estimates between these may be on either side of the limit: 1 in 1,000 is off by a third."""
_SPARSE = 8
"""Bytes a token above which an estimate is not believed."""
_LOOK_BACK = 40
"""How many lines above the end of a part a blank line is looked for."""

_IMPORTING = 0.75
"""Share of its lines that import from which on a piece is said to do nothing else."""

_SCOPE = " › "


class _Piece(Struct):
    """A chunk while pieces are being joined and split; `parent` is the symbol around `symbol`."""

    start: int
    end: int
    kind: ChunkKind
    symbol: int
    parent: int
    tokens: int


class _Region(Struct):
    """The whole lines of a symbol, with the regions of its members."""

    start: int
    end: int
    symbol: int
    divisible: bool
    """A namespace: never shown whole when it has members."""
    children: list[_Region] = field(default_factory=list)


def chunk(
    source: Source, symbols: list[Symbol], imports: Collection[tuple[int, int]] = ()
) -> tuple[Chunk, ...]:
    """The chunks of a file in order; `imports` are the bytes of its import statements.

    Symbols are cut out along their nesting, small neighbours are joined, and what is too long is
    split: always in this order, so that a chunk follows a symbol wherever sizes allow it.
    """
    if not source.data:
        return ()
    counter = _TokenCounter(source)
    pieces: list[_Piece] = []
    _split_region(_regions(source, symbols), -1, counter, pieces)
    # Join blank gaps and small neighbours of one scope, then whatever is still too small.
    joined: list[_Piece] = []
    for piece in pieces:
        if joined and _belong_together(joined[-1], piece, counter):
            joined[-1] = _joined(joined[-1], piece, counter)
        else:
            joined.append(piece)
    pieces = []
    for piece in joined:
        if pieces and (counter.is_small(pieces[-1]) or counter.is_small(piece)):
            pieces[-1] = _joined(pieces[-1], piece, counter)
        else:
            pieces.append(piece)
    pieces = [part for piece in pieces for part in _split_piece(piece, counter)]
    _name_imports(pieces, source, imports)
    return tuple(
        Chunk(
            span=source.span(piece.start, piece.end),
            kind=piece.kind,
            symbol=piece.symbol,
            header=scope_header(piece.symbol, symbols),
            tokens=max(1, piece.tokens),
            is_test=piece.symbol >= 0 and symbols[piece.symbol].is_test,
        )
        for piece in pieces
    )


def _name_imports(
    pieces: list[_Piece], source: Source, imports: Collection[tuple[int, int]]
) -> None:
    """Tell the pieces between definitions that import from those that state or say something."""
    # Lines are counted, not bytes: of `use a::{b, c}` some grammars give the members alone.
    importing: set[int] = set()
    behind = 0
    for start, end in sorted(imports):
        # Statements may nest, and a line is counted once.
        importing.update(range(max(behind, source.line_of(start)), source.line_of(end - 1) + 1))
        behind = max(behind, source.line_of(end - 1) + 1)
    for piece in pieces:
        if piece.kind in (ChunkKind.BLOCK, ChunkKind.HEADER):
            text = source.text(piece.start, piece.end)
            if not importing and not text.isspace():
                continue
            first, lines = source.line_of(piece.start), text.split("\n")
            written = [first + n for n, line in enumerate(lines) if line.strip()]
            if sum(line in importing for line in written) >= _IMPORTING * len(written):
                piece.kind = ChunkKind.IMPORTS


class _TokenCounter:
    """Token counts of byte ranges: estimated, and exact where a limit is near.

    Exact counting takes twelve times as long, and would be most of the time of indexing.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._cumulative = token_estimate.cumulative_tokens(source.data)
        self._exact: dict[tuple[int, int], int] = {}

    def estimate(self, start: int, end: int) -> float:
        return self._cumulative.item(end) - self._cumulative.item(start)

    def count(self, start: int, end: int) -> int:
        estimate = self.estimate(start, end)
        near_limit = estimate < 2 * MIN_TOKENS or _DOUBT[0] < estimate < _DOUBT[1]
        # Text that the estimate takes for one long word: data, or a script of its own.
        dense = end - start > _SPARSE * estimate and end - start > MAX_TOKENS
        if not near_limit and not dense:
            return round(estimate)
        known = self._exact.get((start, end))
        if known is None:
            known = self._exact[start, end] = tokens.count(self.source.text(start, end))
        return known

    def is_small(self, piece: _Piece) -> bool:
        """Whether a piece is below `MIN_TOKENS`."""
        start, end = piece.start, piece.end
        if end - start < MIN_TOKENS:  # a token has a byte at least
            return True
        estimate = self.estimate(start, end)
        believed = estimate >= 2 * MIN_TOKENS and end - start <= _SPARSE * estimate
        return not believed and self.count(start, end) < MIN_TOKENS

    def offset(self, start: int, n_tokens: float) -> int:
        """The byte that the estimate puts `n_tokens` after `start`."""
        return int(np.searchsorted(self._cumulative, self._cumulative[start] + n_tokens))

    def is_blank(self, start: int, end: int) -> bool:
        return not self.source.data[start:end].strip()


def _regions(source: Source, symbols: list[Symbol]) -> _Region:
    """Symbols as nested ranges of whole lines, in one region for the file."""
    root = _Region(0, len(source.data), -1, True)
    by_symbol: dict[int, _Region] = {-1: root}
    for index, symbol in enumerate(symbols):
        start, end = source.whole_lines(symbol.span.start_byte, symbol.span.end_byte)
        parent = by_symbol[symbol.parent]
        floor = parent.children[-1].end if parent.children else parent.start
        fits = floor <= start and end <= parent.end and (end - start) < (parent.end - parent.start)
        if fits or (parent is root and floor <= start):
            region = _Region(start, min(end, parent.end), index, symbol.kind == SymbolKind.MODULE)
            parent.children.append(region)
            by_symbol[index] = region
        else:
            # It shares a line with the symbol before it, or has all lines of the one around it.
            # An empty region that is nobody's child drops it, and its members with it.
            by_symbol[index] = _Region(start, start, index, False)
    return root


def _split_region(
    region: _Region, parent: int, counter: _TokenCounter, pieces: list[_Piece]
) -> None:
    """Add a region whole, or its members and the gaps between them, in order."""
    size = round(counter.estimate(region.start, region.end))
    if _stays_whole(region, size, counter):
        pieces.append(
            _Piece(region.start, region.end, ChunkKind.DEFINITION, region.symbol, parent, size)
        )
        return
    position = region.start
    for child in region.children:
        _add_gap(position, child.start, region, counter, pieces)
        _split_region(child, region.symbol, counter, pieces)
        position = child.end
    _add_gap(position, region.end, region, counter, pieces)


def _stays_whole(region: _Region, size: int, counter: _TokenCounter) -> bool:
    if region.symbol < 0 or not region.children:
        return region.symbol >= 0
    if region.divisible or size > LONG_TOKENS:
        return False
    # Most of a function with a helper inside is its own lines; most of a class is its members.
    inner = sum(round(counter.estimate(child.start, child.end)) for child in region.children)
    return size <= WHOLE_TOKENS or inner * 2 < size


def _add_gap(
    start: int, end: int, region: _Region, counter: _TokenCounter, pieces: list[_Piece]
) -> None:
    """Add the lines between two members, or before the first: the head of a container."""
    if start >= end:
        return
    first = region.symbol >= 0 and start == region.start
    kind = ChunkKind.HEADER if first else ChunkKind.BLOCK
    size = round(counter.estimate(start, end))
    pieces.append(_Piece(start, end, kind, region.symbol, region.symbol, size))


def _belong_together(left: _Piece, right: _Piece, counter: _TokenCounter) -> bool:
    total = left.tokens + right.tokens
    if total > MAX_TOKENS:
        return False
    if counter.is_blank(right.start, right.end) or counter.is_blank(left.start, left.end):
        return True
    same_scope = left.parent == right.parent
    both_small = left.tokens <= SMALL_TOKENS and right.tokens <= SMALL_TOKENS
    # A group of small members is a block; it takes in further ones until it is large enough.
    growing = right.tokens <= SMALL_TOKENS and total <= GROUP_TOKENS and left.tokens <= GROUP_TOKENS
    plain = left.kind != ChunkKind.PART and right.kind != ChunkKind.PART
    return plain and same_scope and (both_small or (growing and left.kind == ChunkKind.BLOCK))


def _joined(left: _Piece, right: _Piece, counter: _TokenCounter) -> _Piece:
    # A head gives its name to what it is joined with, but not to every part of a long function.
    yields = left.kind != ChunkKind.HEADER or right.tokens > LONG_TOKENS
    keep = right if right.tokens > left.tokens and yields else left
    size = round(counter.estimate(left.start, right.end))
    several = left.kind == right.kind == ChunkKind.DEFINITION and left.symbol != right.symbol
    if several and left.parent == right.parent:
        return _Piece(left.start, right.end, ChunkKind.BLOCK, left.parent, left.parent, size)
    return _Piece(left.start, right.end, keep.kind, keep.symbol, keep.parent, size)


def _split_piece(piece: _Piece, counter: _TokenCounter) -> list[_Piece]:
    """A piece in parts of at most `MAX_TOKENS`; itself when it is short enough."""
    size = counter.count(piece.start, piece.end)
    if size <= LONG_TOKENS:
        piece.tokens = size
        return [piece]
    parts: list[_Piece] = []
    start = piece.start
    # Where parts end is estimated. The estimate for the whole is off by a factor that is known by
    # now, and its parts are likely to be off by the same.
    scale = round(counter.estimate(piece.start, piece.end)) / size
    while start < piece.end:
        end = _within_limit(start, _part_end(start, piece.end, scale, counter), counter)
        is_first = start == piece.start or piece.kind == ChunkKind.BLOCK
        kind = piece.kind if is_first else ChunkKind.PART
        size = counter.count(start, end)
        parts.append(_Piece(start, end, kind, piece.symbol, piece.parent, size))
        start = end
    return parts


def _within_limit(start: int, end: int, counter: _TokenCounter) -> int:
    """`end`, or less where the text is denser than its surroundings and the estimate fails."""
    while counter.count(start, end) > MAX_TOKENS:
        middle = _character_start(counter.source.data, (start + end) // 2, start)
        line_start = counter.source.line_start(counter.source.line_of(middle))
        end = line_start if line_start > start else middle
    return end


def _part_end(start: int, end: int, scale: float, counter: _TokenCounter) -> int:
    """Where a part that begins at `start` should stop: after a blank line if one is near.

    `scale` is estimated tokens a token, as the whole piece has them.
    """
    if round(counter.estimate(start, end)) <= LONG_TOKENS * scale:
        return end
    source = counter.source
    target = counter.offset(start, PART_TOKENS * scale)
    line = source.line_of(target)
    best = source.line_start(line)
    floor = counter.offset(start, PART_TOKENS * scale / 2)
    for candidate in range(line, max(line - _LOOK_BACK, 1), -1):
        cut = source.line_start(candidate)
        if cut <= floor:
            break
        if counter.is_blank(source.line_start(candidate - 1), cut):
            return cut
    # A single line that is too long is cut within.
    return best if best > start else _character_start(source.data, target, start)


def _character_start(data: bytes, position: int, start: int) -> int:
    """`position`, or less if that is inside of a UTF-8 sequence; always behind `start`."""
    while position > start + 1 and data[position] & 0xC0 == 0x80:
        position -= 1
    return position


def scope_header(index: int, symbols: list[Symbol]) -> str:
    """The header "Outer › Inner › signature" of a symbol; "" for none."""
    if index < 0:
        return ""
    symbol = symbols[index]
    names: list[str] = []
    parent = symbol.parent
    while parent >= 0:
        names.append(symbols[parent].name)
        parent = symbols[parent].parent
    return _SCOPE.join([*reversed(names), symbol.signature or symbol.name])
