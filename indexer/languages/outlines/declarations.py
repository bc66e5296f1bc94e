"""Definitions found line by line: SQL, style sheets, Terraform, GraphQL, CMake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from satchel.indexer.languages.outline import Heading, short, with_comments
from satchel.store.model import SymbolKind

_WIDTH = 400
"""Only so much of a line is looked at."""

_SQL_NAME = r"(?:[\w$#@]+|\"[^\"]+\"|`[^`]+`|\[[^\[\]]+\])"
_SQL = re.compile(
    r"\s*CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:DEFINER\s*=\s*\S+\s+)?"
    r"(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|FOREIGN|EXTERNAL|VIRTUAL|MATERIALIZED|RECURSIVE"
    r"|UNIQUE|FULLTEXT|CLUSTERED|NONCLUSTERED|CONSTRAINT|EDITIONABLE|AGGREGATE)\s+)*"
    r"(TABLE|VIEW|FUNCTION|PROCEDURE|PROC|TRIGGER|PACKAGE(?:\s+BODY)?|INDEX|TYPE|DOMAIN|SEQUENCE"
    rf"|SCHEMA)\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?({_SQL_NAME}(?:\.{_SQL_NAME})*)",
    re.IGNORECASE,
)
_SQL_KINDS = {
    "TABLE": SymbolKind.STRUCT,
    "VIEW": SymbolKind.STRUCT,
    "TYPE": SymbolKind.TYPE,
    "DOMAIN": SymbolKind.TYPE,
    "FUNCTION": SymbolKind.FUNCTION,
    "PROCEDURE": SymbolKind.FUNCTION,
    "PROC": SymbolKind.FUNCTION,
    "TRIGGER": SymbolKind.FUNCTION,
    "PACKAGE": SymbolKind.MODULE,
}
# PROCEDURE and PROC, and PACKAGE BODY too: words that begin with one of these.
_SQL_BODIES = ("FUNCTION", "PROC", "TRIGGER", "PACKAGE")
_SQL_DOLLAR = re.compile(r"\$\w*\$")
_SQL_BLOCK = re.compile(r"\b(?:BEGIN|IS|AS)\b", re.IGNORECASE)
# What ends a body: a client's delimiter, or an END that is not that of a statement within.
_SQL_OVER = re.compile(
    r"(?:GO|/|//|\$\$|END\b(?!\s+(?:IF|LOOP|WHILE|CASE|REPEAT|FOR)\b)[^;]*;?\s*(?://|\$\$|/)?)$",
    re.IGNORECASE,
)
_SQL_QUOTES = str.maketrans("", "", '"`[]')
_SQL_COMMENT = re.compile(r"--.*$")


class _Statement(Struct):
    """The SQL statement that is being read."""

    heading: Heading
    routine: bool
    """Whether it may have a body whose own statements end with ";"."""
    quote: str = ""
    """The dollar quote that is open, "$$" or "$body$"; "" outside of one."""
    block: bool = False
    """Whether its body has begun, so that only `END` ends it."""

    def continues_after(self, line: str) -> bool:
        """Read its next line; false when that is the last one."""
        for mark in _SQL_DOLLAR.findall(line):
            # A quoted body is a string of PostgreSQL: the statement ends with a ";" behind it.
            self.routine = self.block = False
            self.quote = mark if not self.quote else "" if mark == self.quote else self.quote
        if self.quote:
            return True
        code = _SQL_COMMENT.sub("", line).rstrip()
        self.block = self.block or (self.routine and _SQL_BLOCK.search(code) is not None)
        return not _SQL_OVER.match(code) and (self.block or not code.endswith(";"))


def _uncommented(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines that do not begin inside a block comment."""
    inside = False
    for number, raw in enumerate(lines, 1):
        if inside:
            inside = "*/" not in raw
        else:
            yield number, raw[:_WIDTH].rstrip()
            inside = "*/" not in raw[raw.rindex("/*") :] if "/*" in raw else False


def sql(text: str) -> list[Heading]:
    """What `CREATE` creates, each to the end of its statement."""
    lines = text.split("\n")
    result: list[Heading] = []
    current: _Statement | None = None
    for number, line in _uncommented(lines):
        create = _SQL.match(line)
        # A `CREATE` in the first column ends what has no end of its own; an indented one may be a
        # part of a body.
        if create and (current is None or not (current.quote or line[0].isspace())):
            if current:
                result.append(replace(current.heading, last=number - 1))
            word = create[1].upper().split()[0]
            kind = _SQL_KINDS.get(word, SymbolKind.SECTION)
            title = short(create[2].translate(_SQL_QUOTES))
            heading = Heading(number, 1, title, kind, signature=short(line.rstrip("(;")))
            current = _Statement(heading, word.startswith(_SQL_BODIES))
        if current and not current.continues_after(line):
            result.append(replace(current.heading, last=number))
            current = None
    if current:
        result.append(current.heading)
    return with_comments(result, lines, ("--",))


