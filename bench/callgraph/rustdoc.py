"""The names in a Rust crate according to rustc, for `oracle`: from rustdoc's source pages.

With `--generate-link-to-definition` those link each name to what it means: to lines of the crate,
or to the documentation of another. A meaning is a line and a name: the links know no columns.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from bench.callgraph.oracle import Occurrence
from satchel.store.model import RepoPath

_SUFFIX = ".rs.html"
_CALL = re.compile(r"!?\s*(?:::\s*<[^()]*?>)?\s*\(|!\s*[\[{]")
_NEAR = 3
"""A definition is named within so many lines of where it begins."""
_Link = tuple[int, int, str, str]
"""0-based line, column, text and target of a link."""


class _Page(HTMLParser):
    """The text of a source page, line by line, and the links in it."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.links: list[_Link] = []
        self._inside = False
        self._is_number = False
        self._target = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._inside = self._inside or (tag == "pre" and "rust" in (given.get("class") or ""))
        if tag == "a":
            self._is_number = "data-nosnippet" in given
            self._target = given.get("href") or ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "pre"
        if tag == "a":
            self._is_number, self._target = False, ""

    def handle_data(self, data: str) -> None:
        if not self._inside or self._is_number:
            return
        if self._target and not data.isspace():
            link = (len(self.lines) - 1, len(self.lines[-1]), data.strip(), self._target)
            self.links.append(link)
        first, *more = data.split("\n")
        self.lines[-1] += first
        self.lines += more


def read(folder: Path) -> dict[RepoPath, list[Occurrence]]:
    """The names of a crate, by path below its sources; `folder` is what rustdoc made of those."""
    pages: dict[str, _Page] = {}
    for file in sorted(folder.rglob("*" + _SUFFIX)):
        page = pages[file.relative_to(folder).as_posix()[: -len(".html")]] = _Page()
        page.feed(file.read_text("utf-8"))
    found: dict[RepoPath, list[Occurrence]] = {RepoPath(path): [] for path in pages}
    defined: dict[str, tuple[str, Occurrence]] = {}
    for path, page in pages.items():
        for occurrence in _names(path, page, pages, defined):
            found[RepoPath(path)].append(occurrence)
    for path, occurrence in defined.values():
        found[RepoPath(path)].append(occurrence)
    return found


def _names(
    path: str, page: _Page, pages: dict[str, _Page], defined: dict[str, tuple[str, Occurrence]]
) -> Iterator[Occurrence]:
    for line, column, text, target in page.links:
        end = column + len(text)
        is_call = bool(_CALL.match(page.lines[line], end))
        symbol = "outside"
        if ("://" not in target and _SUFFIX + "#" in target) or target.startswith("#"):
            place, _, lines = target.partition("#")
            home = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
            home = home[: -len(".html")] if place else path
            symbol = f"{home}:{lines.partition('-')[0]}:{text}"
            if home in pages and symbol not in defined:
                named = _definition(pages[home], int(lines.partition("-")[0]) - 1, text)
                if named is None:
                    continue  # under another name: `use a as b`, a macro that makes it
                defined[symbol] = (home, Occurrence(*named, symbol, is_definition=True))
                if (home, *named[:2]) == (path, line, column):
                    continue  # the name of the definition itself
        yield Occurrence(line, column, end, symbol, is_definition=False, is_call=is_call)


def _definition(page: _Page, first: int, name: str) -> tuple[int, int, int] | None:
    """Line and columns of a name at what begins in a line."""
    word = re.compile(rf"(?<![\w]){re.escape(name)}(?!\w)")
    for line in range(first, min(first + _NEAR, len(page.lines))):
        if found := word.search(page.lines[line]):
            return line, found.start(), found.end()
    return None
