"""Splits a pack's text: which part belongs to which excerpt, and what the rest is. Pure.

The texts of all segments, joined, are the text of the pack.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby

from msgspec import Struct

from satchel.assembler import render
from satchel.assembler.kinds import Detail
from satchel.assembler.values import ContextPack, Excerpt, Waiting
from satchel.store.model import RepoPath


class Part(StrEnum):
    """What tokens of a pack are spent on."""

    MATCH = "match"
    NEIGHBOUR = "neighbour"
    KNOWN = "known"
    """Notes of people and agents."""
    FRAME = "frame"
    """Headings, fences, notices and the receipt."""


class Segment(Struct, frozen=True):
    """Consecutive text of a pack.

    `excerpt` is the index of the excerpt it belongs to, -1 for none. `is_code` says whether it is
    the excerpt's own text, in `language`; its heading is a segment of its own.
    """

    part: Part
    text: str
    excerpt: int = -1
    is_code: bool = False
    language: str = ""


class PackLayout(Struct, frozen=True):
    """A pack with what a person wants to see of it.

    `tokens` has the tokens of each part in the order of `Part`. `displaced` has for each excerpt
    the best of what waits and would have fitted in its place, None for nothing.
    """

    pack: ContextPack
    segments: tuple[Segment, ...]
    tokens: tuple[tuple[Part, int], ...]
    displaced: tuple[Waiting | None, ...]


def layout(pack: ContextPack, languages: Mapping[RepoPath, str], n_known: int) -> PackLayout:
    """A pack taken apart; `n_known` are the tokens of what is known."""
    spent = tuple(spent_on(pack, n_known).items())
    displaced = tuple(map(pack.displaced_by, pack.excerpts))
    return PackLayout(pack, tuple(segments_of(pack, languages)), spent, displaced)


def spent_on(pack: ContextPack, n_known: int) -> dict[Part, int]:
    """The tokens of each part, in the order of `Part`; `n_known` are those of what is known."""
    spent = dict.fromkeys(Part, 0)
    for excerpt in pack.excerpts:
        spent[part_of(excerpt)] += excerpt.tokens
    spent[Part.KNOWN] = n_known
    # What encloses files is counted with the whole text only, so it is what is left over.
    spent[Part.FRAME] = max(0, pack.receipt.used - sum(spent.values()))
    return spent


def part_of(excerpt: Excerpt) -> Part:
    """What an excerpt counts as; what the question names outright is a match."""
    return Part.NEIGHBOUR if excerpt.is_neighbour else Part.MATCH


def known_text(pack: ContextPack) -> str:
    """What a pack says of what is known, its fences included; "" for nothing."""
    return render.known_block(pack.receipt.known, render.fence_of(pack.text))


def segments_of(pack: ContextPack, languages: Mapping[RepoPath, str]) -> Iterator[Segment]:
    """The segments in the order of the text. `languages` are those of the files it shows."""
    fence = render.fence_of(pack.text)
    known = render.known_block(pack.receipt.known, fence)
    at = 0
    for index in _in_text_order(pack.excerpts):
        excerpt = pack.excerpts[index]
        printed = render.by_itself(excerpt, fence)
        found = pack.text.index(printed, at)
        if found > at:
            yield Segment(Part.FRAME, pack.text[at:found])
        yield from _taken_apart(index, excerpt, printed, languages.get(excerpt.path, ""))
        at = found + len(printed)
    if known:
        found = pack.text.index(known, at)
        yield Segment(Part.FRAME, pack.text[at:found])
        yield Segment(Part.KNOWN, known)
        at = found + len(known)
    yield Segment(Part.FRAME, pack.text[at:])


def _in_text_order(excerpts: Sequence[Excerpt]) -> Iterator[int]:
    """Indices of excerpts as the text has them: by file, what is held first; signatures last."""
    listed = enumerate(excerpts)
    shown = [(n, e) for n, e in listed if e.detail != Detail.SIGNATURE]
    for _, run in groupby(shown, key=lambda pair: pair[1].path):
        yield from (n for n, _ in sorted(run, key=lambda pair: pair[1].detail != Detail.HELD))
    yield from (n for n, e in enumerate(excerpts) if e.detail == Detail.SIGNATURE)


def _taken_apart(index: int, excerpt: Excerpt, printed: str, language: str) -> Iterator[Segment]:
    part = part_of(excerpt)
    # A signature and the mention of what is held are a line, without a heading of their own.
    if excerpt.detail in (Detail.SIGNATURE, Detail.HELD):
        yield Segment(part, printed, index)
        return
    code = f"{excerpt.text}\n"
    yield Segment(part, printed.removesuffix(code), index)
    yield Segment(part, code, index, is_code=True, language=language)
