"""Choose excerpts under a budget that is never exceeded. Pure.

Primary matches are taken best first up to the share that is theirs; neighbours in the call graph
have the rest reserved; what they leave goes back to the matches; at last the gap that no whole
chunk fits is filled with parts of chunks. Blocks are counted one by one while choosing, and the
finished text is counted as a whole; if that is more, the least piece goes until it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from assembler import render
from assembler.fill import fill
from assembler.pieces import (
    Count,
    Piece,
    ReadSource,
    excerpt,
    runs,
    signature,
    whole,
)
from assembler.values import ContextPack, Excerpt, Neighbour, Receipt, Scored
from assembler.weights import Packing
from store.model import RepoPath
from store.records import ChunkRecord, SymbolRecord

Expand = Callable[[Sequence[Scored]], Sequence[Neighbour]]

ReadSymbol = Callable[[int], SymbolRecord | None]
"""The symbol with an id, None for none."""

_SIGNATURE_ABOVE = 0.35
"""A neighbour that would take more than this share of the reserve is shown by its signature."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What packing needs from outside, so that it stays pure."""

    count: Count
    source: ReadSource
    expand: Expand
    symbol: ReadSymbol


def pack(ranked: Sequence[Scored], blank: Receipt, tools: Tools, weights: Packing) -> ContextPack:
    """The best use of `blank.budget` tokens. `ranked` is best first; `blank` has no counts yet."""
    relevant = _relevant(ranked, weights)
    blank = _with_room(blank, tools)
    room = blank.budget - tools.count(render.pack_text(_longest(blank), ()))
    costs = _Costs(tools)
    choice = _Choice(costs, weights, room)
    rest = choice.take(relevant, int(room * (1 - weights.structure_share - weights.breadth_share)))
    choice.take_signatures(rest, int(room * weights.breadth_share))
    choice.take_neighbours(tools.expand(choice.seeds), room)
    rest = choice.take(rest, room)
    choice.complete_signatures()
    pieces = fill(choice.pieces, rest, room, costs.used, tools.source)
    return _finished(pieces, relevant, blank, tools)


def _relevant(ranked: Sequence[Scored], weights: Packing) -> list[Scored]:
    floor = weights.min_relevance * ranked[0].score if ranked else 0.0
    return [item for item in ranked if item.score >= floor and item.score > 0]


def _with_room(blank: Receipt, tools: Tools) -> Receipt:
    """The receipt with no more notices than the budget can carry."""
    while blank.notices and tools.count(render.pack_text(_longest(blank), ())) > blank.budget:
        blank = replace(blank, notices=blank.notices[:-1])
    return blank


def _longest(blank: Receipt) -> Receipt:
    """The receipt at its longest."""
    return replace(blank, used=blank.budget, n_excerpts=100, n_neighbours=100, n_omitted=9999)


class _Costs:
    """Token counts of excerpts, each counted once.

    A block starts and ends with a line of its own, so tokens never reach across two blocks and
    their counts add up.
    """

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self._known: dict[tuple[object, ...], int] = {}

    def used(self, pieces: Iterable[Piece]) -> int:
        """What the pieces cost together."""
        return sum(self.of(run) for run in runs(pieces))

    def of(self, run: Sequence[Piece]) -> int:
        """What one excerpt costs."""
        key = tuple((p.chunk.id, p.start, p.end, p.score, p.reason, p.symbol is None) for p in run)
        known = self._known.get(key)
        if known is None:
            block = render.excerpt_block(excerpt(run, self.tools.source))
            known = self._known[key] = self.tools.count(block)
        return known


