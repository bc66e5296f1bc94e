"""Choose excerpts under a budget that is never exceeded. Pure.

In this order: what is required; whole functions of the best matches; what these call and are
called by, in a share of its own; matches again; last, by name alone, what else matches. A function
too long for its share shows its signature and the parts that match. Pieces are counted one by one
while choosing, and the finished text as a whole: what that saves is filled, and if it is more, the
last piece goes until it fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from satchel.assembler.packing import finish, forms, neighbours, sent_before, worth
from satchel.assembler.packing.costs import FENCE, Costs
from satchel.assembler.packing.forms import Interest
from satchel.assembler.packing.inputs import Tools
from satchel.assembler.packing.selection import Limits, Selection, taken
from satchel.assembler.packing.shown import Piece, ReadLines
from satchel.assembler.packing.units import Lines, Unit, split
from satchel.assembler.packing.worth import Standing
from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking.path_roles import place_of
from satchel.assembler.values import ContextPack, Receipt, Required, Scored
from satchel.assembler.weights import Packing
from satchel.store.model import RepoPath
from satchel.store.records import ChunkRecord

_TOKENS_A_CHUNK = 50
"""A budget of N tokens is chosen from N / 50 chunks: with N / 20 nothing more was found."""
LEAST_CHUNKS = 40
_MAX_NAMED = 6
"""Runs of lines that are named in one note."""
_SPARE = 60
"""Tokens of a pack that are not worth another round."""


def pack(ranked: Sequence[Scored], blank: Receipt, tools: Tools, weights: Packing) -> ContextPack:
    """The best use of `blank.budget` tokens. `ranked` is best first; `blank` has no counts yet."""
    # The learned model has scores of another scale, and so other floors.
    if tools.detail >= 1.0:
        weights = replace(
            weights,
            silence=weights.silence_of_change,
            min_relevance=weights.min_relevance_of_change,
        )
    floor = weights.min_relevance * ranked[0].score if ranked else 0.0
    relevant = [item for item in ranked if item.score >= floor and item.score > 0]
    # The receipt is part of what is promised, so its room is taken away before anything is chosen.
    blank = finish.with_room(blank, tools)
    room = blank.budget - tools.count(finish.framing(blank, FENCE))
    costs = Costs(tools.count, reader(tools))
    selection = Selection(costs, Interest(tools.rarity, tools.pointed.lines))
    # What is required is chosen before anything else, because what is shown is never taken back.
    for rank, wanted in enumerate(tools.required):
        for piece in _required_pieces(wanted, rank, tools, selection, room):
            selection.require(piece, room)
    n_considered = max(LEAST_CHUNKS, int(room) // _TOKENS_A_CHUNK)
    considered = _code(relevant, tools)[:n_considered]
    matches = ordered(kept(units_of(considered, tools, costs, weights), tools), weights)
    _fill(selection, matches, room, tools, weights)
    made = finish.finished(selection.pieces, matches, relevant, blank, costs, tools)
    # Excerpts that adjoin share a heading: the text as a whole is shorter than its parts.
    spare = blank.budget - made.receipt.used
    if spare >= _SPARE:
        _fill(selection, matches, selection.used + spare, tools, weights)
        fuller = finish.finished(selection.pieces, matches, relevant, blank, costs, tools)
        made = fuller if fuller.receipt.used > made.receipt.used else made
    return made


def _fill(
    selection: Selection, matches: Sequence[Unit], room: float, tools: Tools, weights: Packing
) -> None:
    """Everything that a pack shows of its own choice, within `room` tokens."""
    named = room * weights.names_share * (1 - tools.detail)
    code, structure = room - named, room * weights.structure_share
    limits = Limits(code, room * weights.longest_share, structure)
    # The first thousand tokens go to what matches, unless it leaves some: there is no room yet for
    # what it needs. What was named is there already.
    first = 0.0 if tools.required else weights.before_structure
    reserved = max(0.0, room - first) * weights.structure_share
    # The best match may take more than the share of one function, since it is what was most likely
    # asked for.
    if matches:
        selection.take_whole(matches[0], replace(limits, unit=code))
    # Matches leave the share of neighbours free at first, and the second round below gives them
    # what neighbours do not need.
    taken(selection, matches, replace(limits, total=code - reserved))
    found = tools.expand(neighbours.origins(selection.pieces)) if structure else ()
    beside = neighbours.units(found, tools, selection.costs.read)
    # Matches were marked when they were made; neighbours are made here.
    beside = sent_before.marked([(u, _bytes(u, selection.costs)) for u in beside], tools.sent)
    rest = ordered(neighbours.together(kept(beside, tools), matches, weights), weights)
    taken(selection, rest, limits, weights.n_parts)
    for unit in rest if named else ():
        selection.take_name(unit, room)
    selection.restore_comments(room)


def _code(relevant: Sequence[Scored], tools: Tools) -> list[Scored]:
    """The matches without documents, but for those that no code outranks."""
    if tools.wants_documents:
        return list(relevant)
    is_document = [
        place_of(i.chunk.path, i.chunk.language, i.chunk.is_test).topic == Topic.DOCUMENTATION
        for i in relevant
    ]
    # A document that comes before all code is the best answer there is, so it stays.
    first = is_document.index(False) if False in is_document else len(relevant)
    return [
        item
        for n, (item, document) in enumerate(zip(relevant, is_document, strict=True))
        if n < first or not document
    ]


def reader(tools: Tools) -> ReadLines:
    """Gives the lines of the file that a chunk is in, each file split once."""
    known: dict[RepoPath, Lines] = {}

    def read(chunk: ChunkRecord) -> Lines:
        if chunk.path not in known:
            known[chunk.path] = Lines(tools.source(chunk))
        return known[chunk.path]

    return read


def units_of(items: Sequence[Scored], tools: Tools, costs: Costs, weights: Packing) -> list[Unit]:
    """The units of some chunks with their worth, each once, in the order of the chunks."""
    around = tools.around(items)
    # Chunks come best first, so files stand in the order of their best chunks.
    files = {path: place for place, path in enumerate(dict.fromkeys(i.chunk.path for i in items))}
    found: dict[tuple[RepoPath, int, int], Unit] = {}
    for place, item in enumerate(items):
        lines = costs.read(item.chunk)
        share = item.score / items[0].score
        at = Standing(place, files[item.chunk.path], share, tools.detail)
        for unit in split(item, around[item.chunk.id], lines, tools.rarity):
            # A function that spans several chunks comes once for each; the first has the best
            # place in the ranking.
            if unit.key not in found:
                value = worth.worth(unit, _bytes(unit, costs), at, tools.rarity, weights)
                value *= worth.of_kind(
                    unit, detail=tools.detail, wants_tests=tools.wants_tests, weights=weights
                )
                valued = worth.named(replace(unit, worth=value), tools.named, weights)
                found[unit.key] = marked(valued, tools)
    listed = [(unit, _bytes(unit, costs)) for unit in found.values()]
    return sent_before.marked(listed, tools.sent)


def kept(units: Iterable[Unit], tools: Tools) -> list[Unit]:
    """The units of which no line was taken out by hand."""
    return [
        unit
        for unit in units
        if not any(
            place.overlaps(unit.chunk.path, unit.first, unit.last) for place in tools.taken_out
        )
    ]


def ordered(units: Iterable[Unit], weights: Packing) -> list[Unit]:
    """Units in the order in which they are shown: by worth.

    What is worth next to nothing against the best is left out: silence says more.
    """
    listed = list(units)
    floor = weights.silence * max((unit.worth for unit in listed), default=0.0)
    listed = [unit for unit in listed if unit.worth >= floor]
    # The key ends the comparison with path and lines, so that no tie is left to the order of
    # chunks.
    return sorted(listed, key=lambda u: (-u.worth, u.key))


def _bytes(unit: Unit, costs: Costs) -> bytes:
    return b"\n".join(costs.read(unit.chunk).between(unit.first, unit.last))


def marked(unit: Unit, tools: Tools) -> Unit:
    """The unit with what is to be said of its lines, if the question names any of them."""
    lines = tools.pointed.lines.get(unit.chunk.path)
    if not lines:
        return unit
    # The line below a function belongs to it: a diff often counts from there.
    named = [(a, b) for a, b in lines if a <= unit.last + 1 and b >= unit.first]
    if not named:
        return unit
    places = " ".join(str(a) if a == b else f"{a}-{b}" for a, b in named[:_MAX_NAMED])
    more = " …" if len(named) > _MAX_NAMED else ""
    note = f"{tools.pointed.word} {places}{more}"
    return replace(unit, worth=unit.worth * tools.pointed.factor, note=note)


def _required_pieces(
    wanted: Required, rank: int, tools: Tools, selection: Selection, room: float
) -> Iterable[Piece]:
    """The pieces that stand for required lines, the fullest that fits of each unit."""
    first, last = wanted.first_line, wanted.last_line
    for chunk in tools.chunks_of(wanted.path):
        if chunk.span.start_line > last or chunk.span.end_line < first:
            continue
        item = Scored(chunk, 1.0)
        around = tools.around([item])[chunk.id]
        lines = selection.costs.read(chunk)
        if wanted.text or wanted.is_exact:
            unit = Unit(chunk, first, min(last, len(lines)), None, around.belongs_to, 1.0, 1.0)
            unit = replace(unit, reason=wanted.reason)
            yield Piece(unit, ((unit.first, unit.last),), quoted=wanted.text, rank=rank)
            return
        for unit in split(item, around, lines, tools.rarity):
            if unit.last < first or unit.first > last or selection.shows(unit):
                continue
            unit = replace(unit, reason=wanted.reason, worth=1.0)
            # The head is counted even where the file is open, so that a piece chosen here always
            # passes `require`.
            left = room - selection.used - selection.costs.head(chunk.path)
            marks = {wanted.path: [(first, last)]}
            for piece in (
                forms.whole(unit),
                forms.trimmed(unit, selection.costs.read, Interest(tools.rarity, {})),
                forms.part(unit, selection.costs.read, Interest(tools.rarity, marks), 0.9 * left),
                forms.signature(unit),
            ):
                # A form that is too long is no reason to leave the place out, since the next one
                # is shorter.
                if piece is not None and selection.costs.of(piece) <= left:
                    yield replace(piece, rank=rank)
                    break
