"""Fixes of a repository as questions with answers: messages, and the functions they changed.

A snapshot is a commit with others after it. A fix counts when every function that it changed has
the same bytes in the snapshot as just before the fix: then a question to the snapshot is like a
question just before the fix. Functions of tests do not count as answers.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from satchel.evaluation import commits, line_changes, messages
from satchel.evaluation.line_changes import Hunk
from satchel.store.model import FUNCTIONS, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

MOST_FUNCTIONS = 15
"""Most functions of a fix; commits that change more do several things."""
MOST_BYTES = 1_000_000
"""Most bytes of a file whose versions are compared."""
_TOGETHER = 12
"""Commits whose contents are requested from git at once."""
_Lines = tuple[int, int]


class Target(Struct, frozen=True):
    """A function that a fix changed, in lines of the snapshot, and the runs of lines it changed."""

    path: str
    first_line: int
    last_line: int
    function: str
    changed: tuple[tuple[int, int], ...]


class Fix(Struct, frozen=True):
    """A commit with what it changed, targets by path and line."""

    commit: str
    subject: str
    body: str
    targets: tuple[Target, ...]

    @property
    def question(self) -> str:
        """The whole message, used as a question that asks for the change."""
        subject, body = messages.cleaned(self.subject), messages.cleaned(self.body)
        return f"{subject}. {body}" if body else subject

    @property
    def is_fix(self) -> bool:
        """Whether the message describes a defect."""
        return messages.is_fix(f"{self.subject} {self.body[:200]}")


class ProductFunctions:
    """The functions of a snapshot by path and line; product code alone."""

    def __init__(self, index: Snapshot, files: Mapping[str, commits.Blob]) -> None:
        self._index = index
        self._known = {f.path: f for f in index.files.all() if f.path in files and not f.is_test}
        self._of_file: dict[str, tuple[list[int], list[SymbolRecord]]] = {}

    def language(self) -> str:
        """The language of most code files, "" for none."""
        counts: dict[str, int] = {}
        for path, file in self._known.items():
            if path.endswith(messages.SUFFIXES):
                counts[file.language] = counts.get(file.language, 0) + 1
        return max(sorted(counts), key=counts.__getitem__, default="")

    def knows(self, path: str) -> bool:
        """Whether a file is indexed as product code."""
        return path in self._known

    def around(self, path: str, line: int) -> SymbolRecord | None:
        """The innermost function that a line is in."""
        if path not in self._of_file:
            symbols = self._index.symbols.of_file(RepoPath(path))
            listed = [s for s in symbols if s.kind in FUNCTIONS and not s.is_test]
            listed.sort(key=lambda s: (s.span.start_line, -s.span.end_line))
            self._of_file[path] = [s.span.start_line for s in listed], listed
        starts, listed = self._of_file[path]
        # Functions lie in functions, so more than one may hold the line.
        inside = [s for s in listed[: bisect_right(starts, line)] if s.span.end_line >= line]
        return min(inside, key=lambda s: s.span.end_line - s.span.start_line, default=None)


def mined(
    root: Path,
    listed: Iterable[commits.Commit],
    files: Mapping[str, commits.Blob],
    places: ProductFunctions,
) -> Iterator[Fix]:
    """The fixes among some commits after a snapshot with these `files`, in the order of commits."""
    asked = (
        (commit, [change for change in commit.changes if places.knows(change.path)])
        for commit in listed
        if messages.is_question(commit.subject)
    )
    with_changes = (entry for entry in asked if entry[1])
    while group := list(islice(with_changes, _TOGETHER)):
        # One command for all versions that some commits need: starting git costs more than reading.
        names = {
            name
            for _, changes in group
            for change in changes
            for name in (change.before, change.after, files[change.path].name)
        }
        known = dict(commits.contents(root, sorted(names)))
        for commit, changes in group:
            targets = _targets(changes, files, known, places)
            if 1 <= len(targets) <= MOST_FUNCTIONS:
                yield Fix(commit.id, commit.subject, commit.body, targets)


def _targets(
    changes: Sequence[commits.Change],
    files: Mapping[str, commits.Blob],
    known: Mapping[str, bytes],
    places: ProductFunctions,
) -> tuple[Target, ...]:
    """The functions that a commit changes; none where one of its changes cannot be placed."""
    found: dict[tuple[str, int], tuple[SymbolRecord, list[_Lines]]] = {}
    for change in changes:
        entries = _changed(change, files[change.path].name, known, places)
        # If one part cannot be placed, the expected answer would be incomplete.
        if entries is None:
            return ()
        for symbol, lines in entries:
            found.setdefault((change.path, symbol.span.start_line), (symbol, []))[1].append(lines)
    return tuple(
        Target(path, at.start_line, at.end_line, symbol.qualified_name, tuple(lines))
        for (path, _), (symbol, lines) in sorted(found.items(), key=lambda item: item[0])
        for at in (symbol.span,)
    )


def _changed(
    change: commits.Change, name_then: str, known: Mapping[str, bytes], places: ProductFunctions
) -> list[tuple[SymbolRecord, tuple[int, int]]] | None:
    """The functions of the snapshot that a change lies in, with the lines.

    None if they cannot be found, or a function has changed since the snapshot.
    """
    versions = [known.get(name) for name in (name_then, change.before, change.after)]
    if any(version is None or len(version) > MOST_BYTES for version in versions):
        return None
    then, before, after = (version or b"" for version in versions)
    hunks, drift = line_changes.between(before, after), []
    # Most files have not changed since, and git's names for contents say so at once.
    if name_then != change.before:
        # A line that occurs nowhere in the snapshot is new, so the two need not be compared.
        listed, there = before.split(b"\n"), set(then.split(b"\n"))
        touched = (n for hunk in hunks for n in _touched(hunk) if 0 < n <= len(listed))
        if any(listed[n - 1] not in there for n in touched):
            return None
        drift = line_changes.between(then, before)
    found = list(_functions(change.path, hunks, drift, places))
    spans = [(symbol.span.start_line, symbol.span.end_line) for symbol, _ in found if symbol]
    if len(spans) < len(found) or any(line_changes.touches(*span, drift) for span in spans):
        return None
    return [(symbol, lines) for symbol, lines in found if symbol]


def _touched(hunk: Hunk) -> range:
    """The lines of the earlier version that a change concerns."""
    first, n_lines, _, _ = hunk
    # Added lines belong to the lines on both sides of them.
    return range(first, first + n_lines) if n_lines else range(first, first + 2)


def _functions(
    path: str, hunks: Sequence[Hunk], drift: Sequence[Hunk], places: ProductFunctions
) -> Iterator[tuple[SymbolRecord | None, tuple[int, int]]]:
    """The functions of the snapshot that hunks lie in, with the lines; None where a line is new."""
    for hunk in hunks:
        spans: dict[int, tuple[SymbolRecord, list[int]]] = {}
        for line in _touched(hunk):
            earlier = line_changes.earlier_line(line, drift)
            if earlier is None:
                yield None, (0, 0)
                break
            symbol = places.around(path, earlier)
            if symbol is not None:
                spans.setdefault(symbol.id, (symbol, []))[1].append(earlier)
        else:
            for symbol, found in spans.values():
                # Between two functions nothing of either is changed.
                if hunk[1] or len(found) == 2:
                    yield symbol, (min(found), max(found))