class _Choice:
    """The pieces chosen so far and what they cost."""

    def __init__(self, costs: _Costs, weights: Packing, room: int) -> None:
        self.pieces: list[Piece] = []
        self.seeds: list[Scored] = []
        self._costs = costs
        self._weights = weights
        self._room = room
        self._used = 0
        self._shown: dict[RepoPath, list[tuple[int, int]]] = {}

    def take(self, items: Iterable[Scored], limit: int) -> list[Scored]:
        """Take what fits below `limit`, in order; return what did not fit."""
        rest: list[Scored] = []
        for item in items:
            if _covered(item.chunk, self._shown, self._weights.overlap):
                continue
            piece = self._sized(item, limit)
            cost = self._costs.of([piece]) if piece else 0
            if piece is None or self._used + cost > limit:
                rest.append(item)
                continue
            self.seeds.append(item)
            self._drop_signatures(piece)
            self._add(piece, cost)
        return rest

    def _sized(self, item: Scored, limit: int) -> Piece | None:
        """The chunk, only its beginning if it is the best and too long; None if far too long."""
        left = limit - self._used
        piece = whole(item.chunk, item.score)
        if not self.pieces and item.chunk.tokens > limit // 2:
            costs = self._costs
            if costs.of([piece]) > left:
                begun = fill([], [item], limit * 2 // 3, costs.used, costs.tools.source)
                return begun[0] if begun else None
        # `tokens` is cl100k's; other encodings differ by less than the factor.
        return piece if item.chunk.tokens <= 2 * left else None

    def take_signatures(self, items: Iterable[Scored], reserve: int) -> None:
        """Name the best match of each file that is not shown yet, while `reserve` lasts."""
        named: set[RepoPath] = set(self._shown)
        spent = 0
        for item in items:
            symbol = self._costs.tools.symbol(item.chunk.symbol_id)
            if item.chunk.path in named or symbol is None or not symbol.signature:
                continue
            piece = signature(whole(item.chunk, item.score), symbol)
            cost = self._costs.of([piece])
            if spent + cost > reserve:
                break
            named.add(item.chunk.path)
            self._add(piece, cost)
            spent += cost

    def complete_signatures(self) -> None:
        """Show whole what was shown by its signature, as far as tokens are left."""
        for position, piece in enumerate(self.pieces):
            if piece.symbol is None:
                continue
            full = whole(piece.chunk, piece.score, piece.reason)
            grown = self._used + self._costs.of([full]) - self._costs.of([piece])
            if grown <= self._room and not _covered(
                piece.chunk, self._shown, self._weights.overlap
            ):
                self.pieces[position] = full
                self._used = grown

    def take_neighbours(self, neighbours: Iterable[Neighbour], limit: int) -> None:
        """Take neighbours, whole or by signature, within the share reserved for structure."""
        reserve = int(self._room * self._weights.structure_share)
        spent = 0
        for neighbour in neighbours:
            if _covered(neighbour.chunk, self._shown, self._weights.overlap):
                continue
            piece, cost = self._rendition(neighbour, reserve)
            if spent + cost <= reserve and self._used + cost <= limit:
                self._add(piece, cost)
                spent += cost

    def _rendition(self, neighbour: Neighbour, reserve: int) -> tuple[Piece, int]:
        reason = f"{neighbour.relation} {render.clean(neighbour.of)}"
        piece = whole(neighbour.chunk, neighbour.score, reason)
        cost = self._costs.of([piece])
        if cost > _SIGNATURE_ABOVE * reserve and neighbour.symbol.signature:
            piece = signature(piece, neighbour.symbol)
            cost = self._costs.of([piece])
        return piece, cost

    def _drop_signatures(self, piece: Piece) -> None:
        """A signature says nothing more once the chunk that holds it is shown."""
        said = [p for p in self.pieces if p.symbol and p.chunk.id == piece.chunk.id]
        self._used -= sum(self._costs.of([p]) for p in said)
        self.pieces = [p for p in self.pieces if p not in said]

    def _add(self, piece: Piece, cost: int) -> None:
        self.pieces.append(piece)
        self._used += cost
        self._shown.setdefault(piece.chunk.path, []).append((piece.start, piece.end))


def _covered(
    chunk: ChunkRecord, shown: dict[RepoPath, list[tuple[int, int]]], share: float
) -> bool:
    """Whether more than `share` of a chunk is shown already."""
    start, end = chunk.span.start_byte, chunk.span.end_byte
    covered = sum(
        max(0, min(end, last) - max(start, first)) for first, last in shown.get(chunk.path, ())
    )
    return covered > share * (end - start)


def _finished(
    pieces: list[Piece], relevant: Sequence[Scored], blank: Receipt, tools: Tools
) -> ContextPack:
    """The pack with a receipt that counts itself."""
    while True:
        excerpts = [excerpt(run, tools.source) for run in runs(pieces)]
        receipt = replace(blank, n_omitted=_omitted(pieces, relevant))
        receipt = _counted(receipt, excerpts, tools)
        if receipt.used <= receipt.budget or not pieces:
            break
        pieces = pieces[:-1]
    priced = tuple(
        replace(shown, tokens=tools.count(render.excerpt_block(shown))) for shown in excerpts
    )
    return ContextPack(render.pack_text(receipt, excerpts), priced, receipt)


def _omitted(pieces: Iterable[Piece], relevant: Iterable[Scored]) -> int:
    """How many matches are not shown, not even by their beginning or their signature."""
    ids: set[int] = set()
    shown: dict[RepoPath, list[tuple[int, int]]] = {}
    for piece in pieces:
        ids.add(piece.chunk.id)
        shown.setdefault(piece.chunk.path, []).append((piece.start, piece.end))
    return sum(
        1 for item in relevant if item.chunk.id not in ids and not _covered(item.chunk, shown, 0.5)
    )


def _counted(receipt: Receipt, excerpts: Sequence[Excerpt], tools: Tools) -> Receipt:
    """`used` is part of the text it counts: repeat until it agrees, which takes two rounds."""
    n_neighbours = sum(1 for shown in excerpts if shown.reason)
    receipt = replace(receipt, n_excerpts=len(excerpts), n_neighbours=n_neighbours)
    for _ in range(4):
        used = tools.count(render.pack_text(receipt, excerpts))
        if used == receipt.used:
            break
        receipt = replace(receipt, used=used)
    return receipt
