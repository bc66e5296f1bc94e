"""Cuts output that is longer than a question may be to its most telling lines. Pure.

Of a diff whole hunks are kept, some of every file; of a log the parts that say
what failed, and its end; of anything else its beginning, where people say what they want, and its
end. Lines are kept whole, and what was left out is counted where it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from satchel.assembler.budget import MAX_INPUT, MAX_QUERY
from satchel.store.counted import counted
from satchel.store.errors import UsageError

_DIFF = re.compile(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)", re.MULTILINE)
_FAILURE = re.compile(
    r"Traceback \(most recent call last\)|\b(?:FAILED|FAILURES?|ERRORS?|PANIC|FATAL)\b"
    r"|\b(?:error|fatal|panic|panicked|exception|assertion failed|failed)\b[: (\[]"
    r"|\b\w*(?:Error|Exception)\b|^E {2,}|^\s+at \S+\(|^thread '.*' panicked",
    re.MULTILINE | re.IGNORECASE,
)
_SURE = re.compile(
    r"Traceback \(most recent call last\)|FAILED\b|--- FAIL|(?i:error)(?:\[\w+\])?: |E {3}"
    r"|thread '.*' panicked|\S*(?:Error|Exception): |panic: |goroutine \d+ \["
    r"|Exception in thread \"|Caused by: |Unhandled exception|\*\* \(\w|PHP (?:Fatal|Parse) error"
)
"""How a line begins that nobody writes by hand."""
_LOG_SHARE = 0.01
"""From this share of lines that speak of failure on, a text is a log without any of those."""
_AROUND = (6, 14)
"""Lines kept before and after one that speaks of a failure: a trace stands above its error or
below."""
_START_SHARE = 0.15
_END_SHARE = 0.35
"""Shares of the bound that go to the beginning and the end of a log."""
_HEAD_SHARE = 0.6
"""Share of the bound that goes to the beginning of other text; the end gets the rest."""
_MAX_LINE = 400
"""Characters of a line of a log that are kept, and after which what somebody wrote is broken."""
_PIECE = re.compile(
    rf"\s*\S(?:.{{0,{_MAX_LINE - 1}}}$"
    rf"|.{{{_MAX_LINE - 80},{_MAX_LINE - 1}}}(?=\s)|.{{{_MAX_LINE - 1}}})"
)
"""A line, or as much of it as is kept, up to the end of a word where there is one."""
_NOTICE = 1_500
"""Characters left for the marks of what was left out."""


class Input(Struct, frozen=True):
    """A question within the bounds of one, a diff to review, and what was left out."""

    text: str
    changes: str = ""
    notices: tuple[str, ...] = ()


def read(query: str, *, reviews: bool = False) -> Input:
    """What was given as a question, however long it is.

    With `reviews` a diff that is longer than a question may be is one to review, and the question
    is the text around it: a review chooses what to show of all hunks, so none is left out before.

    Raises:
        UsageError: it is longer than anything that is worth reading.
    """
    if len(query) > MAX_INPUT:
        raise UsageError(
            f"the question has {len(query):,} characters, at most {MAX_INPUT:,} are read",
            "give the end of the log, or the part that failed",
        )
    changes = ""
    if reviews and len(query) > MAX_QUERY and "@@ -" in query:
        from satchel.assembler.query import diffs

        if (found := diffs.read(query)).hunks:
            query, changes = found.prose.strip(), query
    text, note = shortened(query, MAX_QUERY)
    return Input(text, changes, (note,) if note else ())


def shortened(text: str, limit: int) -> tuple[str, str]:
    """`text` within `limit` characters, and what a reader should know of that, "" for nothing.

    What is kept stands in the order of the text.
    """
    if len(text) <= limit:
        return text, ""
    pieces = [_PIECE.findall(line) or [""] for line in text.splitlines()]
    # Of what programs print the beginning of a line tells most.
    lines = [piece if not more else f"{piece}…" for piece, *more in pieces]
    is_long = any(more for _, *more in pieces)
    how = f", at most {_MAX_LINE} characters of each" if is_long else ""
    if _DIFF.search(text):
        # Whole hunks, the first one of each file, then the second ones, with what heads their
        # files.
        sizes = _sizes(lines)
        heads, hunks = _hunks(lines)
        chosen: set[int] = set()
        left = limit - _NOTICE
        turns: dict[int, int] = {}
        order: list[tuple[int, int, range]] = []
        for file, hunk in hunks:
            turns[file] = turns.get(file, 0) + 1
            order.append((turns[file], file, hunk))
        for _, file, hunk in sorted(order, key=lambda each: each[:2]):
            wanted = [i for i in (*heads[file], *hunk) if i not in chosen]
            size = sum(sizes[i] for i in wanted)
            if size <= left:
                chosen.update(wanted)
                left -= size
        kept = "\n".join(lines[i] for i in sorted(chosen))
        return kept, _note(text, "whole hunks of its files", chosen, lines) + how
    if _is_log(lines):
        chosen, what = _of_log(lines, limit), "the beginning, what failed and the end"
    else:
        # What somebody wrote goes on to the end of a line, however long it is.
        lines = [piece for each in pieces for piece in each]
        how = f", broken after {_MAX_LINE} characters" if is_long else ""
        chosen, what = _ends(len(lines), _sizes(lines), limit), "the beginning and the end"
    return _joined_with_gaps(lines, chosen, limit), _note(text, what, chosen, lines) + how


def _note(text: str, what: str, chosen: set[int], lines: Sequence[str]) -> str:
    return (
        f"the input has {len(text):,} characters; read were {what}, {len(chosen):,} of"
        f" {counted(len(lines), 'line')}"
    )


def _sizes(lines: Sequence[str]) -> list[int]:
    return [len(line) + 1 for line in lines]


def _is_log(lines: Sequence[str]) -> bool:
    if any(_SURE.match(line.strip()) for line in lines):
        return True
    n_failures = sum(1 for line in lines if _FAILURE.search(line))
    return n_failures >= max(1, _LOG_SHARE * len(lines))


def _hunks(lines: Sequence[str]) -> tuple[list[range], list[tuple[int, range]]]:
    """The lines above the hunks of each file, and each hunk with the number of its file."""
    heads: list[range] = []
    hunks: list[tuple[int, range]] = []
    for i, line in enumerate(lines):
        is_file = line.startswith("diff --git ")
        # A diff that git did not make has no such line: its files begin with "---" and "+++".
        is_plain = line.startswith("--- ") and i + 1 < len(lines) and lines[i + 1][:4] == "+++ "
        if is_file or (is_plain and not (heads and heads[-1].stop == i)):
            heads.append(range(i, i + 1))
        elif line.startswith("@@ ") and heads:
            hunks.append((len(heads) - 1, range(i, i + 1)))
        elif hunks and hunks[-1][1].stop == i:
            hunks[-1] = (hunks[-1][0], range(hunks[-1][1].start, i + 1))
        elif heads and heads[-1].stop == i:
            heads[-1] = range(heads[-1].start, i + 1)
    return heads, hunks


def _of_log(lines: Sequence[str], limit: int) -> set[int]:
    """The end, then the last failures with their surroundings while they fit."""
    sizes = _sizes(lines)
    left = limit - _NOTICE
    chosen: set[int] = set()

    def take(wanted: Sequence[int], available: int) -> int:
        for i in wanted:
            if i in chosen:
                continue
            if sizes[i] > available:
                break
            chosen.add(i)
            available -= sizes[i]
        return available

    # People write above what they paste, and a log says first what was run.
    start = int(left * _START_SHARE)
    left += take(range(len(lines)), start) - start
    end = int(left * _END_SHARE)
    left += take(range(len(lines) - 1, -1, -1), end) - end
    # The last failures come first: a log says in the end what all before it led to.
    for i in range(len(lines) - 1, -1, -1):
        if left <= 0:
            break
        if _FAILURE.search(lines[i]):
            first, last = max(0, i - _AROUND[0]), min(len(lines), i + _AROUND[1] + 1)
            left = take([i, *range(first, last)], left)
    return chosen


def _ends(n_lines: int, sizes: Sequence[int], limit: int) -> set[int]:
    left = limit - _NOTICE
    head = int(left * _HEAD_SHARE)
    chosen: set[int] = set()
    for order, available in ((range(n_lines), head), (range(n_lines - 1, -1, -1), left - head)):
        used = 0
        for i in order:
            if i in chosen or used + sizes[i] > available:
                break
            chosen.add(i)
            used += sizes[i]
    return chosen


def _joined_with_gaps(lines: Sequence[str], chosen: set[int], limit: int) -> str:
    parts: list[str] = []
    gap = 0
    for i, line in enumerate(lines):
        if i in chosen:
            if gap:
                parts.append(f"[… {counted(gap, 'line')} …]")
            parts.append(line)
            gap = 0
        else:
            gap += 1
    if gap:
        parts.append(f"[… {counted(gap, 'line')} …]")
    return "\n".join(parts)[:limit]
