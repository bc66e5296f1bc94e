"""From chosen pieces to the text of a reply and a receipt that counts itself. Pure."""

from collections.abc import Iterable, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler import quoting, render
from satchel.assembler.budget import MAX_BUDGET
from satchel.assembler.kinds import Detail, End, brief
from satchel.assembler.packing import sent_before
from satchel.assembler.packing.costs import FENCE
from satchel.assembler.packing.inputs import PackInputs
from satchel.assembler.packing.selection import Selection
from satchel.assembler.packing.shown import Piece, excerpt, groups
from satchel.assembler.packing.units import Unit
from satchel.assembler.values import ContextPack, Ending, Excerpt, Receipt, Waiting

_MAX_WAITING = 50
"""Units that did not fit and are named, the best of them."""
_NAME = 30
"""Characters of the name of what comes next."""
KNOWN_SHARE = 0.1
"""Share of a budget for what is known of the code, the design's tenth."""
_NOTICES, _LEFT_OUT = 0.25, 0.05
"""The largest for notices, and for the names of what is not shown of a diff."""
_TOKENS_A_LINE = 12
"""What a line of a unit that is not shown is taken to cost; nobody counts its tokens."""


class Room(Struct, frozen=True):
    """What of a budget is left for code, and for what is said of required places that are absent.

    Both grow with the budget, by a token each at most: were a note to take more room in a larger
    pack, this could lack what a smaller one shows.
    """

    code: int
    left_out: int


def with_fitting_notices(blank: Receipt, inputs: PackInputs) -> tuple[Receipt, Room]:
    """The receipt without the notices that have no room, of which the last ones go first; and what
    is left."""
    bare = replace(blank, notices=(), absent=(), known=())
    frame, budget = inputs.count(framing(bare)), blank.budget
    said = inputs.count(framing(replace(blank, known=()))) - frame
    limit = min(said, int(_NOTICES * budget))
    known = int(KNOWN_SHARE * budget) if blank.known else 0
    for name in ("notices", "absent"):
        while getattr(blank, name) and said > limit:
            blank = replace(blank, **{name: getattr(blank, name)[:-1]})
            said = inputs.count(framing(replace(blank, known=()))) - frame
    most = inputs.left_out(set(), int(_LEFT_OUT * MAX_BUDGET)) if inputs.left_out else ""
    left_out = min(inputs.count(most), int(_LEFT_OUT * budget))
    return blank, Room(budget - frame - limit - known - left_out, left_out)


def framing(blank: Receipt) -> str:
    """The text of a pack without excerpts, with counts at least as long as the final ones."""
    longest = replace(
        blank,
        # The number of a budget takes more tokens the longer it is.
        budget=MAX_BUDGET,
        used=MAX_BUDGET,
        n_excerpts=100,
        n_neighbours=100,
        n_omitted=9999,
        ending=Ending(End.ENOUGH, "W" * _NAME, 99_999, 1.0),
    )
    text = render.pack_text(longest, (), FENCE)
    # Without excerpts a pack has an opening only if it quotes what is known.
    return text if blank.known else render.opening(FENCE) + text


def finished(
    selection: Selection,
    units: Sequence[Unit],
    matched: Set[int],
    blank: Receipt,
    inputs: PackInputs,
    room: Room,
) -> ContextPack:
    """The pack; what was chosen last goes while the text as a whole is too long.

    `units` were chosen from, best first; `matched` are the ids of all chunks that match.
    """
    costs = selection.costs
    lost = inputs.index.lost(piece.unit.chunk.path for piece in selection.pieces)
    while True:
        pieces = selection.pieces
        chosen = groups(pieces)
        excerpts = [
            replace(shown, lost=lost.get(shown.path, ""))
            for shown in (excerpt(run, costs.read) for run in chosen)
        ]
        quoted = (text for shown in excerpts for text in (shown.path, shown.text))
        # The fence depends on all that it encloses, so it is found again after each piece that
        # goes.
        fence = quoting.fence(inputs.fence_seed, [*quoted, *blank.known])
        draft = replace(
            blank,
            # The count stands in the text that it counts; no count is longer than the budget, so
            # the text cannot grow when it is filled in.
            used=blank.budget,
            # Chunks that match and are not shown, not even in part or by a signature.
            n_omitted=0
            if inputs.only_required
            else len(matched - {piece.unit.chunk.id for piece in pieces}),
            n_excerpts=len(excerpts),
            n_neighbours=sum(shown.is_neighbour for shown in excerpts),
            notices=(*blank.notices, *_left_out(pieces, inputs, room.left_out)),
        )
        receipt = _with_token_count(draft, excerpts, fence, inputs)
        if receipt.used <= receipt.budget or not pieces:
            break
        selection.take_back()
    priced = (
        replace(shown, tokens=costs.of_run(run))
        for run, shown in zip(chosen, excerpts, strict=True)
    )
    whole = [piece.unit for piece in pieces if piece.detail == Detail.FULL]
    shown_keys = {piece.unit.key for piece in pieces}
    return ContextPack(
        render.pack_text(receipt, excerpts, fence),
        tuple(priced),
        receipt,
        sent_before.after(inputs.sent, [(unit, costs.text_of(unit)) for unit in whole]),
        tuple(_waiting(u) for u in units if u.key not in shown_keys)[:_MAX_WAITING],
    )


def _left_out(pieces: Iterable[Piece], inputs: PackInputs, limit: int) -> list[str]:
    """What is said of required places that are not shown."""
    if inputs.left_out is None:
        return []
    seen = {inputs.required[piece.rank] for piece in pieces if piece.rank is not None}
    note = inputs.left_out(seen, limit)
    return [note] if note else []


def ending(end: End, piece: Piece, selection: Selection) -> Ending:
    """The ending of a pack before a piece."""
    name = brief(piece.unit.name.qualified_name)[:_NAME] if piece.unit.name else ""
    # What is required, and what stands between shown pieces, was never weighed.
    cost = round(piece.unit.tokens) or selection.cost(piece)
    return Ending(end, name, cost, piece.unit.worth)


def _waiting(unit: Unit) -> Waiting:
    name = unit.name.qualified_name if unit.name else ""
    return Waiting(unit.chunk.path, unit.first, name, _TOKENS_A_LINE * unit.n_lines, unit.worth)


def _with_token_count(
    receipt: Receipt, excerpts: Sequence[Excerpt], fence: str, inputs: PackInputs
) -> Receipt:
    """The receipt with the tokens of the whole text in `used`.

    The number is part of the text that it counts, so it is counted again until both agree, which
    is mostly at once.
    """
    for _ in range(4):
        used = inputs.count(render.pack_text(receipt, excerpts, fence))
        if used == receipt.used:
            break
        receipt = replace(receipt, used=used)
    return receipt
