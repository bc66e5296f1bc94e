"""Pieces of files that were chosen for a pack, and how they come together as excerpts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assembler.values import Detail, Excerpt
from store.model import RepoPath
from store.records import ChunkRecord, SymbolRecord

Count = Callable[[str], int]
ReadSource = Callable[[ChunkRecord], bytes]


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes `start` to `end` of a file, chosen for the sake of `chunk`.

    Mostly the chunk itself; less when only its beginning fits, more when a gap had to be filled.
    """

    chunk: ChunkRecord
    start: int
    end: int
    score: float
    reason: str
    cut: bool = False
    """Whether the last line is cut short, which "…" then says."""
    symbol: SymbolRecord | None = None
    """Set when only this symbol's signature is shown; then `start` and `end` are equal."""

    @property
    def detail(self) -> Detail:
        """How much of the chunk is shown."""
        if self.symbol is not None:
            return Detail.SIGNATURE
        partial = self.cut or self.end < self.chunk.span.end_byte
        return Detail.PARTIAL if partial else Detail.FULL


def whole(chunk: ChunkRecord, score: float, reason: str = "") -> Piece:
    """All of a chunk."""
    return Piece(chunk, chunk.span.start_byte, chunk.span.end_byte, score, reason)


def signature(piece: Piece, symbol: SymbolRecord) -> Piece:
    """The same piece, shown by the signature of a symbol in it."""
    start = symbol.span.start_byte
    return replace(piece, start=start, end=start, symbol=symbol)


def ending_at(piece: Piece, end: int, data: bytes) -> Piece:
    """The piece ending at byte `end` of its file, or where the character there starts."""
    while end > piece.start and end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    at_line_end = end >= len(data) or data[end - 1 : end] == b"\n" or data[end : end + 1] == b"\n"
    return replace(piece, end=end, cut=not at_line_end)


def runs(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces that adjoin, one list for each excerpt: files by their best piece, lines ascending."""
    by_file: dict[RepoPath, list[Piece]] = {}
    for piece in pieces:
        by_file.setdefault(piece.chunk.path, []).append(piece)
    files = sorted(by_file.items(), key=lambda kv: (-max(p.score for p in kv[1]), kv[0]))
    return [run for _, held in files for run in _joined(held)]


def _joined(held: list[Piece]) -> list[list[Piece]]:
    found: list[list[Piece]] = []
    for piece in sorted(held, key=lambda piece: (piece.start, piece.end)):
        if found and _adjoins(found[-1][-1], piece):
            found[-1].append(piece)
        else:
            found.append([piece])
    return found


def _adjoins(left: Piece, right: Piece) -> bool:
    shown = left.symbol is None and right.symbol is None
    return shown and left.end == right.start and not left.cut and left.reason == right.reason


def excerpt(run: Sequence[Piece], read: ReadSource) -> Excerpt:
    """Pieces that adjoin as what the model will see; its tokens are not counted yet."""
    best = max(run, key=lambda piece: (piece.score, -piece.start))
    start_line, end_line, text = _shown(run, read)
    symbol = best.symbol
    return Excerpt(
        path=best.chunk.path,
        start_line=start_line,
        end_line=end_line,
        symbol=symbol.qualified_name if symbol else best.chunk.symbol,
        kind=symbol.kind if symbol else best.chunk.symbol_kind,
        detail=run[-1].detail,
        text=text,
        score=best.score,
        tokens=0,
        reason=best.reason,
    )


def _shown(run: Sequence[Piece], read: ReadSource) -> tuple[int, int, str]:
    """First line, last line and text of adjoining pieces."""
    first, last = run[0], run[-1]
    if first.symbol is not None:
        return first.symbol.line, first.symbol.line, first.symbol.signature
    data = read(first.chunk)
    span = first.chunk.span
    start_line = span.start_line - data.count(b"\n", first.start, span.start_byte)
    shown = data[first.start : last.end].rstrip(b"\n")
    end_line = start_line + shown.count(b"\n")
    if last.end == last.chunk.span.end_byte:
        end_line = last.chunk.span.end_line
    return start_line, end_line, shown.decode("utf-8", "replace") + ("…" if last.cut else "")
