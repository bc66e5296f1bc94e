"""Choose excerpts under a budget that is never exceeded. Pure.

In this order: what is required; whole functions of the best matches; what these call and are
called by, in a share of its own; and matches again. A function too long for its share shows its
signature and the parts that match. While pieces are chosen, each is counted by itself. Then the
finished text is counted as a whole: tokens that are left are filled, and if there are too many, the
piece that was chosen last goes until the text fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from msgspec.structs import replace

from satchel.assembler.kinds import brief
from satchel.assembler.lookup import absence
from satchel.assembler.packing import finish, neighbours, required, sent_before, worth
from satchel.assembler.packing.costs import FENCE, Costs
from satchel.assembler.packing.forms import Interest
from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.selection import Limits, Selection
from satchel.assembler.packing.shown import reader
from satchel.assembler.packing.units import Key, Unit, split
from satchel.assembler.packing.worth import RankPosition
from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking.declared_options import Listed
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.ranking.rank import spread
from satchel.assembler.values import ContextPack, Receipt, Scored
from satchel.assembler.weights import Packing

_SMALL_PACK_TOKENS = 1_000
"""Tokens of a pack for which `Packing.next_of_file` holds."""
_TOKENS_A_CHUNK = 50
"""A budget of N tokens is chosen from N / 50 chunks: with N / 20 nothing more was found."""
LEAST_CHUNKS = 40
_PART = 300
"""Tokens that a part of a function may take in the smallest packs, or it would say nothing."""
_MAX_NAMED = 6
"""Runs of lines that are named in one note."""
_EXTENDED, _LONGEST_HEAD = 2, 40
"""How many best matches bring the beginning of their types where something is added, and how many
lines that has at most."""
_SPARE = 60
"""Tokens of a pack that are not worth another round."""


def pack(
    ranked: Sequence[Scored], blank: Receipt, inputs: PackInputs, weights: Packing
) -> ContextPack:
    """A pack that stays within its token budget, `blank.budget`, and makes the best use of it.

    `ranked` is best first; `blank` has no counts yet.
    """
    weights = worth.of_addition(weights) if inputs.is_addition else weights
    relevant = _relevant(ranked, blank.budget, inputs, weights)
    is_weak = _is_weak(ranked, inputs, weights)
    if is_weak:
        blank = replace(blank, notices=(*blank.notices, absence.weak_match(ranked[0].score)))
    # Gaps between excerpts are looked at in every round.
    inputs = replace(inputs, chunks_of=cache(inputs.chunks_of))
    # The receipt is part of what is promised, so its room is taken away before anything is chosen.
    blank = finish.with_fitting_notices(blank, inputs)
    available = blank.budget - inputs.count(finish.framing(blank, FENCE))
    costs = Costs(inputs.count, reader(inputs.source))
    interest = Interest(inputs.idf, inputs.pointed.lines, weights.near_line)
    selection = Selection(costs, interest, weights.alike)
    # What is required is chosen before anything else, because what is shown is never taken back.
    is_whole = _require(selection, available, inputs, weights)
    ends_at, eligible = blank.budget, relevant
    if is_weak and not inputs.detail:
        # The best of what hardly matches may still help, the rest is noise.
        ends_at = int(blank.budget * weights.weak_share)
    elif inputs.only_required and selection.pieces:
        blank = replace(blank, is_nearest=is_whole)
        # Where little belongs to a diff, the rest of its files says what it means.
        ends_at = int(blank.budget * weights.review_share)
        own = {wanted.path for wanted in inputs.required}
        eligible = [item for item in relevant if item.chunk.path in own]
    available = max(0, available - (blank.budget - ends_at))
    # For a diff nothing is searched, so that the receipt counts no match as left out.
    relevant = [] if inputs.only_required else relevant
    if inputs.only_required and selection.used >= available:
        return finish.finished(selection.pieces, (), relevant, blank, costs, inputs)
    n_considered = max(LEAST_CHUNKS, int(available) // _TOKENS_A_CHUNK)
    considered = _without_documents(eligible, inputs)[:n_considered]
    min_share = worth.min_share(blank.budget, inputs, weights)
    units = _not_taken_out(units_of(considered, inputs, costs, weights), inputs)
    matches = _by_worth(units, min_share)
    offered = _choose(selection, matches, available, inputs, weights, min_share)
    made = finish.finished(selection.pieces, matches, relevant, blank, costs, inputs)
    # Excerpts that adjoin share a heading: the text as a whole is shorter than its parts.
    spare = ends_at - made.receipt.used
    if spare >= _SPARE:
        _use_rest(selection, offered, selection.used + spare, inputs, weights)
        fuller = finish.finished(selection.pieces, matches, relevant, blank, costs, inputs)
        made = fuller if fuller.receipt.used > made.receipt.used else made
    return made


def _is_weak(ranked: Sequence[Scored], inputs: PackInputs, weights: Packing) -> bool:
    """Whether even the best match scores so little that it may well be none."""
    # Who asks for a place by its name, or pastes one, is shown what was meant whatever it scores;
    # and the scores of tests have a penalty.
    is_judged = bool(ranked) and not inputs.required and not inputs.wants_tests
    return is_judged and ranked[0].score < weights.sure


def _require(selection: Selection, available: float, inputs: PackInputs, weights: Packing) -> bool:
    """Choose what is required, as far as it fits; whether all code of it is shown."""
    longest_part = _limits(available, inputs, weights).part
    is_whole = True
    for place, wanted in enumerate(inputs.required):
        for piece in required.pieces(wanted, place, inputs, selection, available, longest_part):
            is_whole &= selection.show(piece, available) and not piece.is_cut
    return is_whole


def _relevant(
    ranked: Sequence[Scored], budget: int, inputs: PackInputs, weights: Packing
) -> list[Scored]:
    """The matches that come near enough to the best, spread over files; the others are counted."""
    # A small pack tells which files answer; one that has the room shows the functions of the best.
    next_of_file = round(weights.next_of_file ** (_SMALL_PACK_TOKENS / budget), 3)
    ranked = spread(ranked, inputs.weighed(next_of_file, 1.0), len(ranked))
    many = weights.min_relevance * worth.strictness(budget, weights)
    # What a trace points at scores far above what words find, so a share of the best score says
    # nothing of the others.
    share = inputs.weighed(many, 0.0 if inputs.pointed.lines else weights.min_relevance_one)
    floor = share * worth.best_in_words(ranked)
    return [item for item in ranked if item.score >= floor and item.score > 0]


def _choose(
    selection: Selection,
    matches: Sequence[Unit],
    available: float,
    inputs: PackInputs,
    weights: Packing,
    min_share: float,
) -> list[Unit]:
    """Choose units beyond what is required; returns all that were offered, best first."""
    limits = _limits(available, inputs, weights)
    selection.keep_comments(matches[: weights.n_commented], weights.comments_share * available)
    # The best match may take more than the share of one function, since it is what was most likely
    # asked for. If it is too long even so, its part comes before the matches that fit.
    if matches and not selection.take_whole(matches[0], replace(limits, unit=available)):
        selection.take_part(matches[0], limits)
    # Where one place is meant, it is oftener the next match than a neighbour of the best one.
    for unit in matches[1 : round(inputs.weighed(1, weights.n_first_one))]:
        selection.take_whole(unit, limits)
    if inputs.is_addition:
        # What is added is listed in a field or a table beside the code that will act on it.
        for unit in neighbours.heads(
            matches[:_EXTENDED], inputs, selection.costs.read, _LONGEST_HEAD
        ):
            selection.take_whole(unit, limits)
    linked = worth.linked_factor(available, inputs, weights)
    offered = list(matches)
    for share in weights.rounds:
        selection.fill(offered, limits, until=share * available)
        _close_gaps(selection, inputs, available, weights)
        # What the best code needs competes with the matches that come after it.
        origins = neighbours.origins(selection.pieces, matches, inputs.unshown)
        found = inputs.expand(origins)
        nearby = neighbours.units(found, inputs, selection.costs.read, weights)
        if inputs.declared and share == weights.rounds[0]:
            # Where an option is added, what is declared so far is as much needed as what reads it.
            lists = [_list_unit(found, selection.costs) for found in inputs.declared(origins)]
            for unit in _for_selection(lists, selection.costs, inputs):
                selection.take_whole(unit, limits)
        nearby = _for_selection(nearby, selection.costs, inputs)
        together = neighbours.together(nearby, matches, inputs, weights, linked)
        offered = _by_worth(together, min_share)
    _use_rest(selection, offered, available, inputs, weights)
    return offered


def _list_unit(found: Listed, costs: Costs) -> Unit:
    """A place where options are declared, as a unit."""
    last = min(found.last, len(costs.read(found.chunk)))
    unit = Unit(found.chunk, found.first, last, None, None, found.score)
    reason = f"options declared, read by {brief(found.of)}" if found.of else "option declared"
    return replace(unit, reason=reason, is_neighbour=True)


def _for_selection(units: Sequence[Unit], costs: Costs, inputs: PackInputs) -> list[Unit]:
    """The units without those taken out by hand, marked with what the client was sent of them.

    Matches are marked when they are made; neighbours are made while a pack is filled.
    """
    texts = [(unit, costs.text_of(unit)) for unit in units]
    return _not_taken_out(sent_before.with_reply_numbers(texts, inputs.sent), inputs)


def _use_rest(
    selection: Selection,
    offered: Sequence[Unit],
    available: float,
    inputs: PackInputs,
    weights: Packing,
) -> None:
    """Show what still fits of the offered units; then close gaps and restore comments."""
    limits = _limits(available, inputs, weights)
    selection.fill(offered, limits, n_parts=weights.n_parts)
    _close_gaps(selection, inputs, available, weights)
    selection.restore_comments(available)


def _limits(available: float, inputs: PackInputs, weights: Packing) -> Limits:
    return Limits(
        available,
        available * weights.longest_share,
        max(_PART, available * weights.part_share),
        available * inputs.weighed(weights.structure_share, weights.structure_share_one),
    )


def _close_gaps(selection: Selection, inputs: PackInputs, limit: float, weights: Packing) -> None:
    for piece in neighbours.closing(selection.pieces, inputs, selection.costs.read, weights):
        selection.show(piece, limit)


def _without_documents(relevant: Sequence[Scored], inputs: PackInputs) -> list[Scored]:
    """The matches without documents and configuration that the question does not ask for.

    Templates, components and style sheets are code (`store.reading.languages`). Documents that rank
    before all code stay, as the best answer there is; so does configuration, except where one place
    is meant and there is code. In a review none stays.
    """
    left_out = {Topic.DOCUMENTATION, Topic.CONFIGURATION} - inputs.topics
    topics = [role_of(i.chunk.path, i.chunk.language, i.chunk.is_test).topic for i in relevant]
    n_before_code = next((n for n, each in enumerate(topics) if each not in left_out), len(topics))
    has_code = n_before_code < len(topics)
    stay_before_code = set() if inputs.only_required else left_out
    if inputs.detail and has_code:
        stay_before_code = stay_before_code - {Topic.CONFIGURATION}
    return [
        item
        for n, (item, topic) in enumerate(zip(relevant, topics, strict=True))
        if topic not in left_out or (n < n_before_code and topic in stay_before_code)
    ]


def units_of(
    items: Sequence[Scored], inputs: PackInputs, costs: Costs, weights: Packing
) -> list[Unit]:
    """The units of some chunks with their worth, each once, in the order of the chunks."""
    around = inputs.around(items)
    # Chunks come best first, so files stand in the order of their best chunks.
    files = {path: place for place, path in enumerate(dict.fromkeys(i.chunk.path for i in items))}
    found: dict[Key, Unit] = {}
    best = worth.best_in_words(items)
    for place, item in enumerate(items):
        lines = costs.read(item.chunk)
        share = min(1.0, item.score / best)
        at = RankPosition(place, files[item.chunk.path], share, inputs.detail)
        parts = split(
            item, around[item.chunk.id], lines, inputs.idf, keeps_small=inputs.is_addition
        )
        for unit in parts:
            # A function that spans several chunks comes once for each; the first has the best
            # place in the ranking.
            if unit.key not in found:
                value = worth.worth(unit, costs.text_of(unit), at, inputs.idf, weights)
                value *= worth.of_kind(
                    unit, detail=inputs.detail, wants_tests=inputs.wants_tests, weights=weights
                )
                valued = worth.named(replace(unit, worth=value), inputs.named, weights)
                found[unit.key] = _with_pointed_lines(valued, inputs)
    listed = [(unit, costs.text_of(unit)) for unit in found.values()]
    return sent_before.with_reply_numbers(listed, inputs.sent)


def _not_taken_out(units: Iterable[Unit], inputs: PackInputs) -> list[Unit]:
    """The units of which no line was taken out by hand."""
    return [
        unit
        for unit in units
        if not any(
            place.overlaps(unit.chunk.path, unit.first, unit.last) for place in inputs.taken_out
        )
    ]


def _by_worth(units: Iterable[Unit], min_share: float) -> list[Unit]:
    """Units in the order in which they are shown: by worth.

    Units worth less than this share (0..1) of the best are left out.
    """
    listed = list(units)
    floor = min_share * max((unit.worth for unit in listed), default=0.0)
    listed = [unit for unit in listed if unit.worth >= floor]
    # The key ends the comparison with path and lines, so that no tie is left to the order of
    # chunks.
    return sorted(listed, key=lambda u: (-u.worth, u.key))


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
    return replace(unit, worth=unit.worth * inputs.pointed.factor, note=note)
