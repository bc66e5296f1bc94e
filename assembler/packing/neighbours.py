"""Neighbours of the shown code: its callees, callers, members and the lines between. Pure.

A heading costs about two lines, so fields, constants and types that stand between two shown
functions are shown with them. A function between two others is a place of its own.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from satchel.assembler.packing import worth
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.shown import SHORT_GAP, Piece, ReadLines
from satchel.assembler.packing.units import NO_CHUNK, Key, Unit, split
from satchel.assembler.packing.worth import Evidence
from satchel.assembler.values import Neighbour, Origin, Scored
from satchel.assembler.weights import Packing
from satchel.store.model import WITH_CODE, RepoPath
from satchel.store.records import SymbolRecord

_GAP = 20
"""Lines of a gap that is closed, at most."""


def origins(pieces: Iterable[Piece], unshown: float) -> list[Origin]:
    """The chunks of which code is shown, in the order in which it was chosen.

    The score of each is the worth of its best unit, so that what likely code calls comes before
    what unlikely code calls, and after any match where nothing is likely. Of the symbols in one,
    those in the unit that is worth most matter most; the head of a type counts `unshown` (0..1) at
    least.
    """
    found: dict[int, tuple[Unit, dict[int, float]]] = {}
    heads: set[int] = set()
    for piece in pieces:
        if piece.is_text and piece.unit.chunk.id != NO_CHUNK:
            unit = piece.unit
            _, worths = found.setdefault(unit.chunk.id, (unit, {}))
            worths.update({symbol.id: unit.worth for symbol in unit.symbols})
            # A class is lowered because its head is seldom changed, which says nothing of its base.
            if unit.symbol is None:
                heads.update(symbol.id for symbol in unit.symbols)
    listed: list[Origin] = []
    for unit, worths in found.values():
        best = max(worths.values(), default=0.0)
        shown = {
            symbol: max(worth / best, unshown if symbol in heads else 0.0)
            for symbol, worth in worths.items()
            if best
        }
        listed.append(Origin(unit.chunk, best, shown))
    return listed


def units(
    found: Sequence[Neighbour],
    known: Evidence,
    inputs: PackInputs,
    costs: Costs,
    weights: Packing,
) -> list[tuple[Neighbour, Unit]]:
    """Neighbours with the units that they are defined in, and their worth, in the given order."""
    # An edge that counts nothing leads nowhere.
    found = [neighbour for neighbour in found if neighbour.score > 0]
    items = [Scored(neighbour.chunk, neighbour.score) for neighbour in found]
    around = inputs.index.around(items)
    result: list[tuple[Neighbour, Unit]] = []
    for neighbour, item in zip(found, items, strict=True):
        line = neighbour.symbol.line
        parts = split(item, around[item.chunk.id], costs.read(item.chunk), inputs.idf)
        # An edge leads to a symbol and the store to its chunk; only the unit that holds its line
        # is wanted, not all of the chunk.
        unit = next((unit for unit in parts if unit.first <= line <= unit.last), None)
        if unit is not None:
            unit = _cut_to_definition(unit, neighbour.symbol)
            unit = replace(
                unit, name=unit.symbol or neighbour.symbol, reason=neighbour.reason,
                is_neighbour=True,
            )  # fmt: skip
            text = costs.text_of(unit)
            unit = worth.weighed(unit, text, known, inputs, weights, strength=neighbour.score)
            result.append((neighbour, unit))
    return result


def _cut_to_definition(unit: Unit, symbol: SymbolRecord) -> Unit:
    """The unit cut to a definition between two callables, so that imports are not shown with it."""
    span = symbol.span
    if unit.symbol or span.start_line < unit.first or span.end_line > unit.last:
        return unit
    return replace(unit, first=span.start_line, last=span.end_line, symbols=(symbol,))


def together(nearby: Iterable[Unit], matches: Sequence[Unit], gain: float) -> list[Unit]:
    """Matches and neighbours, each unit once, in no order.

    A match that is also a neighbour is more likely to be meant: its log-odds rise by `gain`.
    """
    found = {unit.key: unit for unit in matches}
    linked: set[Key] = set()
    for unit in nearby:
        known = found.get(unit.key)
        if known is None:
            found[unit.key] = unit
        elif not known.reason and unit.key not in linked:
            linked.add(unit.key)
            likely = worth.with_odds_times(known.worth, math.exp(gain))
            found[unit.key] = replace(known, worth=likely)
    return list(found.values())


def closing(pieces: Iterable[Piece], inputs: PackInputs, read: ReadLines) -> list[Piece]:
    """Pieces that close gaps between shown pieces of a file, those of most worth first."""
    by_file: dict[RepoPath, list[Piece]] = {}
    for piece in pieces:
        if piece.ranges and not piece.quoted:
            by_file.setdefault(piece.unit.chunk.path, []).append(piece)
    gaps = [gap for listed in by_file.values() for gap in _gaps(listed, read)]
    wide = [gap.unit for gap in gaps if gap.unit.n_lines > SHORT_GAP]
    places = _with_functions(wide, inputs)
    found = [gap for gap in gaps if gap.unit.key not in places]
    return sorted(found, key=lambda piece: (-piece.unit.worth, piece.unit.key))


def _gaps(listed: Iterable[Piece], read: ReadLines) -> Iterator[Piece]:
    """The gaps of few lines between pieces of a file, each worth the lesser of
    what is around it."""
    above: Piece | None = None
    for piece in sorted(listed, key=lambda p: (p.first, p.unit.key)):
        if above is not None:
            first, last = above.ranges[-1][1] + 1, piece.first - 1
            lines = read(piece.unit.chunk)
            if first <= last < first + _GAP and lines.says_something(first, last):
                worth = min(above.unit.worth, piece.unit.worth)
                unit = Unit(
                    above.unit.chunk, first, last, None, above.unit.name, above.unit.score,
                    worth, reason=above.unit.reason, is_neighbour=above.unit.is_neighbour,
                )  # fmt: skip
                yield Piece(unit, ((first, last),), rank=above.rank)
        if above is None or piece.ranges[-1][1] > above.ranges[-1][1]:
            above = piece


def _with_functions(gaps: Sequence[Unit], inputs: PackInputs) -> set[Key]:
    """The gaps in which a function of several lines begins: each is a place of its own."""
    items = {
        gap.key: [
            Scored(chunk, 0.0)
            for chunk in inputs.index.chunks_of(gap.chunk.path)
            if chunk.span.start_line <= gap.last and chunk.span.end_line >= gap.first
        ]
        for gap in gaps
    }
    # Symbols are read for all gaps at once, since a query for each would add up.
    around = inputs.index.around([item for listed in items.values() for item in listed])
    return {
        gap.key
        for gap in gaps
        for item in items[gap.key]
        for symbol in around[item.chunk.id].inside
        if symbol.kind in WITH_CODE
        and gap.first <= symbol.line <= gap.last
        and symbol.span.end_line > symbol.span.start_line
    }
