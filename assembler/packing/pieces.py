"""Pieces of files that were chosen for a pack, and how they come together as excerpts. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from satchel.assembler import quoting
from satchel.assembler.packing.units import Unit
from satchel.assembler.values import Detail, Excerpt, brief
from satchel.store.model import FUNCTIONS, RepoPath
from satchel.store.records import ChunkRecord, SymbolRecord

Count = Callable[[str], int]
ReadSource = Callable[[ChunkRecord], bytes]

_COMMENT = re.compile("(?<=:) #.*")
_LONGEST, _LONGEST_DOC = 160, 100
"""Characters of a signature and of what is said about it."""
_TAGS = ("@", "{@", ":param", ":return", ":rtype", ":type", "\\param", "\\return")
"""What a line of documentation starts with that describes no more than a part of a signature."""
_OPENS = ("=", "(", "[", "{", '"""', "'''", "`")
"""What a signature ends with whose value stands on further lines."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes `start` to `end` of a file, chosen for the sake of `unit`.

    Mostly the unit itself; less when only its beginning fits, more when a gap had to be filled.
    """

    unit: Unit
    start: int
    end: int
    cut: bool = False
    """Whether the last line is cut short, which "…" then says."""
    symbol: SymbolRecord | None = None
    """Set when only this symbol's signature is shown; then `start` and `end` are equal."""
    also: tuple[str, ...] = ()
    """Places of copies that are not shown."""
    elided: bool = False
    """Whether this is one of the runs of lines that a unit was cut to."""
    continues: bool = False
    """Whether such a run stands above it, with all there is to say of the unit."""
    leads: bool = False
    """Whether it is here only to say what other pieces stand in."""

    @property
    def is_text(self) -> bool:
        """Whether lines are shown, not a signature or the mere mention of what is held."""
        return self.symbol is None and not self.unit.held

    @property
    def detail(self) -> Detail:
        """How much of the unit is shown."""
        if self.unit.held:
            return Detail.HELD
        if self.symbol is not None:
            return Detail.SIGNATURE
        if self.elided:
            return Detail.ELIDED
        partial = self.cut or self.end < self.unit.end
        return Detail.PARTIAL if partial else Detail.FULL


def whole(unit: Unit) -> Piece:
    """All of a unit."""
    return Piece(unit, unit.start, unit.end)


def signature(unit: Unit, symbol: SymbolRecord) -> Piece:
    """A unit shown by the signature of a symbol: its own, or the class it is in."""
    start = symbol.span.start_byte
    return Piece(unit, start, start, symbol=symbol)


def header(unit: Unit, symbol: SymbolRecord) -> Piece:
    """The signature of what a unit stands in."""
    return replace(signature(unit, symbol), leads=True)


def with_headers(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces and the signature of what they stand in, once, where nothing shows it yet."""
    needed: dict[tuple[RepoPath, int], Piece] = {}
    for piece in pieces:
        if piece.is_text:
            for symbol in piece.unit.context:
                needed.setdefault((symbol.path, symbol.id), header(piece.unit, symbol))
    if not needed:
        return list(pieces)
    spans: dict[RepoPath, list[tuple[int, int]]] = {}
    for piece in pieces:
        if piece.symbol is not None:
            needed.pop((piece.symbol.path, piece.symbol.id), None)
        elif not piece.unit.held:
            spans.setdefault(piece.unit.chunk.path, []).append((piece.start, piece.end))
    return [*pieces, *(p for p in needed.values() if not _is_within(p, spans))]


def _is_within(piece: Piece, spans: Mapping[RepoPath, Sequence[tuple[int, int]]]) -> bool:
    held = spans.get(piece.unit.chunk.path, ())
    return any(start <= piece.start < end for start, end in held)


def ending_at(piece: Piece, end: int, data: bytes) -> Piece:
    """The piece ending at byte `end` of its file, or where the character there starts."""
    while end > piece.start and end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    line_start = max(piece.start, data.rfind(b"\n", 0, end) + 1)
    if not data[line_start:end].strip():
        end = line_start
    at_line_end = end >= len(data) or data[end - 1 : end] == b"\n" or data[end : end + 1] == b"\n"
    return replace(piece, end=end, cut=not at_line_end)


def runs(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces that adjoin, one list for each excerpt.

    Files come by their best match, scores rounded as they are shown, so that a change elsewhere
    does not reorder a pack and what a model has cached of it; within a file signatures come first,
    then lines ascending.
    """
    by_file: dict[RepoPath, list[Piece]] = {}
    for piece in pieces:
        by_file.setdefault(piece.unit.chunk.path, []).append(piece)
    files = sorted(by_file.items(), key=lambda kv: (_standing(kv[1]), kv[0]))
    return [run for _, held in files for run in _joined(held)]


def _standing(held: Iterable[Piece]) -> tuple[bool, float]:
    """Files that match come before those that only neighbour on them, best first."""
    matches = [piece.unit.score for piece in held if not piece.unit.reason]
    return not matches, -round(max(matches or [p.unit.score for p in held]), 2)


def _joined(held: list[Piece]) -> list[list[Piece]]:
    found: list[list[Piece]] = []
    for piece in sorted(held, key=lambda piece: (piece.symbol is None, piece.start, piece.end)):
        if found and _adjoins(found[-1][-1], piece):
            found[-1].append(piece)
        else:
            found.append([piece])
    return found


def _adjoins(left: Piece, right: Piece) -> bool:
    shown = left.symbol is None and right.symbol is None
    same = (left.unit.reason, left.unit.held) == (right.unit.reason, right.unit.held)
    return shown and left.end == right.start and not left.cut and same


def excerpt(run: Sequence[Piece], read: ReadSource) -> Excerpt:
    """Pieces that adjoin as what the model will see; its tokens are not counted yet."""
    best = max(run, key=lambda piece: (piece.unit.worth, -piece.start))
    start_line, end_line, text = _shown(run, read)
    symbol = run[0].symbol or best.unit.symbol
    chunk = best.unit.chunk
    return Excerpt(
        path=chunk.path,
        start_line=start_line,
        end_line=end_line,
        symbol=symbol.qualified_name if symbol else chunk.symbol,
        kind=symbol.kind if symbol else chunk.symbol_kind,
        detail=run[-1].detail,
        text="" if best.unit.held else quoting.neutral(text),
        score=best.unit.score,
        tokens=0,
        reason="" if run[0].leads else best.unit.reason,
        label=_label(run),
        digest=chunk.digest,
        worth=sum(piece.unit.worth for piece in run),
        why=best.unit.why,
        continues=run[0].continues,
    )


def _label(run: Sequence[Piece]) -> str:
    """What the text itself does not show: what it is part of, which of its lines were named."""
    if run[0].leads:
        return ""
    if run[0].symbol is not None:
        return run[0].unit.within
    notes = [_place(run), *(p.unit.note for p in run if not p.continues)]
    if run[0].unit.held:
        replies = sorted({piece.unit.held for piece in run})
        notes.append(f"sent {' '.join(f'#{n}' for n in replies)}, unchanged")
    also = [place for piece in run for place in piece.also]
    notes.append(f"also in {' '.join(also)}" if also else "")
    return ", ".join(note for note in notes if note)


def _place(run: Sequence[Piece]) -> str:
    unit = run[0].unit
    symbol = unit.symbol
    if run[0].continues:
        return ""
    if symbol is None:
        return ""
    is_top = run[0].elided and unit.starts_symbol
    if unit.held:
        return brief(symbol.qualified_name) if len(run) == 1 else ""
    if run[0].start > symbol.span.start_byte and not is_top:
        is_type = symbol.kind not in FUNCTIONS and symbol in unit.context
        return "" if is_type else f"in {brief(symbol.qualified_name)}"
    owner = symbol.qualified_name.removesuffix(symbol.name)
    is_said = bool(unit.context) or owner.strip(".").rpartition(".")[2] in symbol.signature
    return "" if is_said else brief(symbol.qualified_name)


def _shown(run: Sequence[Piece], read: ReadSource) -> tuple[int, int, str]:
    """First line, last line and text of adjoining pieces."""
    first, last = run[0], run[-1]
    if first.symbol is not None:
        return first.symbol.line, first.symbol.line, _outlined(first)
    data = read(first.unit.chunk)
    start_line = first.unit.line - data.count(b"\n", first.start, first.unit.start)
    start_line += data.count(b"\n", first.unit.start, first.start)
    shown = data[first.start : last.end].rstrip(b"\n")
    end_line = start_line + shown.count(b"\n")
    return start_line, end_line, shown.decode("utf-8", "replace") + ("…" if last.cut else "")


def line_range(piece: Piece, read: ReadSource) -> tuple[int, int]:
    """First and last line of a piece."""
    start_line, end_line, _ = _shown([piece], read)
    return start_line, end_line


def outline(symbol: SymbolRecord) -> str:
    """A symbol's signature on one line, with the first line of what is said about it.

    What only its parameters or its result are said to be stands in the signature already.
    """
    lines = (line.strip() for line in symbol.doc.split("\n"))
    doc = next((line for line in lines if line and not line.startswith(_TAGS)), "")
    doc = f"{doc[:_LONGEST_DOC].rpartition(' ')[0]} …" if len(doc) > _LONGEST_DOC else doc
    return f"{signature_line(symbol)}  # {doc}" if doc else signature_line(symbol)


def _outlined(piece: Piece) -> str:
    """What stands for a piece in an outline."""
    symbol = piece.symbol
    if symbol is None or piece.leads:
        return signature_line(symbol) if symbol else ""
    return outline(symbol)


def signature_line(symbol: SymbolRecord) -> str:
    """A symbol's signature on one line; "…" where it ends with what opens a value."""
    line = " ".join(symbol.signature.split()) or symbol.name
    line = line.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    line = _COMMENT.sub("", line)
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST].rpartition(' ')[0] or line[:_LONGEST]} …"
    return f"{line} …" if line.endswith(_OPENS) else line
