"""From chosen pieces to the text of a reply and a receipt that counts itself. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from satchel.assembler.packing import render, sent_before
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.inputs import Tools
from satchel.assembler.packing.pieces import Piece, excerpt, runs, with_headers
from satchel.assembler.packing.units import Unit
from satchel.assembler.values import ContextPack, Detail, Excerpt, Receipt, Scored, Waiting
from satchel.store.records import ChunkRecord

_TRIED = 12
"""Matches that are tried for naming in the last few tokens."""
_WAITING = 50


def finished(
    pieces: Sequence[Piece],
    rest: Sequence[Unit],
    relevant: Sequence[Scored],
    blank: Receipt,
    costs: Costs,
    tools: Tools,
) -> ContextPack:
    """The pack; the least pieces go while the text as a whole is too long.

    `rest` are the units that are not shown, best first.
    """
    pieces = list(pieces)
    while True:
        chosen = runs(with_headers(pieces))
        excerpts = [excerpt(run, tools.source) for run in chosen]
        quoted = (said for shown in excerpts for said in (shown.path, shown.text))
        fence = tools.fence([*quoted, *blank.known])
        hidden = _hidden(pieces, relevant)
        draft = replace(
            blank,
            used=blank.budget,
            n_omitted=len(hidden),
            n_excerpts=len(excerpts),
            n_neighbours=sum(1 for shown in excerpts if shown.reason),
        )
        expected = costs.used(pieces) + tools.count(_framing(draft, fence))
        also, receipt = _named(draft, expected, excerpts, hidden, fence, tools)
        if receipt.used <= receipt.budget or not pieces:
            break
        pieces.pop()
    priced = (
        replace(shown, tokens=costs.of(run)) for run, shown in zip(chosen, excerpts, strict=True)
    )
    whole = [piece.unit for piece in pieces if piece.detail == Detail.FULL]
    return ContextPack(
        render.pack_text(receipt, excerpts, also, fence),
        tuple(priced),
        receipt,
        also,
        sent_before.after(tools.sent, [(unit, _bytes(unit, tools)) for unit in whole]),
        tuple(_waiting(unit) for unit in rest[:_WAITING]),
    )


def _waiting(unit: Unit) -> Waiting:
    name = unit.name.qualified_name if unit.name else ""
    return Waiting(unit.chunk.path, unit.line, name, int(unit.tokens), unit.worth)


def _bytes(unit: Unit, tools: Tools) -> bytes:
    return tools.source(unit.chunk)[unit.start : unit.end]


def _framing(receipt: Receipt, fence: str) -> str:
    return render.opening(fence) + render.pack_text(receipt, (), (), fence)


def _named(
    draft: Receipt,
    expected: int,
    excerpts: Sequence[Excerpt],
    hidden: Sequence[Scored],
    fence: str,
    tools: Tools,
) -> tuple[tuple[ChunkRecord, ...], Receipt]:
    """Matches to name by their place in what is left, and the receipt with them.

    By some tokenizers a text is fewer tokens than its parts: what that leaves is named into too.
    """
    also = _located(hidden, draft.budget - expected, tools)
    draft = replace(draft, used=expected + tools.count(render.also_line(also)))
    receipt = _counted(draft, excerpts, also, fence, tools)
    if receipt.used > receipt.budget:
        return ((), _counted(draft, excerpts, (), fence, tools)) if also else (also, receipt)
    saved = draft.used - receipt.used
    more = _located(hidden, receipt.budget - expected + saved, tools) if saved > 0 else also
    if len(more) > len(also):
        named = _counted(draft, excerpts, more, fence, tools)
        if named.used <= named.budget:
            return more, named
    return also, receipt


def _located(hidden: Iterable[Scored], left: int, tools: Tools) -> tuple[ChunkRecord, ...]:
    """Matches that are not shown but can still be named in what is left."""
    named: list[ChunkRecord] = []
    for item in itertools.islice(hidden, _TRIED):
        if tools.count(render.also_line((*named, item.chunk))) <= left:
            named.append(item.chunk)
    return tuple(named)


def _hidden(pieces: Iterable[Piece], relevant: Iterable[Scored]) -> list[Scored]:
    """Matches that are not shown, not even in part or by a signature, best first."""
    shown = {piece.unit.chunk.id for piece in pieces}
    return [item for item in relevant if item.chunk.id not in shown]


def _counted(
    receipt: Receipt,
    excerpts: Sequence[Excerpt],
    also: Sequence[ChunkRecord],
    fence: str,
    tools: Tools,
) -> Receipt:
    """The receipt with what the whole text takes; it says already what that should be.

    `used` is part of the text it counts: repeat until it agrees, which it mostly does at once.
    """
    for _ in range(4):
        used = tools.count(render.pack_text(receipt, excerpts, also, fence))
        if used == receipt.used:
            break
        receipt = replace(receipt, used=used)
    return receipt
