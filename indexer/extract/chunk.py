"""Cut a file into chunks that follow its symbols and tile its bytes without gap or overlap.

Sizes are cl100k_base tokens. Every chunk is at most `MAX_TOKENS`; below `MIN_TOKENS` only when the
whole file is. Cuts fall between lines, except inside a line that alone exceeds the limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

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

_SCOPE = " › "


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    kind: ChunkKind
    symbol: int
    parent: int
    tokens: int


@dataclass(slots=True)
class _Region:
    start: int
    end: int
    symbol: int
    divisible: bool
    """A namespace: never shown whole when it has members."""
    children: list[_Region] = field(default_factory=list)


def chunk(source: Source, symbols: list[Symbol]) -> tuple[Chunk, ...]:
    """The chunks of a file in order."""
    if not source.data:
        return ()
    ruler = _Ruler(source)
    root = _regions(source, symbols)
    pieces: list[_Piece] = []
    _cut(root, -1, ruler, pieces)
    pieces = _join_small(pieces, ruler)
    pieces = [part for piece in pieces for part in _split(piece, ruler)]
    return tuple(_chunk(piece, source, symbols) for piece in pieces)


class _Ruler:
    """Token counts of byte ranges: estimated, and exact where a limit is near."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._cumulative = token_estimate.cumulative_tokens(source.data)
        self._exact: dict[tuple[int, int], int] = {}

    def guess(self, start: int, end: int) -> int:
        return round(self._guess(start, end))

    def tokens(self, start: int, end: int) -> int:
        guess = self._guess(start, end)
        near = guess < 2 * MIN_TOKENS or _DOUBT[0] < guess < _DOUBT[1]
        # Text that the estimate takes for one long word: data, or a script of its own.
        dense = end - start > _SPARSE * guess and end - start > MAX_TOKENS
        if not near and not dense:
            return round(guess)
        known = self._exact.get((start, end))
        if known is None:
            known = self._exact[start, end] = tokens.count(self.source.text(start, end))
        return known

    def is_small(self, start: int, end: int) -> bool:
        guess = self._guess(start, end)
        believed = guess >= 2 * MIN_TOKENS and end - start <= _SPARSE * guess
        return not believed and self.tokens(start, end) < MIN_TOKENS

    def offset(self, start: int, n_tokens: float) -> int:
        """The byte that the estimate puts `n_tokens` after `start`."""
        return int(np.searchsorted(self._cumulative, self._cumulative[start] + n_tokens))

    def blank(self, start: int, end: int) -> bool:
        return not self.source.data[start:end].strip()

    def _guess(self, start: int, end: int) -> float:
        return float(self._cumulative[end] - self._cumulative[start])


def _regions(source: Source, symbols: list[Symbol]) -> _Region:
    """Symbols as nested ranges of whole lines; one that shares a line with its elder is dropped."""
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
            by_symbol[index] = _Region(
                start, start, index, False
            )  # its own members find no room either
    return root


def _cut(region: _Region, parent: int, ruler: _Ruler, pieces: list[_Piece]) -> None:
    size = ruler.guess(region.start, region.end)
    if _stays_whole(region, size, ruler):
        pieces.append(
            _Piece(region.start, region.end, ChunkKind.DEFINITION, region.symbol, parent, size)
        )
        return
    position = region.start
    for child in region.children:
        _gap(position, child.start, region, ruler, pieces)
        _cut(child, region.symbol, ruler, pieces)
        position = child.end
    _gap(position, region.end, region, ruler, pieces)


def _stays_whole(region: _Region, size: int, ruler: _Ruler) -> bool:
    if region.symbol < 0 or not region.children:
        return region.symbol >= 0
    if region.divisible:
        return False
    return size <= WHOLE_TOKENS or (size <= LONG_TOKENS and _is_callable(region, size, ruler))


def _is_callable(region: _Region, size: int, ruler: _Ruler) -> bool:
    """Whether most of a region is its own lines: a function with a helper inside, not a class."""
    inner = sum(ruler.guess(child.start, child.end) for child in region.children)
    return inner * 2 < size


def _gap(start: int, end: int, region: _Region, ruler: _Ruler, pieces: list[_Piece]) -> None:
    if start >= end:
        return
    first = region.symbol >= 0 and start == region.start
    kind = ChunkKind.HEADER if first else ChunkKind.BLOCK
    tokens = ruler.guess(start, end)
    pieces.append(_Piece(start, end, kind, region.symbol, region.symbol, tokens))


def _join_small(pieces: list[_Piece], ruler: _Ruler) -> list[_Piece]:
    """Join blank gaps, then runs of small neighbours of one scope, then whatever is too small."""
    joined: list[_Piece] = []
    for piece in pieces:
        if joined and _belongs(joined[-1], piece, ruler):
            joined[-1] = _joined(joined[-1], piece, ruler)
        else:
            joined.append(piece)
    return _absorb(joined, ruler)


