"""What the shown code needs: the functions and types it calls, its callers, as units. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.shown import Piece, ReadLines
from satchel.assembler.packing.units import Unit, split
from satchel.assembler.values import Neighbour, Origin, Scored
from satchel.assembler.weights import Packing
from satchel.store.model import RepoPath

_LINES, _FEW = 20, 10
"""Lines of a neighbour whose size counts neither for nor against it; of the shortest that counts
as shorter."""


def origins(pieces: Iterable[Piece], matches: Sequence[Unit]) -> list[Origin]:
    """The chunks of which code is shown, in the order in which it was chosen.

    The score of each is the worth of its best unit against the best match, so that what the best
    code calls comes before what lesser code calls. Of the symbols in one, those in the unit that
    is worth most matter most.
    """
    best_of_all = max((unit.worth for unit in matches), default=0.0) or 1.0
    found: dict[int, tuple[Unit, dict[int, float]]] = {}
    for piece in pieces:
        if piece.is_text:
            unit = piece.unit
            # What is required was chosen before anything was weighed, and counts as the best.
            value = best_of_all if piece.rank is not None else unit.worth
            _, worths = found.setdefault(unit.chunk.id, (unit, {}))
            worths.update({symbol.id: value for symbol in unit.symbols})
    listed: list[Origin] = []
    for unit, worths in found.values():
        best = max(worths.values(), default=0.0)
        shown = {symbol: worth / best for symbol, worth in worths.items()} if best else {}
        listed.append(Origin(unit.chunk, min(1.0, best / best_of_all), shown))
    return listed


def units(
    found: Sequence[Neighbour], inputs: PackInputs, read: ReadLines, weights: Packing
) -> list[Unit]:
    """The units that neighbours are defined in, best first.

    What is called explains its caller, be it long or short, so a short one is worth more: more of
    them fit.
    """
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
            worth = neighbour.score * (_LINES / max(_FEW, unit.n_lines)) ** weights.by_size_nearby
            result.append(replace(unit, name=name, worth=worth, reason=neighbour.reason))
    return sorted(result, key=lambda unit: (-unit.worth, unit.key))


def together(nearby: Iterable[Unit], matches: Sequence[Unit], weights: Packing) -> list[Unit]:
    """Matches and neighbours by one measure, in no order; each unit once.

    What matches and is a neighbour as well is likelier to be meant than either.
    """
    found = {unit.key: unit for unit in matches}
    best = max((unit.worth for unit in matches), default=1.0)
    linked: set[tuple[RepoPath, int, int]] = set()
    for unit in nearby:
        known = found.get(unit.key)
        value = weights.neighbour * unit.worth * best
        # A unit that an earlier neighbour put here has a reason and is no match, so it must not
        # count as one; nor does a match count twice for two neighbours.
        if known and not known.reason and unit.key not in linked:
            linked.add(unit.key)
            known = found[unit.key] = replace(known, worth=weights.linked * known.worth)
        if known is None or value > known.worth:
            # The match says what to look at and what the client holds, which the neighbour does
            # not know.
            note, held = (known.note, known.held) if known else ("", unit.held)
            found[unit.key] = replace(unit, worth=value, note=note, held=held)
    return list(found.values())