_CSS = re.compile(
    r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?|url\([^)\n]*+\)?|//[^\n]*|#\{[^{}\n]*\}"
    r"|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|[{};]"
)
_CSS_FUNCTION = re.compile(r"@(?:mixin|function)\s+([\w-]+)")
_CSS_DEPTH = 2
"""Rules that are nested deeper are not listed."""
_WHITE = re.compile(r"\s*")


def css(text: str) -> list[Heading]:
    """Rules and the rules right inside them, with comments above; also of SCSS and Less."""
    sheet = _Sheet(text)
    for token in _CSS.finditer(text):
        mark = token[0]
        if mark == "{":
            sheet.open_rule(token.start(), token.end())
        elif mark == "}":
            sheet.close_rule(token.end())
        elif mark == ";" or (mark.startswith(("/*", "//")) and sheet.blank_before(token.start())):
            sheet.head = token.end()
    return with_comments(sheet.rules, text.split("\n"), ("//", "/*", "*"))


class _Sheet:
    """The rules of a style sheet as its braces are met."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.head = 0
        """Where the selector of the next rule begins."""
        self.rules: list[Heading] = []
        self._open: list[int] = []  # index of each open rule, -1 for one that is not listed
        # Lines are counted on from here: from the start each time would be quadratic.
        self._line, self._counted = 1, 0

    def blank_before(self, position: int) -> bool:
        """Whether nothing stands between the last rule and `position`."""
        return _WHITE.match(self.text, self.head).end() >= position  # type: ignore[union-attr]

    def open_rule(self, start: int, end: int) -> None:
        """A rule begins with its brace at `start`."""
        piece = self.text[self.head : start]
        selector = piece.strip()
        line = self._line_at(self.head + len(piece) - len(piece.lstrip()))
        outer, level = self._open[-1] if self._open else -1, len(self._open) + 1
        # The steps of an animation (`from`, `50%`) are no rules that somebody looks for.
        in_keyframes = outer >= 0 and "keyframes" in self.rules[outer].title
        listed = level <= _CSS_DEPTH and selector and not in_keyframes
        if listed and (not self.rules or self.rules[-1].line < line):
            function = _CSS_FUNCTION.match(selector)
            title = function[1] if function else short(selector)
            kind = SymbolKind.FUNCTION if function else SymbolKind.SECTION
            signature = short(selector) if function else ""
            self.rules.append(Heading(line, level, title, kind, signature=signature))
            self._open.append(len(self.rules) - 1)
        else:
            self._open.append(-1)
        self.head = end

    def close_rule(self, end: int) -> None:
        """The innermost open rule ends."""
        index = self._open.pop() if self._open else -1
        if index >= 0:
            self.rules[index] = replace(self.rules[index], last=self._line_at(end))
        self.head = end

    def _line_at(self, position: int) -> int:
        self._line += self.text.count("\n", self._counted, position)
        self._counted = max(position, self._counted)
        return self._line


def declared(
    pattern: str, closing: str, kinds: dict[str, SymbolKind], comments: tuple[str, ...]
) -> Callable[[str], list[Heading]]:
    """An outline of lines that match `pattern`: group 1 is the keyword, group 2 the name.

    What has a body ends with a line that matches `closing`; indented lines inside declare nothing.
    """
    opens, closes = re.compile(pattern), re.compile(closing)

    def outline(text: str) -> list[Heading]:
        lines = text.split("\n")
        result: list[Heading] = []
        inside = False
        for number, raw in enumerate(lines, 1):
            line = raw[:_WIDTH].rstrip()
            match = None if inside and line[:1].isspace() else opens.match(line)
            if match:
                title = short((match[2] or match[1]).replace('"', ""))
                kind = kinds.get(match[1].split()[-1].lower(), SymbolKind.SECTION)
                signature = short(line.rstrip(" {("))
                result.append(Heading(number, 1, title, kind, signature=signature))
                inside = result[-1].kind != SymbolKind.SECTION or line.endswith("{")
            if inside and closes.match(line):
                result[-1] = replace(result[-1], last=number)
                inside = False
        return with_comments(result, lines, comments)

    return outline


graphql = declared(
    r"((?:extend\s+)?(?:type|interface|enum|input|union|scalar)|directive|query|mutation"
    r"|subscription|fragment)\s+(@?\w+)",
    r"\}|\w.*\}$",
    {
        "type": SymbolKind.STRUCT,
        "input": SymbolKind.STRUCT,
        "interface": SymbolKind.INTERFACE,
        "enum": SymbolKind.ENUM,
        "union": SymbolKind.TYPE,
        "scalar": SymbolKind.TYPE,
        "query": SymbolKind.FUNCTION,
        "mutation": SymbolKind.FUNCTION,
        "subscription": SymbolKind.FUNCTION,
        "fragment": SymbolKind.FUNCTION,
    },
    ("#",),
)
cmake = declared(
    r"\s*(?i:(function|macro|add_executable|add_library|add_custom_target|project))"
    r"\s*\(\s*([^\s()$]+)",
    r"\s*(?i:end(?:function|macro))\b",
    {"function": SymbolKind.FUNCTION, "macro": SymbolKind.MACRO},
    ("#",),
)
