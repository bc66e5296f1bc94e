"""The shown parts of units, and how they are joined to excerpts. Pure.

Lines are 1-based and inclusive. All that is shown of one function is one excerpt; where lines of it
are left out, a line `… 12-40` stands for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler import quoting
from satchel.assembler.kinds import Detail
from satchel.assembler.packing.units import Key, Lines, Unit
from satchel.assembler.values import Excerpt, LineRange
from satchel.store.model import TYPES, WITH_CODE, RepoPath
from satchel.store.records import ChunkRecord, SymbolRecord

ReadLines = Callable[[ChunkRecord], Lines]
"""The lines of the file that a chunk is in."""

SHORT_GAP = 3
"""Lines between shown ones that cost no more than what would mark them, or a heading."""
_COMMENT = re.compile("(?<=:) #.*")
_LONGEST, _LONGEST_DOC = 160, 100
"""Characters of a signature and of what is said about it."""
_TAGS = ("@", "{@", ":param", ":return", ":rtype", ":type", "\\param", "\\return")
"""What a line of documentation starts with that describes no more than a part of a signature."""
_OPENS = ("=", "(", "[", "{", '"""', "'''", "`")
"""What a signature ends with whose value stands on further lines."""


def reader(source: Callable[[ChunkRecord], bytes]) -> ReadLines:
    """A function that returns the lines of the file of a chunk and splits each file once."""
    known: dict[RepoPath, Lines] = {}

    def read(chunk: ChunkRecord) -> Lines:
        if chunk.path not in known:
            known[chunk.path] = Lines(source(chunk))
        return known[chunk.path]

    return read


class Piece(Struct, frozen=True):
    """Lines of a file chosen for the sake of `unit`: `ranges`, ascending and apart.

    Without any, the unit is shown by its signature, or is named as what the client holds. `quoted`
    is text to show in place of the lines. `rank` is set for what is required, and counts from 0.
    """

    unit: Unit
    ranges: tuple[LineRange, ...] = ()
    also: tuple[str, ...] = ()
    """Places of copies that are not shown."""
    quoted: str = ""
    rank: int | None = None
    is_cut: bool = False
    """Whether code of the unit is left out, not only of its comments."""
    is_read_last: bool = False
    """Whether it stands below the matches, though it is required."""
    told: tuple[LineRange, ...] = ()
    """Lines of `ranges` that a hunk shows, and that are not written again; ascending."""

    @property
    def key(self) -> tuple[Key, bool]:
        """What tells pieces apart: a hunk and the lines that it is in may both be shown."""
        return self.unit.key, bool(self.quoted)

    @property
    def reach(self) -> tuple[LineRange, ...]:
        """The lines that it covers: all of its unit, unless code of it is left out."""
        return self.ranges if self.is_cut else ((self.unit.first, self.unit.last),)

    @property
    def is_gap(self) -> bool:
        """Whether it only closes a gap between shown pieces, and was never weighed."""
        return self.rank is None and not self.unit.tokens

    @property
    def is_text(self) -> bool:
        """Whether lines are shown, not a signature or the mere mention of what is held."""
        return bool(self.ranges)

    @property
    def detail(self) -> Detail:
        """How much of the unit is shown."""
        if self.quoted:
            return Detail.HUNK
        # A held unit that is required has ranges: it is sent again, since who asks for it by name
        # wants to see it.
        if self.unit.sent_in and not self.ranges:
            return Detail.HELD
        if not self.ranges:
            return Detail.SIGNATURE
        return Detail.FULL if self.ranges == ((self.unit.first, self.unit.last),) else Detail.PART

    @property
    def first(self) -> int:
        """The first line."""
        return self.ranges[0][0] if self.ranges else self.unit.first


def groups(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces that belong together, one list for each excerpt, in the order of a pack.

    Hunks come first, then what else is required, then files by their best match, scores rounded as
    they are shown, so that a change elsewhere does not reorder a pack and what a model has cached
    of it; within a file lines ascend, what is required first. Signatures stand last of all.
    """
    by_file: dict[tuple[RepoPath, bool], list[Piece]] = {}
    named: list[Piece] = []
    for piece in pieces:
        if piece.detail == Detail.SIGNATURE:
            named.append(piece)
        else:
            # A hunk shows lines as they are in the diff, so it is kept apart from excerpts that
            # quote the file.
            key = piece.unit.chunk.path, bool(piece.quoted)
            by_file.setdefault(key, []).append(piece)
    files = sorted(by_file.items(), key=lambda entry: (_file_order(entry[1]), entry[0]))
    # Hunks of a file stand in its order, though the largest was chosen first.
    shown = (
        run
        for (_, is_quoted), pieces in files
        for run in (_joined(pieces) if is_quoted else sorted(_joined(pieces), key=_rank))
    )
    return [*shown, *([piece] for piece in named)]


def _rank(run: Sequence[Piece]) -> int:
    """The place of an excerpt among required ones; a high number for one that is not required."""
    ranks = [p.rank for p in run if p.rank is not None and not p.is_read_last]
    return min(ranks, default=1 << 30)


def _file_order(pieces: Sequence[Piece]) -> tuple[int, bool, float]:
    matches = [piece.unit.score for piece in pieces if not piece.unit.reason]
    # A neighbour's score tells how strongly it is tied to what is shown, not how well it matches,
    # so it is used only where its file has no match.
    best = max(matches or [piece.unit.score for piece in pieces])
    return _rank(pieces), not matches, -round(best, 2)


def _joined(pieces: Iterable[Piece]) -> list[list[Piece]]:
    found: list[list[Piece]] = []
    end = 0
    for piece in sorted(pieces, key=lambda p: (p.first, p.unit.key, p.quoted)):
        # A held piece shows no lines, so nothing can continue it.
        last = piece.ranges[-1][1] if piece.ranges else 0
        if found and _belongs(found[-1], piece, end):
            found[-1].append(piece)
            end = max(end, last)
        else:
            found.append([piece])
            end = last
    return found


def _belongs(group: Sequence[Piece], piece: Piece, end: int) -> bool:
    """Whether a piece continues an excerpt that ends with line `end`."""
    if not piece.ranges or not group[-1].ranges or piece.quoted or group[-1].quoted:
        return False
    same = piece.unit.reason == group[-1].unit.reason
    # Each excerpt says why it is here, so pieces with other reasons join only where they overlap.
    return piece.first <= end or (same and piece.first <= end + 1 + SHORT_GAP)


def merged(ranges: Iterable[LineRange], apart: int = 0) -> tuple[LineRange, ...]:
    """Ranges of lines, ascending, those that touch or nearly touch made one."""
    found: list[LineRange] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1 + apart:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


def without(ranges: Sequence[LineRange], told: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """Ranges without the lines of others."""
    found = list(ranges)
    for first, last in told:
        above = ((a, min(b, first - 1)) for a, b in found)
        below = ((max(a, last + 1), b) for a, b in found)
        found = sorted((a, b) for a, b in (*above, *below) if a <= b)
    return tuple(found)


def excerpt(group: Sequence[Piece], read: ReadLines) -> Excerpt:
    """Pieces that belong together as the model will see them."""
    # An excerpt has one heading, so it is named after the piece that is worth most.
    best = max(group, key=lambda piece: (piece.is_text, piece.unit.worth))
    unit, chunk = best.unit, best.unit.chunk
    # A function says more of an excerpt than a constant beside it.
    named = max(group, key=lambda piece: (_shows_function(piece), piece.unit.worth))
    symbol = (named if _shows_function(named) else best).unit.name
    # A hunk may begin in one definition and change another, which its chunk does not know.
    around = ("", None) if best.quoted else (chunk.symbol, chunk.symbol_kind)
    ranges = merged((r for piece in group for r in piece.ranges), SHORT_GAP)
    ranges = without(ranges, (told for piece in group for told in piece.told))
    first, last = (ranges[0][0], ranges[-1][1]) if ranges else (unit.first, unit.last)
    # A signature is one line of the unit, which may begin with a long comment above it.
    if best.detail == Detail.SIGNATURE and symbol is not None:
        first = last = symbol.line
    omitted = [(a[1] + 1, b[0] - 1) for a, b in pairwise(ranges)]
    # What is tied to a match has a score of another kind, which may be above 1.
    scores = [piece.unit.score for piece in group if not piece.unit.reason]
    score = min(1.0, max(scores or (piece.unit.score for piece in group)))
    # Without a mark at its end a function that is cut there reads as if it were whole.
    cut = max((piece.unit.last for piece in group if piece.is_cut), default=last)
    omitted += [(last + 1, cut)] if ranges and cut > last and not best.quoted else []
    details = {piece.detail for piece in group}
    # What the text itself does not show: what to look at in it, where else it stands.
    notes = list(dict.fromkeys(piece.unit.note for piece in group if piece.unit.note))
    if group[0].detail == Detail.HELD:
        notes.append(f"sent #{group[0].unit.sent_in}, unchanged")
    also = [place for piece in group for place in piece.also]
    notes += [f"also in {' '.join(also)}"] if also else []
    return Excerpt(
        path=chunk.path,
        start_line=first,
        end_line=last,
        symbol=symbol.qualified_name if symbol else around[0],
        kind=symbol.kind if symbol else around[1],
        detail=best.detail if len(details) == 1 else Detail.PART,
        text=_text(best, ranges, omitted, read),
        score=score,
        tokens=0,
        reason=unit.reason,
        label=", ".join(notes),
        digest=chunk.digest,
        worth=sum(piece.unit.worth for piece in group),
        shares=unit.shares,
        omitted=tuple(omitted),
        is_neighbour=unit.is_neighbour,
        n_others=_n_others(group, symbol.qualified_name if symbol else ""),
    )


def _n_others(group: Iterable[Piece], name: str) -> int:
    """How many functions and types pieces show that `name` does not stand for: those of other
    names which neither hold it nor lie in it.
    """
    found = {piece.unit.name.qualified_name for piece in group
             if piece.unit.name and _shows_function(piece)}  # fmt: skip
    outside = (n for n in found if not f"{n}.".startswith(f"{name}."))
    return sum(not f"{name}.".startswith(f"{n}.") for n in outside)


def _shows_function(piece: Piece) -> bool:
    """Whether lines of a function or type are shown."""
    name = piece.unit.name
    return piece.is_text and name is not None and name.kind in WITH_CODE | TYPES


def _text(
    best: Piece, ranges: Sequence[LineRange], omitted: Iterable[LineRange], read: ReadLines
) -> str:
    if best.quoted:
        return quoting.neutral(best.quoted)
    if best.detail == Detail.SIGNATURE and best.unit.name is not None:
        return outline(best.unit.name)
    lines, shown = read(best.unit.chunk), {first: gap(first, last) for first, last in omitted}
    for first, last in ranges:
        text = b"\n".join(lines.between(first, last))
        shown[first] = text.decode("utf-8", "replace")
    return quoting.neutral("\n".join(shown[first] for first in sorted(shown)))


def gap(first: int, last: int) -> str:
    """The line that marks lines left out: `… 12-40`."""
    return f"… {first}-{last}" if last > first else f"… {first}"


def also(piece: Piece, place: str) -> Piece:
    """The piece with one more place that has a copy of it."""
    return replace(piece, also=(*piece.also, place))


def outline(symbol: SymbolRecord) -> str:
    """A symbol's signature on one line, with the first line of its documentation.

    Lines about a parameter or the result (`:param`, `@return`) are passed over.
    """
    lines = (line.strip() for line in symbol.doc.split("\n"))
    doc = next((line for line in lines if line and not line.startswith(_TAGS)), "")
    doc = f"{doc[:_LONGEST_DOC].rpartition(' ')[0]} …" if len(doc) > _LONGEST_DOC else doc
    return f"{signature_line(symbol)}  # {doc}" if doc else signature_line(symbol)


def signature_line(symbol: SymbolRecord) -> str:
    """A symbol's signature on one line; "…" where it ends with what opens a value."""
    # A signature over many lines leaves a blank behind brackets and a comma at the end; in one
    # line these would be noise.
    line = " ".join(symbol.signature.split()) or symbol.name
    line = line.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    line = _COMMENT.sub("", line)
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST].rpartition(' ')[0] or line[:_LONGEST]} …"
    return f"{line} …" if line.endswith(_OPENS) else line
