"""The pieces of text that every match of a regular expression contains. Pure.

Reads RE2's syntax (https://github.com/google/re2/wiki/Syntax) just far enough to be sure of a
piece: a class, a repetition that may be empty or an escape for more than one character ends a piece
and asks for nothing. What is not understood asks for nothing either, so no match is ever ruled out.
"""

import re

from msgspec import Struct, field

_MAX_WAYS = 16
"""Alternatives that are kept apart; an expression of more asks for nothing there."""
_MAX_GROUPS = 100
"""An expression of more groups is not read: they may be nested as deep."""
_REPETITION = re.compile(r"(?:[*?]|\+|\{\d+(?:,\d*)?\})\??")
_CLASS = re.compile(r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_GROUP = re.compile(r"\(\?(?:P?<\w+>|[a-zA-Z]*(?:-[a-zA-Z]+)?:|[a-zA-Z]*(?:-[a-zA-Z]+)?(?=\)))|\(")
_ESCAPE = re.compile(
    r"\\(?:x\{[^}]*\}|x..?|[pP]\{[^}]*\}|[pP].?|[0-7]{1,3}|Q.*?(?:\\E|$)|.)", re.DOTALL
)
_FOLDED = re.compile(r"\(\?[a-zA-Z]*i")

Ways = tuple[tuple[str, ...], ...]
"""Alternatives: the pieces of at least one of them stand in the text, in no order."""


class RequiredText(Struct, frozen=True):
    """What an expression asks for. `any_case` says that a piece's letters may be in either case.

    `open_group` is the place (from 0) of a group that is not closed, -1 for none; `has_line_end`
    says that the expression writes a line's end.
    """

    ways: Ways
    any_case: bool
    open_group: int
    has_line_end: bool


def read(expression: str) -> RequiredText:
    """Read an expression, valid or not."""
    any_case = bool(_FOLDED.search(expression))
    if expression.count("(") > _MAX_GROUPS:
        return RequiredText(((),), any_case, -1, has_line_end=False)
    reader = _Reader(expression)
    ways = reader.alternatives()
    while reader.place < len(expression):  # a ")" too many; the engine refuses it
        reader.place += 1
        ways = _both(ways, reader.alternatives())
    open_group = reader.opened[-1] if reader.opened else -1
    return RequiredText(ways, any_case, open_group, reader.has_line_end)


class _Reader(Struct):
    """A place in an expression, read by recursive descent."""

    text: str
    place: int = 0
    opened: list[int] = field(default_factory=list)
    has_line_end: bool = False

    def alternatives(self) -> Ways:
        found = self._sequence()
        while self._next() == "|":
            self.place += 1
            found += self._sequence()
        # Asking for nothing is always safe: it costs reading more files, and loses no match.
        return found if len(found) <= _MAX_WAYS else ((),)

    def _sequence(self) -> Ways:
        ways: Ways = ((),)
        piece = ""
        while self._next() not in ("", "|", ")"):
            if self._next() == "(":
                ways, piece = _with(ways, piece), ""
                ways = _both(ways, self._group())
                continue
            literal = self._literal()
            repeated = self._repetition()
            if repeated == "":
                piece += literal
            if literal == "" or repeated:
                # One or more of a character hold it at least once, so it still ends the piece;
                # none or more may be absent.
                extended = piece + literal if repeated.startswith("+") else piece
                ways, piece = _with(ways, extended), ""
        return _with(ways, piece)

    def _group(self) -> Ways:
        opening = _GROUP.match(self.text, self.place)
        assert opening is not None
        self.opened.append(self.place)
        self.place = opening.end()
        inner = self.alternatives()
        if self._next() == ")":
            self.place += 1
            self.opened.pop()
        repeated = self._repetition()
        return inner if repeated == "" or repeated.startswith("+") else ((),)

    def _literal(self) -> str:
        """The next character where it stands for itself, else ""; the place moves past it."""
        character = self._next()
        if character == "\\":
            return self._escape()
        if character == "[":
            found = _CLASS.match(self.text, self.place)
            self.place = found.end() if found else len(self.text)
            return ""
        self.place += 1
        self.has_line_end |= character == "\n"
        return "" if character in ".^$" else character

    def _escape(self) -> str:
        found = _ESCAPE.match(self.text, self.place)
        escape = found.group() if found else self.text[self.place :]
        self.place += len(escape)
        self.has_line_end |= escape == "\\n"
        is_itself = len(escape) == 2 and not escape[1].isalnum() and escape[1].isascii()
        return escape[1] if is_itself else ""

    def _repetition(self) -> str:
        """All repetitions that follow; "" for none, the weakest where there are several."""
        found = ""
        while match := _REPETITION.match(self.text, self.place):
            self.place = match.end()
            if found == "" or not match.group().startswith("+"):
                found = match.group()
        return found

    def _next(self) -> str:
        return self.text[self.place : self.place + 1]


def _with(ways: Ways, piece: str) -> Ways:
    return tuple((*way, piece) for way in ways) if piece else ways


def _both(ways: Ways, more: Ways) -> Ways:
    if len(ways) * len(more) > _MAX_WAYS:
        return ways  # what the rest asks for is left out
    return tuple((*way, *other) for way in ways for other in more)
