"""Long comments cut to their first sentence. Pure.

A comment is found by what its lines begin with, language by language: no parser is at hand where
packs are made, and a line taken for a comment by mistake is only left out, with its number said.
"""

import re
from collections.abc import Iterator, Sequence

_LEAST_LINES = 6
"""A shorter comment costs hardly more than saying that it is left out."""
_KEPT_LINES = 2
"""Lines of a first sentence that are kept at most."""

_HASH = (
    "python ruby elixir bash perl r julia nim crystal yaml toml makefile dockerfile cmake gdscript"
)
_DASH = "lua haskell sql ada elm purescript vhdl"
_OTHER = {
    "erlang": "%",
    "matlab": "%",
    "clojure": ";",
    "scheme": ";",
    "commonlisp": ";",
    "elisp": ";",
}
_LINE_MARKS = {
    **dict.fromkeys(_HASH.split(), "#"), **dict.fromkeys(_DASH.split(), "--"), **_OTHER,
}  # fmt: skip
_SLASHES = "//"
"""What begins a comment in all other languages."""
_QUOTED = re.compile(r"\s*(?:@\w*doc\s+)?(?:~[sS]|[rRuUbBfF]{0,2})(\"\"\"|''')")
_BLOCKS = (("/*", "*/"), ("{-", "-}"), ("--[[", "]]"), ("=begin", "=end"), ("<!--", "-->"))
_ONLY_MARKS = re.compile(r"[\s/*#\-;%!\"'{}\[\]=<>]*")
_SENTENCE = re.compile(r"[.!?:](?:\s|$)")


def spare(lines: Sequence[str], language: str) -> list[tuple[int, int]]:
    """What can be left out of long comments: first and last line of each run, from 0."""
    found: list[tuple[int, int]] = []
    for first, last in _comments(lines, _LINE_MARKS.get(language, _SLASHES)):
        if last - first + 1 < _LEAST_LINES:
            continue
        start = _after_first_sentence(lines, first, last)
        # The line that closes a comment stays, so that the code shown is still well formed.
        closes = last > start and not _says_something(lines[last])
        end = last - 1 if closes else last
        if end - start + 1 >= _LEAST_LINES - _KEPT_LINES:
            found.append((start, end))
    return found


def _comments(lines: Sequence[str], mark: str) -> Iterator[tuple[int, int]]:
    n = 0
    while n < len(lines):
        end = _end_of(lines, n, mark)
        if end >= n:
            yield n, end
        n = max(n, end) + 1


def _end_of(lines: Sequence[str], n: int, mark: str) -> int:
    """The last line of the comment that begins with line `n`; -1 where none does."""
    line = lines[n].strip()
    closing = _closing(lines, n)
    if closing:
        below = (m for m in range(n + 1, len(lines)) if closing in lines[m])
        return next(below, -1)
    # A shebang begins like a comment, but without it a script does not say what runs it.
    if not line.startswith(mark) or line.startswith(("#!", "#[")):
        return -1
    end = n
    while end + 1 < len(lines) and lines[end + 1].strip().startswith(mark):
        end += 1
    return end


def _closing(lines: Sequence[str], n: int) -> str:
    """What closes the comment of several lines that line `n` opens; "" where it opens none."""
    line = lines[n].strip()
    quoted = _QUOTED.match(lines[n]) if '"""' in line or "'''" in line else None
    # A docstring stands below a line that opens a block, or at the very beginning; a string
    # elsewhere may be a query or a template.
    if quoted and not (line.startswith("@") or _line_above(lines, n).endswith(":")):
        return ""
    pairs = ((quoted[0].strip(), quoted[1]),) if quoted else _BLOCKS
    for opening, closing in pairs:
        if line.startswith(opening) and closing not in line[len(opening) :]:
            return closing
    return ""


def _line_above(lines: Sequence[str], n: int) -> str:
    """The last line above line `n` that is not blank, ":" where there is none."""
    above = (lines[m].rstrip() for m in range(n - 1, -1, -1))
    return next(filter(None, above), ":")


def _after_first_sentence(lines: Sequence[str], first: int, last: int) -> int:
    """The line below the first sentence of a comment."""
    n = first
    while n < last and not _says_something(lines[n]):
        n += 1
    for kept in range(_KEPT_LINES):
        at = n + kept
        if at >= last or _SENTENCE.search(lines[at]) or not _says_something(lines[at + 1]):
            return at + 1
    return n + _KEPT_LINES


def _says_something(line: str) -> bool:
    return not _ONLY_MARKS.fullmatch(line)
