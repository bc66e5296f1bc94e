"""A unified diff as hunks: which lines of which files it changes. Pure.

The notation is that of GNU `diff -u` and `git diff`. Lines are counted, never guessed: a hunk that
is shorter than its header says ends where the next header starts. Where a file differs from what a
hunk was made from, its text tells where it stands, as `patch` does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler.query.traces import Frame

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$")
_HEADER = re.compile(
    r"^(?:diff --git |index [0-9a-f]+\.\.|(?:new|deleted) file mode|old mode|new mode"
    r"|similarity index|rename (?:from|to) |Binary files |\\ No newline)"
)
NAME = re.compile(
    r"(?:def|class|func|function|fn|sub|void|struct|interface)\s+(?:\([^)]*\)\s*)?(\w+)"
)
"""The name of a function or class in the line that defines it."""
RENAMED = ("rename from ", "rename to ")
"""What begins the two lines by which git tells that a file was renamed."""
CHANGED = ("+", "-")
"""What begins the lines that a diff takes out or adds."""
_LEAST_LINES = 2
"""Lines with something in them by which a hunk is found."""
_MAX_WORDS = 4000
"""Characters of changed lines that are searched for when nobody said what the change is about."""


class State(StrEnum):
    """How a file stands to a hunk."""

    APPLIED = ""
    PENDING = "not applied here"
    UNKNOWN = "not in this file as it is now"
    GONE = "removed with its file"

    @property
    def mark(self) -> str:
        """What begins the changed lines that a file in this state has."""
        return "-" if self in (State.PENDING, State.GONE) else "+"


class Hunk(Struct, frozen=True):
    """A hunk: lines `start` to `end` of a file after the change, or before it where it is pending
    or the file is gone.

    `text` is the hunk as it stands in the diff, its header included.
    """

    path: str
    start: int
    end: int
    text: str
    state: State = State.APPLIED

    @property
    def heading(self) -> str:
        """What its header says after the numbers: with git, a line that begins a definition."""
        header = _HUNK.match(self.text.partition("\n")[0].removesuffix("\r"))
        return header[5] if header else ""

    @property
    def body(self) -> list[str]:
        """Its lines with their marks, without the header."""
        return [line for line in self.text.split("\n")[1:] if line[:1] != "\\"]

    @property
    def name(self) -> str:
        """The function or class that the heading names, "" for none."""
        found = NAME.search(self.heading)
        return found[1] if found else ""


class Diff(Struct, frozen=True):
    """All hunks in order; `deleted` are files that are gone, `moved` the old and new paths of
    those that were renamed; `prose` is the text around it."""

    hunks: tuple[Hunk, ...]
    deleted: tuple[str, ...]
    prose: str
    moved: tuple[tuple[str, str], ...] = ()

    @property
    def kept(self) -> list[Hunk]:
        """The hunks of files that are not gone."""
        return [hunk for hunk in self.hunks if hunk.path not in self.deleted]


def read(text: str) -> Diff:
    """Read what is a diff in a text; no hunks when nothing is."""
    lines = text.split("\n")
    hunks: list[Hunk] = []
    deleted: list[str] = []
    prose: list[str] = []
    moved: list[tuple[str, str]] = []
    path = old_path = ""
    at = 0
    while at < len(lines):
        line = lines[at].removesuffix("\r")
        # A removed line that begins with "-- " looks like a header; only both header lines
        # together are one.
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if line.startswith("--- ") and following.startswith("+++ "):
            old_path, path = _path(line), _path(following)
            # The new side of a file that is gone is /dev/null, so only the old side has its name.
            if not path:
                deleted.append(old_path)
            at += 2
        elif line.startswith(RENAMED[0]) and following.startswith(RENAMED[1]):
            sides = zip((line, following.removesuffix("\r")), RENAMED, strict=True)
            old, new = (_unquoted(side.removeprefix(mark)) for side, mark in sides)
            moved.append((old, new))
            at += 2
        elif (match := _HUNK.match(line)) and (path or old_path):
            first, at = at, _after_hunk(lines, at, match)
            start, count = int(match[3]), int(match[4]) if match[4] is not None else 1
            end = start + max(count, 1) - 1
            hunks.append(Hunk(path or old_path, start, end, "\n".join(lines[first:at])))
        else:
            if not _HEADER.match(line):
                prose.append(line)
            at += 1
    return Diff(tuple(hunks), tuple(deleted), "\n".join(prose), tuple(moved))


def placed(hunk: Hunk, lines: Sequence[str]) -> Hunk:
    """The hunk where a file of these lines has it: what it makes of it, else what it was made from.

    Of what is in neither state the context that was changed since is left out, from its ends on.
    """
    body = hunk.body
    header = _HUNK.match(hunk.text.partition("\n")[0])
    n_above = next((n for n, line in enumerate(body) if line[:1] in CHANGED), len(body))
    n_below = next((n for n, line in enumerate(reversed(body)) if line[:1] in CHANGED), 0)
    cuts = sorted(((a, b) for a in range(n_above + 1) for b in range(n_below + 1)), key=sum)
    at: dict[str, list[int]] = {}
    for n, line in enumerate(lines):
        at.setdefault(line.rstrip(), []).append(n)
    states = (State.APPLIED, hunk.start), (State.PENDING, int(header[1]) if header else hunk.start)
    for above, below in cuts:
        kept = body[above : len(body) - below]
        for state, expected in states:
            image = _image(kept, state)
            # Context on one side alone would be found whether lines below it were removed or not.
            is_telling = any(line[:1] == state.mark for line in kept) or (
                above < n_above and below < n_below
            )
            start = _found(image, at, lines, expected - 1 + above) if is_telling else None
            if start is not None:
                first = start - above + 1
                end = first + max(len(_image(body, state)), 1) - 1
                return replace(hunk, start=first, end=end, state=state)
    return replace(hunk, state=State.UNKNOWN)


def gone(hunk: Hunk) -> Hunk:
    """The hunk of a file that is not there any more, by the lines that the file had."""
    header = _HUNK.match(hunk.text.partition("\n")[0])
    start = int(header[1]) if header else 1
    end = start + max(1, len(_image(hunk.body, State.GONE))) - 1
    return replace(hunk, start=start, end=end, state=State.GONE)


def _image(body: Iterable[str], state: State) -> list[str]:
    """The lines of a hunk on one of its sides."""
    return [line[1:].rstrip() for line in body if line[:1] not in CHANGED or line[:1] == state.mark]


def _found(
    image: Sequence[str], at: dict[str, list[int]], lines: Sequence[str], expected: int
) -> int | None:
    """Where some lines stand in a file (from 0), nearest to where they are expected."""
    if sum(1 for line in image if line) < _LEAST_LINES:
        return None
    found = (
        n
        for n in at.get(image[0], ())
        if all(n + k < len(lines) and lines[n + k].rstrip() == line for k, line in enumerate(image))
    )
    return min(found, key=lambda n: (abs(n - expected), n), default=None)


def settled(hunk: Hunk) -> Hunk:
    """The same change with each run of added or removed lines where a reader would see it.

    A new function between two others can be written as `}` … or as what follows its end; a program
    that compares lines knows nothing of that. Of all equal positions the one is taken that begins
    after a blank line, else the one whose first line is indented least.
    """
    head, *body = hunk.text.split("\n")
    start = 0
    while start < len(body):
        mark = body[start][:1]
        if mark not in CHANGED:
            start += 1
            continue
        stop = next((n for n in range(start, len(body)) if body[n][:1] != mark), len(body))
        around = (
            (body[start - 1][:1] if start else ""),
            (body[stop][:1] if stop < len(body) else ""),
        )
        # Beside lines with another mark it is a replacement, which has no other position.
        if not set(around) & {*CHANGED, "\\"}:
            _settle(body, start, stop, mark)
            while stop < len(body) and body[stop][:1] == mark:
                stop += 1
        start = stop
    return replace(hunk, text="\n".join([head, *body]))


def _settle(body: list[str], start: int, stop: int, mark: str) -> None:
    """Move the marks of one run to its best position."""
    texts, length = [line[1:].rstrip() for line in body], stop - start
    low = high = start
    while low > 0 and body[low - 1][:1] in (" ", "") and texts[low - 1] == texts[low - 1 + length]:
        low -= 1
    while (
        high + length < len(body)
        and body[high + length][:1] in (" ", "")
        and texts[high] == texts[high + length]
    ):
        high += 1

    def order(at: int) -> tuple[bool, int, int]:
        first = body[at][1:]
        is_after_blank = at > 0 and not texts[at - 1]
        return (
            not is_after_blank or not texts[at], len(first) - len(first.lstrip()), abs(at - start)
        )  # fmt: skip

    best = min(range(low, high + 1), key=order)
    for n in range(min(start, best), max(start, best) + length):
        is_in = best <= n < best + length
        body[n] = (mark if is_in else " ") + body[n][1:]


def changed_lines(hunk: Hunk) -> Iterator[Frame]:
    """The runs of changed lines of a hunk, where it stands.

    Of a run that was only removed, the frame begins above the gap and ends below it.
    """
    name, body = hunk.name, hunk.body
    # A count of 0 names the line before the gap.
    line = hunk.start + (not _image(body, hunk.state))
    gap, own, shift = 0, list[int](), 0
    before = ""
    for text in [*body, ""]:
        if text[:1] in CHANGED:
            if not gap:
                gap, shift = line, _shift(before, text)
            own += [line] if text[:1] == hunk.state.mark else []
            line += text[:1] == hunk.state.mark
            continue
        if gap:
            first, last = (own[0], own[-1]) if own else (gap - 1 + shift, gap)
            yield Frame(hunk.path, max(1, first), max(1, last), name)
        gap, own = 0, []
        line += 1
        before = text


def _shift(before: str, text: str) -> int:
    """1 where a run of changes begins with a blank line after code: what is taken out with it, such
    as a function, is no part of what ends above."""
    return int(bool(before.strip()) and not text[1:].strip())


def words(diff: Diff) -> str:
    """What a diff without a description is about: its headings and changed lines, cut to size."""
    parts = (part for hunk in diff.kept for run in _runs(hunk) for part in (hunk.heading, run))
    return "\n".join(dict.fromkeys(filter(str.strip, parts)))[:_MAX_WORDS]


def _runs(hunk: Hunk) -> Iterator[str]:
    """The changed lines of a hunk without their marks, those next to each other as one text."""
    for is_changed, lines in groupby(hunk.body, key=lambda line: line[:1] in CHANGED):
        if is_changed:
            yield "\n".join(line[1:] for line in lines)


def _path(line: str) -> str:
    """The path of a header line, "" for /dev/null."""
    name = _unquoted(line[4:].split("\t")[0].strip())
    if name == "/dev/null":
        return ""
    return name[2:] if name[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else name


def _unquoted(name: str) -> str:
    """A path without the quotes and escapes that git writes around one that is no plain word."""
    if name.startswith('"') and name.endswith('"'):
        # A path as git quotes it: octal escapes of its bytes.
        data = re.sub(
            rb"\\(?:([0-7]{3})|(.))",
            lambda m: (
                bytes([int(m[1], 8) & 255]) if m[1] else {b"t": b"\t", b"n": b"\n"}.get(m[2], m[2])
            ),
            name[1:-1].encode("utf-8", "surrogateescape"),
        )
        name = data.decode("utf-8", "surrogateescape")
    return name


def _after_hunk(lines: Sequence[str], at: int, header: re.Match[str]) -> int:
    """The index of the line after the hunk whose header is line `at`."""
    old_left, new_left = (int(n) if n is not None else 1 for n in (header[2], header[4]))
    at += 1
    while at < len(lines) and (old_left > 0 or new_left > 0):
        mark = lines[at][:1]
        # Editors and mail strip blanks at a line's end, so an empty line is an empty line of
        # context.
        is_context = mark in (" ", "")
        if not is_context and mark not in (*CHANGED, "\\"):
            break
        old_left -= is_context or mark == "-"
        new_left -= is_context or mark == "+"
        at += 1
    return at
