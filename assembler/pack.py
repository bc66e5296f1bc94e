"""Choose excerpts under a budget that is never exceeded. Pure.

Primary matches are taken best first up to the share that is theirs; neighbours in the call graph
have the rest reserved; what they leave goes back to the matches; at last the gap that no whole
chunk fits is filled with the first lines of the next one. Costs are estimated per excerpt while
choosing, and the finished text is counted exactly; if the estimates were too low, the least
excerpt goes until it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assembler import render
from assembler.values import ContextPack, Detail, Excerpt, Neighbour, Receipt, Scored
from assembler.weights import Packing
from store.model import RepoPath
from store.records import ChunkRecord, SymbolRecord

Count = Callable[[str], int]
ReadSource = Callable[[ChunkRecord], bytes]
Expand = Callable[[Sequence[Scored]], Sequence[Neighbour]]

_SMALLEST_FILL = 0.02
"""A gap below this share of the budget is left as it is."""
_SIGNATURE_ABOVE = 0.35
"""A neighbour that would take more than this share of the reserve is shown by its signature."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What packing needs from outside, so that it stays pure."""

    count: Count
    source: ReadSource
    expand: Expand


@dataclass(frozen=True, slots=True)
class _Piece:
    """A byte range of a file that was chosen; adjoining ones are shown as one excerpt."""

    chunk: ChunkRecord
    start: int
    end: int
    detail: Detail
    score: float
    reason: str
    text: str
    symbol: SymbolRecord | None = None
    """Set when only this symbol's signature is shown."""


def pack(ranked: Sequence[Scored], blank: Receipt, tools: Tools, weights: Packing) -> ContextPack:
    """The best use of `blank.budget` tokens. `ranked` is best first; `blank` has no counts yet."""
    relevant = _relevant(ranked, weights)
    room = blank.budget - tools.count(_text([], blank, tools))
    choice = _Choice(tools, weights, room)
    rest = choice.take(relevant, int(room * (1 - weights.structure_share)))
    choice.take_neighbours(tools.expand(choice.seeds), room)
    rest = choice.take(rest, room)
    pieces = _fitted(choice.pieces, blank, tools)
    pieces = _filled(pieces, rest, blank, tools)
    return _finished(pieces, relevant, blank, tools)


def _relevant(ranked: Sequence[Scored], weights: Packing) -> list[Scored]:
    floor = weights.min_relevance * ranked[0].score if ranked else 0.0
    return [item for item in ranked if item.score >= floor and item.score > 0]


