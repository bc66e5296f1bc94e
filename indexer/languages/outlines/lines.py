"""Definitions that one expression finds line by line, whole where the indentation shows their end.

For code whose grammar is missing, dear or unknown. A definition ends before the next line that is
not indented deeper, and with that line where it only closes what is open. Nothing is told of a
definition whose body stands at its own margin but where it begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from satchel.indexer.languages.outline import MAX_HEADINGS, Heading, short, with_comments
from satchel.store.model import CLASS_LIKE, SymbolKind

WIDTH = 400
"""Only so much of a line is looked at."""
_TAB = 8
_HEAD = 12
"""A head of more lines is none."""
_COMMENTS = ("#", "//", "/*", "*", "--", ";", "%", "'", '"""', "{-", "!")
"""What a line above a definition begins with that is about it, where a language says nothing."""
_NO_COMMENT = re.compile(r"[#*][^\W\d]\w*\((?:[^;]*\{|[^;()]*)$").match
"""Private methods and generators of JavaScript begin as comments of other languages do."""
BEHIND = r"\s(?:#|//|--|;;)(?:\s.*|$)"
"""A comment behind code."""
_BEHIND = re.compile(BEHIND)
_CLOSES = re.compile(r"[)\]}>]|(?i:end)\w*\b|(?:done|fi|esac)\b", re.ASCII)
_GOES_ON = re.compile(
    # What stands at the margin of a definition between its head and its end.
    r"[{(]$|(?i:begin|is|as|where|then|do|var|const|contains|implicit|else\w*|elif|elsif|catch|except(?:ion)?|finally|rescue"
    r"|ensure|requires|returns)\b|\w+:$"
)
_HEAD_GOES_ON = re.compile(r"\{$|->|where\b|throws\b")
_HEAD_MAY_GO_ON = ("{", "->", "where", "throws")
KEPT = 1 << 12
"""Lines of which is remembered what was found in them: many are the same."""
_OPENS = re.compile(r".*(?:[{(\[:=,]|\b(?:do|then|is|begin|of))$")
_WORDS = {
    SymbolKind.MODULE: "module mod namespace package library unit program lib section",
    SymbolKind.CLASS: "class classdef object contract actor entity architecture component",
    SymbolKind.INTERFACE: "interface protocol signature",
    SymbolKind.TRAIT: "trait mixin",
    SymbolKind.STRUCT: "struct structure record union",
    SymbolKind.ENUM: "enum enumeration",
    SymbolKind.TYPE: "type typedef subtype newtype data exception inductive coinductive concept",
    SymbolKind.EXTENSION: "impl extension instance",
    SymbolKind.MACRO: "macro defmacro",
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_VARIABLE = "name_of_variable"
"""The group of a name that holds a value, which counts at the margin alone."""


class _Open(Struct):
    """A definition that has not ended: its place in the result, the column it begins at, and the
    last line of its head."""

    index: int
    indent: int
    head: int


def by_lines(pattern: str, ends: str = "") -> Callable[[str], list[Heading]]:
    """An outline of the lines that match `pattern` from their first character that is no blank.

    Group `name`, or one that is called name1, name2 …, is what is defined; group `word` says what
    kind of thing that is, a function by default. A line that matches `ends` ends the innermost
    definition wherever it stands, of those that a word in its group `of` begins.
    """
    declares = re.compile(pattern)
    match_head = lru_cache(KEPT)(declares.match)
    names = sorted(name for name in declares.groupindex if name.startswith("name"))
    closes = re.compile(ends) if ends else None

    def outline(text: str) -> list[Heading]:
        lines = text.split("\n")
        code = [_BEHIND.sub("", raw[:WIDTH].strip()) for raw in lines]
        result: list[Heading] = []
        open_now: list[_Open] = []
        last = 0
        """The last line that belongs to what is open."""
        for number, raw in enumerate(lines, 1):
            line, indent = code[number - 1], _indent(raw)
            # Below a signature stand the equations of what it is of.
            around = open_now[-1] if open_now else None
            title = result[around.index].title if around and around.indent == indent else ""
            is_own = title and line.startswith(f"{title} ")
            if is_own or is_comment(line):
                is_inside = is_own or (line and around and indent > around.indent)
                last = number if is_inside else last
                continue
            head, head_end = _head(code, number)
            match = match_head(head) if len(result) < MAX_HEADINGS else None
            # What a function or a branch calls a value is no definition.
            is_local = match and indent and match.groupdict().get(_VARIABLE)
            match = None if is_local else match
            if closes:
                if ends_here := closes.match(line):
                    _close(result, open_now, ends_here.groupdict().get("of") or "", number)
            else:
                _leave(result, open_now, (number, indent), "" if match else line, last)
            if match:
                name = next(filter(None, (match[each] for each in names)), "")
                result.append(_heading(number, name, _word(match), head, result, open_now))
                open_now.append(_Open(len(result) - 1, indent, head_end))
            last = number
        for opened in open_now:
            _end(result, opened, last)
        return _joined(with_comments(result, lines, (*_COMMENTS, "@", "[", "template")))

    return outline


def extent(lines: Sequence[str], number: int) -> int:
    """The last line of what begins in a line, from 1: before the next that is indented no deeper,
    and with that line where it only closes what is open."""
    own, last = _indent(lines[number - 1]), number
    for at in range(number + 1, len(lines) + 1):
        line = lines[at - 1][:WIDTH].strip()
        if is_comment(line):
            continue
        indent = _indent(lines[at - 1])
        closes = indent == own and _CLOSES.match(line) is not None
        if indent <= own and not closes and not (indent == own and _GOES_ON.match(line)):
            break
        last = at
        if closes and not _OPENS.match(line):
            break
    return last


def _indent(line: str) -> int:
    width = len(line) - len(line.lstrip())
    return len(line[:width].expandtabs(_TAB)) if width else 0


def is_comment(line: str) -> bool:
    """Whether a line without blanks around it is empty or a comment in some language."""
    return not line or (line.startswith(_COMMENTS) and not _NO_COMMENT(line))


def _joined(headings: list[Heading]) -> list[Heading]:
    """The headings, those of neighbours of one name as one: clauses of a function."""
    result: list[Heading] = []
    for each in headings:
        before = result[-1] if result else each
        is_same = (each.title, each.level, each.kind) == (before.title, before.level, before.kind)
        if result and is_same and each.first == before.last + 1:
            result[-1] = replace(before, last=each.last)
        else:
            result.append(each)
    return result


def _head(code: list[str], number: int) -> tuple[str, int]:
    """A line with those that its parentheses, or a brace of its own, go on to; the last of them."""
    text = own = code[number - 1]
    n_open = text.count("(") - text.count(")")
    for last, line in enumerate(code[number : number + _HEAD - 1], number):
        goes_on = n_open > 0 or (line.startswith(_HEAD_MAY_GO_ON) and _HEAD_GOES_ON.match(line))
        if not goes_on or text.endswith((";", "{")):
            return text, last
        text = f"{text} {line}"
        n_open += line.count("(") - line.count(")")
    return own, number


def _leave(
    result: list[Heading], open_now: list[_Open], place: tuple[int, int], line: str, last: int
) -> None:
    """End what a line is no part of that stands at some place: its number and its column."""
    number, indent = place
    if open_now and number <= open_now[-1].head:
        return
    while open_now and open_now[-1].indent > indent:
        _end(result, open_now.pop(), last)
    if open_now and open_now[-1].indent == indent and not _GOES_ON.match(line):
        closes = _CLOSES.match(line) is not None
        if not (closes and _OPENS.match(line)):
            _end(result, open_now.pop(), number if closes else last)


def _close(result: list[Heading], open_now: list[_Open], word: str, number: int) -> None:
    """End the innermost definition whose head has a word, and what is in it; `end interface` is
    the end of none where an interface without a name began."""
    begun = re.compile(rf"(?i)\b{word}\b").search
    for at in reversed(range(len(open_now))):
        if begun(result[open_now[at].index].signature):
            for opened in open_now[at:]:
                _end(result, opened, number)
            del open_now[at:]
            return


def _end(result: list[Heading], opened: _Open, last: int) -> None:
    result[opened.index] = replace(result[opened.index], last=max(last, result[opened.index].line))


def _word(match: re.Match[str]) -> str:
    """The word that says what kind of thing is defined."""
    groups = match.groupdict()
    return _VARIABLE if groups.get(_VARIABLE) else (groups.get("word") or "").lower()


def kind_of(word: str) -> SymbolKind:
    """What a keyword says that is defined; a function where it says nothing."""
    return _KINDS.get(word, SymbolKind.FUNCTION)


def _heading(
    number: int, name: str, word: str, head: str, result: list[Heading], open_now: list[_Open]
) -> Heading:
    kind = SymbolKind.VARIABLE if word == _VARIABLE else kind_of(word)
    outer = result[open_now[-1].index].kind if open_now else None
    if kind == SymbolKind.FUNCTION and outer in CLASS_LIKE:
        kind = SymbolKind.METHOD
    signature = short(head.rstrip(" {(:=;"))
    return Heading(number, len(open_now) + 1, short(name.strip("`")), kind, signature=signature)


_NAME = r"\$?[^\W\d][\w$.]*(?:(?:::|\\)\w+)*[?!']?"
_SPOKEN = rf"(?:[^\W\d][\w.]*(?:-\w+)+|`[^`]+`|{_NAME})"
"""A name behind a word that begins a function, which may have hyphens or be a sentence."""
_TYPE_WORDS = "|".join(_KINDS)
CONTROL = (
    "if|for|foreach|while|switch|catch|return|else|elif|elsif|new|case|until|unless|when|await"
    "|throw|synchronized|using|(?:do|yield|try|match|select|defer|go|not|and|or)(?!\\()"
)
unknown = by_lines(
    rf"(?!(?:{CONTROL})\b)"
    # Words that stand before: `public static`, `export default`, `pub(crate)`, `local`.
    r"(?:template\s*<[^;{}()]*>\s*)?(?:[a-z_@]\w*(?:\([\w ]*\))?\s+){0,4}?(?:"
    # `func name`, `def name`, `sub name`, `proc name`: what follows is no prose.
    r"(?i:func|fun|fn|function|def|defn|defp|sub|proc|procedure|method|routine|subroutine|task|rule"
    rf"|predicate|theorem|lemma)\b\*?\s+(?:\([^()]*\)\s*)?(?P<name1>{_SPOKEN})\s*(?:[(\[{{<:=;,!]|$"
    r"|(?:is|as|do|returns?|where|throws)\b|[\w'\"~&-]+\s*[=,)])"
    # `impl<T> Trait for Name<T>` is about the name behind.
    rf"|(?P<word>(?i:{_TYPE_WORDS}))(?:(?<=impl)(?:<[^;{{}}]*?>)?\s+(?:[^;{{}}]*?\sfor\s+)?|\s+)"
    rf"(?P<name2>{_NAME})\s*(?:[({{\[<:=;,|]|$"
    r"|(?:is|as|extends|implements|inherits|with|where|for|from|of)\b)"
    # `name = function (`, `name <- function(`, `name: function (`.
    rf"|(?:let\s+|var\s+|const\s+)?(?P<name3>{_NAME})(?::[\w\s<>.,|\[\]]+)?\s*(?:<-|:=|=|:)\s*"
    r"(?:async\s+)?(?:<[^()]*>\s*)?(?:(?:\((?:[^;()]|\([^;()]*\))*\)[^;{}]*|\w+\s*)=>"
    r"|(?:function|func|fn|fun|proc|sub|lambda)\b|\\)(?=\s*[\w({*]|\s*$)"
    # `(define (name …`, `(defun name …`.
    r"|\((?:def[\w-]*|define[\w-]*)\s+\(?(?P<name4>[^\s()]+)"
    # `Type name(…) {`, with the types of its parameters.
    r"|(?:[\w<>\[\],.*&?:]+\s+)*#?(?P<name5>[^\W\d][\w-]*)(?:<[^()]*>)?\s*\((?:[^;()]|\([^;()]*\))*\)"
    r"(?:(?!=>)[^;(){}])*\{(?:[^{}]*\})?$"
    # `name :: Type`, `let name argument =`, `name(Argument) ->`.
    r"|(?P<name6>[a-z][\w']*)\s+::\s"
    r"|let\s+(?:rec\s+)?(?!mut\b)(?P<name7>[a-z_][\w']*)(?:\s+[^=\s:]+(?::[^=]*)?)+?\s*=(?!=)"
    r"|(?P<name8>[a-z]\w*)\((?:[^;()]|\([^;()]*\))*\)\s*(?:when\b[^;]*)?->(?:$|.*[.;,]$)"
    # `const name = make(`, `name: Type = {`, over several lines.
    rf"|(?:[a-z]\w*\s+)*(?P<{_VARIABLE}>{_NAME})(?::[^=;]+)?\s*:?=(?!=)(?:[^;]*[({{\[])?$"
    r")"
)
"""Definitions as most languages write them, for code in one that nothing is known of."""
