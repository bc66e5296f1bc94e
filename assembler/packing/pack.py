"""Choose excerpts under a budget that is never exceeded. Pure.

Pieces are shown in their one order (`packing.order`) while they fit and pay, each counted by
itself; of the first that does not fit a part may be. Then the finished text is counted as a whole:
if there are too many tokens, the piece that was chosen last goes until the text fits.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from satchel.assembler.kinds import End
from satchel.assembler.lookup import absence
from satchel.assembler.packing import finish, sent_before, worth
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.forms import Interest
from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.order import Order
from satchel.assembler.packing.selection import Selection
from satchel.assembler.packing.shown import reader
from satchel.assembler.packing.units import Key, Unit, split
from satchel.assembler.packing.worth import Evidence, evidence
from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.values import ContextPack, Ending, Receipt, Scored
from satchel.assembler.weights import Packing

_BATCH = 100
"""Chunks that units are made from at a time, best first: of 4,000 and 8,000 tokens 300 made no
other packs."""
_MAX_NAMED = 6
"""Runs of lines that are named in one note."""


def pack(
    ranked: Sequence[Scored], blank: Receipt, inputs: PackInputs, weights: Packing, turn: int = 0
) -> ContextPack:
    """A pack that stays within its token budget, `blank.budget`: the beginning of its order.

    `ranked` is best first; `blank` has no counts yet.
    """
    if _is_weak(ranked, inputs, weights):
        blank = replace(blank, notices=(*blank.notices, absence.weak_match(ranked[0].score)))
    # The receipt is part of what is promised, so its room is taken away before anything is chosen.
    blank, room = finish.with_fitting_notices(blank, inputs)
    costs = Costs(inputs.count, reader(inputs.index.source))
    interest = Interest(inputs.idf, inputs.pointed.lines)
    selection = Selection(costs, interest, weights.alike)
    known = evidence(ranked, inputs)
    relevant = _without_documents(_eligible(ranked, inputs), inputs)
    order = Order(
        selection, _batches(relevant, known, inputs, costs, weights), known, inputs, weights
    )
    ending = _fill(order, selection, room.code, turn)
    is_full = ending.end == End.FULL
    if is_full and blank.known and not selection.pieces:
        # What is known stands beside code: it does not take the room of the only excerpt.
        return pack(ranked, replace(blank, known=()), inputs, weights, turn)
    receipt = replace(blank, ending=ending if is_full or selection.pieces else None)
    matched = {item.chunk.id for item in relevant}
    return finish.finished(selection, order.matches, matched, receipt, inputs, room)


def _batches(
    relevant: Sequence[Scored],
    known: Evidence,
    inputs: PackInputs,
    costs: Costs,
    weights: Packing,
) -> Iterator[list[Unit]]:
    """The units of so many chunks at a time, each batch best first.

    Most packs are full before the first batch is used up; to read and weigh the units of three
    times as many chunks took a third of the time of a pack.
    """
    seen: set[Key] = set()
    for start in range(0, len(relevant), _BATCH):
        batch = relevant[start : start + _BATCH]
        units = [u for u in units_of(batch, known, inputs, costs, weights) if u.key not in seen]
        seen.update(unit.key for unit in units)
        yield worth.in_order(inputs.not_taken_out(units), weights)


def _eligible(ranked: Sequence[Scored], inputs: PackInputs) -> list[Scored]:
    """The matches that may be shown; of a diff that says all by itself those in its files."""
    own = {wanted.path for wanted in inputs.required} if inputs.only_required else None
    return [i for i in ranked if i.score > 0 and (own is None or i.chunk.path in own)]


def _fill(order: Order, selection: Selection, available: int, turn: int) -> Ending:
    """Show the pieces of an order while they fit and pay; why that ends.

    Where nothing needed was shown, what is missing costs two turns more: its name is not known, so
    that somebody asks in other words, and looks at what is found, before they read it.
    """
    costs = selection.costs
    nothing = 1.0  # the probability that nothing needed is among what is shown
    for piece in order.pieces():
        # What is least unlikely is shown in any case: an empty pack says less.
        if turn and selection.pieces and not order.pays(piece, (1 + 2 * nothing) * turn):
            return finish.ending(End.ENOUGH, piece, selection)
        if not piece.is_gap:
            nothing *= 1 - piece.unit.worth
        if selection.spent + selection.cost(piece) <= available:
            continue
        # Excerpts that adjoin share a heading: the text as a whole is shorter than its parts.
        if costs.used(selection.with_piece(piece)) > available:
            # What a part takes the place of pays for it, if it shows all of that.
            others = selection.with_piece(piece)[:-1]
            for beside in (others, selection.pieces):
                part = order.part(piece, available - costs.used(beside))
                if part is not None and selection.grows(part, beside):
                    selection.show(part)
                    break
            return finish.ending(End.FULL, piece, selection)
    return Ending(End.ALL)


def _is_weak(ranked: Sequence[Scored], inputs: PackInputs, weights: Packing) -> bool:
    """Whether even the best match scores so little that it may well be none."""
    # Who asks for a place by its name, or pastes one, is shown what was meant whatever it scores;
    # and the scores of tests have a penalty.
    is_judged = bool(ranked) and not inputs.required and not inputs.wants_tests
    return is_judged and ranked[0].score < weights.sure


def _without_documents(relevant: Sequence[Scored], inputs: PackInputs) -> list[Scored]:
    """The matches without documents, settings and translations that nobody asks for.

    Templates, components and style sheets are code (`store.reading.languages`). Documents that rank
    before all code stay, as the best answer there is; so does configuration, except where one place
    is meant and there is code; translations stay only where there is none. In a review none stays,
    nor of a manifest that a run led to more than the lines that name its package.
    """
    left_out = {Topic.DOCUMENTATION, Topic.CONFIGURATION, Topic.TRANSLATIONS} - inputs.topics
    topics = [role_of(i.chunk.path, i.chunk.language, i.chunk.is_test).topic for i in relevant]
    n_before_code = next((n for n, each in enumerate(topics) if each not in left_out), len(topics))
    has_code = n_before_code < len(topics)
    stay_before_code = set() if inputs.only_required else left_out
    if has_code:
        never = {Topic.TRANSLATIONS, Topic.CONFIGURATION} if inputs.detail else {Topic.TRANSLATIONS}
        stay_before_code = stay_before_code - never
    by_line = {w.path for w in inputs.required if w.is_exact and not (w.is_asked or w.is_neighbour)}
    return [
        item
        for n, (item, topic) in enumerate(zip(relevant, topics, strict=True))
        if (topic not in left_out or (n < n_before_code and topic in stay_before_code))
        and not (topic == Topic.CONFIGURATION and item.chunk.path in by_line)
    ]


def units_of(
    items: Sequence[Scored], known: Evidence, inputs: PackInputs, costs: Costs, weights: Packing
) -> list[Unit]:
    """The units of some chunks with their worth, each once, in the order of the chunks."""
    around = inputs.index.around(items)
    found: dict[Key, Unit] = {}
    for item in items:
        parts = split(item, around[item.chunk.id], costs.read(item.chunk), inputs.idf)
        for unit in parts:
            # A function that spans several chunks comes once for each; the first has the best
            # place in the ranking.
            if unit.key not in found:
                valued = worth.weighed(unit, costs.text_of(unit), known, inputs, weights)
                found[unit.key] = _with_pointed_lines(valued, inputs)
    return sent_before.with_reply_numbers([*found.values()], costs.text_of, inputs.sent)


def _with_pointed_lines(unit: Unit, inputs: PackInputs) -> Unit:
    """The unit, worth more and with a note where the question names lines of it."""
    lines = inputs.pointed.lines.get(unit.chunk.path)
    if not lines:
        return unit
    # The line below a function belongs to it: a diff often counts from there.
    named = [(a, b) for a, b in lines if a <= unit.last + 1 and b >= unit.first]
    if not named:
        return unit
    places = " ".join(str(a) if a == b else f"{a}-{b}" for a, b in named[:_MAX_NAMED])
    more = " …" if len(named) > _MAX_NAMED else ""
    note = f"{inputs.pointed.word} {places}{more}"
    return replace(unit, worth=worth.with_odds_times(unit.worth, inputs.pointed.factor), note=note)