class _Choice:
    """The pieces chosen so far and what they cost."""

    def __init__(self, tools: Tools, weights: Packing, room: int) -> None:
        self.pieces: list[_Piece] = []
        self.seeds: list[Scored] = []
        self._tools = tools
        self._weights = weights
        self._room = room
        self._used = 0
        self._lines: dict[RepoPath, list[tuple[int, int]]] = {}

    def take(self, items: Iterable[Scored], limit: int) -> list[Scored]:
        """Take what fits below `limit`, in order; return what did not fit."""
        rest: list[Scored] = []
        for item in items:
            if self._covered(item.chunk):
                continue
            piece = _whole(item.chunk, item.score, "", self._tools)
            cost = _cost(piece, self._tools)
            if self._used + cost > limit and not self.pieces and item.chunk.tokens > limit // 2:
                piece = _opening(piece, limit * 2 // 3, self._tools) or piece
                cost = _cost(piece, self._tools)
            if self._used + cost <= limit:
                self.seeds.append(item)
                self._add(piece, cost)
            else:
                rest.append(item)
        return rest

    def take_neighbours(self, neighbours: Iterable[Neighbour], limit: int) -> None:
        """Take neighbours, whole or by signature, within the share reserved for structure."""
        reserve = int(self._room * self._weights.structure_share)
        spent = 0
        for neighbour in neighbours:
            if self._covered(neighbour.chunk):
                continue
            piece, cost = self._rendition(neighbour, reserve)
            if spent + cost <= reserve and self._used + cost <= limit:
                self._add(piece, cost)
                spent += cost

    def _rendition(self, neighbour: Neighbour, reserve: int) -> tuple[_Piece, int]:
        reason = f"{neighbour.relation} {render.clean(neighbour.of)}"
        piece = _whole(neighbour.chunk, neighbour.score, reason, self._tools)
        cost = _cost(piece, self._tools)
        symbol = neighbour.symbol
        if cost > _SIGNATURE_ABOVE * reserve and symbol.signature:
            piece = replace(
                piece, detail=Detail.SIGNATURE, text=symbol.signature, symbol=symbol,
                start=symbol.span.start_byte, end=symbol.span.start_byte,
            )  # fmt: skip
            cost = _cost(piece, self._tools)
        return piece, cost

    def _covered(self, chunk: ChunkRecord) -> bool:
        """Whether more than `overlap` of the chunk's lines are shown already."""
        start, end = chunk.span.start_line, chunk.span.end_line
        shown = sum(
            max(0, min(end, last) - max(start, first) + 1)
            for first, last in self._lines.get(chunk.path, ())
        )
        return shown > self._weights.overlap * (end - start + 1)

    def _add(self, piece: _Piece, cost: int) -> None:
        self.pieces.append(piece)
        self._used += cost
        span = piece.chunk.span
        if piece.detail != Detail.SIGNATURE:
            self._lines.setdefault(piece.chunk.path, []).append((span.start_line, span.end_line))


def _whole(chunk: ChunkRecord, score: float, reason: str, tools: Tools) -> _Piece:
    span = chunk.span
    text = _decoded(chunk, span.start_byte, span.end_byte, tools)
    return _Piece(chunk, span.start_byte, span.end_byte, Detail.FULL, score, reason, text)


def _opening(piece: _Piece, limit: int, tools: Tools) -> _Piece | None:
    """The first lines of a piece, cut so that its block costs at most `limit`; None if none fit.

    The last line may be cut short, at a character, when whole lines would waste much.
    """
    body = piece.text
    low, high = 0, len(body)
    while low < high:
        middle = (low + high + 1) // 2
        cost = _cost(replace(piece, detail=Detail.PARTIAL, text=body[:middle] + "…"), tools)
        low, high = (middle, high) if cost <= limit else (low, middle - 1)
    if not body[:low].strip():
        return None
    line_end = body.rfind("\n", 0, low)
    keeps = line_end > 0 and tools.count(body[line_end:low]) <= max(4, limit // 50)
    text = body[:line_end] if keeps else body[:low] + "…"
    return replace(piece, detail=Detail.PARTIAL, text=text, end=piece.start)


def _decoded(chunk: ChunkRecord, start: int, end: int, tools: Tools) -> str:
    return tools.source(chunk)[start:end].decode("utf-8", "replace").rstrip("\n")


def _cost(piece: _Piece, tools: Tools) -> int:
    return tools.count(render.excerpt_block(_excerpts([piece], tools)[0]))


def _fitted(pieces: list[_Piece], blank: Receipt, tools: Tools) -> list[_Piece]:
    """The pieces, less the last ones chosen while the exact count is above the budget."""
    while pieces and tools.count(_text(pieces, blank, tools)) > blank.budget:
        pieces = pieces[:-1]
    return pieces


def _filled(
    pieces: list[_Piece], rest: Sequence[Scored], blank: Receipt, tools: Tools
) -> list[_Piece]:
    """The pieces and the opening of one more, cut to the gap that is left."""
    for item in rest[:40]:
        gap = blank.budget - tools.count(_text(pieces, blank, tools))
        if gap <= max(4, int(_SMALLEST_FILL * blank.budget)):
            break
        whole = _whole(item.chunk, item.score, "", tools)
        added = whole if _cost(whole, tools) <= gap else _opening(whole, gap, tools)
        if added is not None:
            grown = [*pieces, added]
            if tools.count(_text(grown, blank, tools)) <= blank.budget:
                pieces = grown
    return pieces


def _finished(
    pieces: list[_Piece], relevant: Sequence[Scored], blank: Receipt, tools: Tools
) -> ContextPack:
    """The pack with a receipt that counts itself."""
    shown = {piece.chunk.id for piece in pieces}
    receipt = replace(blank, n_omitted=sum(1 for item in relevant if item.chunk.id not in shown))
    excerpts = _excerpts(pieces, tools)
    while True:
        receipt = _counted(receipt, excerpts, tools)
        if receipt.used <= receipt.budget or not pieces:
            break
        pieces = pieces[:-1]
        excerpts = _excerpts(pieces, tools)
    priced = tuple(
        replace(excerpt, tokens=tools.count(render.excerpt_block(excerpt))) for excerpt in excerpts
    )
    return ContextPack(render.pack_text(receipt, excerpts), priced, receipt)


def _counted(receipt: Receipt, excerpts: Sequence[Excerpt], tools: Tools) -> Receipt:
    """`used` is part of the text it counts: repeat until it agrees, which takes two rounds."""
    n_neighbours = sum(1 for excerpt in excerpts if excerpt.reason)
    receipt = replace(receipt, n_excerpts=len(excerpts), n_neighbours=n_neighbours)
    for _ in range(4):
        used = tools.count(render.pack_text(receipt, excerpts))
        if used == receipt.used:
            break
        receipt = replace(receipt, used=used)
    return receipt


def _text(pieces: Sequence[_Piece], blank: Receipt, tools: Tools) -> str:
    """The reply with the longest receipt it can have."""
    excerpts = _excerpts(pieces, tools)
    longest = replace(blank, used=blank.budget, n_excerpts=max(100, len(excerpts)), n_omitted=9999)
    return render.pack_text(longest, excerpts)


def _excerpts(pieces: Iterable[_Piece], tools: Tools) -> list[Excerpt]:
    """Pieces as excerpts: files by their best piece, lines ascending, adjoining pieces joined."""
    by_file: dict[RepoPath, list[_Piece]] = {}
    for piece in pieces:
        by_file.setdefault(piece.chunk.path, []).append(piece)
    files = sorted(by_file.items(), key=lambda kv: (-max(p.score for p in kv[1]), kv[0]))
    excerpts: list[Excerpt] = []
    for _, held in files:
        held.sort(key=lambda piece: (piece.start, piece.end))
        run: list[_Piece] = []
        for piece in held:
            if run and not _adjoins(run[-1], piece):
                excerpts.append(_excerpt(run, tools))
                run = []
            run.append(piece)
        excerpts.append(_excerpt(run, tools))
    return excerpts


def _adjoins(left: _Piece, right: _Piece) -> bool:
    whole = left.detail == Detail.FULL and right.detail == Detail.FULL
    return whole and left.end == right.start and left.reason == right.reason


def _excerpt(run: Sequence[_Piece], tools: Tools) -> Excerpt:
    best = max(run, key=lambda piece: (piece.score, -piece.start))
    first, last = run[0], run[-1]
    start_line = first.chunk.span.start_line
    text, end_line = first.text, start_line + first.text.count("\n")
    if first.symbol is not None:
        start_line = end_line = first.symbol.line
    elif first.detail == Detail.FULL:
        text = _decoded(first.chunk, first.start, last.end, tools)
        end_line = last.chunk.span.end_line
    return Excerpt(
        path=best.chunk.path,
        start_line=start_line,
        end_line=end_line,
        symbol=first.symbol.qualified_name if first.symbol else best.chunk.symbol,
        kind=first.symbol.kind if first.symbol else best.chunk.symbol_kind,
        detail=first.detail,
        text=text,
        score=best.score,
        tokens=0,
        reason=best.reason,
    )
