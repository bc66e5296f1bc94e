"""What packing needs from outside, as one value, so that it stays pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from satchel.assembler.packing.pieces import Count, ReadSource
from satchel.assembler.packing.units import Around
from satchel.assembler.values import Neighbour, Origin, Scored, Sent
from satchel.store.model import RepoPath

Expand = Callable[[Sequence[Origin]], Sequence[Neighbour]]
LookAround = Callable[[Sequence[Scored]], Mapping[int, Around]]
"""For each chunk id, the symbols in it and around it."""


@dataclass(frozen=True, slots=True)
class Pointed:
    """Lines that a question names, ascending by file, and what units that hold them gain."""

    lines: Mapping[RepoPath, Sequence[tuple[int, int]]]
    word: str
    """What is said of such lines: "changed 63-64"."""
    factor: float


@dataclass(frozen=True, slots=True)
class Tools:
    """What packing needs from outside, so that it stays pure.

    `rarity` is the inverse document frequency of each term of the question; `fence` finds a fence
    that none of some texts can close; `pointed` are the lines that the question names, `named`
    the names that it writes as code; `sent` is what the client holds.
    """

    count: Count
    source: ReadSource
    expand: Expand
    around: LookAround
    rarity: Mapping[str, float]
    pointed: Pointed
    named: Sequence[str]
    fence: Callable[[Iterable[str]], str]
    sent: Sent
