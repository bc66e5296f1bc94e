"""Exact text and regular expressions over everything that is indexed: every line where one begins.

Rows come by path, then by line, in pages. Files are read one at a time, those alone whose signature
allows a match (`store.grams`), so memory does not grow with the tree. Work is bounded by what is
read and counted, never by a clock: a reply says when it stopped before the end.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.budget import MAX_COUNTED, check_max_results
from satchel.assembler.exact import patterns
from satchel.assembler.exact.patterns import Pattern
from satchel.assembler.kinds import Absent, Scope, TextMode
from satchel.assembler.lookup import absence
from satchel.assembler.lookup.definition_source import innermost
from satchel.store import path_filter
from satchel.store.errors import UsageError
from satchel.store.model import Generation, RepoPath, SymbolKind
from satchel.store.reading.read_texts import TextFile
from satchel.store.reading.snapshot import Snapshot

MAX_WORK = 10_000_000_000
"""Bytes read times the cost of the pattern for each (`patterns.Pattern`). The slowest expressions
take 120 to 480 million steps a second, the usual ones ten to fifty times as many."""
_MAX_TEXT = 10_000
_WIDTH = 240
"""Characters of a line that are shown, around its first match."""
_BEFORE = 80
"""Characters of those that stand before the match, at most."""


class Wanted(Struct, frozen=True):
    """What is looked for, and where: `path` limits it to some paths."""

    text: str
    mode: TextMode
    ignore_case: bool = False
    scope: Scope = Scope.ALL
    path: str = ""


class Line(Struct, frozen=True):
    """A line where a match begins. `column` is the match's first character, from 1.

    `text` is the line, or what of it stands around the match where it is long; then "…" stands for
    the rest. `symbol` is the innermost definition around it, "" for none.
    """

    path: RepoPath
    line: int
    column: int
    text: str
    symbol: str
    kind: SymbolKind | None


class LinesReply(Struct, frozen=True):
    """A page of lines, by path and line, and how many there are.

    `n_lines` and `n_files` count all of them, or where `stopped` says why they could not be
    counted, those up to there.
    """

    rows: tuple[Line, ...]
    offset: int
    n_lines: int
    n_files: int
    stopped: str
    n_searched: int
    generation: Generation
    complete: bool
    notices: tuple[str, ...] = ()
    absent: tuple[Absent, ...] = ()

    @property
    def following(self) -> int:
        """The offset of the next page, 0 when this is the last."""
        end = self.offset + len(self.rows)
        return end if self.rows and end < self.n_lines else 0


def find(snapshot: Snapshot, wanted: Wanted, max_results: int, offset: int = 0) -> LinesReply:
    """The lines that hold what is wanted, at most `max_results` of them after the first `offset`.

    Raises:
        UsageError: a number is out of bounds, or the text is nothing that can be looked for.
    """
    pattern = checked(wanted, max_results, offset)
    count = _Count(offset, offset + max_results)
    count.run(snapshot, pattern, wanted)
    n_files = snapshot.files.count()
    absent: list[Absent] = []
    if not count.n_lines and not count.stopped:
        # Looking everywhere costs a second search, which is done only when the first one found
        # nothing.
        absent += _nothing(snapshot, pattern, wanted)
    elif count.n_lines and not count.page:
        absent.append(absence.past_the_end(offset, count.n_lines, "line"))
    rows = tuple(_row(snapshot, hits) for hits in count.page)
    return LinesReply(
        tuple(line for found in rows for line in found), offset, count.n_lines, count.n_files,
        count.stopped, n_files, snapshot.generation, snapshot.complete, absent=tuple(absent),
    )  # fmt: skip


def checked(wanted: Wanted, max_results: int, offset: int) -> Pattern:
    """Check the bounds of a question and compile its pattern, before there is an index.

    Raises:
        UsageError: as `find`.
    """
    check_max_results(max_results, usual=50)
    if not 0 <= offset < MAX_COUNTED:
        hint = "narrow it with path, or by a longer text"
        raise UsageError(f"offset is {offset}, must be 0 to {MAX_COUNTED - 1}", hint)
    if len(wanted.text) > _MAX_TEXT:
        raise UsageError(
            f"the text has {len(wanted.text)} characters, at most {_MAX_TEXT} are allowed",
            "give a part of it that occurs nowhere else",
        )
    return patterns.compiled(wanted.text, wanted.mode, ignore_case=wanted.ignore_case)


class _Hits(Struct, frozen=True):
    """The matches of one file that are on the page: (line number, start of line, of match)."""

    file: TextFile
    data: bytes
    places: list[tuple[int, int, int]]


class _Count:
    """What has been found so far; keeps what is on the page."""

    def __init__(self, first: int, end: int) -> None:
        self._first, self._end = first, end
        self.n_lines = self.n_files = 0
        self.stopped = ""
        self.page: list[_Hits] = []

    def run(self, snapshot: Snapshot, pattern: Pattern, wanted: Wanted) -> None:
        """Look through the files in question, in order, to the end or to a bound."""
        work = 0
        for file in snapshot.texts.holding(pattern.any_of):
            # A test file has nothing for the product, but a product file may hold tests.
            is_aside = file.is_test and wanted.scope == Scope.IMPL
            if is_aside or not path_filter.admits(wanted.path, file.path):
                continue
            data = snapshot.texts.source(file)
            work += len(data) * pattern.cost
            # Work is counted and not timed, so the same search stops at the same file on every
            # machine.
            if work > MAX_WORK:
                self.stopped = f"nothing after {file.path} was looked at; name a path"
                return
            self._add(
                file, data, _matches_in_scope(snapshot, file, pattern.lines(data), data, wanted)
            )
            if self.n_lines >= MAX_COUNTED:
                self.stopped = f"lines after {MAX_COUNTED:,} were not counted"
                return

    def _add(self, file: TextFile, data: bytes, found: Iterator[tuple[int, int, int]]) -> None:
        hits = _Hits(file, data, [])
        before = self.n_lines
        for place in found:
            if self._first <= self.n_lines < self._end:
                hits.places.append(place)
            self.n_lines += 1
            if self.n_lines >= MAX_COUNTED:
                break
        self.n_files += self.n_lines > before
        if hits.places:
            self.page.append(hits)


def _matches_in_scope(
    snapshot: Snapshot,
    file: TextFile,
    found: Iterator[tuple[int, int, int]],
    data: bytes,
    wanted: Wanted,
) -> Iterator[tuple[int, int, int]]:
    """(line number, start of the line, start of the match) of what lies in the scope."""
    tests: Sequence[tuple[int, int]] | None = None
    number, counted = 1, 0
    for line, start, _ in found:
        # Line ends are counted from the last match on, so a file is walked once however many
        # matches it has.
        number += data.count(b"\n", counted, line)
        counted = line
        if wanted.scope != Scope.ALL and not file.is_test:
            if tests is None:
                # Which lines are tests is read for files with a match alone.
                tests = snapshot.texts.test_lines(file)
            is_test = any(first <= number <= last for first, last in tests)
            if is_test != (wanted.scope == Scope.TEST):
                continue
        yield number, line, start


def _nothing(snapshot: Snapshot, pattern: Pattern, wanted: Wanted) -> Iterator[Absent]:
    """Why nothing was found: because there is nothing, or because of scope and path."""
    outside = 0
    if wanted.scope != Scope.ALL or wanted.path:
        everywhere = _Count(0, 0)
        everywhere.run(snapshot, pattern, replace(wanted, scope=Scope.ALL, path=""))
        outside = everywhere.n_lines
    yield from absence.why_nothing(snapshot, (), outside, wanted.scope, wanted.path)


def _row(snapshot: Snapshot, hits: _Hits) -> Iterator[Line]:
    symbols = snapshot.symbols.of_file(hits.file.path)
    for number, line, start in hits.places:
        end = hits.data.find(b"\n", line)
        whole = hits.data[line : end if end >= 0 else len(hits.data)]
        column = len(whole[: start - line].decode("utf-8", "replace"))
        around = innermost(symbols[1:], number)  # without the file itself
        yield Line(
            hits.file.path, number, column + 1,
            cut(whole.decode("utf-8", "replace").rstrip("\r"), column),
            around.qualified_name if around else "", around.kind if around else None,
        )  # fmt: skip


def cut(line: str, column: int) -> str:
    """A line, or where it is long the part around a column (from 0)."""
    if len(line) <= _WIDTH:
        return line
    first = max(0, min(column - _BEFORE, len(line) - _WIDTH))
    shown = line[first : first + _WIDTH]
    return f"{'…' if first else ''}{shown}{'…' if first + _WIDTH < len(line) else ''}"
