"""Finds the lines of a text or a regular expression in bytes. Pure.

Expressions are RE2's: they take time linear in the text, whatever they are. They are matched within
a line, as grep does it; a text may go over several lines. Lines end at "\\n".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import re2
from msgspec import Struct

from satchel.assembler.exact import required_text
from satchel.assembler.exact.required_text import RequiredText
from satchel.assembler.kinds import TextMode
from satchel.store.errors import UsageError

_MAX_PROGRAM = 20_000
"""Instructions of a compiled expression; `\\pL{300}` would be 400,000 and crawl."""
_SYNTAX = "the syntax is RE2's: no look-around, no back-references; exact finds text as it is"

Span = tuple[int, int]
"""Where a match begins and ends, in bytes."""


class Pattern(Struct, frozen=True):
    """Something to look for.

    `any_of` are texts that a file holds, all of one of the sequences, when it holds a match.
    `cost` is what a byte that is looked at costs at worst, in steps. `find` gives the first match
    at or after a byte.
    """

    any_of: tuple[tuple[bytes, ...], ...]
    cost: int
    find: Callable[[bytes, int], Span | None]

    def lines(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """For each line where a match begins: the byte it begins at, and its first match."""
        place = 0
        # One step is one line, so the walk ends however many empty matches a line has.
        while place <= len(data):
            found = self.find(data, place)
            if found is None:
                return
            start, end = found
            line = data.rfind(b"\n", 0, start) + 1
            if line == len(data):
                return  # an empty match behind the last line
            yield line, start, end
            next_line = data.find(b"\n", start)
            place = next_line + 1 if next_line >= 0 else len(data) + 1


def compiled(text: str, mode: TextMode, *, ignore_case: bool) -> Pattern:
    """The pattern that finds `text`.

    Raises:
        UsageError: it is empty, or an expression that is not valid, too large or over several
            lines; the message names the place.
    """
    if not text:
        raise UsageError("there is nothing to look for", "give a text or an expression")
    if mode == TextMode.EXACT:
        return _exact(text, ignore_case=ignore_case)
    asked = required_text.read(text)
    _compile(text, asked, "", ignore_case=ignore_case)  # so that an error is about what was written
    expression = _compile(text, asked, "(?m)", ignore_case=ignore_case)
    if asked.has_line_end:
        raise UsageError(
            "the expression contains a line break, but it is matched within one line",
            "leave out \\n, or use mode exact for a text of several lines",
        )
    if expression.programsize > _MAX_PROGRAM:
        raise UsageError(
            f"the expression is too large: {expression.programsize:,} steps of {_MAX_PROGRAM:,}",
            "repeat less: a{1,500} counts as 500 times a",
        )
    any_case = ignore_case or asked.any_case
    ways = tuple(
        tuple(piece for text in way for piece in _pieces(text, any_case=any_case))
        for way in asked.ways
    )
    return Pattern(ways, expression.programsize, _finder(expression))


def _exact(text: str, *, ignore_case: bool) -> Pattern:
    wanted = text.replace("\r\n", "\n").encode("utf-8", "surrogateescape")
    any_of = (tuple(_pieces(text, any_case=ignore_case)),)
    # Python has no search for bytes that folds case beyond ASCII, so RE2 does that one.
    if ignore_case:
        options = _options(ignore_case=True)
        options.literal, options.never_nl = True, False
        return Pattern(any_of, len(wanted), _finder(re2.compile(wanted, options=options)))

    def find(data: bytes, place: int) -> Span | None:
        start = data.find(wanted, place)
        return (start, start + len(wanted)) if start >= 0 else None

    return Pattern(any_of, 1, find)


def _pieces(text: str, *, any_case: bool) -> list[bytes]:
    """What of a text stands in a file as it is here, but for what folding makes equal."""
    # Case folding beyond ASCII may change the bytes of a letter, so only ASCII can be asked of a
    # file's signature.
    pieces = re.findall(r"[\x00-\x7f]+", text) if any_case else [text]
    return [piece.encode("utf-8", "surrogateescape") for piece in pieces]


def _options(*, ignore_case: bool) -> re2.Options:
    options = re2.Options()
    options.never_nl = options.never_capture = True
    options.log_errors = False
    options.case_sensitive = not ignore_case
    return options


def _compile(text: str, asked: RequiredText, flags: str, *, ignore_case: bool) -> re2._Regexp:
    encoded = (flags + text).encode("utf-8", "surrogateescape")
    try:
        return re2.compile(encoded, options=_options(ignore_case=ignore_case))
    except re2.error as error:
        message = error.args[0].decode("utf-8", "replace")
        what, _, part = message.partition(": ")
        # RE2 says which part is wrong and not where, so the place is looked up in the text.
        place = asked.open_group if what == "missing )" and asked.open_group >= 0 else -1
        place = text.find(part) if place < 0 and part else place
        where = f" at character {place + 1}" if place >= 0 else ""
        shown = f" ({part[:60]})" if part and part != text else ""
        raise UsageError(f"the expression has an error{where}: {what}{shown}", _SYNTAX) from error


def _finder(expression: re2._Regexp) -> Callable[[bytes, int], Span | None]:
    def find(data: bytes, place: int) -> Span | None:
        found = expression.search(data, place)
        return found.span() if found else None

    return find
