"""Headings of prose: Markdown, reStructuredText, AsciiDoc, Org, LaTeX and HTML."""

import re
import string
from collections.abc import Iterator
from html import unescape

from satchel.indexer.languages.outline import Heading, short

_WIDTH = 400
"""Characters of a line that are read."""

_FRONT_MATTER = 200
"""Lines within which front matter must end: a `---` may be a horizontal rule."""
_FENCE = re.compile(r"\s*(?:(?:[-*+>]|\d+[.)])\s+)?(`{3,}|~{3,})([^`]*)$")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)$")
_ATX_CLOSE = re.compile(r"(?:^|[ \t])#+$")
_SETEXT = re.compile(r" {0,3}(=+|--+)$")
_NOT_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[-*+>|]|\d+[.)])(?:\s|$)| {0,3}[#|<>]")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"<[^<>]*>")
_ATTRIBUTES = re.compile(r"\{[#.][^{}]*\}$")

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+$")
_ADORNING = frozenset(string.punctuation)

_ASCIIDOC = re.compile(r"(={1,6})[ \t]+(\S.*)$")
_ASCIIDOC_BLOCK = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|```.*)$")
_ASCIIDOC_BEGINS = frozenset("=-.+/`")
_ORG = re.compile(r"(\*{1,8})[ \t]+(\S.*)$")
_ORG_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_", re.IGNORECASE)
_LATEX = re.compile(
    r"[ \t]*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?"
    r"(?:\[[^\]]*\])?\{((?:[^{}]|\{[^{}]*+\})*+)\}"
)
_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")

_HTML = re.compile(
    r"<!--(?:[^-]|-(?!->))*+(?:-->)?|<(script|style)\b[^<>]{0,1000}>|<h([1-6])\b[^<>]{0,1000}>"
    r"|<(?:section|article|main|nav|header|footer|aside|form|table|template|dialog|div)\b"
    r"[^<>]{0,300}?\sid=[\"']([^\"'<>]{1,100})",
    re.IGNORECASE,
)
_HTML_END = re.compile(r"</h[1-6]", re.IGNORECASE)
_ID_LEVEL = 7
"""Below all headings, of which HTML has six levels."""


def markdown(text: str) -> list[Heading]:
    """ATX and setext headings outside of code fences, comments and front matter."""
    result: list[Heading] = []
    paragraph: list[tuple[int, str]] = []
    for number, line in _uncommented(_unfenced(text)):
        if paragraph and paragraph[-1][0] != number - 1:
            paragraph = []
        # Most lines are prose, and begin as neither does.
        mark = line.lstrip(" ")[:1]
        atx = _ATX.match(line) if mark == "#" else None
        setext = _SETEXT.match(line) if mark in ("=", "-") else None
        if atx:
            _note(result, number, len(atx[1]), _plain(_ATX_CLOSE.sub("", atx[2].rstrip())))
        elif setext and paragraph:
            title = " ".join(part for _, part in paragraph[:3])
            _note(result, paragraph[0][0], 1 if setext[1][0] == "=" else 2, _plain(title))
        elif line.strip() and (paragraph or not _NOT_PARAGRAPH.match(line)):
            paragraph.append((number, line.strip()))
            continue
        paragraph = []
    return result


def _note(result: list[Heading], line: int, level: int, title: str) -> None:
    if title and (not result or result[-1].line < line):
        result.append(Heading(line, level, short(title)))


def _unfenced(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a Markdown text outside of code fences and front matter."""
    lines = text.split("\n")
    lines[0] = lines[0].removeprefix("\ufeff")
    # Front matter is a block between two lines of `---` or `+++` at the top.
    opening = lines[0].rstrip()
    ends = (n for n, line in enumerate(lines[1:_FRONT_MATTER], 2) if line.rstrip() == opening)
    first = next(ends, 0) + 1 if opening in ("---", "+++") else 1
    fence = ""
    for number in range(first, len(lines) + 1):
        line = lines[number - 1][:_WIDTH].rstrip()
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            # CommonMark: a line with a fence of the same kind, at least as long, closes a fence.
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield number, line


def _uncommented(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines that do not begin inside an HTML comment or with one."""
    inside = False
    for number, line in lines:
        was = inside
        if inside:
            inside = "-->" not in line
        elif "<!--" in line:
            inside = "-->" not in line[line.rindex("<!--") :]
        if not was and not line.lstrip().startswith("<!--"):
            yield number, line


def _plain(title: str) -> str:
    """A title without the marks of links, code, emphasis and attributes."""
    # Twice: a badge is an image within a link.
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", title[:_WIDTH]))
    text = _ATTRIBUTES.sub("", _TAG.sub("", text)).replace("`", "").replace("**", "")
    return text.strip() or title


def rst(text: str) -> list[Heading]:
    """Underlined titles, with or without overline; the order of first use sets the levels."""
    lines = text.split("\n")
    result: list[Heading] = []
    levels: dict[tuple[str, bool], int] = {}
    for number in range(2, len(lines) + 1):
        line = lines[number - 1]
        if line[:1] not in _ADORNING:
            continue
        mark = _ADORNMENT.match(line[:_WIDTH].rstrip())
        title = lines[number - 2][:_WIDTH].rstrip()
        if not mark or not title or _ADORNMENT.match(title):
            continue
        above = lines[number - 3][:_WIDTH].rstrip() if number > 2 else ""
        over = above == mark[0]
        # docutils accepts a line that is shorter than its title from four characters on.
        long_enough = len(mark[0]) >= min(len(title.strip()), 4)
        if long_enough and (over or (not above and not title[0].isspace())):
            level = levels.setdefault((mark[1], over), len(levels) + 1)
            first = number - 2 if over else number - 1
            plain = short(title.replace("``", ""))
            result.append(Heading(number - 1, level, plain, first=first))
    return result


def asciidoc(text: str) -> list[Heading]:
    """`= Title` lines outside of listings and literal blocks."""
    result: list[Heading] = []
    block = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:_WIDTH].rstrip()
        if line[:1] not in _ASCIIDOC_BEGINS:
            continue
        delimiter = _ASCIIDOC_BLOCK.match(line)
        if delimiter and (not block or block == line[:4]):
            block = "" if block else line[:4]
        heading = None if block else _ASCIIDOC.match(line)
        if heading:
            result.append(Heading(number, len(heading[1]), short(heading[2])))
    return result


def org(text: str) -> list[Heading]:
    """Headlines outside of blocks."""
    result: list[Heading] = []
    block = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw[:_WIDTH].rstrip()
        edge = _ORG_BLOCK.match(line)
        block = edge[1].lower() == "begin" if edge else block
        heading = None if block else _ORG.match(line)
        if heading:
            result.append(Heading(number, len(heading[1]), short(heading[2])))
    return result


def latex(text: str) -> list[Heading]:
    r"""`\section{…}` and similar commands."""
    result: list[Heading] = []
    for number, raw in enumerate(text.split("\n"), 1):
        heading = _LATEX.match(raw[:_WIDTH])
        if heading:
            level = _LATEX_LEVELS.index(heading[1]) + 1
            result.append(Heading(number, level, short(heading[2])))
    return result


def html(text: str) -> list[Heading]:
    """`<h1>` to `<h6>`, and elements of structure that have an id, outside of scripts."""
    result: list[Heading] = []
    # Lines are counted from the previous tag on; counting from the start would be quadratic.
    line, counted, position = 1, 0, 0
    while tag := _HTML.search(text, position):
        line += text.count("\n", counted, tag.start())
        counted = tag.start()
        position = tag.end()
        if tag[1]:
            end = text.find(f"</{tag[1]}", position)
            position = end if end >= 0 else len(text)
        elif tag[2]:
            piece = text[tag.end() : tag.end() + _WIDTH]
            closing = _HTML_END.search(piece)
            inner = piece[: closing.start()] if closing else piece.split("\n", 1)[0]
            _note(result, line, int(tag[2]), unescape(_TAG.sub("", inner)).strip())
        elif tag[3]:
            _note(result, line, _ID_LEVEL, f"#{tag[3]}")
    return result
