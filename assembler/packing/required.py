"""What a pack must show first, whatever its score: code that the question names outright. Pure.

Each source of such places is a function here or in its own module, and `required` joins them in
the order in which a pack shows them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import symbols
from satchel.assembler.lookup.prototypes import without_announced
from satchel.assembler.packing import forms
from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.selection import Selection
from satchel.assembler.packing.shown import Piece, without
from satchel.assembler.packing.units import Unit, of_gone, split
from satchel.assembler.query.qualified import qualifier
from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import Query
from satchel.assembler.ranking.candidates import members_of_variable
from satchel.assembler.values import MAX_MEANT, Required, Scored
from satchel.store import path_filter
from satchel.store.counted import counted
from satchel.store.model import FUNCTIONS, WITH_CODE, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_FEW, _SHORT = 4, 40
"""A name means all of so many definitions where they have so few lines together. Overloads of one
qualified name have comments that are as long."""


def required(
    snapshot: Snapshot,
    asked: Query,
    scope: Scope,
    path: str,
    best: Sequence[Scored] | None,
    pasted: Sequence[Required] = (),
) -> tuple[Required, ...]:
    """Everything that is required, first things first, each place once.

    `pasted` is what the output of a program or a diff asks for (`traced`, `changed`): it comes
    before names, which a question in words has alone. A name leads only to functions that lie in
    the `best` matches, if these are given.
    """
    under = [place for place in pasted if path_filter.admits(path, place.path)]
    # A word such as `head()` is the name of some function in any large tree; where the rest of the
    # question has nothing to do with that one, it was not meant.
    meant = named(snapshot, asked, scope, path)
    if best is not None:
        meant = [place for place in meant if any(_holds(match, place) for match in best)]
    return tuple(dict.fromkeys([*under, *meant]))


def _holds(match: Scored, place: Required) -> bool:
    """Whether a match shows lines of a place."""
    span = match.chunk.span
    return (
        match.chunk.path == place.path
        and span.start_line <= place.last_line
        and place.first_line <= span.end_line
    )


def changed_by_hand(places: Sequence[Required], question: Question) -> tuple[Required, ...]:
    """Required places with what a person put in before them, and without what was taken out."""
    put_in = [
        Required(place.path, place.first_line, place.last_line, "put in by hand")
        for place in question.put_in
    ]
    kept = [
        wanted
        for wanted in places
        if not any(
            place.overlaps(wanted.path, wanted.first_line, wanted.last_line)
            for place in question.taken_out
        )
    ]
    return tuple(dict.fromkeys([*put_in, *kept]))


def named(snapshot: Snapshot, asked: Query, scope: Scope, path: str) -> list[Required]:
    """Functions that the question writes as code, `Class.method` or `func()`, in its order."""
    found: list[Required] = []
    for name in dict.fromkeys((*asked.identifiers, *asked.members)):
        meant = [
            record
            for record in without_announced(_written_so(snapshot, name))
            if scope.admits(record.is_test) and path_filter.admits(path, record.path)
        ]
        if _is_clear(meant, is_qualified=bool(qualifier(name))):
            found += [
                Required(r.path, r.span.start_line, r.span.end_line, "named by the question")
                for r in meant
            ]
    return found


def _written_so(snapshot: Snapshot, name: str) -> list[SymbolRecord]:
    """The functions and, after an owner, the properties that a name written as code can mean.

    What stands before the last name may be a variable, as in `request.json()`; then members of one
    class may be meant, if no other class has members called so.
    """
    # The name of a class is not that of a function, though its constructor may have it too.
    kinds = WITH_CODE if qualifier(name) else FUNCTIONS - {SymbolKind.CONSTRUCTOR}
    every = symbols.matching(snapshot, name)
    if every or not qualifier(name):
        return [record for record in every if record.kind in kinds]
    members = members_of_variable(snapshot, name)
    return members if len({record.qualified_name for record in members}) == 1 else []


def _is_clear(meant: Sequence[SymbolRecord], *, is_qualified: bool) -> bool:
    """Whether definitions are few and short enough to be meant all of them.

    A bare name says less of which function is meant, so several are required only where they take
    little room, as the same method of a few small classes does. So do overloads.
    """
    n_lines = sum(r.span.end_line - r.span.start_line + 1 for r in meant)
    are_overloads = is_qualified and len({record.qualified_name for record in meant}) == 1
    if len(meant) <= _FEW and n_lines <= (2 * _SHORT if are_overloads else _SHORT):
        return True
    return len(meant) <= (MAX_MEANT if is_qualified else 1)


def pieces(
    wanted: Required, place: int, inputs: PackInputs, selection: Selection, room: float
) -> Iterator[tuple[Piece, Piece]]:
    """The pieces that show required lines, each with the fuller form that it may grow to.

    What is asked for by its name is whole; of anything else that takes more than `room` tokens the
    part around the lines.
    """
    first, last = wanted.first_line, wanted.last_line
    chunks = inputs.index.chunks_of(wanted.path)
    if wanted.text and not chunks:
        piece = Piece(of_gone(wanted), ((first, last),), quoted=wanted.text, rank=place)
        yield _fitted(piece, wanted, selection, room)
    for chunk in chunks:
        if chunk.span.start_line > last or chunk.span.end_line < first:
            continue
        item = Scored(chunk, 1.0)
        around = inputs.index.around([item])[chunk.id]
        lines = selection.costs.read(chunk)
        if wanted.text or wanted.is_exact:
            name = wanted.symbol or (None if wanted.text else around.belongs_to)
            unit = Unit(chunk, first, min(last, len(lines)), None, name, 1.0, 1.0)
            unit = replace(unit, reason=wanted.reason, is_neighbour=wanted.is_neighbour)
            piece = Piece(unit, ((unit.first, unit.last),), quoted=wanted.text, rank=place)
            yield _fitted(piece, wanted, selection, room)
            return
        for unit in split(item, around, lines, inputs.idf):
            if unit.last >= first and unit.first <= last and not selection.shows(unit):
                yield from _of_unit(unit, wanted, place, selection, room)


def _of_unit(
    unit: Unit, wanted: Required, place: int, selection: Selection, room: float
) -> Iterator[tuple[Piece, Piece]]:
    """A unit that required lines touch."""
    unit = replace(unit, reason=wanted.reason, is_neighbour=wanted.is_neighbour, worth=1.0)
    unmarked = replace(selection.interest, pointed={})
    form = (
        forms.whole(unit)
        if wanted.is_asked
        else forms.trimmed(unit, selection.costs.read, unmarked)
    )
    full = replace(form, rank=place, is_read_last=wanted.is_read_last, told=wanted.told)
    if without(full.ranges, wanted.told):
        yield _fitted(full, wanted, selection, room)


def _fitted(
    full: Piece, wanted: Required, selection: Selection, room: float
) -> tuple[Piece, Piece]:
    """A piece, or its part where it is too long and not asked for, and the piece."""
    is_whole = wanted.is_asked and not wanted.text
    if is_whole or selection.costs.of(full) <= room:
        return full, full
    return part(full, wanted, selection, room) or full, full


def part(piece: Piece, wanted: Required, selection: Selection, room: float) -> Piece | None:
    """The part of a required piece around its lines that takes at most so many tokens, or its
    signature; None where not even that fits."""
    if piece.quoted:
        return _beginning(len(piece.quoted.split("\n")), _cut_text(piece), selection, room)
    if wanted.is_exact and not wanted.at:
        cut = _cut_lines(piece, wanted)
        return _beginning(piece.unit.n_lines, cut, selection, room)
    lines = [(wanted.first_line, wanted.last_line)]
    if wanted.at:
        lines = [(wanted.first_line, wanted.first_line), (wanted.at, wanted.at)]
    interest = replace(selection.interest, pointed={wanted.path: lines})
    for form in (selection.part(piece.unit, room, interest), forms.signature(piece.unit)):
        if form and (without(form.ranges, wanted.told) or not form.ranges):
            form = replace(form, rank=piece.rank, is_read_last=piece.is_read_last, told=wanted.told)
            if selection.cost(form) <= room:
                return form
    return None


def _beginning(
    n_lines: int, cut: Callable[[int], Piece], selection: Selection, room: float
) -> Piece | None:
    """The longest of the beginnings of something that takes at most so many tokens, None if the
    first line takes more; `cut` makes one of so many lines."""
    n = bisect_right(range(1, n_lines), room, key=lambda n: selection.cost(cut(n)))
    return cut(n) if n else None


def _cut_text(piece: Piece) -> Callable[[int], Piece]:
    """The first lines of a hunk, and how many follow."""
    lines = piece.quoted.split("\n")

    def cut(n: int) -> Piece:
        text = "\n".join([*lines[:n], f"… {counted(len(lines) - n, 'more line')}"])
        n_own = sum(line[:1] in ("+", " ") for line in lines[:n])
        last = min(piece.unit.last, piece.unit.first + max(0, n_own - 1))
        return replace(piece, ranges=((piece.unit.first, last),), quoted=text, is_cut=True)

    return cut


def _cut_lines(piece: Piece, wanted: Required) -> Callable[[int], Piece]:
    """The first of some lines, with a reason that says where to go on."""
    unit = piece.unit

    def cut(n: int) -> Piece:
        last = unit.first + n - 1
        reason = f"{wanted.reason}, {last + 1}-{unit.last} did not fit"
        return replace(
            piece, unit=replace(unit, reason=reason), ranges=((unit.first, last),), is_cut=True
        )

    return cut
