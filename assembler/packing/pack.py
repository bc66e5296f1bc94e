"""Choose excerpts under a budget that is never exceeded. Pure.

Chunks are taken apart into units, and the best units are chosen up to the share that is for
matches alone; for the rest they compete with neighbours in the call graph of what was chosen; at
last the gap that nothing whole fits is filled with parts. Pieces are counted one by one
while choosing, and the finished text is counted as a whole; if that is more, the least piece goes
until it fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from satchel.assembler.packing import fill, finish, render, sent_before, units
from satchel.assembler.packing.costs import FENCE, Costs
from satchel.assembler.packing.forms import Interest
from satchel.assembler.packing.inputs import Tools
from satchel.assembler.packing.knapsack import Choice
from satchel.assembler.packing.pieces import Piece
from satchel.assembler.packing.units import Standing, Unit
from satchel.assembler.query.read_query import means
from satchel.assembler.values import ContextPack, Neighbour, Origin, Receipt, Scored
from satchel.assembler.weights import Packing
from satchel.store.model import RepoPath

_TOKENS_A_CHUNK = 50
"""A budget of N tokens is chosen from N / 50 chunks: with N / 20 nothing more was found."""
LEAST_CHUNKS = 40
_ROOMS = 2
"""Times the room that what is chosen from would take."""
_FULL = 0.97
"""A pack that is less full is filled to the last few tokens, be it with parts of lines."""
_NEARLY = 0.98
"""What is left beyond is filled with parts, without looking for a whole unit that fits."""
_ATTEMPTS = 5
"""To fill it so: by some tokenizers a text is fewer tokens than its parts, by how many shows."""
_MAX_NAMED = 6
"""Runs of lines that are named in one note."""


def pack(ranked: Sequence[Scored], blank: Receipt, tools: Tools, weights: Packing) -> ContextPack:
    """The best use of `blank.budget` tokens. `ranked` is best first; `blank` has no counts yet."""
    relevant = _relevant(ranked, weights)
    blank = _with_room(blank, tools)
    room = blank.budget - tools.count(_framing(blank))
    choice = Choice(costs_of(tools), interest_of(tools), weights)
    matches = units_of(_considered(relevant, room), tools, weights)
    reserved = int(room * weights.structure_share)
    choice.take(matches, room - reserved)
    choice.settle(room)
    origins = _origins(choice.pieces, relevant)
    beside = _neighbours(tools.expand(origins) if reserved else (), tools, weights)
    choice.take(_together(beside, matches), min(room, choice.used + reserved))
    choice.settle(room)
    if choice.used < _NEARLY * room:
        choice.take(matches, room)
        choice.settle(room)
    rest = _left(choice, matches)
    filled = fill.fill(choice.pieces, rest, room, choice.costs.used, tools.source)
    if not rest:
        filled = _filled_with(_left(choice, beside), filled, room, choice, tools)
    made = finish.finished(filled, rest, relevant, blank, choice.costs, tools)
    spare = 0
    for _ in range(_ATTEMPTS):
        left = blank.budget - made.receipt.used
        if left <= (1 - _FULL) * blank.budget or not rest:
            break
        filled = fill.ragged(choice.pieces, rest, room + spare, choice.costs.used, tools.source)
        again = finish.finished(filled, rest, relevant, blank, choice.costs, tools)
        is_fuller = again.receipt.used > made.receipt.used
        room, made = (room + spare, again) if is_fuller else (room, made)
        spare = spare // 2 if spare and not is_fuller else blank.budget - made.receipt.used
    return made


def _relevant(ranked: Sequence[Scored], weights: Packing) -> list[Scored]:
    floor = weights.min_relevance * ranked[0].score if ranked else 0.0
    return [item for item in ranked if item.score >= floor and item.score > 0]


def _considered(relevant: Sequence[Scored], room: int) -> Sequence[Scored]:
    """The matches to choose from: so many, and more while they are too small to fill the room."""
    n, held = 0, 0
    for item in relevant:
        if n >= max(LEAST_CHUNKS, room // _TOKENS_A_CHUNK) and held >= _ROOMS * room:
            break
        n, held = n + 1, held + item.chunk.tokens
    return relevant[:n]


def _with_room(blank: Receipt, tools: Tools) -> Receipt:
    """The receipt with no more notices than the budget can carry."""
    while blank.notices and tools.count(_framing(blank)) > blank.budget:
        blank = replace(blank, notices=blank.notices[:-1])
    while blank.absent and tools.count(_framing(blank)) > blank.budget:
        blank = replace(blank, absent=blank.absent[:-1])
    while blank.known and tools.count(_framing(blank)) > blank.budget:
        blank = replace(blank, known=blank.known[:-1])
    return blank


def _framing(blank: Receipt) -> str:
    """Everything but the excerpts, at its longest."""
    longest = replace(blank, used=blank.budget, n_excerpts=100, n_neighbours=100, n_omitted=9999)
    return render.opening(FENCE) + render.pack_text(longest, (), (), FENCE)


def costs_of(tools: Tools) -> Costs:
    """An empty account of what pieces cost."""
    return Costs(tools.count, tools.source)


def interest_of(tools: Tools) -> Interest:
    """What makes lines matter to the question."""
    return Interest(tools.rarity, tools.pointed.lines)


def units_of(items: Sequence[Scored], tools: Tools, weights: Packing) -> list[Unit]:
    """The units of some chunks with their worth, in the order of the chunks."""
    around = tools.around(items)
    found: list[Unit] = []
    n_of_file: dict[RepoPath, int] = {}
    for place, item in enumerate(items):
        path = item.chunk.path
        n_of_file[path] = n_of_file.get(path, 0) + 1
        standing = Standing(item.score / items[0].score, place, n_of_file[path])
        appraise = partial(units.worth, standing=standing, rarity=tools.rarity, weights=weights)
        data = tools.source(item.chunk)
        parts = units.split(item, around[item.chunk.id], data, tools.rarity, appraise)
        found += [_marked(_asked(unit, tools, weights), tools) for unit in parts]
    return _remembered(found, tools)


def _remembered(listed: Sequence[Unit], tools: Tools) -> list[Unit]:
    return sent_before.marked([(unit, _bytes(unit, tools)) for unit in listed], tools.sent)


def _bytes(unit: Unit, tools: Tools) -> bytes:
    return tools.source(unit.chunk)[unit.start : unit.end]


def _asked(unit: Unit, tools: Tools, weights: Packing) -> Unit:
    """The unit, worth more if the question writes its name."""
    name = unit.name
    if name is None or not any(means(n, name.name, name.qualified_name) for n in tools.named):
        return unit
    return replace(unit, worth=unit.worth * weights.named)


def _marked(unit: Unit, tools: Tools) -> Unit:
    """The unit with what is to be said of its lines, if the question names any of them."""
    lines = tools.pointed.lines.get(unit.chunk.path)
    if not lines:
        return unit
    last = units.end_line(unit, tools.source(unit.chunk))
    named = [(max(a, unit.line), min(b, last)) for a, b in lines if a <= last and b >= unit.line]
    if not named:
        return unit
    said = " ".join(str(a) if a == b else f"{a}-{b}" for a, b in named[:_MAX_NAMED])
    more = " …" if len(named) > _MAX_NAMED else ""
    note = f"{tools.pointed.word} {said}{more}"
    return replace(unit, worth=unit.worth * tools.pointed.factor, note=note)


def _origins(pieces: Iterable[Piece], relevant: Iterable[Scored]) -> list[Origin]:
    """The chunks of which more than a signature is shown, best first.

    Of the symbols in one, those in the unit that is worth most matter most.
    """
    shown: dict[int, dict[int, float]] = {}
    for unit in {piece.unit.key: piece.unit for piece in pieces if piece.is_text}.values():
        shown.setdefault(unit.chunk.id, {}).update(dict.fromkeys(unit.defines, unit.worth))
    found: list[Origin] = []
    for item in relevant:
        worths = shown.get(item.chunk.id)
        if worths is not None:
            best = max(worths.values(), default=0.0) or 1.0
            found.append(
                Origin(item.chunk, item.score, {i: worth / best for i, worth in worths.items()})
            )
    return found


def _left(choice: Choice, units: Iterable[Unit]) -> list[Unit]:
    """What could still be shown of some units, best first."""
    return sorted((unit for unit in units if not choice.shows_whole(unit)), key=lambda u: -u.worth)


def _filled_with(
    units: Iterable[Unit], pieces: list[Piece], room: int, choice: Choice, tools: Tools
) -> list[Piece]:
    """The pieces with as much of some neighbours, best first, as fits; a name gives way to code."""
    used = choice.costs.used
    for unit in units:
        if used(pieces) + fill.WORTH_STARTING > room:
            break
        others = [piece for piece in pieces if piece.is_text or piece.unit.key != unit.key]
        more = fill.fill(others, [unit], room, used, tools.source)
        if any(piece.is_text and piece.unit.key == unit.key for piece in more):
            pieces = more
    return pieces


def _together(beside: Iterable[Unit], matches: Iterable[Unit]) -> list[Unit]:
    """Neighbours and matches; a unit that is both is the one as which it is worth more."""
    best: dict[tuple[RepoPath, int], Unit] = {}
    for unit in (*beside, *matches):
        if unit.key not in best or unit.worth > best[unit.key].worth:
            best[unit.key] = unit
    return list(best.values())


def _neighbours(found: Iterable[Neighbour], tools: Tools, weights: Packing) -> list[Unit]:
    """The units that neighbours are defined in, worth what the neighbours are."""
    listed = list(found)
    items = [Scored(neighbour.chunk, neighbour.score) for neighbour in listed]
    around = tools.around(items)
    result: list[Unit] = []
    for neighbour, item in zip(listed, items, strict=True):
        parts = units.split(item, around[item.chunk.id], tools.source(item.chunk), tools.rarity)
        line = neighbour.symbol.line
        unit = next((unit for unit in reversed(parts) if unit.line <= line), parts[0])
        symbol = unit.symbol or neighbour.symbol
        value = weights.neighbour * neighbour.score**weights.by_nearness
        value *= max(5.0, unit.tokens) ** weights.by_size
        result.append(
            replace(unit, symbol=symbol, name=symbol, worth=value, reason=neighbour.reason)
        )
    return _remembered(result, tools)
