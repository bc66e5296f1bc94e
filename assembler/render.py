"""Excerpts and receipts as the text a model reads. Pure.

A pack opens with what holds for all of it, then has a block for each file, and closes with notes
and the receipt, which differ from one reply to the next: what comes before stays the same to the
byte while the answer does, and can be cached. Indexed text stands between fences that it cannot
close (`assembler.quoting`); each fence names the lines that follow. Paths and names are data too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from satchel.assembler import quoting
from satchel.assembler.kinds import Detail, End, brief
from satchel.assembler.quoting import clean, neutral
from satchel.store.counted import counted
from satchel.store.model import RepoPath

if TYPE_CHECKING:
    from satchel.assembler.values import Ending, Excerpt, Receipt, Scored


_OPENING = re.compile(r"\[satchel\] (`+\d*) opens and closes quoted code")


def location(path: RepoPath, start_line: int, end_line: int) -> str:
    """`path:12-40`, or `path:12` for one line."""
    return f"{quoting.path(path)}:{_line_range(start_line, end_line)}"


def _line_range(start_line: int, end_line: int) -> str:
    return f"{start_line}-{end_line}" if end_line > start_line else str(start_line)


def opening(fence: str) -> str:
    """The first line of a pack: nothing in it depends on what follows, the fence apart."""
    return f"[satchel] {fence} opens and closes quoted code; … 5-9 stands for lines left out\n"


def fence_of(text: str) -> str:
    """The fence that the first line of a pack names; "" where it quotes nothing."""
    found = _OPENING.match(text)
    return found[1] if found else ""


def file_line(path: RepoPath, lost: str = "") -> str:
    """What stands above the excerpts of a file, of which the parser may have `lost` something."""
    return f"{quoting.path(path)}{f' (not understood: {lost})' if lost else ''}\n"


def segment(excerpt: Excerpt, fence: str) -> str:
    """One excerpt without its closing fence, which is the next one's opening or the file's end."""
    lines = _line_range(excerpt.start_line, excerpt.end_line)
    return f"{fence} {lines} {_description(excerpt)}\n{excerpt.text}\n"


def _description(excerpt: Excerpt) -> str:
    """What an excerpt is of, how well it matches or why else it is here, what to look at in it."""
    # Two digits are shown, and files are ordered by the rounded score as well (`packing.shown`),
    # so that a small change elsewhere keeps the text and a client's cache of it.
    # Without its zero a score takes two tokens instead of four.
    match = excerpt.reason or f"{excerpt.score:.2f}".removeprefix("0")
    name = clean(brief(excerpt.symbol))
    name += f" and {excerpt.n_others} more" if excerpt.n_others else ""
    notes = ", ".join(clean(note) for note in (match, excerpt.label) if note)
    return f"{name} {notes}" if name else notes


def by_itself(excerpt: Excerpt, fence: str) -> str:
    """What one excerpt adds to a pack, the naming of its file aside."""
    if excerpt.detail == Detail.HELD:
        return held_line(excerpt)
    return outline_line(excerpt) if excerpt.detail == Detail.SIGNATURE else segment(excerpt, fence)


def held_line(excerpt: Excerpt) -> str:
    """What the client holds already."""
    return f"≡ {_line_range(excerpt.start_line, excerpt.end_line)} {_description(excerpt)}\n"


def outline_line(excerpt: Excerpt) -> str:
    """One signature, with its place and whose it is."""
    reason = f"  ({clean(excerpt.reason)})" if excerpt.reason else ""
    # The signature holds the name itself, so only what the member is in is worth more tokens.
    owner = brief(excerpt.symbol).rpartition(".")[0]
    owner_prefix = f"{clean(owner)}: " if owner else ""
    return (
        f"{clean(excerpt.path)}:{excerpt.start_line} {owner_prefix}{clean(excerpt.text)}{reason}\n"
    )


def outline_fence(fence: str) -> str:
    """What stands above the signatures of a pack."""
    return f"{fence} also, by signature\n"


def file_block(excerpts: Sequence[Excerpt], fence: str) -> str:
    """All excerpts of one file that show lines of it, or say that these were sent before."""
    unchanged = [e for e in excerpts if e.detail == Detail.HELD]
    shown = [e for e in excerpts if e.detail != Detail.HELD]
    parts = [file_line(excerpts[0].path, excerpts[0].lost)]
    parts += [held_line(excerpt) for excerpt in unchanged]
    parts += [segment(excerpt, fence) for excerpt in shown]
    # The fence that opens the next excerpt also closes the one before, so a file pays for one
    # closing fence.
    closing = [f"{fence}\n"] if shown else []
    return "".join([*parts, *closing])


def outline_block(excerpts: Sequence[Excerpt], fence: str) -> str:
    """What is only named by its signature."""
    if not excerpts:
        return ""
    return "".join([outline_fence(fence), *map(outline_line, excerpts), f"{fence}\n"])


def fenced(text: str) -> str:
    """`text` between two fences of backticks that it cannot close, hidden characters shown."""
    # A block of Markdown is closed only by as many backticks as opened it, so one more than the
    # longest run in the text cannot be closed by it.
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{neutral(text)}\n{fence}\n"


def receipt_line(receipt: Receipt) -> str:
    """The last line of a pack."""
    state = "" if receipt.complete else ", index still building"
    omitted = f", {receipt.n_omitted} more matched" if receipt.n_omitted else ""
    omitted += _ending(receipt.ending) if receipt.ending else ""
    return (
        f"[satchel] {counted(receipt.n_excerpts, 'excerpt')},"
        f" {receipt.used}/{receipt.budget} tokens {receipt.encoding},"
        f" generation {receipt.generation}{state}{omitted}, pack {receipt.id}\n"
    )


def _ending(ending: Ending) -> str:
    """Which end it was, and what more would add."""
    if ending.end == End.ALL:
        return "; ends here: nothing else is likely"
    why = "full" if ending.end == End.FULL else "ends here"
    name = f"{clean(ending.name)}, " if ending.name else ""
    return f"; {why}, next: {name}~{ending.tokens} tokens at {100 * ending.likely:.0f} %"


def known_block(lines: Sequence[str], fence: str) -> str:
    """What people and agents said of the code, quoted like code: it is data as well."""
    return f"{fence} notes of people and agents\n{''.join(lines)}{fence}\n" if lines else ""


def pack_text(receipt: Receipt, excerpts: Iterable[Excerpt], fence: str) -> str:
    """The whole reply."""
    listed = list(excerpts)
    named = [excerpt for excerpt in listed if excerpt.detail == Detail.SIGNATURE]
    shown = (excerpt for excerpt in listed if excerpt.detail != Detail.SIGNATURE)
    # The excerpts of a file follow each other already (`packing.shown.groups`), which `groupby`
    # relies on.
    files = groupby(shown, key=lambda excerpt: excerpt.path)
    blocks = [
        *(file_block(list(of_file), fence) for _, of_file in files),
        outline_block(named, fence),
    ]
    notes = [f"note: {clean(str(notice))}\n" for notice in (*receipt.absent, *receipt.notices)]
    known = known_block(receipt.known, fence)
    # An empty pack quotes nothing, and would spend tokens on explaining its fences.
    head = [opening(fence)] if listed or known else []
    return "".join([*head, *blocks, known, *notes, receipt_line(receipt)])


def locate_line(item: Scored) -> str:
    """One search result as a pointer of about 12 tokens."""
    chunk = item.chunk
    kind = f" ({chunk.symbol_kind})" if chunk.symbol_kind else ""
    symbol = f"  {clean(chunk.symbol)}{kind}" if chunk.symbol else ""
    where = location(chunk.path, chunk.span.start_line, chunk.span.end_line)
    return f"{where}{symbol}  {item.score:.2f}  ~{chunk.tokens} tokens"
