"""What the shown code needs: the functions and types it calls, its callers, as units. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.shown import Piece, ReadLines
from satchel.assembler.packing.units import Unit, split
from satchel.assembler.values import Neighbour, Origin, Scored
from satchel.assembler.weights import Packing


def origins(pieces: Iterable[Piece]) -> list[Origin]:
    """The chunks of which code is shown, in the order in which it was chosen.

    Of the symbols in one, those in the unit that is worth most matter most.
    """
    found: dict[int, tuple[Unit, dict[int, float]]] = {}
    for piece in pieces:
        if piece.is_text:
            unit = piece.unit
            _, worths = found.setdefault(unit.chunk.id, (unit, {}))
            worths.update({symbol.id: unit.worth for symbol in unit.symbols})
    listed: list[Origin] = []
    for unit, worths in found.values():
        # How good the chunk is stands in its score already, so its functions are weighed against
        # the best of them.
        best = max(worths.values(), default=0.0) or 1.0
        shown = {symbol: worth / best for symbol, worth in worths.items()}
        listed.append(Origin(unit.chunk, unit.score, shown))
    return listed


def units(found: Sequence[Neighbour], inputs: PackInputs, read: ReadLines) -> list[Unit]:
    """The units that neighbours are defined in, best first."""
    items = [Scored(neighbour.chunk, neighbour.score) for neighbour in found]
    around = inputs.around(items)
    result: list[Unit] = []
    for neighbour, item in zip(found, items, strict=True):
        line = neighbour.symbol.line
        parts = split(item, around[item.chunk.id], read(item.chunk), inputs.rarity)
        # An edge leads to a symbol and the store to its chunk; only the unit that holds its line
        # is wanted, not all of the chunk.
        unit = next((unit for unit in parts if unit.first <= line <= unit.last), None)
        if unit is not None:
            name = unit.symbol or neighbour.symbol
            result.append(replace(unit, name=name, worth=neighbour.score, reason=neighbour.reason))
    return sorted(result, key=lambda unit: (-unit.worth, unit.key))


def together(nearby: Iterable[Unit], matches: Sequence[Unit], weights: Packing) -> list[Unit]:
    """Matches and neighbours by one measure, in no order; each unit once.

    What matches and is a neighbour as well is likelier to be meant than either.
    """
    found = {unit.key: unit for unit in matches}
    best = max((unit.worth for unit in matches), default=1.0)
    for unit in nearby:
        match = found.get(unit.key)
        # A unit that an earlier neighbour put here has a reason and is no match, so it must not
        # count as one.
        own = match.worth if match and not match.reason else 0.0
        value = max(weights.linked * own, weights.neighbour * unit.worth * best)
        if value > own:
            # The match says what to look at and what the client holds, which the neighbour does
            # not know.
            note, held = (match.note, match.held) if match else ("", unit.held)
            found[unit.key] = replace(unit, worth=value, note=note, held=held)
    return list(found.values())
