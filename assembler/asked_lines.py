"""Lines that a question asks for by number, `path:10-40`; a pack shows them first. Pure.

The function that they lie in follows, since lines out of its middle cannot be edited by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from satchel.assembler.budget import n_fitting
from satchel.assembler.lookup.definition_source import source_at
from satchel.assembler.lookup.symbols import files_by_path
from satchel.assembler.pasted.seeds import innermost_function
from satchel.assembler.values import MAX_MEANT, Required
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

_RANGE = re.compile(r"(?<![\w/.@+-])((?:[\w@+.-]+/)*[\w@+.-]*[\w+]):(\d{1,9})-(\d{1,9})(?![\w-])")
_FRAME = 100
"""Tokens that the opening of a pack, its receipt and the name of a file take."""
_SHARE = 0.9
"""Share of a budget for the lines asked for; the rest is for what is packed around them."""
_AROUND = "around the lines asked for"


class _Range(NamedTuple):
    path: RepoPath
    first: int
    last: int
    lines: list[str]


def asked_lines(
    snapshot: Snapshot, text: str, count: Callable[[str], int], budget: int
) -> list[Required]:
    """The lines that a question names, in its order, to be shown as they are.

    Each takes at most an equal part of what `budget` has for source; of one that is longer the
    first lines are shown, and the reason says where to go on.
    """
    found = _ranges(snapshot, text)
    available = int(_SHARE * budget) // max(len(found), 1) - _FRAME
    places: list[Required] = []
    for each in found:
        end = each.first + n_fitting(each.lines, count, available) - 1
        more = "" if end == each.last else f", {end + 1}-{each.last} did not fit"
        reason = f"asked for by its lines{more}"
        places.append(Required(each.path, each.first, end, reason, is_exact=True))
    return [*places, *(place for each in found for place in _functions_around(snapshot, each))]


def is_all(text: str) -> bool:
    """Whether a question is nothing but ranges of lines."""
    rest, n_ranges = _RANGE.subn("", text)
    return n_ranges > 0 and not any(letter.isalnum() for letter in rest)


def _functions_around(snapshot: Snapshot, lines: _Range) -> list[Required]:
    """The innermost functions that the first and the last of some lines lie in, if they go on."""
    found: list[Required] = []
    for line in (lines.first, lines.last):
        function = innermost_function(snapshot.symbols.of_file(lines.path), line)
        if function is None:
            continue
        span = function.span
        # A function that the range covers is shown already.
        if span.start_line < lines.first or span.end_line > lines.last:
            place = Required(lines.path, span.start_line, span.end_line, _AROUND)
            found += [place] if place not in found else []
    return found


def _ranges(snapshot: Snapshot, text: str) -> list[_Range]:
    """What is written as a range and lies in a file; of a path its end will do."""
    found: list[_Range] = []
    for written, first, last in dict.fromkeys(_RANGE.findall(text)):
        files = files_by_path(snapshot, written)
        for path in files if len(files) <= MAX_MEANT else ():
            source = source_at(snapshot, path)
            assert source is not None  # the path came from this snapshot
            lines = source.decode("utf-8", "replace").rstrip("\n").split("\n")
            start, end = max(int(first), 1), min(int(last), len(lines))
            if start <= end:
                found.append(_Range(path, start, end, lines[start - 1 : end]))
    return found
