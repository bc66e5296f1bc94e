"""Structure of text without a grammar: pure functions from text to headings.

A heading starts a section that runs to the next heading of the same or a higher level. The
functions go over a text once and never raise; those of kinds of text are in
`satchel.indexer.languages.outlines`.
"""

import re

from msgspec import Struct
from msgspec.structs import replace

from satchel.store.model import SymbolKind

MAX_TITLE = 160
MAX_HEADINGS = 5000

_SPACE = re.compile(r"\s+")


class Heading(Struct, frozen=True):
    """One section start: 1-based `line`, nesting `level` from 1, `title` as a reader sees it.

    The section begins at line `first`, if that is set, with the comment above the heading; it ends
    with line `last` if that is set and comes before the next heading. `signature` is what the
    line says in full, if that is more than the title.
    """

    line: int
    level: int
    title: str
    kind: SymbolKind = SymbolKind.SECTION
    first: int = 0
    last: int = 0
    signature: str = ""


def paragraphs(_text: str) -> list[Heading]:
    """No structure at all: the text is cut at blank lines by size alone."""
    return []


def short(title: str) -> str:
    """A title on one line, not too long."""
    text = _SPACE.sub(" ", title[: 4 * MAX_TITLE]).strip()
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1] + "…"


def starts(headings: list[Heading]) -> list[int]:
    """The first line of each section; never at or above the heading before it."""
    result: list[int] = []
    previous = 0
    for heading in headings:
        result.append(max(heading.first or heading.line, previous + 1))
        previous = heading.line
    return result


def ends(headings: list[Heading], n_lines: int) -> list[int]:
    """The last line of each section, found in one pass from the bottom."""
    first_lines = starts(headings)
    result = [n_lines] * len(headings)
    # A stack of levels that ascend: a section deeper than the one above it cannot end any more.
    below: list[tuple[int, int]] = []  # (level, first line) of the sections that can still end one
    for index in range(len(headings) - 1, -1, -1):
        heading = headings[index]
        while below and below[-1][0] > heading.level:
            below.pop()
        end = below[-1][1] - 1 if below else n_lines
        result[index] = min(end, heading.last) if heading.last else end
        below.append((heading.level, first_lines[index]))
    return result


def with_comments(
    headings: list[Heading], lines: list[str], marks: tuple[str, ...]
) -> list[Heading]:
    """The headings, each with the comment lines right above it."""
    result: list[Heading] = []
    # A line is looked at once: a comment belongs to the first heading below it.
    previous = 0
    for heading in headings:
        first = heading.line
        while first - 1 > previous and lines[first - 2].lstrip().startswith(marks):
            first -= 1
        result.append(replace(heading, first=first))
        previous = heading.line
    return result
