"""The source of definitions, whole, in at most some tokens, and of lines by number. Pure."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from satchel.assembler import quoting
from satchel.assembler.quoting import neutral
from satchel.store.errors import CorruptIndex, UsageError
from satchel.store.model import FUNCTIONS, Digest, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_PLACE_TOKENS = 12
"""Tokens that the lines and the kind of a member take beside its signature."""
MAX_LINE = 120
"""Characters of a line that is shown beside its place."""


class DefinitionSource(Struct, frozen=True):
    """A definition and its source, decorators included.

    `text` is None where its `tokens` did not fit what was left of the budget; then `members` are
    the functions in it whose signatures fit. `start_line` is that of the text, which may lie above
    the line of the name.
    """

    record: SymbolRecord
    digest: Digest
    text: str | None
    tokens: int
    members: tuple[SymbolRecord, ...] = ()

    @property
    def start_line(self) -> int:
        """The first line of the source, 1-based."""
        return self.record.span.start_line


def sources(
    snapshot: Snapshot, records: Sequence[SymbolRecord], budget: int, count: Callable[[str], int]
) -> Iterator[DefinitionSource]:
    """The definitions in their order, each whole or not at all; one that is too long is passed over
    and the next may still fit."""
    left = budget
    for record in records:
        digest, text = definition(snapshot, record)
        tokens = count(text)
        if tokens <= left:
            left -= tokens
            yield DefinitionSource(record, digest, text, tokens)
            continue
        members = _functions_in(snapshot, record)
        sizes = [count(f"{each.signature}\n") + _PLACE_TOKENS for each in members]
        # Definitions after this one may still fit, so names take no more than half of what is left.
        n_shown = sum(total <= left // 2 for total in accumulate(sizes))
        left -= sum(sizes[:n_shown])
        yield DefinitionSource(record, digest, None, tokens, tuple(members[:n_shown]))


def _functions_in(snapshot: Snapshot, record: SymbolRecord) -> list[SymbolRecord]:
    """Functions that are defined within another definition, in the order of their lines."""
    first, last = record.span.start_byte, record.span.end_byte
    inside = [
        each
        for each in snapshot.symbols.of_file(record.path)
        if each.kind in FUNCTIONS
        and each.id != record.id
        and first <= each.span.start_byte
        and each.span.end_byte <= last
    ]
    return sorted(inside, key=lambda each: (each.span.start_byte, each.id))


def definition(snapshot: Snapshot, record: SymbolRecord) -> tuple[Digest, str]:
    """The digest of a symbol's file, and the source of its definition, decorators included.

    It begins at the start of a line, and ends without one.
    """
    digest, source = source_of_record(snapshot, record.path)
    # A decorated or indented definition begins within a line; its whole first line is shown.
    start = source.rfind(b"\n", 0, record.span.start_byte) + 1
    data = source[start : record.span.end_byte]
    return digest, data.decode("utf-8", "replace").rstrip("\n")


def source_of_record(snapshot: Snapshot, path: RepoPath) -> tuple[Digest, bytes]:
    """The digest and the bytes of a file that a record of the same snapshot names.

    Raises: CorruptIndex where it is not there: records and files are of one generation.
    """
    identity = snapshot.files.identity(path)
    if identity is None:
        raise CorruptIndex("the index lacks a file of its own records", "run `satchel repair`")
    return identity[0], snapshot.files.source(*identity)


def source_at(snapshot: Snapshot, path: RepoPath) -> bytes | None:
    """The bytes of a file as it was indexed; None where no such file is indexed."""
    identity = snapshot.files.identity(path)
    return snapshot.files.source(*identity) if identity else None


def file_lines(snapshot: Snapshot, path: RepoPath, first: int, last: int | None) -> str:
    """Lines of an indexed file, 1-based and inclusive, to its end without `last`.

    What is indexed is data: a page that shows it must not be steered by it, so hidden characters
    are code points.

    Raises:
        UsageError: the file has no such lines.
    """
    source = source_at(snapshot, path) or b""
    lines = source.decode("utf-8", "replace").removesuffix("\n").split("\n")
    last = len(lines) if last is None else last
    if not 1 <= first <= last <= len(lines):
        hint = f"{quoting.path(path)} has lines 1 to {len(lines)}"
        raise UsageError(f"lines are {first} to {last}", hint)
    return neutral("\n".join(lines[first - 1 : last]))


def innermost(symbols: Sequence[SymbolRecord], line: int) -> SymbolRecord | None:
    """The smallest of some definitions of a file around a line, the last of equal ones; None
    between them. `symbols` are in source order."""
    return min(
        (s for s in reversed(symbols) if s.span.start_line <= line <= s.span.end_line),
        key=lambda s: s.span.end_line - s.span.start_line,
        default=None,
    )


def shortened(line: str) -> str:
    """A line without the space around it, cut to `MAX_LINE` characters."""
    text = line.strip()
    return text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}…"


def files_by_path(snapshot: Snapshot, path: str) -> list[RepoPath]:
    """The file with this path, else those whose paths end so."""
    if snapshot.files.identity(RepoPath(path)):
        return [RepoPath(path)]
    return [file.path for file in snapshot.files.all() if file.path.endswith(f"/{path}")]
