"""Lines that hold the name of a definition, for uses that the call graph does not have. Pure.

It has no reads of constants, fields and properties, and no calls that look like reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup.definition_source import innermost, shortened
from satchel.store.model import RepoPath, SymbolKind
from satchel.store.reading.languages import RECEIVERS
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

if TYPE_CHECKING:  # what it says is read with NumPy, which a start need not load
    from satchel.store.reading.read_texts import TextFile

READ = frozenset({SymbolKind.PROPERTY, SymbolKind.FIELD, SymbolKind.CONSTANT, SymbolKind.VARIABLE})
"""Kinds of which most uses are reads."""
MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.FIELD})
_MOST_READ: Final = 32 << 20
"""Bytes of source that are looked through for a name."""
_FILE_KINDS = frozenset({SymbolKind.MODULE})


class Mention(Struct, frozen=True):
    """A line that holds a name as a word; `symbol` is the innermost definition around it, "" for
    none."""

    path: RepoPath
    line: int
    symbol: str
    text: str


class Mentions(Struct, frozen=True):
    """The first lines by path and line, and how many there are; where `is_whole` is false, in the
    files that were looked through."""

    rows: tuple[Mention, ...] = ()
    n_lines: int = 0
    n_files: int = 0
    is_whole: bool = True


def mentions(
    snapshot: Snapshot,
    roots: Mapping[SymbolRecord, Set[str]],
    known: Set[tuple[RepoPath, int]],
    scope: Scope,
    limit: int,
) -> Mentions:
    """Lines that hold the name of the roots, apart from `known` ones.

    `roots` are of one name, each with the languages of which code can use it. The name of a member
    counts behind a receiver, and in the member's own file where the language leaves receivers out.
    """
    name = next(iter(roots)).name
    if not re.fullmatch(r"[\w$]+[?!=]?", name):
        return Mentions()
    rows: list[Mention] = []
    n_lines = n_files = n_read = 0
    for file in snapshot.texts.holding(((name.encode(),),)):
        patterns = {
            _pattern(name, is_bound=_is_bound(root, file))
            for root, languages in roots.items()
            if file.language in languages
        }
        if not patterns or (file.is_test and scope == Scope.IMPL):
            continue
        n_read += file.size
        if n_read > _MOST_READ:
            return Mentions(tuple(rows), n_lines, n_files, is_whole=False)
        source = snapshot.texts.source(file)
        lines = [
            number
            for number in _matching_lines(source, patterns)
            if (file.path, number) not in known
        ]
        lines = _lines_in_scope(snapshot, file, lines, scope)
        n_lines += len(lines)
        n_files += bool(lines)
        if lines and len(rows) < limit:
            rows += _rows(snapshot, file.path, source, lines[: limit - len(rows)])
    return Mentions(tuple(rows), n_lines, n_files)


def _is_bound(root: SymbolRecord, file: TextFile) -> bool:
    """Whether a name means a definition only behind a receiver."""
    if root.path != file.path:
        return root.kind in MEMBERS
    # A field is bare where its object is made: `Point(x=1)`.
    return root.kind in MEMBERS - {SymbolKind.FIELD} and file.language in RECEIVERS


def _pattern(name: str, *, is_bound: bool) -> str:
    before = r"(?:\.|->|::)\s{0,80}" if is_bound else r"(?<![\w$])"
    return rf"{before}{re.escape(name)}(?![\w$])"


def _matching_lines(source: bytes, patterns: Set[str]) -> list[int]:
    """The numbers of the lines that a match of a pattern ends on, ascending."""
    text = source.decode("utf-8", "replace")
    found: set[int] = set()
    for pattern in patterns:
        number, counted = 1, 0
        for match in re.finditer(pattern, text):
            number += text.count("\n", counted, match.end())
            counted = match.end()
            found.add(number)
    return sorted(found)


def _lines_in_scope(
    snapshot: Snapshot, file: TextFile, lines: list[int], scope: Scope
) -> list[int]:
    """The lines that lie in the scope; a file of the product may hold tests."""
    if scope == Scope.ALL or not lines or file.is_test:
        return lines
    tests = snapshot.texts.test_lines(file)
    wanted = scope == Scope.TEST
    return [n for n in lines if any(first <= n <= last for first, last in tests) == wanted]


def _rows(
    snapshot: Snapshot, path: RepoPath, source: bytes, lines: Sequence[int]
) -> Iterator[Mention]:
    symbols = [s for s in snapshot.symbols.of_file(path) if s.kind not in _FILE_KINDS]
    texts = source.split(b"\n")
    for number in lines:
        around = innermost(symbols, number)
        text = shortened(texts[number - 1].decode("utf-8", "replace"))
        yield Mention(path, number, around.qualified_name if around else "", text)
