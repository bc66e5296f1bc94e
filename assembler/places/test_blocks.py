"""Test blocks that no definition names: the `it("…", () => { … })` around a line or under a title.

They are found by indentation, which test files keep whatever their language: a block begins at a
line less indented than what is in it and ends before the next line that is not. Pure.
"""

import re
from collections.abc import Sequence

_OPENER = re.compile(
    r"(?:^|[\s.])(?:it|test|specify|scenario|example|should|property|prop|fit|xit|Test|check"
    r"|TEST(?:_\w+)?|SUBCASE|SECTION|SCENARIO)\b[\w.]*\s*[({\[\"'`]"
    r"|\b(?:it|test|specify|scenario|example|should)\b.*\bdo\b|[\"'].*\bin\s*\{\s*$"
)
_TITLE = re.compile(r"([\"'`])(.+?)\1")
_CLOSER = re.compile(r"^\s*(?:[)\]}]|end\b|done\b|fi\b)")


def around(lines: Sequence[str], number: int) -> tuple[int, int] | None:
    """First and last line (1-based) of the innermost test block around a line; None for none."""
    if not 1 <= number <= len(lines):
        return None
    at = number - 1
    while True:
        first = _beginning(lines, at)
        # A block with a table before its title, as in `it.each`, has its opener at either of the
        # two lines.
        if _OPENER.search(lines[first]) or _OPENER.search(lines[at]):
            return first + 1, _end(lines, first) + 1
        above = _parent(lines, first)
        if above is None:
            return None
        at = above


def titled(lines: Sequence[str], title: str, parent: str = "") -> tuple[int, int] | None:
    """The test block with this title, after the suite `parent` where there are several."""
    quoted = [f"{mark}{title}{mark}" for mark in "\"'`"]
    found = [n for n, line in enumerate(lines) if any(each in line for each in quoted)]
    if not found:
        return None
    suites = [n for n, line in enumerate(lines) if parent and parent in line]
    # Titles such as "works" repeat, and the one below the suite's own title is the one that is
    # meant.
    at = next((n for n in found if suites and n > suites[0]), found[0])
    first = _beginning(lines, at)
    return first + 1, _end(lines, first) + 1


def titles(lines: Sequence[str], number: int) -> list[str]:
    """What stands in quotes in a line (1-based) and in those that it lies within, outermost last:
    the titles of a test and its suites."""
    found: list[str] = []
    at: int | None = number - 1
    while at is not None:
        if match := _TITLE.search(lines[at]):
            found.append(match[2])
        at = _parent(lines, at)
    return found


def innermost(lines: Sequence[str]) -> list[tuple[int, int]]:
    """First and last line (1-based) of every test block that holds no other."""
    found: list[tuple[int, int]] = []
    for at in (n for n, line in enumerate(lines) if _OPENER.search(line)):
        first = _beginning(lines, at)
        block = first + 1, _end(lines, first) + 1
        if found and found[-1][0] < block[0] <= found[-1][1]:
            found.pop()
        if not found or found[-1] != block:
            found.append(block)
    return found


def _beginning(lines: Sequence[str], at: int) -> int:
    """Where a statement begins that ends at `at`: `])("…", () => {` belongs to `it.each([`."""
    while _CLOSER.match(lines[at]) and at > 0:
        level = _indent(lines[at])
        above = at - 1
        while above > 0 and (not lines[above].strip() or _indent(lines[above]) > level):
            above -= 1
        if _indent(lines[above]) != level:
            break
        at = above
    return at


def _parent(lines: Sequence[str], at: int) -> int | None:
    """The nearest line above that is less indented."""
    level = _indent(lines[at])
    for above in range(at - 1, -1, -1):
        if lines[above].strip() and _indent(lines[above]) < level:
            return above
    return None


def _end(lines: Sequence[str], first: int) -> int:
    """The last line of what begins at `first`."""
    level = _indent(lines[first])
    last = first
    for at in range(first + 1, len(lines)):
        if not lines[at].strip():
            continue
        if _indent(lines[at]) > level:
            last = at
        elif _indent(lines[at]) == level and _CLOSER.match(lines[at]):
            last = at
            if not re.search(r"[({\[]\s*$|=>\s*$|\bdo\b.*$", lines[at]):
                break
        else:
            break
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
