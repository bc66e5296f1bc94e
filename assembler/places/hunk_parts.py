"""Splits the hunks of a diff into what they change of one definition each. Pure.

A hunk of a new file holds all of its functions, and a hunk between two functions may hold the end
of one and the beginning of the other. A part is the changed lines of one definition, or of what
lies between definitions, with the context within them; context around it is left out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from satchel.assembler.places.seeds import Tree
from satchel.assembler.query.diffs import CHANGED, Hunk, State
from satchel.assembler.ranking import path_roles
from satchel.assembler.ranking.path_roles import Role
from satchel.store.model import FUNCTIONS, TYPES, RepoPath
from satchel.store.records import SymbolRecord

_LONGEST = 120
"""Lines of a function that is one part; of a longer one the functions within it are."""
_NO_CODE = re.compile(
    r"\s*(?:$|//|#(?!\[)|/?\*|--(?!\w)|;;|<!--|\"\"\"|'''"
    r"|(?:(?:pub(?:\([\w:]+\))?|export|public|static)\s+)*"
    r"(?:import|from|use|using|package|namespace|module|require(?:_relative)?|extern crate|mod)\b"
    r"|[#@](?:include|import)\b|(?:[\w.]+\s+)?\"[\w./@-]+\"[,;]?$|[()\[\]{}]+[,;]?$"
    r"|[\w{},\s*]+[,}]\s*(?:from\s+['\"].*)?$)"
)
"""A line of a comment, of a licence or of a block of imports."""


class Part(Struct, frozen=True):
    """Lines `start` to `stop` (half-open) of the body of a hunk.

    They stand in lines `first` to `last` of the file as it is now. `symbol` is the definition that
    they change, None for what lies between definitions.
    """

    path: RepoPath
    hunk: int
    start: int
    stop: int
    first: int
    last: int
    n_added: int
    n_removed: int
    symbol: SymbolRecord | None
    role: Role
    is_gone: bool = False
    """Whether its file is not there any more; then its lines are those that the file had."""

    @property
    def n_changed(self) -> int:
        """How many lines it adds and removes."""
        return self.n_added + self.n_removed


def parts(tree: Tree, number: int, hunk: Hunk, path: RepoPath) -> list[Part]:
    """The parts of a hunk that is placed in a file, in its order."""
    body = hunk.body
    lines, owners = _owned(body, hunk, _definitions(tree.symbols(path)))
    role = reviewed_as(tree, path)
    found: list[Part] = []
    for start, stop in _runs(body, owners):
        changed = [line for line in body[start:stop] if line[:1] in CHANGED]
        owner = owners[start]
        is_head = owner is None and all(_NO_CODE.match(line[1:]) for line in changed)
        n_added = sum(line[0] == "+" for line in changed)
        # What is taken out has no line of its own; it stands between two.
        first = max(1, lines[start])
        last = max(first, lines[stop - 1])
        found.append(
            Part(
                path, number, start, stop, first, last, n_added, len(changed) - n_added, owner,
                Role.HEAD if is_head and role != Role.DOCUMENT else role,
                hunk.state == State.GONE,
            )
        )  # fmt: skip
    return found


def reviewed_as(tree: Tree, path: RepoPath) -> Role:
    """What a file is to a reviewer; of one that is gone, what the files beside it are."""
    file = tree.files.get(path)
    if file is None:
        return path_roles.reviewed_as(path, *tree.kind_beside(path))
    return path_roles.reviewed_as(path, file.language, file.is_test)


def _definitions(symbols: Sequence[SymbolRecord]) -> dict[int, SymbolRecord]:
    """The definition that each line of a file belongs to: its function, else its type."""
    # Outer definitions come first, so that inner ones take their lines.
    by_length = sorted(symbols, key=lambda s: (-_n_lines(s), s.id))
    types: dict[int, SymbolRecord] = {}
    functions: dict[int, SymbolRecord] = {}
    for symbol in by_length:
        lines = range(symbol.span.start_line, symbol.span.end_line + 1)
        if symbol.kind in TYPES:
            types |= dict.fromkeys(lines, symbol)
        elif symbol.kind in FUNCTIONS:
            outer = functions.get(symbol.span.start_line)
            if outer is None or _n_lines(outer) > _LONGEST:
                functions |= dict.fromkeys(lines, symbol)
    return types | functions


def _n_lines(symbol: SymbolRecord) -> int:
    return symbol.span.end_line - symbol.span.start_line + 1


def _owned(
    body: Sequence[str], hunk: Hunk, definitions: Mapping[int, SymbolRecord]
) -> tuple[list[int], list[SymbolRecord | None]]:
    """The line of the file that each line of a hunk stands in, and the definition it belongs to.

    A line that the file does not have stands in the one above it.
    """
    own = hunk.state.mark
    lines: list[int] = []
    is_own: list[bool] = []
    # A count of 0 names the line before the gap.
    at = hunk.start - 1 + (not any(line[:1] not in CHANGED or line[:1] == own for line in body))
    for text in body:
        has = text[:1] == own or text[:1] not in (*CHANGED, "\\")
        at += has
        lines.append(at)
        is_own.append(has)
    owners = [definitions.get(n) if has else None for n, has in zip(lines, is_own, strict=True)]
    if hunk.state == State.UNKNOWN:
        return lines, [None] * len(body)
    for start, stop in _changed_runs(body):
        kept = [n for n in range(start, stop) if is_own[n]]
        if kept:
            # What is replaced belongs to what replaces it.
            first = owners[kept[0]]
        else:
            above, below = definitions.get(lines[start]), definitions.get(lines[start] + 1)
            first = above if above and below and above.id == below.id else None
        for n in range(start, stop):
            if not is_own[n]:
                owners[n] = first
    _attach(body, owners)
    return lines, owners


def _changed_runs(body: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The runs of changed lines of a body, half-open."""
    start = None
    for n, line in enumerate([*body, ""]):
        if line[:1] in CHANGED and n < len(body):
            start = n if start is None else start
        elif start is not None and line[:1] != "\\":
            yield start, n
            start = None


def _attach(body: Sequence[str], owners: list[SymbolRecord | None]) -> None:
    """Give a comment directly above a function to it, and blank lines to what is above them."""
    for n in range(len(body) - 2, -1, -1):
        below, text = owners[n + 1], body[n][1:]
        is_comment = body[n][:1] in CHANGED and bool(text.strip()) and bool(_NO_CODE.match(text))
        if is_comment and below and below.kind in FUNCTIONS and not _is_function(owners[n]):
            owners[n] = below
    for n in range(1, len(body)):
        if body[n][:1] in CHANGED and not body[n][1:].strip() and not _is_function(owners[n]):
            owners[n] = owners[n - 1]


def _is_function(symbol: SymbolRecord | None) -> bool:
    return symbol is not None and symbol.kind in FUNCTIONS


def _runs(body: Sequence[str], owners: Sequence[SymbolRecord | None]) -> Iterator[tuple[int, int]]:
    """Runs of lines whose changed ones belong to one definition, half-open, without context
    around them."""
    start = stop = None
    for n, line in enumerate(body):
        if line[:1] not in CHANGED:
            continue
        if start is not None and stop is not None and _id(owners[n]) == _id(owners[start]):
            stop = n + 1
            continue
        if start is not None and stop is not None:
            yield start, stop
        start, stop = n, n + 1
    if start is not None and stop is not None:
        yield start, stop


def _id(symbol: SymbolRecord | None) -> int:
    return symbol.id if symbol else -1
