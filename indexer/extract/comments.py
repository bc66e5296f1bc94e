"""Comments: which lines belong to the definition below, and their text without markers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping

from msgspec import Struct

from satchel.indexer.extract.parse import MatchGroup
from satchel.indexer.extract.source import Source

_MARKER = re.compile(
    r"\s*(?:///?!?|//!|/\*\*?!?|\*/|\*(?!\*)|#+[:']?|--+(?:\[=*\[)?\s?\|?|;+|%+|\{-\s?\|?|\(\*+(?!\))|'''|\"\"\"|')\s?"
)
_ABOUT_FILE = re.compile(r"@(?:file|license|module|package)|copyright", re.IGNORECASE)
_TAIL = re.compile(r"\s*(?:\*+[/)]|-\}|(?:--)?\]=*\]|\"\"\"|''')\s*$")
_TAIL_ENDS = ("/", ")", "}", "]", '"', "'")
_QUOTES = re.compile(r"^(?:@\w+\s+)?~?[rRbBuUfFsS]{0,2}(\"\"\"|'''|\"|')(.*?)\1?$", re.DOTALL)

_TAG_NAME = re.compile(r"<(?:see|seealso|paramref|typeparamref)\s+\w+=\"([^\"]*)\"\s*/>")
_TAG = re.compile(r"</?\w[^<>]*>[ \t]*\n?")


def clean_doc(text: str) -> str:
    """A comment or docstring as prose: markers, quotes and common indentation removed."""
    quoted = _QUOTES.match(text.strip())
    if quoted:
        lines = quoted[2].strip().split("\n")
        return "\n".join(line.strip() for line in lines).strip()
    lines = []
    for line in text.split("\n"):
        marker = _MARKER.match(line)
        bare = line[marker.end() :].strip() if marker else line.strip()
        # The last character is looked at first: the pattern takes most of the time here.
        lines.append(_TAIL.sub("", bare).strip() if bare.endswith(_TAIL_ENDS) else bare)
    text = "\n".join(lines).strip()
    # Comments of C# are XML.
    return _TAG.sub("", _TAG_NAME.sub(r"\1", text)).strip() if text.startswith("<") else text


class Attachments(Struct, frozen=True):
    """The comments and decorations of a file."""

    source: Source
    comments: dict[int, int]
    """Comments on whole lines: last line → first byte of the first line."""
    decorations: dict[int, int]
    """The same for decorations."""
    before: dict[int, int]
    """Decorations that code follows on their last line, in the same way."""
    all_comments: list[tuple[int, int]]
    """First byte and end of every comment, in order, wherever it stands."""

    @classmethod
    def of(cls, notes: Iterable[MatchGroup], source: Source) -> Attachments:
        """Collect what `@comment` and `@decoration` captured."""
        comments: list[tuple[int, int]] = []
        decorations: list[tuple[int, int]] = []
        for group in notes:
            for label, places in (("comment", comments), ("decoration", decorations)):
                if label in group.names:
                    nodes = (node for match in group.matches for node in match[label])
                    places.extend((node.start_byte, node.end_byte) for node in nodes)
        comments.sort()
        ends = dict([*decorations, *comments])
        said: dict[int, int] = {}
        above: dict[int, int] = {}
        before: dict[int, int] = {}
        for place in comments:
            _note(place, ends, source, said, {})
        for place in decorations:
            _note(place, ends, source, above, before)
        return cls(source, said, above, before, comments)

    def code(self, start: int, end: int) -> str:
        """What stands between two bytes without the comments in it."""
        source, comments, pieces = self.source, self.all_comments, []
        inside = slice(bisect_left(comments, (start, 0)), bisect_left(comments, (end, 0)))
        for first, last in comments[inside]:
            pieces.append(source.text(start, first).rstrip(" \t"))
            if source.data[last - 1 : last] == b"\n":  # some grammars count it to the comment
                pieces.append("\n")
            start = max(start, last)
        pieces.append(source.text(start, max(start, end)))
        return "".join(pieces)

    def above(self, start: int) -> tuple[int, str]:
        """Where the definition at byte `start` begins with all attached, and what comments say.

        Attached is what stands on whole lines right above, without a blank line between; one is
        allowed below a `/** … */` that is not about the file.
        """
        source = self.source
        first = source.line_of(start)
        start = min(start, self.before.get(first, start))
        pieces: list[str] = []
        while first > 1:
            comment = self.comments.get(first - 1)
            above = comment if comment is not None else self.decorations.get(first - 1)
            if above is None and not pieces:
                comment = above = self._apart(first)
            if above is None:
                break
            if comment is not None:
                pieces.append(clean_doc(source.text(comment, source.line_start(first))))
            start = above
            first = source.line_of(above)
        return start, "\n".join(reversed(pieces)).strip()

    def _apart(self, first: int) -> int | None:
        """Where the `/** … */` begins that ends above the one blank line above line `first`."""
        source = self.source
        comment = self.comments.get(first - 2)
        if not comment:
            return None  # also what the file begins with
        text = source.text(comment, source.line_start(first))
        apart = text.lstrip().startswith("/**") and not text.rsplit("\n", 2)[-2].strip()
        return comment if apart and not _ABOUT_FILE.search(text) else None


def _note(
    place: tuple[int, int],
    ends: Mapping[int, int],
    source: Source,
    whole: dict[int, int],
    before: dict[int, int],
) -> None:
    """Note a comment or decoration that begins its line, by whether code follows on its last."""
    start, last = place
    line_start = source.line_start(source.line_of(start))
    if source.data[line_start:start].strip():
        return
    last, after = _on_line(last, source.data)
    while after in ends:
        last, after = _on_line(ends[after], source.data)
    target = before if source.data[after : after + 1].strip() else whole
    end_line = source.line_of(max(start, last - 1))
    target[end_line] = min(line_start, target.get(end_line, line_start))


def _on_line(end: int, data: bytes) -> tuple[int, int]:
    """The end of a comment without the newline that a grammar may count to it, and what follows."""
    last = end - 1 if data[end - 1 : end] == b"\n" else end
    after = last
    while data[after : after + 1] in (b" ", b"\t"):
        after += 1
    return last, after
