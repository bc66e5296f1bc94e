"""Explains a pack: signals, what each excerpt displaced, the budget as a bar. Pure."""

from collections.abc import Iterator

from satchel.assembler.output.segments import Part, known_text, spent_on
from satchel.assembler.quoting import clean
from satchel.assembler.render import location
from satchel.assembler.values import ContextPack, Excerpt, Waiting
from satchel.store import tokens

_WIDTH = 40
_EIGHTHS = "▏▎▍▌▋▊▉█"
_SIGNALS = 4
_PARTS = {
    Part.MATCH: ("matches", "█"),
    Part.NEIGHBOUR: ("neighbours", "▓"),
    Part.KNOWN: ("notes", "▚"),
    Part.FRAME: ("framing", "▒"),
}


def explanation(pack: ContextPack) -> str:
    """Lines for a person: the budget, then every excerpt with its part of it, then what waits."""
    receipt = pack.receipt
    rows = [_row(excerpt, pack) for excerpt in pack.excerpts]
    # The budget from end to end: a letter's worth of it for each part.
    parts = list(_budget_parts(pack))
    drawn = ""
    spent = 0
    for _, mark, n in parts:
        spent += n
        # The end of each part is rounded and not its length, so that rounding errors do not add up
        # over the bar.
        drawn += mark * (round(_WIDTH * 2 * spent / receipt.budget) - len(drawn))
    lines = [
        f"{receipt.used} of {receipt.budget} tokens: "
        + " · ".join(f"{name} {100 * n / receipt.budget:.0f} %" for name, _, n in parts),
        drawn,
        *(line for row in rows for line in row),
    ]
    if pack.waiting:
        lines.append("next, had there been room:")
        lines += [f"  {_waiting_line(waiting)}" for waiting in pack.waiting[:5]]
    return "\n".join(lines) + "\n"


def _budget_parts(pack: ContextPack) -> Iterator[tuple[str, str, int]]:
    """What the budget is spent on: its name, its mark in the bar, and its tokens."""
    n_known = tokens.count(known_text(pack), pack.receipt.encoding) if pack.receipt.known else 0
    for part, n in spent_on(pack, n_known).items():
        if n or part is not Part.KNOWN:
            yield *_PARTS[part], n
    yield "free", "░", pack.receipt.budget - pack.receipt.used


def _row(excerpt: Excerpt, pack: ContextPack) -> Iterator[str]:
    where = location(excerpt.path, excerpt.start_line, excerpt.end_line)
    name = f" {clean(excerpt.symbol)}" if excerpt.symbol else ""
    share = excerpt.tokens / pack.receipt.budget
    yield f"{_bar(share)} {excerpt.tokens:>5}  {where}{name}, {excerpt.detail}"
    other = pack.displaced_by(excerpt)
    displaced = f"; in place of {_waiting_line(other)}" if other else ""
    yield f"              {_why(excerpt)}{displaced}"


def _bar(share: float) -> str:
    """Eight cells for a quarter of the budget and more."""
    eighths = min(64, max(1, round(share * 4 * 64)))
    full, part = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[part - 1] if part else "")).ljust(8)


def _why(excerpt: Excerpt) -> str:
    if excerpt.reason:
        return clean(excerpt.reason)
    signals = ", ".join(f"{e.signal} {e.share:.2f}" for e in excerpt.why[:_SIGNALS])
    return f"score {excerpt.score:.2f} = {signals}" if signals else f"score {excerpt.score:.2f}"


def _waiting_line(waiting: Waiting) -> str:
    name = f" {clean(waiting.name)}" if waiting.name else ""
    return f"{clean(waiting.path)}:{waiting.line}{name} (~{waiting.tokens} tokens)"