def _belongs(left: _Piece, right: _Piece, ruler: _Ruler) -> bool:
    total = left.tokens + right.tokens
    if total > MAX_TOKENS:
        return False
    if ruler.blank(right.start, right.end) or ruler.blank(left.start, left.end):
        return True
    same_scope = left.parent == right.parent
    both_small = left.tokens <= SMALL_TOKENS and right.tokens <= SMALL_TOKENS
    growing = right.tokens <= SMALL_TOKENS and total <= GROUP_TOKENS and left.tokens <= GROUP_TOKENS
    plain = left.kind != ChunkKind.PART and right.kind != ChunkKind.PART
    return plain and same_scope and (both_small or (growing and left.kind == ChunkKind.BLOCK))


def _absorb(pieces: list[_Piece], ruler: _Ruler) -> list[_Piece]:
    """Give each piece below `MIN_TOKENS` to the neighbour of its scope, the next one first."""
    result: list[_Piece] = []
    for piece in pieces:
        previous = result[-1] if result else None
        if previous is None:
            result.append(piece)
            continue
        small_left, small_right = _is_small(previous, ruler), _is_small(piece, ruler)
        if small_left or small_right:
            result[-1] = _joined(previous, piece, ruler)
        else:
            result.append(piece)
    return result


def _is_small(piece: _Piece, ruler: _Ruler) -> bool:
    return ruler.is_small(piece.start, piece.end)


def _joined(left: _Piece, right: _Piece, ruler: _Ruler) -> _Piece:
    # A head gives its name to what it is joined with, but not to every part of a long function.
    yields = left.kind != ChunkKind.HEADER or right.tokens > LONG_TOKENS
    keep = right if right.tokens > left.tokens and yields else left
    tokens = ruler.guess(left.start, right.end)
    several = left.kind == right.kind == ChunkKind.DEFINITION and left.symbol != right.symbol
    if several and left.parent == right.parent:
        return _Piece(left.start, right.end, ChunkKind.BLOCK, left.parent, left.parent, tokens)
    return _Piece(left.start, right.end, keep.kind, keep.symbol, keep.parent, tokens)


def _split(piece: _Piece, ruler: _Ruler) -> list[_Piece]:
    size = ruler.tokens(piece.start, piece.end)
    if size <= LONG_TOKENS:
        piece.tokens = size
        return [piece]
    parts: list[_Piece] = []
    start = piece.start
    scale = ruler.guess(piece.start, piece.end) / size
    while start < piece.end:
        end = _within_limit(start, _part_end(start, piece.end, scale, ruler), ruler)
        kind = (
            piece.kind if start == piece.start or piece.kind == ChunkKind.BLOCK else ChunkKind.PART
        )
        size = ruler.tokens(start, end)
        parts.append(_Piece(start, end, kind, piece.symbol, piece.parent, size))
        start = end
    return parts


def _within_limit(start: int, end: int, ruler: _Ruler) -> int:
    """`end`, or less where the text is denser than its surroundings and the guess fails."""
    while ruler.tokens(start, end) > MAX_TOKENS:
        middle = _character_start(ruler.source.data, (start + end) // 2, start)
        line_start = ruler.source.line_start(ruler.source.line_of(middle))
        end = line_start if line_start > start else middle
    return end


def _part_end(start: int, end: int, scale: float, ruler: _Ruler) -> int:
    """Where a part that begins at `start` should stop: after a blank line if one is near.

    `scale` is estimated tokens a token, as the whole piece has them.
    """
    if ruler.guess(start, end) <= LONG_TOKENS * scale:
        return end
    source = ruler.source
    target = ruler.offset(start, PART_TOKENS * scale)
    line = source.line_of(target)
    best = source.line_start(line)
    floor = ruler.offset(start, PART_TOKENS * scale / 2)
    for candidate in range(line, max(line - 40, 1), -1):
        cut = source.line_start(candidate)
        if cut <= floor:
            break
        if ruler.blank(source.line_start(candidate - 1), cut):
            return cut
    if best > start:
        return best
    return _character_start(source.data, target, start)


def _character_start(data: bytes, position: int, start: int) -> int:
    while position > start + 1 and data[position] & 0xC0 == 0x80:
        position -= 1
    return position


def _chunk(piece: _Piece, source: Source, symbols: list[Symbol]) -> Chunk:
    symbol = symbols[piece.symbol] if piece.symbol >= 0 else None
    return Chunk(
        span=source.span(piece.start, piece.end),
        kind=piece.kind,
        symbol=piece.symbol,
        header=scope_header(piece.symbol, symbols),
        tokens=max(1, piece.tokens),
        is_test=bool(symbol and symbol.is_test),
    )


def scope_header(index: int, symbols: list[Symbol]) -> str:
    """ "Outer › Inner › signature" of a symbol; "" for none."""
    if index < 0:
        return ""
    symbol = symbols[index]
    names: list[str] = []
    parent = symbol.parent
    while parent >= 0:
        names.append(symbols[parent].name)
        parent = symbols[parent].parent
    return _SCOPE.join([*reversed(names), symbol.signature or symbol.name])
